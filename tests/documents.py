#!/usr/bin/env python3
"""Checks what the documents name: files and links exist, and each limit is the constant that decides it.

    python3 tests/documents.py

A row of the table of limits in docs/OPERATIONS.md ends in the constants of its values, in their order, as
`path/of/file.rs` `NAME`; the numbers of the row's second cell must be those constants.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMED = re.compile(r"`((?:src|crates|tests|docs|deploy|packaging|data|fuzz|\.ci|\.github)/[^\s`*<>{}…]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
LIMITS = ("docs/OPERATIONS.md", "<!-- limits: checked by tests/documents.py -->", "<!-- /limits -->")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "million": 10**6, "s": 1, "minutes": 60, "h": 3600}


def anchor(heading):
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


def anchors(path):
    return {anchor(line.lstrip("#")) for line in path.read_text().splitlines() if line.startswith("#")}


def check_names(document, text):
    for name in NAMED.findall(text):
        path = name.rstrip(".,;:").removesuffix("/")
        if not (ROOT / path).exists() and not (document.parent / path).exists():
            yield f"{document.relative_to(ROOT)} names {path}, which does not exist"


def check_links(document, text):
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, part = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists():
            yield f"{document.relative_to(ROOT)} links to {link}, which does not exist"
        elif part and target.suffix == ".md" and part not in anchors(target):
            yield f"{document.relative_to(ROOT)} links to {link}, a heading that does not exist"


def constant(path, name):
    """The value of a constant or a default of a setting, in bytes, seconds or pieces."""
    source = (ROOT / path).read_text()
    found = re.search(rf"\b{name}(?:: [\w<>]+ =|:)\s*([^;,\n]*\d[^;,\n]*)[;,]\s*$", source, re.M)
    if not found:
        raise LookupError(f"{path} has no constant {name}")
    value = re.sub(r"(?<=\d)_(?=\d)", "", found[1])
    millis = "from_millis" in value
    value = re.sub(r"Duration::from_(?:secs|millis)\((.*)\)", r"\1", value)
    if not re.fullmatch(r"[\d\s*<+.()]+", value):
        raise LookupError(f"{path}: {name} is no number: {found[1]}")
    number = eval(value)  # Digits and operators alone, as matched above.
    return number / 1000 if millis else number


def amounts(cell):
    for number, unit in re.findall(r"(\d[\d,.]*)(?: (KiB|MiB|million|s|minutes|h)\b)?", cell):
        yield float(number.replace(",", "")) * UNITS.get(unit, 1)


def check_limits():
    name, start, end = LIMITS
    text = (ROOT / name).read_text()
    if start not in text or end not in text:
        yield f"{name} lacks the marks of the table of limits"
        return
    rows = [line for line in text.split(start)[1].split(end)[0].strip().splitlines() if line.startswith("|")][2:]
    if len(rows) < 10:
        yield f"{name}: only {len(rows)} limits"
    for row in rows:
        what, limit, where = (cell.strip() for cell in row.strip("|").split("|"))
        path, *names = re.findall(r"`([^`]+)`", where)
        values = []
        for part in names:
            if "/" in part:
                path = part
            else:
                try:
                    values.append(constant(path, part))
                except LookupError as error:
                    yield f"{name}: {error}"
        stated = list(amounts(limit))
        if stated != values:
            yield f"{name}: {what} is {limit} in the document and {values} in the source"


def main():
    files = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    faults = []
    for name in files.split():
        document = ROOT / name
        text = document.read_text()
        faults += [*check_names(document, text), *check_links(document, text)]
    faults += check_limits()
    print("\n".join(faults) or f"{len(files.split())} documents: every file, link and limit is as they say")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counts statements that read badly and fails above a limit. `tests/dialect.py [--list KIND]`.

rebinding        `let x = x.trim();`: a second value under the name of the first. Give it its own name, or write one chain.
bool-match       `match is_open { true => ...`: write `if`.
tuple-parameter  `fn at((x, y): (f64, f64))`: write two parameters, or a struct for what belongs together.
tuple-let        `let (a, b) = (1, 2);`: write two statements.

The patterns find what is common, not all there is. With --list each place of a kind is printed.
"""
import argparse, collections, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("src", "crates", "tests", "benches")
PATTERNS = {
    "rebinding": re.compile(r"\blet (?:mut )?(\w+)(?:: [^=;]+?)? =\s*[&*]*\1\s*[.?]"),
    "bool-match": re.compile(r"\bmatch [^{};]*\{\s*(?://[^\n]*\s*)*(?:true|false) =>"),
    "tuple-parameter": re.compile(r"\bfn \w+(?:<[^()]*>)?\([^{;]*?(?:[(,]\s*\([^()]*\): |\w: &?(?:mut )?\((?!dyn ))"),
    "tuple-let": re.compile(r"\blet \([^()=]*\) =\s*\((?![^;]*\)\s*[.?])"),
}
LIMITS = {"rebinding": 53, "bool-match": 0, "tuple-parameter": 0, "tuple-let": 7}


def places(kind):
    """Every place of a kind: path, line and the code found."""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.rs") if "target" not in path.parts):
        text = path.read_text()
        for found in PATTERNS[kind].finditer(text):
            yield path.relative_to(ROOT), text.count("\n", 0, found.start()) + 1, " ".join(found[0].split())


def main():
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--list", metavar="KIND", choices=PATTERNS, help=f"print each place of a kind: {', '.join(PATTERNS)}")
    chosen = given.parse_args().list
    above = []
    for kind, limit in LIMITS.items():
        found = list(places(kind))
        folders = collections.Counter("/".join(path.parts[:2]) if path.parts[0] == "crates" else path.parts[0] for path, _, _ in found)
        parts = ", ".join(f"{folder} {count}" for folder, count in folders.most_common())
        print(f"{kind:16} {len(found):4} of {limit:3}  {parts}".rstrip())
        if kind == chosen:
            print("".join(f"  {path}:{line}  {code}\n" for path, line, code in found), end="")
        if len(found) > limit:
            above.append(f"{kind}: {len(found)}, at most {limit}; see tests/dialect.py --list {kind}")
    sys.exit("\n".join(above) or 0)


if __name__ == "__main__":
    main()

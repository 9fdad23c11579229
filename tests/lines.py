#!/usr/bin/env python3
"""Counts code lines by room: non-blank, non-comment, without tests. `tests/lines.py [--files] [--max N]`.

Rust files of `src` and of workspace members count. What only tests see does not: files below `tests`, `fuzz` or `benches`,
`tests.rs`, and whatever stands under a `cfg` of `test`, a module's files included.
With --max the count fails above N.
"""
import argparse, collections, pathlib, re

given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
given.add_argument("--files", action="store_true", help="each file, too")
given.add_argument("--max", type=int, help="fail above so many lines")
given = given.parse_args()
here = pathlib.Path(__file__).resolve().parents[1]


GATED = re.compile(r"#!?\[cfg\((any|all)?\(?test")


def read(path):
    """Number of code lines, and names of the modules that only tests see."""
    out, skip, depth, is_comment, gated, modules = 0, False, 0, False, [], []
    for line in path.read_text().splitlines():
        text = line.strip()
        if is_comment or text.startswith("/*"):
            is_comment = "*/" not in text
            continue
        if not text or text.startswith("//"):
            continue
        if text.startswith("#!") and GATED.match(text):
            return 0, ["*"]
        if GATED.match(text):
            skip, depth = True, 0
            continue
        if skip:
            # An item ends with the brace that closes it, or with a semicolon before any brace is open.
            bare = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', "", text)
            depth += sum(bare.count(c) for c in "{([") - sum(bare.count(c) for c in "})]")
            if found := re.match(r"(?:pub(?:\([a-z]+\))? )?mod (\w+);", text):
                modules.append(found[1])
            if depth <= 0 and bare.endswith((";", "}", ",")):
                skip = False
            continue
        out += 1
    return out, modules


rooms, files, tests = collections.Counter(), {}, set()
sources = [path for root in ("src", "crates") for path in sorted((here / root).rglob("*.rs"))]
for path in sources:
    files[path], modules = read(path)
    folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
    for module in modules:
        tests |= {folder / module, folder / f"{module}.rs"}
for path in sources:
    parts = path.relative_to(here).parts
    if {"tests", "fuzz", "benches"} & set(parts) or path.name == "tests.rs" or tests & {path, *path.parents}:
        del files[path]
        continue
    rooms["/".join(parts[:2]).removesuffix(".rs")] += files[path]
for room, lines in sorted(rooms.items(), key=lambda pair: -pair[1]):
    print(f"{lines:7,}  {room}")
    for path, lines in files.items() if given.files else ():
        path = path.relative_to(here)
        if "/".join(path.parts[:2]).removesuffix(".rs") == room:
            print(f"{lines:15,}  {path}")
total = sum(rooms.values())
print(f"{total:7,}  code lines in all")
if given.max is not None and total > given.max:
    raise SystemExit(f"{total} code lines; at most {given.max} are allowed")

#!/usr/bin/env python3
"""Builds the bundled history: history.db.zst and docs/CATALOGUE.md. Reads nothing but files of this repository.

What goes into it
    data/series/<ID>.csv      figures as last revised, read on FIGURES_READ
    data/copies/<FILE>.csv    figures of other series in copies that public repositories keep; origins.csv says whose and when read
    data/vintages/<ID>.csv    what was known at each month's end
    packages.csv              what public packages know beyond them (packages.py makes it), read on PACKAGES_READ
    SAHMCURRENT               computed here from UNRATE

What it does
    1. Lays them over each other, the older first: where two differ on a date the newer wins, and the older stays as what
       was known before. Refuses a series without a row in crates/core/data/catalogue.csv, and any that may not be bundled.
    2. Imports them into a new store by `econoscope import --bare`, so that each series tells where it came from; imports
       them once more, and stops unless that finds not a figure new or changed.
    3. Compresses a verified copy of that store (`econoscope backup`) with zstd.
    4. Writes docs/CATALOGUE.md. tests/documents.py checks that it is what this script writes.

How to run (Python 3.11 or newer; a program built by `cargo build`, whatever history is in it)
    pip install zstandard==0.25.0
    python3 crates/data/data/history/build.py
    python3 crates/data/data/history/build.py --program FILE           # another program than target/debug/econoscope
    python3 crates/data/data/history/build.py --out FILE               # a trial: the history elsewhere, docs/CATALOGUE.md as it is
    python3 crates/data/data/history/build.py --tables                 # docs/CATALOGUE.md alone; needs nothing but Python
    exit code 0 = written; 2 = a figure is missing or may not be here, nothing written
"""

import argparse
import csv
import hashlib
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from packages import PACKAGES, Refused

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
DATA = ROOT / "data"
CORE = ROOT / "crates" / "core" / "data"
HISTORY = HERE / "history.db.zst"
DOCS = ROOT / "docs" / "CATALOGUE.md"
# The days on which the figures of data/series and those of the packages were read.
FIGURES_READ = "2026-08-22"
PACKAGES_READ = "2026-11-21"
FIGURES = "bundled from figures of August 2026"
LEVEL = 22
SIZE_LIMIT = 3_000_000
# Parts of one sum are of one state: the vintage of CE16OV after this month has new population controls, which the
# labor force that is held (CLF16OV, a copy of January's figures) has not; their difference was 1.4 million too high.
LAST_VINTAGE = {"CE16OV": "2026-02"}


@dataclass
class Held:
    """All that goes into the store of one series."""

    figures: dict = field(default_factory=dict)  # date -> value as last revised
    origin: str = FIGURES
    read: str = FIGURES_READ
    vintages: list = field(default_factory=list)  # (date, value or "", day or month)
    newer: dict = field(default_factory=dict)  # date -> value that a package knows beyond the figures
    package: str = ""
    is_dated: bool = False  # each figure is a vintage, as of projections

    def latest(self):
        """date -> newest value, withdrawn dates left out."""
        told = {day: value for day, value, _ in sorted(self.vintages, key=lambda row: row[2])}
        return {day: value for day, value in sorted((told | self.figures | self.newer).items()) if value != ""}


# ---------------------------------------------------------------- reading


def read_all():
    """Every series by its identifier."""
    held = defaultdict(Held)
    for path in sorted((DATA / "series").glob("*.csv")):
        held[path.stem].figures = {row["date"]: row["value"] for row in read_csv(path)}
    read_copies(held)
    units = [row["series"] for row in read_csv(CORE / "units.csv")]
    for path in sorted((DATA / "vintages").glob("*.csv")):
        if path.stem != "units":
            last = LAST_VINTAGE.get(path.stem, "9999")
            rows = [(row["date"], row["value"], row["known_from"]) for row in read_csv(path)]
            held[path.stem].vintages = [row for row in rows if row[2][:7] <= last]
    read_packages(held)
    for series, all_of_it in held.items():
        if all_of_it.vintages:
            settle(all_of_it, units.count(series) > 1)
    held["SAHMCURRENT"] = Held(sahm(held["UNRATE"].latest()), "bundled from derived: UNRATE", PACKAGES_READ)
    return dict(sorted(held.items()))


def read_copies(held):
    """Figures of series that are not in data/series, each with the day on which the copy read its agency."""
    for origin in read_csv(DATA / "copies" / "origins.csv"):
        month = date.fromisoformat(origin["read"]).strftime("%B %Y")
        name = "derived: gretl-data 2026d-1" if origin["file"] == "derived.csv" else f"figures of {month}"
        for row in read_csv(DATA / "copies" / origin["file"]):
            of_it = held[row["series_id"]]
            if row["date"] in of_it.figures or (of_it.figures and of_it.read != origin["read"]):
                raise Refused(f"{row['series_id']}: in {origin['file']} and elsewhere")
            of_it.origin, of_it.read = f"bundled from {name}", origin["read"]
            if row.get("known_from"):
                of_it.vintages.append((row["date"], row["value"], row["known_from"]))
            else:
                of_it.figures[row["date"]] = row["value"]
    for of_it in held.values():
        if of_it.vintages and not of_it.figures:
            of_it.figures, of_it.is_dated = of_it.latest(), True


def read_packages(held):
    """Lays what packages know beside the figures; a series that only a package has is that package's."""
    alone = {row["series_id"] for row in read_csv(HERE / "packages.csv")} - {s for s in held if held[s].figures}
    for row in read_csv(HERE / "packages.csv"):
        of_it = held[row["series_id"]]
        if row["known_from"]:
            of_it.vintages.append((row["date"], row["value"], row["known_from"]))
        elif row["series_id"] in alone:
            of_it.figures[row["date"]] = row["value"]
            of_it.origin, of_it.read = f"bundled from {PACKAGES[row['package']]}", PACKAGES_READ
        else:
            of_it.newer[row["date"]] = row["value"]
            of_it.package = row["package"]


def settle(held, is_rebased):
    """Makes figures as last revised and vintages one history."""
    told = {day: value for day, value, _ in sorted(held.vintages, key=lambda row: row[2])}
    first = min(known for _, _, known in held.vintages)
    begin, oldest = min(told), min(held.figures)
    if max(held.figures) < max(told):
        # The copy is older than the last vintage: what that one says is newer.
        held.figures = {day: told.get(day) or value for day, value in held.figures.items()}
    # Dates that the series no longer has.
    held.vintages += [(day, "", held.read) for day in told if day < oldest and told[day] != ""]
    if is_rebased:
        # No vintage tells them in the base year of its time.
        held.vintages += [(day, "", first) for day in held.figures if day < begin]


def read_csv(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def sahm(unemployment):
    """Three-month mean minus the least of the twelve three-month means before it; two decimals.

    Windows are of calendar months; a mean needs two of its three months, so a month without a figure does not stop it.
    """
    known = {int(day[:4]) * 12 + int(day[5:7]) - 1: float(value) for day, value in unemployment.items()}
    first, last = min(known), max(known)
    mean = {}
    for month in range(first, last + 1):
        window = [known[m] for m in range(month - 2, month + 1) if m in known]
        if len(window) >= 2:
            mean[month] = sum(window) / len(window)
    rows = {}
    for month in range(first + 12, last + 1):
        before = [mean[m] for m in range(month - 12, month) if m in mean]
        if month in mean and before:
            # `+ 0.0` turns a negative zero into zero.
            rows[str(date(month // 12, month % 12 + 1, 1))] = repr(round(mean[month] - min(before), 2) + 0.0)
    return rows


# ---------------------------------------------------------------- the store


def layers(held):
    """(origin, day read) -> identifier -> lines, in the order in which they are to be imported.

    Vintages come last: the program sets them apart from all figures that no vintage tells of.
    """
    first, second, third = defaultdict(dict), defaultdict(dict), defaultdict(dict)
    for series, of_it in held.items():
        key = of_it.origin, of_it.read
        if not of_it.is_dated:  # else a first state without a day would count by the usual lag
            first[key][series] = [f"{day},{value},\n" for day, value in of_it.figures.items()]
        if of_it.newer:
            key = f"bundled from {PACKAGES[of_it.package]}", PACKAGES_READ
            second[key][series] = [f"{day},{value},\n" for day, value in of_it.newer.items()]
        if of_it.vintages:
            key = key[0] + " and vintages", key[1]
            third[key][series] = [f"{day},{value},{known}\n" for day, value, known in of_it.vintages]
    return [*sorted(first.items()), *sorted(second.items()), *sorted(third.items())]


def store(held, program):
    """A store file with all of it, made and verified by the program."""
    with tempfile.TemporaryDirectory() as private:
        private = Path(private)
        made, copy = private / "made.db", private / "history.db"
        steps = []
        for number, ((origin, read), files) in enumerate(layers(held)):
            folder = private / str(number)
            folder.mkdir()
            for series, lines in files.items():
                (folder / f"{series}.csv").write_text("date,value,known_from\n" + "".join(lines))
            steps.append(["--origin", origin, "--read-at", f"{read}T00:00:00Z", folder])
        for is_again in (False, True):
            for step in steps:
                said = econoscope(program, made, "import", "--bare", *step)
                if is_again and ": 0 new, 0 revised\n" not in said + "\n":
                    raise Refused(f"the store does not give back what went into it: {said}")
        econoscope(program, made, "backup", copy)
        return copy.read_bytes()


def econoscope(program, path, *words):
    """Runs the program on a store; what it said."""
    done = subprocess.run([program, "--store", path, *words], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise Refused(f"econoscope {words[0]}: {done.stderr.strip()}")
    return done.stderr


# ---------------------------------------------------------------- docs/CATALOGUE.md

RIGHTS = {
    "ok": "",
    "ok_with_citation": " (freely distributed; cite the source)",
}


def catalogue(held):
    """The rows of crates/core/data/catalogue.csv by identifier in capitals; refuses what may not be bundled."""
    rows = {row["series_id"].upper(): row for row in read_csv(CORE / "catalogue.csv")}
    for series, of_it in held.items():
        row = rows.get(series.upper())
        if row is None or row["bundle"] not in RIGHTS:
            raise Refused(f"{series}: no row in the catalogue, or one that does not let it be bundled")
        if not of_it.figures:
            raise Refused(f"{series}: no figures")
    return rows


HEAD = """<!-- Written by crates/data/data/history/build.py; do not edit. -->
# The bundled series

[DATA.md](DATA.md) says what they answer and how to cite them. Freq.: D daily, W weekly, M monthly, Q quarterly, A annual. Weeks
are dated by their last day. From: who has the figures; "agency" with the day on which they were read
there or copied from there, else the [package](#packages-and-checksums). Figures of US agencies are in the public domain; where a heading
says so, the source is to be cited.
"""
SHORT = {"M": lambda day: day[:7], "A": lambda day: day[:4], "Q": lambda day: f"{day[:4]}Q{(int(day[5:7]) + 2) // 3}"}


def tables(held, about):
    """The text of docs/CATALOGUE.md."""
    groups, states = defaultdict(list), []
    for series, of_it in held.items():
        row, latest = about[series.upper()], of_it.latest()
        origin = of_it.origin.removeprefix("bundled from ")
        for package in PACKAGES.values():
            origin = origin.replace(str(package), package.name)
        copies = [f"agency {of_it.read}" if origin.startswith("figures of ") else origin]
        copies += [PACKAGES[of_it.package].name] if of_it.newer else []
        months = sorted(known[:7] for _, value, known in of_it.vintages if value != "")
        short = SHORT.get(row["frequency"], str)
        groups[row["source_agency"], RIGHTS[row["bundle"]]].append("| " + " | ".join([
            series, row["title"], row["frequency"], short(min(latest)), short(max(latest)), "; ".join(copies)]) + " |")
        if months:
            states.append(f"| {series} | {months[0]} | {months[-1]} | {len(of_it.vintages)} |")
    figures = sum(len(of_it.latest()) for of_it in held.values())
    rows = sum(len(of_it.vintages) for of_it in held.values())
    with_vintages = sum(bool(of_it.vintages) for of_it in held.values())
    lines = [HEAD, f"{len(held)} series, {figures:,} figures as last revised; {rows:,} rows of vintages of {with_vintages} series. "
             f"Packages were read on {PACKAGES_READ}."]
    for (agency, rights), of_it in sorted(groups.items()):
        lines += ["", f"## {agency}{rights}", "", "| id | title | freq. | first | last | from |", "|---|---|---|---|---|---|", *of_it]
    lines += ["", "## Vintages", "", "By the month in which each was known.", "", "| id | first | last | rows |", "|---|---|---|---:|", *states]
    lines += ["", "## Packages and checksums", "",
              "| package | file read | figures | licence of the package | sha256 of the archive |", "|---|---|---|---|---|"]
    lines += [f"| {p} ({p.kind}) | `{p.inside}` | {p.carries} | {p.licence} | `{p.sha256}` |" for p in PACKAGES.values()]
    lines += ["", "## Copies in public repositories", "", "| file | agency | copy | read | checked |", "|---|---|---|---|---|"]
    lines += [f"| `{o['file']}` | {o['agency']} | {o['copy']} | {o['read']} | {o['checked']} |" for o in read_csv(DATA / "copies" / "origins.csv")]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- the run


def build(options):
    held = read_all()
    about = catalogue(held)
    if options.tables:
        DOCS.write_text(tables(held, about))
        print(f"{DOCS.name}: {len(held)} series")
        return
    import zstandard  # the tables need nothing but Python

    file = store(held, options.program)
    content = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(file)
    if len(content) > SIZE_LIMIT:
        raise Refused(f"the history has {len(content):,} bytes, the limit is {SIZE_LIMIT:,}")
    options.out.write_bytes(content)
    if options.out == HISTORY:  # one built elsewhere is a trial
        DOCS.write_text(tables(held, about))
    print(f"{options.out.name}: {len(held)} series, a store of {len(file):,} bytes, {len(content):,} compressed, "
          f"sha256 {hashlib.sha256(content).hexdigest()}")


def main():
    parser = argparse.ArgumentParser(description="Builds history.db.zst and docs/CATALOGUE.md.")
    parser.add_argument("--program", type=Path, default=ROOT / "target/debug/econoscope", metavar="FILE",
                        help="the program that makes the store")
    parser.add_argument("--out", type=Path, default=HISTORY, metavar="FILE",
                        help="where to write the history; elsewhere than here, docs/CATALOGUE.md stays as it is")
    parser.add_argument("--tables", action="store_true", help="write docs/CATALOGUE.md alone")
    try:
        build(parser.parse_args())
    except (Refused, OSError, ValueError) as e:
        print(f"build.py: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

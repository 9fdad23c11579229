"""Thirty days of syncs against stand-ins, or as many as are named, with a fault each day: BINARY FOLDER [DAYS].

Figures come out on their days. Each day one host fails in some way: out of order, a page, a cut or an empty answer, a copy
three weeks old with other figures, a moved address, another first line, a new base. After each day everything that is
held must be a figure that came out by then, nothing that was held may be lost, what a healthy host brought must be as
new as it is there, and the summary must show its figures, each with its date.
"""

import datetime
import json
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run

FIRST, DAYS = datetime.date(2026, 10, 1), int((sys.argv[3:] or [30])[0])
HOSTS = {"fed_board": ["DGS10", "DGS2", "DFF", "M2SL", "INDPRO"], "bls": ["UNRATE", "CPIAUCSL", "CPILFESL", "PAYEMS"],
         "bea": ["PCE", "PCEPILFE"], "fred": ["HOUST"]}
FAULTS = ["out of order", "page", "cut", "empty", "old copy", "moved", "renamed", "new base"]
now = {"day": FIRST, "host": None, "fault": None, "base": 1.0}
kept = run.figures  # what the repository holds, and the last figure repeated


def came(series, date):
    """The day on which a figure comes out: days on the next, months in the middle of the following one."""
    return date + datetime.timedelta(days=1 if run.FREQUENCY[series] == "D" else 45)


def truth(series, day):
    """All figures of a series that are out on a day."""
    rows = [(date, value) for date, value in kept(series) if date < datetime.date(2026, 7, 1)]
    date, n, last = rows[-1][0], 0, float(rows[-1][1])
    while came(series, date := run.after(date, run.FREQUENCY[series])) <= day:
        n += 1
        rows.append((date, f"{last + n / 100:.2f}"))
    return [row for row in rows if came(series, row[0]) <= day]


def served(series):
    """What a source says of a series on the day, its fault included."""
    host = next((host for host, ids in HOSTS.items() if series in ids), None)
    if now["host"] != host or host is None:
        return truth(series, now["day"])
    if now["fault"] == "old copy":
        rows = truth(series, now["day"] - datetime.timedelta(days=21))
        return [(date, f"{float(value) + date.month % 3 / 10:.2f}") for date, value in rows[:-1]]
    if now["fault"] == "new base":
        return [(date, f"{float(value) * 0.9:.4f}") for date, value in truth(series, now["day"])]
    return truth(series, now["day"])


class Faulty(run.StandIn):
    """A stand-in that fails when it is its turn."""

    def say(self):
        fault = now["fault"] if self.server.name == now["host"] else None
        if fault not in ("out of order", "page", "empty", "moved", "cut", "renamed"):
            return super().say()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = {"page": b"<html>maintenance</html>", "renamed": b"a,b\n1,2\n", "cut": b"observation_date,X\n2026-0"}.get(fault, b"")
        self.send_response({"out of order": 503, "moved": 301}.get(fault, 200))
        if fault == "moved":
            self.send_header("Location", "https://elsewhere.example/data")
        self.send_header("Content-Type", "text/html" if fault == "page" else "text/csv")
        self.send_header("Content-Length", str(len(body) + (100 if fault == "cut" else 0)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    do_GET = do_POST = say


def econoscope(binary, store, *words):
    clock = f"@{now['day']} 22:00:00"
    line = ["faketime", "-f", clock, binary, "--store", store, *words]
    environment = {"PATH": os.environ["PATH"], "HOME": str(store.parent), "TZ": "UTC"}
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False, env=environment)


def held(binary, store, series):
    done = econoscope(binary, store, "call", "get_time_series", f"seriesId={series}", "start=2026-01-01", "detail=full")
    return {row["date"]: row["value"] for row in json.loads(done.stdout)["data"]}


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "month.db"
    store.unlink(missing_ok=True)
    run.figures, run.StandIn = served, Faulty
    urls = {name: run.start(name) for name, recipe in run.RECIPES.items() if recipe.get("feed") and name in HOSTS}
    closed = "http://127.0.0.1:9"
    places = ",".join(f"{name}={urls.get(name, closed)}" for name, recipe in run.RECIPES.items() if recipe.get("feed"))
    series = [one for ids in HOSTS.values() for one in ids]
    for one in series:
        (folder / f"{one}.csv").write_text("date,value\n" + "".join(f"{d},{v}\n" for d, v in truth(one, FIRST)))
    assert econoscope(binary, store, "import", "--bare", folder).returncode == 0
    rng, before, said = random.Random(33), {one: held(binary, store, one) for one in series}, []
    for n in range(DAYS):
        now.update(day=FIRST + datetime.timedelta(days=n), host=rng.choice(list(HOSTS)), fault=FAULTS[n % len(FAULTS)])
        sync = ["--feeds", "none", "--source-url", places, "--fred-csv-url", urls.get("fred") or run.start("fred")]
        done = econoscope(binary, store, *sync, "sync", "--force", "--only", ",".join(series))
        assert "panicked" not in done.stderr, done.stderr
        for host, ids in HOSTS.items():
            for one in ids:
                out = {date.isoformat(): float(value) for date, value in truth(one, now["day"])}
                have = held(binary, store, one)
                false = {date: value for date, value in have.items() if abs(out.get(date, 1e9) - value) > 1e-6}
                assert not false, f"{now}: {one} is held with what never came out: {false}\n{done.stderr}"
                assert before[one].keys() <= have.keys(), f"{now}: {one} lost figures"
                if host != now["host"]:
                    newest = max(out)
                    assert max(have) == newest, f"{now}: {one} ends {max(have)}, {newest} is out\n{done.stderr}"
                before[one] = have
        summary = json.loads(econoscope(binary, store, "call", "get_macro_summary").stdout)
        for figure in (summary["key_rates"]["10y"], summary["key_rates"]["2y"], summary["inflation"]["cpi_yoy_pct"]):
            assert figure is not None, f"{now}: {summary['notes']}"
        said.append(f"{now['day']} {now['host']}, {now['fault']}: 10y of {summary['dates']['10y']}, CPI of "
                    f"{summary['dates']['cpi_yoy_pct']}" + (f", late: {sorted(summary['late'])}" if summary.get("late") else ""))
    print("\n".join(said))
    print(f"{DAYS} days, a fault each: nothing false is held, nothing was lost, every healthy host was read to its newest figure")


main()

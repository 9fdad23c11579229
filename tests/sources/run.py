"""A sync of everything against stand-ins on loopback: BINARY FOLDER.

Every source of `crates/core/data/sources` has a port of its own. The releases of the Federal Reserve Board, BLS and BEA are made,
each in its own form, of the figures in `data/series`, in which FRED answers, too; all others answer with the bodies
kept beside their recipes. What nobody saw answered is not accepted at the first sync and is at the second, since what
FRED brought agrees with it. Printed: requests by host, time, and where series have a live source.
"""

import collections
import csv
import datetime
import email.utils
import functools
import http.server
import io
import json
import pathlib
import re
import resource
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = ROOT / "crates/core/data/sources"
RECIPES = {r["source"]["id"]: r for r in (tomllib.loads(f.read_text()) for f in sorted(SOURCES.glob("*.toml")))}
PERIODS = {"M": "{0:%Y}M{0:%m}", "Q": "{0:%Y}Q{1}", "A": "{0:%Y}"}
CATALOGUE = list(csv.DictReader((ROOT / "crates/core/data/catalogue.csv").open()))
FREQUENCY = {row["series_id"]: row["frequency"] for row in CATALOGUE}
asked = collections.Counter()


def after(day, frequency):
    """The first day of the next period; of days and weeks, the next one."""
    months = {"M": 1, "Q": 3, "A": 12}.get(frequency)
    if months:
        month = day.year * 12 + day.month - 1 + months
        return datetime.date(month // 12, month % 12 + 1, 1)
    return day + datetime.timedelta(days=7 if frequency == "W" else 3 if day.weekday() == 4 else 1)


@functools.cache
def figures(series):
    """Date and text of each figure up to the newest that could be out. Beyond what the repository holds the last one
    is repeated; where it holds nothing three years are made up."""
    frequency = FREQUENCY[series]
    end = {"D": "2026-11-19", "W": "2026-11-14"}.get(frequency, "2026-10-01")
    file = ROOT / "data/series" / f"{series}.csv"
    rows = csv.DictReader(file.open()) if file.exists() else []
    known = [(datetime.date.fromisoformat(row["date"]), row["value"]) for row in rows if row["value"]]
    known = known or [(datetime.date(2023, 10, 4 if frequency == "W" else 1), "5.0")]
    while (day := after(known[-1][0], frequency)).isoformat() <= end:
        made_up = not file.exists() and len(known) % 7 / 100
        known.append((day, f"{5 + made_up}" if made_up else known[-1][1]))
    return known


def there(line):
    """The figures of a line as its source has them: before the recipe's scale."""
    scale = line.get("scale", 1)
    return [(day, value if scale == 1 else f"{float(value) / scale:.6f}") for day, value in figures(line["id"])]


def board(feeds):
    """A release: every line of every feed that lies in it; months end with their last day."""
    out = io.StringIO()
    for feed in feeds:
        monthly = feed.get("date", {}).get("stamp")
        for line in feed.get("series", []):
            marks = f'UNIT="{line.get("unit", "")}" UNIT_MULT="{line.get("multiplier", 1)}"'
            out.write(f'<frb:DataSet id="{line.get("set", "X")}"><kf:Series SERIES_NAME="{line["field"]}" {marks}>')
            for day, value in there(line):
                if monthly:
                    following = (day.replace(day=28) + datetime.timedelta(days=4)).replace(day=1)
                    day = following - datetime.timedelta(days=1)
                out.write(f'<frb:Obs OBS_STATUS="A" OBS_VALUE="{value}" TIME_PERIOD="{day}"/>')
            out.write("</kf:Series></frb:DataSet>")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X_data.xml", f"<m:Group>{out.getvalue()}</m:Group>")
    return packed.getvalue()


def surveys(feed, question):
    """BLS: at most ten years of at most 25 series; more is cut, under success."""
    assert len(question["seriesid"]) <= 25 and int(question["endyear"]) - int(question["startyear"]) < 10, question
    series = []
    for name in question["seriesid"]:
        line = next(line for line in feed.get("series", []) if line["field"] == name)
        quarterly = all(day.month % 3 == 1 for day, _ in figures(line["id"]))
        rows = [
            {"year": str(day.year), "period": f"Q{day.month // 3 + 1:02}" if quarterly else f"M{day.month:02}", "value": value}
            for day, value in there(line)
            if int(question["startyear"]) <= day.year <= int(question["endyear"])
        ]
        series.append({"seriesID": name, "data": rows[::-1]})
    return {"status": "REQUEST_SUCCEEDED", "message": [], "Results": {"series": series}}


def flat(feed):
    """BEA: every series of a frequency as code, period, value."""
    form = PERIODS[feed["url"][-5]]
    rows = ["%SeriesCode,Period,Value"]
    for line in feed.get("series", []):
        rows += [f'{line["field"]},{form.format(day, day.month // 3 + 1)},{value}' for day, value in there(line)]
    return "\n".join(rows)


def kept(feed, series):
    """The body kept beside the recipe; of a feed that is asked by name, under the name asked for."""
    for sample in feed.get("sample", []):
        body = sample["body"]
        body = body if re.search(r"[\n{<]", body) else (SOURCES / "samples" / body).read_text()
        first = next((line for line in feed.get("series", []) if line["id"] == sample["expect"]["id"]), {})
        return body.replace(f'"{first["key"]}"', f'"{series}"') if series and first.get("key") else body
    return None


def pattern(feed):
    """What matches an address of a feed, with the name asked for as `series`."""
    address = urllib.parse.unquote(feed["url"].split("/", 3)[3])
    words = re.escape(address).replace(r"\{series\}", "(?P<series>.+?)")
    return re.compile("/" + re.sub(r"\\\{\w+\\\}", ".*?", words) + r"(&api_key=stand-in)?$")


# A list of BLS, for those who name a mail address: padded, and with a series that has ended.
TITLES = "series_id                     \tseries_title\tend_year\tend_period\r\n" + "".join(
    f"{name:30}\t{title}\t{year}\tM08\r\n" for name, title, year in (("LASST060000000000003", "Unemployment Rate: California (S)", 2026), ("LAUCN060370000000003", "Ended", 2014)))


def answer(recipe, path, body):
    """Body and type of what a source says."""
    if path.endswith(".series"):
        return TITLES, "text/plain"
    path = urllib.parse.unquote_plus(path) if "econ_export" in path else urllib.parse.unquote(path)
    fitting = [(feed, match) for feed in recipe["feed"] if (match := pattern(feed).match(path.replace(" ", "+")))]
    feeds = [feed for feed, _ in fitting]
    if not feeds:
        return None, None
    feed, groups = feeds[0], fitting[0][1].groupdict()
    match feed["format"]:
        case "board_zip":
            return board(feeds), "application/zip"
        case "bls":
            return json.dumps(surveys(feed, json.loads(body))), "application/json"
        case "bea_flat":
            return flat(feed), "text/plain"
        case "xml":
            return kept(feed, None), "text/xml"
        case kind:
            return kept(feed, groups.get("series")), "application/json" if kind in ("json", "mts") else "text/csv"


def fred(path):
    """FRED's download."""
    series = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)["id"][0]
    rows = [f"{day},{value}" for day, value in figures(series)]
    return "\n".join([f"observation_date,{series}", *rows]) + "\n", "text/csv"


class StandIn(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def say(self):
        name = self.server.name
        asked[name] += 1
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said, kind = fred(self.path) if name == "fred" else answer(RECIPES[name], self.path, body)
        status = 200 if said is not None else 404
        said = (said or "<html>no such page</html>").encode() if not isinstance(said, bytes) else said
        self.send_response(status)
        self.send_header("Content-Type", kind or "text/html")
        self.send_header("Content-Length", str(len(said)))
        self.send_header("Last-Modified", email.utils.formatdate(usegmt=True))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = say

    def log_message(self, *_):
        pass


def start(name):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    server.name = name
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def live_sources():
    """Series of the catalogue by the best way to a live source beside FRED; derived is what follows by a formula from
    series that have one."""
    ranks, best = ["without a key", "with a free key", "for oneself alone", "derived", "none"], {}
    rows = csv.DictReader((ROOT / "crates/core/data/identities.csv").open())
    formulas = {row["series_id"]: FREQUENCY.keys() & re.findall(r"[A-Z0-9_]{2,}", row["formula"]) for row in rows}
    formulas["SAHMCURRENT"] = {"UNRATE"}
    for recipe in RECIPES.values():
        source = recipe["source"]
        needs_key = "key" in source and not source["key"].get("optional")
        rank = 2 if source["rights"] in ("personal", "own_key") else 1 if needs_key else 0
        for line in (line for feed in recipe.get("feed", []) for line in feed.get("series", [])):
            best[line["id"]] = min(rank, best.get(line["id"], rank))
    while new := {series for series, of in formulas.items() if series not in best and of <= best.keys()}:
        best |= dict.fromkeys(new, 3)
    fetched = [row["series_id"] for row in CATALOGUE if row["category"] != "composite"]
    ways = collections.Counter(ranks[best.get(series, 4)] for series in fetched)
    return {way: ways[way] for way in ranks}, len(fetched)


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "sync.db"
    store.unlink(missing_ok=True)
    urls = {name: start(name) for name, recipe in RECIPES.items() if recipe.get("feed")}
    places = ",".join(f"{name}={url}" for name, url in urls.items())
    keys = ",".join(f"{name}=stand-in" for name, r in RECIPES.items() if name == "eia")
    line = [binary, "--store", store, "--feeds", "none", "--source-url", places, "--source-key", keys]
    line += ["--contact", "ops@example.org", "--fred-csv-url", start("fred"), "sync"]
    for which, flags in (("first", []), ("second", ["--force"])):
        asked.clear()
        began, before = time.monotonic(), cpu()
        done = subprocess.run([*line, *flags], capture_output=True, text=True, timeout=600, check=False)
        took = time.monotonic() - began
        (folder / f"{which}.log").write_text(done.stdout + done.stderr)
        assert "panicked" not in done.stderr, done.stderr
        print(f"The {which} sync: {sum(asked.values())} requests, {took:.1f} s, of which {cpu() - before:.1f} s of CPU")
        print(" ", ", ".join(f"{name} {count}" for name, count in asked.most_common()))
        by = newest_rows(store)
        print("  newest rows by source:", ", ".join(f"{name} {count}" for name, count in by.most_common()))
    search = [binary, "--store", store, "call", "search_series", "query=unemployment california", "category=imported"]
    found = subprocess.run(search, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "LASST060000000000003" in found and "LAUCN060370000000003" not in found, found
    counts, total = live_sources()
    print(f"Ways to a live source beside FRED, of {total} series of the catalogue that are fetched:")
    print("\n".join(f"  {way:20}{count:4}" for way, count in counts.items()))
    assert total - counts["none"] >= 320, counts
    for source, least in (("bls", 70), ("fed_board", 80), ("bea", 28), ("formula", 10), ("ofr", 9)):
        assert by[source] >= least, (source, by)


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def newest_rows(store):
    """How many series have their newest rows from whom."""
    origins = sqlite3.connect(store).execute("SELECT origin FROM series")
    newest = (origin.split(" | ")[-1] for (origin,) in origins)
    name = re.compile(r"(?:\d{4}-\d\d-\d\d )?(\w+)")
    return collections.Counter(name.match(text)[1] for text in newest)


if __name__ == "__main__":
    main()

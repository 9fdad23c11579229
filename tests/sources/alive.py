"""The first hour of an assistant over stdio, against stand-ins: BINARY FOLDER [--long].

Every source answers after 0.3 s, with bodies of real size where they are large. Recorded in FOLDER/hour.txt: what was
asked, and what the summary said, second by second and then minute by minute. Checked: what is asked for first is current
15 s after the first start, a late figure comes within two seconds, a client that leaves ends the program within one,
ten assistants on one store ask each source once, the next one goes on after `kill -9`, a second start makes no request,
FRED is asked only with --fred, a store that cannot be written answers, and a desktop behind a proxy with a certificate of
its company syncs. --long adds a week, an hour three times a day (faketime).
"""

import collections
import datetime
import functools
import json
import os
import pathlib
import random
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run

TODAY = datetime.datetime.now(datetime.UTC).date()
asked = []  # time, source, path of each request
speed = {"delay": 0.3, "today": TODAY}
stored = run.figures


@functools.cache
def figures_until(series, today):
    """The figures of `run`, with daily and weekly ones up to yesterday."""
    rows = list(stored(series))
    frequency = run.FREQUENCY[series]
    lag = {"D": 1, "W": 6}.get(frequency, 45)
    while (day := run.after(rows[-1][0], frequency)) + datetime.timedelta(days=lag) <= today:
        rows.append((day, rows[-1][1]))
    return [row for row in rows if row[0] < today or frequency != "D"]


def figures(series):
    return figures_until(series, speed["today"])


def table(feed, year):
    """A year of yields as the Treasury has them."""
    lines = {line["field"]: dict(figures(line["id"])) for line in feed["series"] if stored(line["id"])[0][0].year < 2020}
    days = sorted({day for rows in lines.values() for day in rows if day.year == year}, reverse=True)
    rows = [",".join([f"{day:%m/%d/%Y}", *(rows.get(day, "") for rows in lines.values())]) for day in days]
    return "\n".join(["Date," + ",".join(f'"{name}"' for name in lines), *rows]) + "\n"


def rates(feed, path):
    """Overnight rates as the Federal Reserve Bank of New York has them."""
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
    first, last = (datetime.date.fromisoformat(query[name][0]) for name in ("startDate", "endDate"))
    columns = {line["field"]: dict(figures(line["id"])) for line in feed["series"]}
    days = [day for day, _ in figures("EFFR") if first <= day <= last]
    rows = [{"effectiveDate": str(day), "type": "EFFR"} | {n: float(c[day]) for n, c in columns.items() if day in c} for day in days]
    return json.dumps({"refRates": rows})


def conditions(feed):
    lines = {line["field"]: dict(figures(line["id"])) for line in feed["series"]}
    rows = [",".join([f"{day:%m/%d/%Y}", *(c.get(day, "0.1") for c in lines.values())]) for day, _ in figures("NFCI")]
    return "\n".join(["Friday_of_Week," + ",".join(lines), *rows]) + "\n"


def claims():
    kinds = {"InitialClaims": ("ICSA", "IC4WSA", "ICNSA"), "ContinuedClaims": ("CCSA", "CCSA", "CCNSA")}
    values = {name: dict(figures(name)) for names in kinds.values() for name in names}
    week = "<week><weekEnded>{0:%m/%d/%Y}</weekEnded>{1}</week>"
    tags = ("SA", "SA4WK", "NSA")
    def group(day, kind):
        cells = (f"<{tag}>{values[name][day]}</{tag}>" for tag, name in zip(tags, kinds[kind]) if day in values[name])
        return f"<{kind}>{''.join(cells)}</{kind}>"
    rows = [week.format(day, "".join(group(day, kind) for kind in kinds)) for day, _ in figures("ICSA")]
    return f"<r539cy>{''.join(rows)}</r539cy>"


@functools.cache
def padding(mebibytes):
    """Rows of series that nobody reads, as many as the real file has."""
    rng = random.Random(1)
    block = "".join(f"ZZZ{n},2020M01,{rng.randrange(10**9)}\n" for n in range(40_000))
    return block * (mebibytes * 2**20 // len(block))


def calendar(path):
    """Calendars of two agencies; that of the Census Bureau announces retail sales for a day off the rule."""
    if path.endswith("/json/calendar.json"):
        return "\ufeff" + json.dumps({"events": [{"title": "FOMC Meeting", "month": "2030-01", "days": "29-30", "time": "2:00 p.m.", "type": "FOMC"}]})
    if path.endswith("/calendar-listview.html"):
        day = TODAY + datetime.timedelta(days=5)
        month = day.replace(day=1) - datetime.timedelta(days=1)
        row = (run.SOURCES / "samples/census/calendar_listview.html").read_text()
        return row.replace("A202601140830", f"A{day:%Y%m%d}0830").replace("A202511", f"A{month:%Y%m}")
    return None


def answer(recipe, path, body):
    if said := calendar(path):
        return said, "text/html" if said.lstrip().startswith("<") else "application/json"
    name = recipe["source"]["id"]
    feeds = {feed["id"]: feed for feed in recipe["feed"]}
    match name:
        case "treasury" if "yield_curve" in path:
            feed = feeds["par_real_yields" if "real_yield" in path else "par_yields"]
            return table(feed, int(re.search(r"csv/(\d+)", path)[1])), "text/csv"
        case "nyfed" if "unsecured/effr" in path:
            return rates(feeds["effr"], path), "application/json"
        case "chicago_fed" if "nfci" in path.lower():
            return conditions(feeds["nfci"]), "text/csv"
        case "dol":
            return claims(), "text/xml"
        case "bea":
            said, kind = original(recipe, path, body)
            return said and said + "\n" + padding(35), kind
    return original(recipe, path, body)


original, run.answer, run.figures = run.answer, answer, figures


@functools.cache
def body_of(name, path, body, today):
    return run.fred(path) if name == "fred" else answer(run.RECIPES[name], path, body)


class StandIn(run.StandIn):
    """Answers as slowly as a source, and keeps what was asked."""

    def say(self):
        asked.append((time.monotonic(), self.server.name, self.path))
        time.sleep(speed["delay"])
        super().say()

    do_GET = do_POST = say


run.StandIn = StandIn
run.answer = lambda recipe, path, body: body_of(recipe["source"]["id"], path, body, speed["today"])


class Assistant:
    """A client over stdio, which checks that every line is a message."""

    def __init__(self, binary, store, *flags, clock=None, environment=None):
        line = [binary, "--store", str(store), "--feeds", "none", *flags]
        line = ["faketime", "-f", clock, *line] if clock else line
        variables = {"PATH": os.environ["PATH"], "HOME": str(store.parent), "TZ": "UTC", **(environment or {})}
        pipe = subprocess.PIPE
        self.log = open(store.parent / "assistants.log", "a")
        self.began = time.monotonic()
        self.process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=self.log, env=variables, text=True)
        self.number = 0
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hour", "version": "1"}}
        self.ask("initialize", info)
        self.first_answer = time.monotonic() - self.began
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def figure(self, series):
        return self.call("get_metric", ticker=series)["structuredContent"]

    def peak(self):
        """Most memory in use so far, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def leave(self):
        """Leaves, and returns how long the program took to end."""
        left = time.monotonic()
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.process.wait(10)
        assert all(json.loads(line) for line in rest.splitlines()), rest
        return time.monotonic() - left


def wait_until_quiet(seconds=8, most=240):
    end = time.monotonic() + most
    while time.monotonic() < end and asked and time.monotonic() - asked[-1][0] < seconds:
        time.sleep(0.2)


def addresses():
    """How often each address was asked."""
    return collections.Counter((name, path) for _, name, path in asked if "bls" not in name and "dol" not in name)


def first_hour(binary, folder, flags, record):
    store = folder / "hour.db"
    asked.clear()
    first = Assistant(binary, store, *flags)
    summary = first.call("get_macro_summary")["structuredContent"]
    record(f"0 s: first answer after {first.first_answer * 1000:.0f} ms; the summary is of {summary['as_of']}, 10y of {summary['dates']['10y']}")
    time.sleep(max(0, first.began + 15 - time.monotonic()))
    newest = {one: str(figures(one)[-1][0]) for one in ("DGS10", "DGS2", "EFFR", "CPIAUCSL", "UNRATE", "PAYEMS", "NFCI", "WALCL", "FEDFUNDS")}
    newest["ICSA"] = str(figures("ICSA")[-1][0])
    have = {one: first.figure(one)["date"] for one in newest}
    record(f"15 s: {len(asked)} requests; newest figures {have}")
    assert have == newest, f"not current after 15 s: {[(o, have[o], newest[o]) for o in newest if have[o] != newest[o]]}"
    summary = first.call("get_macro_summary")["structuredContent"]
    record(f"15 s: 10y {summary['key_rates']['10y']} of {summary['dates']['10y']}, CPI of {summary['dates']['cpi_yoy_pct']}, late {sorted(summary.get('late', {}))}")
    others = [Assistant(binary, store, *flags) for _ in range(3)]
    holder = sqlite3.connect(store).execute("SELECT value FROM note WHERE key = 'sync_lease'").fetchone()[0]
    assert f"/{first.process.pid}-" in holder, (holder, first.process.pid)
    peak = first.peak()
    before = len(asked)
    first.process.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    while len(asked) <= before + 10 and time.monotonic() < killed + 40:
        time.sleep(0.2)
    assert len(asked) > before + 10, "nobody went on after kill -9"
    record(f"kill -9 of the syncing one: another asked {asked[before + 8][0] - killed:.0f} s later")
    began = time.monotonic()
    while time.monotonic() - asked[-1][0] < 4:
        time.sleep(0.5)
        if int(time.monotonic() - began) % 10 == 0:
            record(f"{time.monotonic() - first.began:.0f} s: {len(asked)} requests")
    peak = max([peak, *(one.peak() for one in others)])
    by_source = collections.Counter(name for _, name, _ in asked)
    record(f"end: {len(asked)} requests: {dict(by_source.most_common())}; peak memory {peak:.0f} MiB")
    assert not by_source["fred"], "FRED was asked without --fred"
    assert peak <= 160, f"{peak:.0f} MiB"  # 113 to 141 were seen; 120 is the aim
    for one in others:
        ended = one.leave()
        assert ended < 1, f"ended {ended:.1f} s after the client had left"
    asked.clear()
    again = Assistant(binary, store, *flags)
    again.figure("DGS10")
    time.sleep(4)
    assert not asked, f"a second start asked {asked[:3]}"
    record("second start: no request")
    day = str(TODAY + datetime.timedelta(days=5))
    end = time.monotonic() + 120
    while not (found := announced(again, day)) and time.monotonic() < end:
        time.sleep(2)
    record(f"announced for {day}: {found}")
    assert found, "no announced day in the calendar"
    again.leave()
    return store


def announced(assistant, day):
    """Names of the releases that the calendar has as announced for a day."""
    events = assistant.call("get_release_calendar", days=30)["structuredContent"]["events"]
    if isinstance(events, dict):
        events = [events.get("constant", {}) | dict(zip(events["columns"], row)) for row in events["rows"]]
    return [e["name"] for e in events if e["basis"] == "announced" and e["date"] == day]


def ten_assistants(binary, folder, flags, record):
    store = folder / "ten.db"
    asked.clear()
    ten = [Assistant(binary, store, *flags) for _ in range(10)]
    time.sleep(3)
    # Asked while others wait for their turn: late, and of a source that comes late.
    began = time.monotonic()
    late = ten[0].figure("UMCSENT")
    record(f"late figure while all is fetched: {late.get('date')} after {time.monotonic() - began:.1f} s, {late.get('notes', {}).get('fetching', '')}")
    assert time.monotonic() - began < 2.6
    for one in ten[1:]:
        # Whoever syncs: what is not there yet, as none of it is bundled, is being fetched.
        late = one.figure("UMCSENT")
        assert late.get("date") or "being fetched" in late.get("notes", {}).get("fetching", ""), late
    wait_until_quiet()
    twice = {place: n for place, n in addresses().items() if n > 1}
    # What is asked for its newest year first is asked for all years later.
    year = str(TODAY.year)
    twice = {place: n for place, n in twice.items() if n > 2 or year not in place[1]}
    record(f"ten assistants on one store: {len(asked)} requests, asked twice: {twice}")
    assert not twice, twice
    ended = max(one.leave() for one in ten)
    assert ended < 1, ended


def leaves_in_the_middle(binary, folder, flags, record):
    took = []
    for wait in (0, 0.4, 1, 2.5):
        one = Assistant(binary, folder / f"leave{wait}.db", *flags)
        time.sleep(wait)
        took.append(one.leave())
    record(f"left in the middle of a first sync: ended after {[round(t, 2) for t in took]} s")
    assert max(took) < 1, took


def cannot_write(binary, flags, record):
    """A home without rights: answers from the bundled history, says so once, asks nothing."""
    asked.clear()
    environment = {"PATH": os.environ["PATH"], "HOME": "/proc/1"}
    line = [binary, "--feeds", "none", *flags, "stdio"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_metric", "arguments": {"ticker": "UNRATE"}}}
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hour", "version": "1"}}
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}) + "\n" + json.dumps(message) + "\n")
    process.stdin.flush()
    process.stdout.readline()
    value = json.loads(process.stdout.readline())["result"]["structuredContent"]["value"]
    time.sleep(2)
    process.stdin.close()
    said = process.stderr.read().splitlines()
    process.wait(5)
    record(f"a store that cannot be written: UNRATE {value}; {len(said)} lines on stderr: {said}")
    assert value and len(said) == 1 and not asked, (said, asked)


def behind_a_proxy(binary, folder, record):
    """A proxy (CONNECT) of a company that shows a certificate of its own: the only way to the sources."""
    root, root_key, key, asking, leaf = (folder / name for name in ("root.pem", "root.key", "leaf.key", "leaf.csr", "leaf.pem"))
    names = folder / "names"
    names.write_text("subjectAltName=DNS:home.treasury.gov,DNS:markets.newyorkfed.org\n")
    for line in (
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", root_key, "-out", root, "-days", "2", "-subj", "/CN=Company"],
        ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", asking, "-subj", "/CN=Proxy"],
        ["x509", "-req", "-in", asking, "-CA", root, "-CAkey", root_key, "-CAcreateserial", "-out", leaf, "-days", "2", "-extfile", names],
    ):
        subprocess.run(["openssl", *line], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf, key)
    through = []

    def serve(connection):
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        through.append(head.split()[1].decode())
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            secure = context.wrap_socket(connection, server_side=True)
            request = secure.recv(65536).decode()
            path = request.split()[1]
            name = "treasury" if "treasury" in through[-1] else "nyfed"
            said, kind = run.answer(run.RECIPES[name], path, b"")
            body = (said or "").encode()
            status = "200 OK" if said else "404 Not Found"
            secure.sendall(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            secure.close()
        except OSError as error:
            through.append(f"failed: {error}")

    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
    environment = {"HTTPS_PROXY": proxy, "SSL_CERT_FILE": str(folder / "root.pem")}
    one = Assistant(binary, folder / "proxy.db", environment=environment)
    end = time.monotonic() + 15
    newest = str(figures("DGS10")[-1][0])
    while (date := one.figure("DGS10")["date"]) != newest and time.monotonic() < end:
        time.sleep(0.5)
    one.leave()
    record(f"behind a proxy with a certificate of its company: DGS10 of {date}, {len(through)} connections through it")
    assert date == newest, (date, newest, through[:5])


def week(binary, folder, flags, record, days):
    """Days of an assistant that is open three times a day."""
    store = folder / "week.db"
    for n in range(days):
        for hour in (8, 13, 21):
            speed["today"] = TODAY + datetime.timedelta(days=n)
            asked.clear()
            one = Assistant(binary, store, *flags, clock=f"@{speed['today']} {hour:02}:00:00")
            time.sleep(1)
            wait_until_quiet(3)
            summary = one.call("get_macro_summary")["structuredContent"]
            ended = one.leave()
            record(f"{speed['today']} {hour} h: {len(asked)} requests, 10y of {summary['dates']['10y']}, as of {summary['as_of']}, ended in {ended:.1f} s")
            assert ended < 1, ended
            assert n == 0 or summary["as_of"] == str(speed["today"]), summary["as_of"]
            assert hour != 21 or summary["dates"]["10y"] >= str(speed["today"] - datetime.timedelta(days=5)), summary["dates"]
    speed["today"] = TODAY


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.db*"):
        old.unlink()
    urls = {name: run.start(name) for name, recipe in run.RECIPES.items() if recipe.get("feed")}
    places = ",".join(f"{name}={url}" for name, url in urls.items())
    flags = ["--source-url", places, "--fred-csv-url", run.start("fred")]
    with (folder / "hour.txt").open("w") as file:
        def record(line):
            print(line, flush=True)
            print(line, file=file, flush=True)
        for series in run.FREQUENCY:
            figures(series)
        padding(35)
        only = sys.argv[3:]
        parts = {
            "hour": lambda: first_hour(binary, folder, flags, record),
            "ten": lambda: (speed.update(delay=0.02), ten_assistants(binary, folder, flags, record)),
            "leave": lambda: leaves_in_the_middle(binary, folder, flags, record),
            "write": lambda: cannot_write(binary, flags, record),
            "proxy": lambda: behind_a_proxy(binary, folder, record),
            "week": lambda: (speed.update(delay=0.0), week(binary, folder, flags, record, 7)),
        }
        names = [name for name in parts if name != "week" or "--long" in only]
        for name in [name for name in only if name in parts] or names:
            parts[name]()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""kill -9 while `sync` writes what a source has just answered: no store is damaged, no series is half new.

The source is a stand-in on loopback that gives other figures on every run, so that sync, having seen the newest
revised, reads each series whole; the kill comes between the first of those answers and the end of the sync, which was
timed before without one, and sooner rather than later.
"""
import datetime, http.server, json, pathlib, random, subprocess, tempfile, threading, time, urllib.parse
from common import arguments, result, run

given = arguments(__doc__, kills=(100, 8, "times killed"))
MOST_TRIES = 4 * given.kills  # some syncs are done before the kill comes
random.seed(13)
SERIES = ["DGS10", "DGS2", "DGS30"]
TODAY = datetime.date.today()
DAYS = [d for d in (TODAY - datetime.timedelta(n) for n in range(5500, 0, -1)) if d.weekday() < 5]


class Source(http.server.BaseHTTPRequestHandler):
    version, answered = 0, threading.Event()

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        name, since = query.get("id", [""])[0], query.get("cosd", ["0"])[0]
        if name not in SERIES:
            self.send_error(404)
            return
        rows = [f"{day},{figure(n, Source.version)}" for n, day in enumerate(DAYS) if str(day) >= since]
        body = ("observation_date," + name + "\n" + "\n".join(rows) + "\n").encode()
        self.send_response(200)
        self.send_header("content-type", "text/csv")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except ConnectionError:  # killed while it read
            return
        if since == "0":
            Source.answered.set()

    def log_message(self, *_):
        pass


def figure(n, version):
    """Two decimals; the version can be read off every row. None is a hundredth of another: such a source is not believed."""
    return f"{(n * 7 + version) % 400 / 100 + 1:.2f}"


def held(store, name):
    """Which version of a series is held: one for all rows, or `half`."""
    said = run(given, "call", "get_time_series", f"seriesId={name}", f"start={DAYS[0]}", f"end={DAYS[-1]}", store=store)
    assert "panicked" not in said.stderr, said.stderr
    if said.returncode:
        return None
    rows = {row["date"]: f"{row['value']:.2f}" for row in json.loads(said.stdout)["data"]}
    for version in range(MOST_TRIES + 2):
        if all(rows.get(str(day)) == figure(n, version) for n, day in enumerate(DAYS)):
            return version
    return "half"


source = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Source)
threading.Thread(target=source.serve_forever, daemon=True).start()
home = f"http://127.0.0.1:{source.server_port}"
with tempfile.TemporaryDirectory() as folder:
    store = pathlib.Path(folder) / "econoscope.db"
    words = ["--store", str(store), "sync", "--quiet", "--force", "--only", ",".join(SERIES), "--fred-csv-url", home, "--feeds", "none"]
    first = subprocess.run([given.binary, *words], capture_output=True, text=True, timeout=120)
    assert first.returncode == 0, first.stderr
    killed = halves = written = 0
    before = {name: held(store, name) for name in SERIES}
    assert set(before.values()) == {0}, before
    slowest, lasting = 0.0, 0.0
    for i in range(1, MOST_TRIES + 1):
        if killed >= given.kills and 0 < written < killed * len(SERIES):
            break
        Source.version = i
        Source.answered.clear()
        process = subprocess.Popen([given.binary, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert Source.answered.wait(timeout=30), f"sync {i} never read a series whole"
        if i == 1:  # whole, to know how long the rest of a sync takes on this machine
            start = time.monotonic()
            assert process.wait(timeout=30) == 0
            lasting = time.monotonic() - start
            before = {name: held(store, name) for name in SERIES}
            assert set(before.values()) == {1}, before
            continue
        time.sleep(lasting * random.random() ** 3)  # most is written at once; composites take the rest
        process.kill()
        killed += process.wait() == -9
        start = time.monotonic()
        now = {name: held(store, name) for name in SERIES}
        slowest = max(slowest, (time.monotonic() - start) / len(SERIES))
        halves += "half" in now.values()
        written += sum(now[name] == i for name in SERIES)
        if i % 10 == 0 or "half" in now.values():
            checked = run(given, "doctor", "--offline", store=store)
            assert "FAULT store" not in checked.stdout, f"kill {i}: {checked.stdout}"
    assert halves == 0, f"{halves} half series"
    assert killed >= given.kills, f"only {killed} of {MOST_TRIES} were killed in time"
    assert 0 < written < killed * len(SERIES), f"{written} series were written before a kill: it never came in the middle"
    Source.version = MOST_TRIES + 1
    last = subprocess.run([given.binary, *words], capture_output=True, text=True, timeout=120)
    assert last.returncode == 0 and {held(store, name) for name in SERIES} == {MOST_TRIES + 1}, last.stderr
    result("kill -9 during sync", killed=killed, series_written_before=written, damaged=0, half_series=0, slowest_open_s=f"{slowest:.2f}", synced_after="yes")

#!/usr/bin/env python3
"""Hours of mixed load on a server over PostgreSQL, with faults one after another; prints a row of figures each minute.

Clients ask tools, endpoints, pages and pictures; `sync` brings a stand-in's figures, `import` brings a row at a time. Meanwhile
the server, the database, the connection between them and the sync are killed, stopped or cut. What must hold:
  - an answer is right: a synced series is of one version in all rows, never of an older one than was answered before;
    an imported row, once answered, stays; a series that nobody changes never changes
  - while the server runs, every request gets an answer, with or without the database
  - after each fault the server follows the database again without being restarted, and answers every acknowledged write
  - at the end, the database holds every acknowledged write; memory and descriptors did not grow
"""
import argparse, datetime, json, os, pathlib, random, shutil, subprocess, sys, tempfile, threading, time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "chaos"))
from common import memory, percentile
from database import Database
from mixed_load import question
from parts import Replica, Source, run, until
from proxy import Proxy
from request import Request, Wire

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--binary", required=True)
parser.add_argument("--short", action="store_true", help="each fault once, in rows of five seconds; for the gate")
parser.add_argument("--minutes", type=int, default=120)
parser.add_argument("--rate", type=float, default=16, help="requests a second")
parser.add_argument("--folder", help="where the figures go, as figures.csv and events.log [default: a temporary folder]")
given = parser.parse_args()
ROW, ROWS = (5, 10) if given.short else (60, given.minutes)
OUTAGE, PAUSE = (2, 0.5) if given.short else (30, 100)
CLIENTS, SYNCED = 4, ["DGS10", "DGS2", "DGS30"]
RECOVERY = 60  # seconds that may pass after a fault until the server follows the database again
rng = random.Random(17)


class Figures(Source):
    """A source of few rows, so that hours of revisions stay small."""

    DAYS = Source.DAYS[-150:]


class Soak:
    def __init__(self, folder):
        self.folder, self.log = folder, open(folder / "events.log", "a", buffering=1)
        self.ends, self.lock = threading.Event(), threading.Lock()
        self.times, self.broken, self.counts, self.faults, self.recoveries = [], [], {}, {}, []
        self.seen, self.acknowledged, self.rows_seen = dict.fromkeys(SYNCED, 0), dict.fromkeys(SYNCED, 0), set()
        self.imported, self.tried, self.sync = set(), 0, None
        self.database, self.source = Database(), Figures()
        self.database.create("soak")
        self.proxy = Proxy(self.database.port)
        self.address = self.database.address("soak", self.proxy.port)
        assert run(given, "--store", self.address, "migrate").returncode == 0
        self.server = Replica(given, self.address, folder / "replica.db", "--no-sync")
        self.starts, self.is_up = 0, True
        words = ["--store", self.address, "--replica", folder / "writer.db", "--fred-csv-url", self.source.home, "--feeds", "none"]
        self.sync_line = [given.binary, *map(str, words), "sync", "--quiet", "--force", "--only", ",".join(SYNCED)]
        self.unchanged = {path: self.data(self.server.get(path)[1]) for path in (
            f"/api/public/data/{name}?start={year}-01-01&end={year + 4}-12-31" for name in ("UNRATE", "GDPC1") for year in (1990, 2000, 2010))}
        assert all(self.unchanged.values()), "no data to compare with"
        assert subprocess.run(self.sync_line, timeout=120, stderr=subprocess.DEVNULL).returncode == 0, "the first sync failed"
        self.import_one()
        until(lambda: self.versions() == {0} and self.rows_answered() >= self.imported, 30, "the first writes are not answered")

    @staticmethod
    def data(body):
        return json.loads(body).get("data")

    def say(self, text):
        self.log.write(f"{datetime.datetime.now():%H:%M:%S} {text}\n")

    def count(self, name, more=1):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + more

    def breaks(self, text):
        """Notes what must not happen."""
        self.say("BROKEN " + text)
        self.count("broken")
        with self.lock:
            self.broken.append(text[:400])

    # What is asked, and what the answers must be.

    def series_path(self, name):
        return f"/api/public/data/{name}?start={self.source.DAYS[0]}&end={self.source.DAYS[-1]}"

    ROWS_PATH = "/api/public/data/SOAK?start=1950-01-01&end=2020-12-31"

    def version_of(self, body):
        """The version of a synced series, or None when its rows are of several."""
        rows = {row["date"]: row["value"] for row in self.data(body)}
        values = [rows.get(str(day)) for day in self.source.DAYS]
        if None in values:
            return None
        version = round((values[0] - 1) * 100) % 400
        whole = all(f"{value:.2f}" == self.source.figure(n, version) for n, value in enumerate(values))
        return version if whole else None

    def versions(self):
        return {self.version_of(self.server.get(self.series_path(name))[1]) for name in SYNCED}

    def rows_answered(self):
        """The numbers of the imports that are answered; a row's number is its value and can be read off its date."""
        status, body = self.server.get(self.ROWS_PATH)
        return self.rows_in(body) if status == 200 else set()

    def rows_in(self, body):
        rows = {round(row["value"]): row["date"] for row in self.data(body)}
        assert all(date == str(self.day(n)) for n, date in rows.items()), rows
        return set(rows)

    @staticmethod
    def day(n):
        return datetime.date(1950, 1, 1) + datetime.timedelta(n)

    def checked(self, path, body, before):
        """Holds an answer to what was answered before the request was sent."""
        if path in self.unchanged:
            return None if self.data(body) == self.unchanged[path] else "a series changed that nobody changes"
        if path == self.ROWS_PATH:
            rows = self.rows_in(body)
            with self.lock:
                self.rows_seen |= rows
            lost = before["rows"] - rows
            return f"imported rows are gone: {sorted(lost)[:5]}" if lost else None
        name = path.split("/")[-1].split("?")[0]
        version = self.version_of(body)
        if version is None:
            return "a series is of several versions"
        with self.lock:
            self.seen[name] = max(self.seen[name], version)
        if version < before["versions"][name] or version > self.source.version:
            return f"version {version} after {before['versions'][name]}, {self.source.version} is the newest"
        return None

    def client(self, seed):
        own, wire, opened, pause = random.Random(seed), Wire(self.server.port, 30), None, CLIENTS / given.rate
        compared = [*self.unchanged, self.ROWS_PATH, *map(self.series_path, SYNCED)]
        time.sleep(pause * own.random())
        while not self.ends.is_set():
            began = time.monotonic()
            is_compared = own.random() < 0.4
            request = Request("GET", own.choice(compared)) if is_compared else question(own)
            with self.lock:
                before = {"rows": set(self.rows_seen), "versions": dict(self.seen)}
            starts, was_up = self.starts, self.is_up
            if opened != starts or own.random() < 0.02:
                wire.close()
            opened = starts
            try:
                status, headers, _ = wire.exchange(request)
                wrong = None if status == 200 else f"status {status}"
                if is_compared and not wrong:
                    wrong = self.checked(request.path, wire.last, before)
                elif request.body and (b'"error":{' in wire.last[:4000] or b'"isError":true' in wire.last[-4000:]):
                    wrong = "an error inside: " + wire.last[:300].decode()
                with self.lock:
                    self.times.append(time.monotonic() - began)
                if wrong:
                    self.breaks(f"{wrong}: {request.words()}")
            except (OSError, ValueError, AssertionError) as problem:
                wire.close()
                if isinstance(problem, OSError) and not (was_up and self.is_up and starts == self.starts):
                    self.count("while the server was away")
                else:
                    self.breaks(f"{problem!r}: {request.words()}")
            self.ends.wait(max(0, pause - (time.monotonic() - began)))

    # What is written.

    def import_one(self):
        """Imports one more row; whether that was acknowledged."""
        n, self.tried = self.tried, self.tried + 1
        file = self.folder / "import" / "SOAK.csv"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"series_id,date,value\nSOAK,{self.day(n)},{n}\n")
        done = run(given, "--store", self.address, "import", file.parent)
        if done.returncode == 0:
            self.imported.add(n)
        elif "database" not in done.stderr or "panicked" in done.stderr:
            self.breaks(f"an import failed without the reason: {done.stderr}")
        self.count("imports" if done.returncode == 0 else "imports refused")
        return done.returncode == 0

    def importer(self):
        while not self.ends.wait(1 if given.short else 15):
            self.import_one()

    def syncer(self):
        while not self.ends.wait(1 if given.short else 40):
            self.source.version += 1
            self.sync = subprocess.Popen(self.sync_line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            said = self.sync.communicate(timeout=300)[1]
            if self.sync.returncode == 0:
                self.acknowledged = dict.fromkeys(SYNCED, self.source.version)
            elif self.sync.returncode != -9 and ("panicked" in said or not any(word in said for word in ("database", "syncs by itself", "term"))):
                self.breaks(f"a sync failed without the reason: {said}")
            self.count({0: "syncs", -9: "syncs killed"}.get(self.sync.returncode, "syncs refused"))

    # What goes wrong.

    def server_away(self, seconds):
        self.is_up = False
        self.server.kill()
        if "panicked" in self.server.said():
            self.breaks("the server panicked: " + self.server.said()[-400:])
        time.sleep(seconds)
        self.server.begin()
        self.starts, self.is_up = self.starts + 1, True

    def kill_server(self):
        self.server_away(0)

    def database_away(self, end, meanwhile=lambda: None):
        end()
        time.sleep(OUTAGE / 2)
        meanwhile()
        time.sleep(OUTAGE / 2)
        self.database.start()

    def stop_database(self):
        self.database_away(self.database.stop)

    def kill_database(self):
        self.database_away(self.database.kill)

    def kill_server_without_database(self):
        self.database_away(self.database.stop, lambda: self.server_away(0))

    def link(self, mode):
        self.proxy.mode = mode
        time.sleep(OUTAGE)
        self.proxy.mode = "pass"

    def cut_link(self):
        self.link("cut")

    def half_open_link(self):
        self.link("half")

    def kill_sync(self):
        """Kills the next sync in its middle."""
        until(lambda: self.sync and self.sync.poll() is not None, 300, "a sync does not end")
        last = self.sync
        until(lambda: self.ends.is_set() or self.sync is not last, 60, "no sync begins")
        time.sleep(rng.random() * 0.3)
        self.sync.kill()

    def faulty(self):
        faults = [self.kill_server, self.stop_database, self.cut_link, self.kill_sync, self.kill_database, self.half_open_link,
                  self.kill_server_without_database]
        n = 0
        while not self.ends.wait(PAUSE) and not (given.short and n == len(faults)):
            fault = faults[n % len(faults)]
            name, n = fault.__name__.replace("_", " "), n + 1
            self.say(name)
            try:
                fault()
                self.recovers(name)
            except (AssertionError, SystemExit, OSError, subprocess.SubprocessError) as problem:
                self.breaks(f"{name}: {problem!r}")
            self.faults[name] = self.faults.get(name, 0) + 1

    def recovers(self, name):
        """Until the server follows again and answers all that was acknowledged, before and after the fault."""
        began, wanted = time.monotonic(), len(self.imported) + 1
        until(lambda: json.loads(self.server.text("/ready"))["database"]["away_since"] is None, RECOVERY, "the server does not follow the database again")
        until(lambda: len(self.imported) >= wanted, RECOVERY, "no import is acknowledged after the fault")
        rows, versions = set(self.imported), dict(self.acknowledged)
        until(lambda: self.rows_answered() >= rows, RECOVERY, f"acknowledged imports are not answered: {rows - self.rows_answered()}")
        for series, version in versions.items():
            until(lambda: (self.version_of(self.server.get(self.series_path(series))[1]) or 0) >= version, RECOVERY, f"version {version} of {series} is not answered")
        took = time.monotonic() - began
        self.recoveries.append(took)
        self.say(f"recovered from {name} in {took:.1f} s")

    # Figures.

    def row(self, n, before):
        with self.lock:
            times, self.times = self.times or [float("inf")], []
            counts = dict(self.counts)
        fresh = lambda name: counts.get(name, 0) - before.get(name, 0)
        try:
            process = self.server.process.pid
            held, files = memory(process), len(os.listdir(f"/proc/{process}/fd"))
        except (OSError, SystemExit):
            held, files = 0, 0  # just killed
        try:
            size = int(self.database.sql("SELECT pg_database_size('soak')")) / 2**20
        except AssertionError:
            size = 0  # away
        copy = sum(f.stat().st_size for f in self.folder.glob("replica.db*")) / 2**20
        row = {"minute": f"{(n + 1) * ROW / 60:g}", "requests": len(times), "broken": fresh("broken"), "server_away": fresh("while the server was away"),
               "imports": fresh("imports"), "imports_refused": fresh("imports refused"), "syncs": fresh("syncs"),
               "syncs_refused": fresh("syncs refused") + fresh("syncs killed"), "p50_ms": f"{percentile(times, 0.5) * 1e3:.1f}",
               "p99_ms": f"{percentile(times, 0.99) * 1e3:.1f}", "memory_mib": f"{held:.0f}", "open_files": files,
               "database_mib": f"{size:.0f}", "copy_mib": f"{copy:.1f}", "faults": sum(self.faults.values())}
        with open(self.folder / "figures.csv", "a") as file:
            if n == 0:
                file.write(",".join(row) + "\n")
            file.write(",".join(map(str, row.values())) + "\n")
        if n == 0:
            print("| " + " | ".join(row) + " |\n" + "|---" * len(row) + "|")
        print("| " + " | ".join(map(str, row.values())) + " |", flush=True)
        return row, counts

    def run(self):
        work = [threading.Thread(target=self.client, args=(n,), daemon=True) for n in range(CLIENTS)]
        work += [threading.Thread(target=one, daemon=True) for one in (self.importer, self.syncer, self.faulty)]
        for thread in work:
            thread.start()
        start, counts, rows = time.monotonic(), {}, []
        for n in range(ROWS):
            time.sleep(max(0, start + (n + 1) * ROW - time.monotonic()))
            row, counts = self.row(n, counts)
            rows.append(row)
            if given.short and not work[-1].is_alive():
                break
        self.ends.set()
        for thread in work:
            thread.join(300)
        return rows

    def at_the_end(self):
        """The database, copied into a file, holds all that was acknowledged."""
        self.server.stop()
        copy = self.folder / "end.db"
        done = run(given, "copy", "--from", self.address, "--to", copy)
        if done.returncode != 0:
            return self.breaks("the end cannot be copied: " + done.stderr)
        series = lambda name, start, end: run(given, "--store", copy, "call", "get_time_series", f"seriesId={name}", f"start={start}", f"end={end}").stdout
        lost = self.imported - self.rows_in(series("SOAK", "1950-01-01", "2020-12-31"))
        if lost:
            self.breaks(f"acknowledged imports are not in the database: {sorted(lost)}")
        for name, version in self.acknowledged.items():
            held = self.version_of(series(name, self.source.DAYS[0], self.source.DAYS[-1]))
            if held is None or held < version:
                self.breaks(f"{name} is of version {held} in the database, {version} was acknowledged")
        checked = run(given, "--store", copy, "doctor", "--offline")
        if "FAULT store" in checked.stdout:
            self.breaks(checked.stdout)


def growth(rows):
    """What grew between the first third after the warm-up and the last, or None."""
    rows = [row for row in rows[len(rows) // 10:] if row["open_files"]]
    third = max(1, len(rows) // 3)
    most = lambda part, name: max(float(row[name]) for row in part)
    memory_, files = ((most(rows[:third], name), most(rows[-third:], name)) for name in ("memory_mib", "open_files"))
    room = 150 if given.short else 40  # caches have a bound and a short run does not reach it
    grew = memory_[1] > 1.15 * memory_[0] + room or files[1] > files[0] + 20
    return grew, f"memory {memory_[0]:.0f} and {memory_[1]:.0f} MiB, open files {files[0]:.0f} and {files[1]:.0f}"


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(given.folder or temporary)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("figures.csv", "replica.db", "replica.db-wal", "replica.db-shm", "end.db"):
        (folder / name).unlink(missing_ok=True)
    os.environ["HOME"] = temporary
    shutil.rmtree(folder / "import", ignore_errors=True)
    soak = Soak(folder)
    rows = soak.run()
    soak.at_the_end()
    grew, sizes = growth(rows)
    if grew:
        soak.breaks("it grew: " + sizes)
    kinds = 7
    if len(soak.faults) < kinds and (given.short or given.minutes >= 30):
        soak.breaks(f"not every fault came about: {sorted(soak.faults)}")
    print(f"faults: {soak.faults}\ncounts: {soak.counts}\nfirst and last third, at most: {sizes}")
    print(f"recovered after {len(soak.recoveries)} faults, slowest in {max(soak.recoveries, default=0):.1f} s; "
          f"{len(soak.imported)} acknowledged imports and {max(soak.acknowledged.values())} versions held at the end")
    for problem in soak.broken[:20]:
        print("broken:", problem)
    print("VERDICT:", f"BROKEN {len(soak.broken)} times" if soak.broken else "held: nothing wrong, nothing lost, bounded, recovered each time")
    soak.database.remove()
    sys.exit(bool(soak.broken))

#!/usr/bin/env python3
"""The connection to PostgreSQL ends in the middle of a COMMIT: before the database hears it, or after it is done and before its
answer comes. The writer finds out which, never writes twice, and loses nothing that it acknowledged."""
import pathlib, random, tempfile
from common import arguments, chaos, result, run, together
from database import Database
from parts import Replica, Source, until
from proxy import Proxy, shut

given = arguments(__doc__, writes=(150, 12, "imports of one figure"), commits=(12, 4, "of a sync, each lost in turn"))
SERIES = chaos.SERIES
COMMIT = b"Q\x00\x00\x00\x0bCOMMIT\x00"


class CommitProxy(Proxy):
    """Ends the connection on which a COMMIT comes, as told for the next ones: `before` it is passed on, or `after` it was done."""

    def __init__(self, port):
        self.next, self.ended, self.doomed = [], {"before": 0, "after": 0}, set()
        super().__init__(port)

    def pump(self, one, other, down):
        try:
            while data := one.recv(65536):
                if down and other in self.doomed:
                    break  # the answer to the COMMIT
                if not down and data.endswith(COMMIT) and self.next and (how := self.next.pop(0)) != "pass":
                    self.ended[how] += 1
                    if how == "before":
                        break
                    self.doomed.add(one)
                other.sendall(data)
        except OSError:
            pass
        shut(one, other)


def written(database, name):
    """What a database holds, but for the times at which it was written."""
    state = database.sql("SELECT change, version, series, last_series FROM econoscope.state", name)
    return state, database.sql("SELECT id, name, rows, segments, first, last FROM econoscope.series ORDER BY id", name)


def imports(folder, address, proxy, rng):
    """Imports a figure at a time, of two series in turns; what the writer said of each."""
    said = []
    for n in range(given.writes):
        own = folder / f"{n}"
        own.mkdir(exist_ok=True)
        (own / f"OWN{n % 2}.csv").write_text(f"series_id,date,value\nOWN{n % 2},{1990 + n // 12}-{n % 12 + 1:02}-01,{n}\n")
        if proxy:
            # Commits of the reads before the write, and of the write.
            lost = rng.choice([["after"], ["before"], ["after", "before"], ["before", "after"], ["after", "after"], ["before", "before"]])
            proxy.next = ["pass"] * rng.randrange(6) + lost
        done = run(given, "--store", address, "import", "--bare", own, store=None)
        assert done.returncode == 0 and "panicked" not in done.stderr, (n, done.stderr)
        said.append([line.split(" in ")[0] for line in done.stderr.splitlines() if " new, " in line])
    return said


def synced(database, source, folder, how, number):
    """A sync into a database of its own, of which one commit is lost."""
    name = f"synced_{how}_{number}"
    assert run(given, "--store", database.create(name), "migrate").returncode == 0
    proxy = CommitProxy(database.port)
    proxy.next = ["pass"] * number + [how]
    words = ["--fred-csv-url", source.home, "--feeds", "none", "sync", "--quiet", "--force", "--only", "DGS10,DGS2,DGS30"]
    done = run(given, "--store", database.address(name, proxy.port), *words)
    assert done.returncode == 0 and "panicked" not in done.stderr, (how, number, done.stderr)
    assert source.held_in(database, given, folder, name) == {0}, (how, number)
    assert not proxy.next, f"a sync has fewer than {number + 1} commits"


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    database, source, rng = Database(), Source(), random.Random(5)
    proxy = CommitProxy(database.port)
    for name in ("whole", "cut"):
        database.create(name)

    # The layout, which several may write at once.
    proxy.next = ["after", "before", "after"]
    done = run(given, "--store", database.address("cut", proxy.port), "migrate")
    assert done.returncode == 0, done.stderr
    assert run(given, "--store", database.address("whole"), "migrate").returncode == 0

    # Figures: the same as without any fault, said in the same words.
    right = imports(folder, database.address("whole"), None, rng)
    cut = imports(folder, database.address("cut", proxy.port), proxy, rng)
    assert cut == right, [(n, a, b) for n, (a, b) in enumerate(zip(right, cut)) if a != b][:5]
    assert written(database, "cut") == written(database, "whole")
    ended = dict(proxy.ended)
    assert min(ended.values()) >= given.writes / 3, ended

    # A sync, each of its commits lost in turn: also that of the turn to write, which is then its own.
    cases = [(how, number) for how in ("after", "before") for number in range(given.commits)]
    for at in range(0, len(cases), 4):
        together([lambda one=one: synced(database, source, folder, *one) for one in cases[at:at + 4]])

    # A whole store, which is copied in one transaction.
    file = folder / "file.db"
    assert run(given, "import", "--bare", SERIES, store=file).returncode == 0
    for how in ("before", "after"):
        address = database.create("copied")
        assert run(given, "--store", address, "migrate").returncode == 0
        # The layout, the state and all rows are read first.
        proxy.next = ["pass", "pass", "pass", how]
        done = run(given, "copy", "--from", file, "--to", database.address("copied", proxy.port))
        assert done.returncode == 0 and not proxy.next, (how, done.stderr)
        state, lines = written(database, "copied")
        count = len(lines.splitlines())
        assert count > 100 and state == f"1|1|{count}|{count}", (how, state, count)

    # A server that comes anew has it all.
    replica = Replica(given, database.address("cut", proxy.port), folder / "replica.db", "--no-sync")
    until(lambda: '"value":' in replica.text("/api/public/data/OWN0?start=1990-01-01"), 30, "the figures are not answered")
    replica.stop()
    result("lost commits", writes=given.writes, syncs=len(cases), ended_before=ended["before"], ended_after=ended["after"], written_twice=0, lost=0)
    database.remove()

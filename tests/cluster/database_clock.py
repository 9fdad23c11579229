#!/usr/bin/env python3
"""The clock of PostgreSQL, and then that of a server, jumps by hours, days and years, there and back: one server writes, its turn
ends when it should by the new time, what is committed is answered by all, and no request fails. Needs faketime."""
import argparse, glob, os, pathlib, tempfile, time
from common import arguments, figures, result, run
from database import Database
from parts import Load, Replica, until

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
HOUR, DAY, YEAR = 3600, 86400, 31_556_952
given = arguments(__doc__, rounds=(3, 1, "of all jumps"))
if not LIBRARY:
    raise SystemExit("faketime is not there: apt-get install faketime")
JUMPS = [HOUR, -HOUR, 2 * DAY, -YEAR, 30 * YEAR, 0]


class Clock:
    """The wall clock of the programs that are started under it."""

    def __init__(self, file):
        self.file = file
        self.set(0)
        self.environment = {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set(self, ahead):
        """Seconds that it is ahead of the real one."""
        new = self.file.with_suffix(".new")
        new.write_text(f"{ahead:+d}")
        new.chmod(0o644)
        new.rename(self.file)


class ClockedDatabase(Database):
    """A database whose clock can be set while it runs."""

    def start(self):
        self.clock = Clock(self.folder / "clock")
        self.environment = {**os.environ, **self.clock.environment}
        super().start()


def under(clock, folder):
    """The same options with a program that runs under a clock of its own."""
    program = folder / "under-clock"
    words = " ".join(f"{name}={value}" for name, value in clock.environment.items())
    program.write_text(f'#!/bin/sh\nexec env {words} {given.binary} "$@"\n')
    program.chmod(0o755)
    return argparse.Namespace(**{**vars(given), "binary": str(program)})


def writers(servers):
    return [server for server in servers if figures(server.watched)["econoscope_writer"] == 1]


def commit(database, folder, servers, n):
    """Imports a figure; seconds until all servers answer with it."""
    own = folder / f"import{n}"
    own.mkdir()
    (own / "OWN.csv").write_text(f"series_id,date,value\nOWN,{1950 + n // 12}-{n % 12 + 1:02}-01,{n + 0.5}\n")
    done = run(given, "--store", database.address("facts"), "import", "--bare", own)
    assert done.returncode == 0, done.stderr
    began = time.monotonic()
    for server in servers:
        until(lambda: f'"value":{n + 0.5}' in server.text("/api/public/data/OWN?start=1950-01-01").replace(" ", ""), 30, "a committed figure is not answered")
    return time.monotonic() - began


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    database = ClockedDatabase()
    assert run(given, "--store", database.create("facts"), "migrate").returncode == 0
    own_clock = Clock(folder / "clock")
    flags = ["--fred-csv-url", "http://127.0.0.1:9", "--feeds", "none"]
    servers = [Replica(of, database.address("facts"), folder / f"replica{n}.db", *flags) for n, of in enumerate((given, given, under(own_clock, folder)))]
    until(lambda: len(writers(servers)) == 1, 30, "nobody writes")
    term = lambda: int(database.sql("SELECT term FROM econoscope.lease", "facts"))
    first, number, took, settled = term(), 0, [], []
    with Load(servers[0].port, servers[0], rate=50) as load:
        for clock in (database.clock, own_clock):
            for jump in JUMPS * given.rounds:
                clock.set(jump)
                began = time.monotonic()
                if clock is database.clock:
                    shown = float(database.sql("SELECT extract(epoch FROM clock_timestamp())", "facts"))
                    assert abs(shown - time.time() - jump) < 60, "the clock of the database does not jump"
                # The turn is renewed by the new time, and soon by one server alone.
                sane = "SELECT expires BETWEEN clock_timestamp() AND clock_timestamp() + interval '15 s' FROM econoscope.lease"
                until(lambda: database.sql(sane, "facts") == "t" and len(writers(servers)) == 1, 30, f"no writer after a jump by {jump} s")
                settled.append(time.monotonic() - began)
                took.append(commit(database, folder, servers, number))
                number += 1
    assert load.failed == 0 and load.wrong == 0, (load.failed, load.wrong, load.said)
    for server in servers:
        server.stop()
    result("clock jumps beside the database", jumps=number, writers=1, turns_taken_anew=term() - first, longest_without_one_writer_s=f"{max(settled):.1f}",
           longest_until_answered_s=f"{max(took):.1f}", requests=load.done, failed=0, wrong=0)
    database.remove()

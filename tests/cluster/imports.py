#!/usr/bin/env python3
"""Imports into PostgreSQL, every other one killed: all of a folder is in or nothing, and so a replica shows it."""
import json, pathlib, random, subprocess, tempfile, threading, time
from common import arguments, result, run
from database import Database
from parts import Replica

given = arguments(__doc__, imports=(60, 12, "imports"))
random.seed(7)
SERIES = ["TWINA", *(f"TWINM{n}" for n in range(100)), "TWINZ"]


def lay_out(folder, newest):
    """Series that are always equal."""
    folder.mkdir(exist_ok=True)
    for name in SERIES:
        (folder / f"{name}.csv").write_text(f"date,value\n2026-08-03,1.5\n2026-08-20,{newest}\n")
    return folder


class Reader(threading.Thread):
    """Asks for both ends of the folder in one request, then in two, the last first."""

    def __init__(self, replica):
        super().__init__(daemon=True)
        self.replica, self.is_done = replica, False
        self.answers, self.differed, self.went_back, self.states = 0, 0, 0, set()
        self.start()

    def latest(self, name):
        return json.loads(self.replica.get(f"/api/public/data/{name}?start=max")[1])["data"][-1]["value"]

    def run(self):
        seen = 0
        while not self.is_done:
            both = json.loads(self.replica.get("/api/public/compare?series=TWINA,TWINZ&start=2026-08-01")[1])
            a, z = (column["latest"] for column in both["columns"])
            self.differed += a != z
            for value in (a, self.latest("TWINZ"), self.latest("TWINA")):
                self.went_back += value < seen
                seen = max(seen, value)
            self.answers += 1
            self.states.add(a)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    database = Database()
    address = database.create("imports")
    assert run(given, "migrate", store=address).returncode == 0
    words = [given.binary, "--store", address, "import", "--bare"]
    start = time.monotonic()
    subprocess.run([*words, lay_out(folder / "figures", 1)], check=True, capture_output=True)
    whole = time.monotonic() - start
    replica = Replica(given, address, folder / "replica.db", "--no-sync")
    reader, killed = Reader(replica), 0
    for n in range(2, given.imports + 2):
        process = subprocess.Popen([*words, lay_out(folder / "figures", n)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if n % 2:
            time.sleep(random.uniform(0, whole))
            process.kill()
        killed += process.wait(120) == -9
        states = database.sql("SELECT count(DISTINCT rows) FROM econoscope.series WHERE name LIKE 'TWIN%'", "imports")
        assert states == "1", f"a part of import {n} is in"
    reader.is_done = True
    reader.join()
    replica.stop()
    assert killed > given.imports // 6, f"only {killed} were killed in time"
    assert len(reader.states) > 2 and (reader.differed, reader.went_back) == (0, 0), vars(reader)
    result("imports into PostgreSQL", imports=given.imports, killed=killed, in_part=0, answers_of_a_replica=reader.answers,
           states_seen=len(reader.states), differed=0, older_after_newer=0)

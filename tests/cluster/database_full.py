#!/usr/bin/env python3
"""The disk of PostgreSQL is full, and the database is killed with -9 while it is: a write fails with the reason or is whole, every
read goes on, and with room again what was refused is written. Needs to mount a file system of its own, so root."""
import pathlib, subprocess, tempfile, time
from common import arguments, result, run
from database import Database
from parts import Load, Replica, Source, until

given = arguments(__doc__, fills=(20, 2, "times that the disk is filled"))
SIZE_MB = 160
SYNCED = ("DGS10", "DGS2", "DGS30")


class SmallDatabase(Database):
    """A database on a disk of its own that is small."""

    def place(self):
        folder = super().place()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m,mode=700", "none", str(folder)], capture_output=True, text=True)
        if mounted.returncode != 0:
            folder.rmdir()
            result("full disk of the database", not_shown="a disk of its own cannot be mounted here: " + mounted.stderr.strip())
            raise SystemExit(0)
        return folder

    def fill(self, left):
        """Takes all room but so many bytes, as somebody else's file does; again where room was given back meanwhile."""
        room = int(subprocess.run(["df", "--block-size=1", "--output=avail", str(self.folder)], capture_output=True, text=True).stdout.split()[-1])
        with open(self.folder / "others", "ab") as file:
            file.write(bytes(max(0, room - left)))

    def empty(self):
        (self.folder / "others").unlink()

    def remove(self):
        self.stop()
        subprocess.run(["umount", "--lazy", str(self.folder)], stderr=subprocess.DEVNULL)
        super().remove()


def imported(folder, database, n, rows):
    """Imports so many figures of a new series; how it ended and what was said."""
    own = folder / f"import{n}"
    own.mkdir()
    lines = [f"BIG{n},{1700 + m // 336}-{m // 28 % 12 + 1:02}-{m % 28 + 1:02},{(m * 7919 + n) % 99991 / 7:.6f}" for m in range(rows)]
    (own / f"BIG{n}.csv").write_text("series_id,date,value\n" + "\n".join(lines) + "\n")
    done = run(given, "--store", database.address("facts"), "import", "--bare", own)
    assert "panicked" not in done.stderr, done.stderr
    return done


def held(database):
    """How many figures of each imported series the database holds."""
    lines = database.sql("SELECT name, rows FROM econoscope.series WHERE name LIKE 'BIG%'", "facts").splitlines()
    return {name: int(rows) for name, rows in (line.split("|") for line in lines)}


def starts(database):
    """Whether the database runs, or can be started."""
    try:
        database.start()
    except subprocess.CalledProcessError:
        pass  # it runs already, or has no room
    try:
        return database.sql("SELECT 1") == "1"
    except AssertionError:
        return False


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    database, source, rows = SmallDatabase(), Source(), 60_000
    assert run(given, "--store", database.create("facts"), "migrate").returncode == 0
    replica = Replica(given, database.address("facts"), folder / "replica.db", "--no-sync")
    sync = [given.binary, "--store", database.address("facts"), "--fred-csv-url", source.home, "--feeds", "none", "sync", "--quiet", "--force", "--only", ",".join(SYNCED)]
    acknowledged, refused, kills, number = set(), [], 0, 0
    with Load(replica.port, replica, rate=100) as load:
        for turn in range(given.fills):
            for _ in range(40):
                database.fill(left=(turn % 4) * 20_000)
                done = imported(folder, database, number, rows)
                number += 1
                if done.returncode != 0:
                    why = [line for line in done.stderr.splitlines() if "(53100)" in line or "cannot be reached" in line]
                    assert why, done.stderr
                    refused.append(why[0])
                    break
                acknowledged.add(f"BIG{number - 1}")
            else:
                raise SystemExit("the disk never gets full")
            if turn % 2 == 1:
                database.kill()
                kills += 1
                time.sleep(0.5)
                starts(database)
            database.empty()
            until(lambda: starts(database), 60, "the database does not start with room")
            done = imported(folder, database, number, 500)
            assert done.returncode == 0, done.stderr
            acknowledged.add(f"BIG{number}")
            number += 1
            found = held(database)
            assert acknowledged <= set(found) and set(found.values()) <= {rows, 500}, (acknowledged, found)
    assert load.failed == 0 and load.wrong == 0, (load.failed, load.wrong, load.said)
    until(lambda: replica.get(f"/api/public/data/BIG{number - 1}?start=1700-01-01")[0] == 200, 60, "the replica does not follow")
    replica.stop()
    result("full disk of the database", fills=given.fills, refused=len(refused), kills=kills, acknowledged=len(acknowledged), lost=0, half=0,
           requests=load.done, failed=0, wrong=0,
           without_room=sum("(53100)" in one for one in refused))
    database.remove()

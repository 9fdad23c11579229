#!/usr/bin/env python3
"""Replicas over one PostgreSQL, each part killed, stopped, cut off or slowed; run.sh starts it. Standard library only.

Times are told and not judged, but where a sentence of docs/CLUSTER.md promises one.
"""
import argparse, json, os, pathlib, shutil, signal, sqlite3, subprocess, sys, threading, time, urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from database import Database, article
from parts import Balancer, Load, Replica, Source, ask, run, until
from proxy import Proxy

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--binary", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("--short", action="store_true")
parser.add_argument("--only", nargs="*", default=[])
given = parser.parse_args()
work = pathlib.Path(given.work) / "cluster"
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
SERIES = pathlib.Path(__file__).resolve().parents[2] / "data" / "series"


def told(what, **found):
    print(f"{what:<34}", *(f"{name}={value}" for name, value in found.items()), flush=True)


def fresh(database, name):
    address = database.create(name)
    assert run(given, "--store", address, "migrate").returncode == 0
    return address


def replicas(address, count=3, flags=("--no-sync",)):
    stamp = time.monotonic_ns()
    return [Replica(given, address, work / f"replica-{stamp}-{n}.db", *flags) for n in range(count)]


def p99(times):
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)]


def migrations(database):
    address = database.create("migrated")
    line = [given.binary, "--store", address, "migrate"]
    ten = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(10)]
    said = [process.communicate()[1] for process in ten]
    assert [process.returncode for process in ten] == [0] * 10, said
    assert sum("from layout 0" in text for text in said) == 1, said
    database.sql("UPDATE econoscope.layout SET version = 99", "migrated")
    for words in (["migrate"], ["serve", "--listen", "127.0.0.1:0"]):
        done = run(given, "--store", address, "--replica", work / "newer.db", *words, limit=20)
        assert done.returncode == 1 and "newer version" in done.stderr, done
    wrong = run(given, "--store", "postgres://e:s3cret@127.0.0.1:1/x?sslmode=prefer", "migrate")
    gone = run(given, "--store", "postgres://e:s3cret@127.0.0.1:1/x", "import", SERIES, limit=120)
    for done, code, word in ((wrong, 2, "verify-full"), (gone, 1, "cannot be reached")):
        assert done.returncode == code and word in done.stderr and "s3cret" not in done.stderr, done
    told("ten migrations at once", applied=1, newer="refused")


def rows(path):
    file = sqlite3.connect(path)
    tables = ("series", "segment", "article", "note")
    return {table: file.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables}


def copies(database):
    """A store of the test data into the database and back, byte for byte; and the same import into both."""
    one, back, other = work / "one.db", work / "back.db", work / "other.db"
    assert run(given, "--store", one, "import", "--bare", SERIES).returncode == 0
    address = fresh(database, "copied")
    began = time.monotonic()
    done = run(given, "copy", "--from", one, "--to", address)
    assert done.returncode == 0, done.stderr
    up = time.monotonic() - began
    again = run(given, "copy", "--from", one, "--to", address)
    assert again.returncode == 1 and "contains series already" in again.stderr, again
    began = time.monotonic()
    done = run(given, "copy", "--from", address, "--to", back)
    assert done.returncode == 0, done.stderr
    down = time.monotonic() - began
    assert rows(one) == rows(back)
    second = run(given, "--store", address, "import", SERIES)
    assert second.returncode == 0 and ": 0 new, 0 revised" in second.stderr, second.stderr
    address = fresh(database, "imported")
    assert run(given, "--store", address, "import", SERIES).returncode == 0
    assert run(given, "copy", "--from", address, "--to", other).returncode == 0
    said = run(given, "--store", address, "backup", work / "b.db")
    assert said.returncode == 1 and "pg_dump" in said.stderr, said
    doctor = run(given, "--store", address, "--replica", work / "doctor.db", "doctor", "--offline")
    assert "database" in doctor.stdout and "answers:" in doctor.stdout, doctor.stdout
    told("copy there and back", megabytes=f"{one.stat().st_size / 1e6:.1f}", up_s=f"{up:.1f}", down_s=f"{down:.1f}")


def staleness(database):
    """From the commit of a writer until every replica answers with it."""
    address = fresh(database, "stale")
    three = replicas(address)
    took = []
    for n in range(30 if given.short else 300):
        slug = f"news-{n}"
        at = int(time.time() * 1e6) - 1_000_000
        database.sql(article(slug, at), "stale")
        committed = time.monotonic()
        for replica in three:
            until(lambda: slug in replica.text("/api/public/content/latest"), 10, "the article is not answered")
        took.append(time.monotonic() - committed)
    assert p99(took) < 2, took
    told("committed until answered by three", median_s=f"{sorted(took)[len(took) // 2]:.3f}", p99_s=f"{p99(took):.3f}")
    for replica in three:
        replica.stop()


def kills(database):
    """Each of three replicas killed in turn behind a balancer at a steady load: no client sees it."""
    three = replicas(fresh(database, "killed"))
    balancer = Balancer(work, [replica.port for replica in three])
    with Load(balancer.port, three[0], rate=300) as load:
        rounds = 1 if given.short else 10
        for n in range(3 * rounds):
            time.sleep(2)
            three[n % 3].kill()
            three[n % 3].begin()
            time.sleep(2)
    balancer.stop()
    for replica in three:
        replica.stop()
    assert load.wrong == 0 and load.failed == 0, (load.wrong, load.failed, load.said)
    told("replicas killed in turn", kills=3 * rounds, requests=load.done, failed=load.failed, wrong=load.wrong, p99_ms=f"{p99(load.times) * 1e3:.0f}")


def database_gone(database):
    """The database stopped and killed under load: answers go on, and tell since when; nothing committed is lost."""
    three = replicas(fresh(database, "gone"), 2)
    at = int(time.time() * 1e6) - 1_000_000
    database.sql(article("kept", at), "gone")
    until(lambda: "kept" in three[0].text("/api/public/content/latest"), 10, "no article")
    for end in (database.stop, database.kill):
        with Load(three[0].port, three[0], rate=200) as load:
            time.sleep(1)
            end()
            until(lambda: json.loads(three[0].text("/ready"))["database"]["away_since"], 20, "not noticed")
            unasked = [three[1].get(f"/api/public/data/UNRATE?start={1960 + n // 12}-{1 + n % 12:02}-01")[0] for n in range(480)]
            time.sleep(2 if given.short else 60)
            third = Replica(given, three[0].address, three[0].file, "--no-sync", "--listen", "127.0.0.1:0", begin=False)
            third.begin()
            third.stop()
            database.start()
            until(lambda: json.loads(three[0].text("/ready"))["database"]["away_since"] is None, 60, "not back")
        assert load.failed == 0 and load.wrong == 0, (load.failed, load.wrong, load.said)
        assert set(unasked) == {200}, set(unasked)
        slug = f"after-{end.__name__}"
        database.sql(article(slug, at + 1), "gone")
        until(lambda: slug in three[1].text("/api/public/content/latest"), 20, "no article after")
        assert "kept" in three[1].text("/api/public/content/latest")
        told(f"database gone ({end.__name__})", requests=load.done, failed=0, never_asked_before=len(unasked), back="by itself")
    for replica in three:
        replica.stop()


def links(database):
    """The way to the database cut, slow by 300 ms, and open on one side only."""
    fresh(database, "links")
    proxy = Proxy(database.port)
    replica = Replica(given, database.address("links", proxy.port), work / "links.db", "--no-sync")
    found = {}
    for mode in ("pass", "cut", "slow", "half"):
        proxy.mode = mode
        with Load(replica.port, replica, rate=200) as load:
            time.sleep(5 if given.short else 30)
        assert load.failed == 0 and load.wrong == 0, (mode, load.said)
        found[mode + "_p99_ms"] = f"{p99(load.times) * 1e3:.1f}"
    proxy.mode = "pass"
    until(lambda: json.loads(replica.text("/ready"))["database"]["away_since"] is None, 60, "not back")
    replica.stop()
    told("the way to the database", **found)


def turns(database):
    """One writer: a sync stopped in its middle, another takes its turn, the first one's write is refused."""
    address, source = fresh(database, "turns"), Source()
    words = ["--store", address, "--fred-csv-url", source.home, "--feeds", "none", "sync", "--quiet", "--force", "--only", "DGS10,DGS2,DGS30"]
    line = [given.binary, *words]
    assert subprocess.run(line, timeout=120).returncode == 0
    term = lambda: int(database.sql("SELECT term FROM econoscope.lease", "turns"))
    before = term()
    source.version, source.hold = 1, True
    first = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    assert source.held.wait(60), "the source was not asked"
    refused = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 1 and "syncs by itself" in refused.stderr, refused.stderr
    first.send_signal(signal.SIGSTOP)
    began, source.hold = time.monotonic(), False
    source.version = 2
    while (second := subprocess.run(line, capture_output=True, text=True, timeout=120)).returncode != 0:
        assert time.monotonic() - began < 30, second.stderr
        time.sleep(0.5)
    took = time.monotonic() - began
    source.version = 3
    first.send_signal(signal.SIGCONT)
    said = first.communicate(timeout=120)[1]
    assert first.returncode != 0 and "term" in said, said
    assert source.held_in(database, given, work, "turns") == {2}
    assert term() == before + 2
    # The database's clock was set back by an hour after the last turn was taken: that keeps nobody from writing.
    database.sql("UPDATE econoscope.lease SET expires = clock_timestamp() + interval '1 hour'", "turns")
    # Of three servers one has the turn; it is killed, and another one has it.
    three = replicas(address, 3, ("--fred-csv-url", "http://127.0.0.1:9", "--feeds", "none"))
    writer = lambda: [r for r in three if r.alive() and "econoscope_writer 1" in r.metrics()]
    until(lambda: len(writer()) == 1, 30, "nobody writes")
    leader = writer()[0]
    leader.kill()
    killed = time.monotonic()
    until(lambda: len(writer()) == 1, 30, "nobody took the turn")
    taken = time.monotonic() - killed
    leader = writer()[0]
    leader.stop()
    left = time.monotonic()
    until(lambda: len(writer()) == 1, 30, "nobody took the turn that was given back")
    handed = time.monotonic() - left
    writer()[0].stop()
    told("one writer", taken_after_stop_s=f"{took:.0f}", woken="refused", taken_after_kill_s=f"{taken:.0f}", handed_over_s=f"{handed:.0f}")


def cost(database):
    """What a small call costs a server alone and as a replica, taking turns; and what a first copy takes."""
    address = fresh(database, "cost")
    run(given, "--store", address, "sync", "--only", "UNRATE", "--plan")
    proxy = Proxy(database.port)
    began = time.monotonic()
    replica = Replica(given, database.address("cost", proxy.port), work / "cost.db", "--no-sync")
    first, size = time.monotonic() - began, proxy.down
    alone = Replica(given, work / "alone.db", None, "--no-sync")
    spent = {alone: [], replica: []}
    for _ in range(3 if given.short else 10):
        for server in spent:
            before = server.cpu()
            count = 3000 if given.short else 20000
            assert server.calls(count) == count
            spent[server].append((server.cpu() - before) / count)
    one, many = (min(times) * 1e6 for times in spent.values())
    alone.stop()
    replica.stop()
    told("first copy of the bundled store", seconds=f"{first:.1f}", megabytes=f"{size / 1e6:.1f}")
    told("CPU per small call", alone_us=f"{one:.0f}", replica_us=f"{many:.0f}", times=f"{many / one:.2f}")


server = Database()
for part in (migrations, copies, staleness, kills, database_gone, links, turns, cost):
    if not given.only or part.__name__ in given.only:
        began = time.monotonic()
        part(server)
        print(f"  ({part.__name__}: {time.monotonic() - began:.0f} s)", flush=True)
server.remove()
print("the cluster held")

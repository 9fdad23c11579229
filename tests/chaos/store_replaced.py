#!/usr/bin/env python3
"""A store that is deleted and made anew, renamed over, restored from a backup or mended, under a running server: answers follow
without a restart, /ready tells the truth in between, and no figure is wrong."""
import itertools, json, pathlib, shutil, tempfile, threading, time
from common import Server, arguments, result, run

given = arguments(__doc__, rounds=(30, 4, "times each way"))
COUNT = 400


def value(mark, n):
    """Rises or falls in turns: an import takes figures that are all a multiple of the stored ones for another unit."""
    return mark * 1000 + (n if mark % 2 else COUNT - n)


def made(folder, name, mark):
    """A store of one series, whose figures tell which store they are of."""
    source = folder / f"source-{mark}"
    source.mkdir(exist_ok=True)
    rows = [f"{1980 + n // 12}-{n % 12 + 1:02}-01,{value(mark, n)}" for n in range(COUNT)]
    (source / "CHAOS.csv").write_text("date,value\n" + "\n".join(rows) + "\n")
    store = folder / name
    done = run(given, "import", "--bare", source, store=store)
    assert done.returncode == 0, done.stderr
    return store


def mark_of(body):
    """Which store an answer is of; all of its figures must agree."""
    figures = [row["value"] for row in json.loads(body)["data"]]
    assert len(figures) == COUNT, len(figures)
    mark = int(figures[0] // 1000)
    assert figures == [value(mark, n) for n in range(COUNT)], f"figures of several stores: {figures[:5]}"
    return mark


ASK = "/api/public/data/CHAOS?start=1980-01-01&end=2013-12-01"
slowest, refused, answered, wrong_ready = 0.0, 0, 0, 0


def follows(server, mark, path):
    """Asks until the answers are of this store; until then they are of another whole one, or an honest 503."""
    global slowest, refused, answered
    start = time.time()
    while True:
        status, body, headers = server.get(ASK)
        text = body.decode()
        if status == 200:
            answered += 1
            if mark_of(body) == mark:
                slowest = max(slowest, time.time() - start)
                break
        else:
            refused += 1
            assert status == 503 and headers.get("retry-after"), (status, text)
            assert str(path.parent) not in text, text
        assert time.time() - start < 20, f"still not store {mark}: {status} {text[:300]} {server.said()[-600:]}"
        time.sleep(0.02)
    for _ in range(100):
        if server.get("/ready")[0] == 200:
            return
        time.sleep(0.02)
    raise SystemExit("/ready stays 503 over a whole store: " + server.said()[-600:])


def says_no(server, why):
    """/ready must turn to 503 within a second, with data endpoints that fail as well."""
    for _ in range(100):
        status = server.get(ASK.replace("1980-01-01", f"1980-01-{2 + next(days):02}"))[0]
        ready = server.get("/ready")[0]
        if (status, ready) == (503, 503):
            return
        time.sleep(0.02)
    raise SystemExit(f"{why}: data {status}, /ready {ready}")


days = itertools.cycle(range(20))

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    marks = itertools.count(1)
    store = made(folder, "econoscope.db", next(marks))
    server = Server(given, store)
    stop = threading.Event()

    def honest():
        """Somebody asks all the while: every answer is of one store."""
        while not stop.is_set():
            status, body, _ = server.get(ASK)
            if status == 200:
                mark_of(body)
            else:
                # 404: a store that was just made has no series yet.
                assert status in (404, 503), (status, body)

    asking = [threading.Thread(target=honest) for _ in range(2)]
    failed = []
    threading.excepthook = lambda args: failed.append(args.exc_value)
    for thread in asking:
        thread.start()
    for _ in range(given.rounds):
        # Deleted and made anew; what lies beside it stays.
        mark = next(marks)
        store.unlink()
        says_no(server, "deleted")
        made(folder, "econoscope.db", mark)
        follows(server, mark, store)
        # More of the same store, so that its log is full of what must not be mixed into another.
        mark = next(marks)
        made(folder, "econoscope.db", mark)
        follows(server, mark, store)
        # Another one renamed over it.
        mark = next(marks)
        made(folder, "other.db", mark).rename(store)
        follows(server, mark, store)
        # A backup, then other figures, then the backup again.
        backup = folder / "backup.db"
        assert run(given, "backup", backup, store=store).returncode == 0
        later = next(marks)
        made(folder, "econoscope.db", later)
        follows(server, later, store)
        backup.rename(store)
        follows(server, mark, store)
        # Something that is no store, and the way back.
        assert run(given, "backup", backup, store=store).returncode == 0
        (folder / "text").write_text("a letter to nobody")
        (folder / "text").rename(store)
        says_no(server, "another kind of file")
        backup.rename(store)
        follows(server, mark, store)
    stop.set()
    for thread in asking:
        thread.join()
    assert not failed, failed
    # The log may name the path; no line is coloured.
    assert "\x1b" not in server.said()
    assert server.stop() == 0
    checked = run(given, "doctor", "--offline", store=store)
    assert "FAULT store" not in checked.stdout, checked.stdout
    result("store replaced", rounds=given.rounds, ways=5, answers_of_one_store=answered, honest_refusals=refused,
           wrong_figures=0, slowest_to_follow=f"{slowest:.2f} s", restarts=0)

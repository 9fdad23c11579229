#!/usr/bin/env python3
"""The wall clock jumps, by hours and by years, while serving: nothing is granted, nobody is refused, the
day ends when it should; and a clock that is wrong by decades stops no server and no command. Needs faketime."""
import glob, json, os, pathlib, tempfile, time
from common import Server, arguments, imported, result, run

HOUR, DAY = 3600, 86400
YEAR = int(365.2425 * DAY)
LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
LIMITS = ["--rate-limit-loopback", "--rate-limit", "5", "--rate-limit-burst", "5", "--rate-limit-per-second", "5"]

given = arguments(__doc__, seconds=(60, 20, "seconds until the day that is counted ends"))
if not LIBRARY:
    raise SystemExit("faketime is not there: apt-get install faketime, or all.sh --without-clock-jumps")


class Clock:
    """The wall clock of the programs that are started under it; what has really passed is left alone."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder) / "clock"
        self.set(0)
        self.env = {**os.environ, "LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set(self, ahead):
        """Seconds that it is ahead of the real one."""
        new = self.file.with_suffix(".new")
        new.write_text(f"{ahead:+d}")
        new.rename(self.file)


def ask(server, path="/api/public/regime"):
    status, body, headers = server.get(path)
    return status, json.loads(body) if status == 429 else None, headers


def use_up(server):
    """Spends the day's allowance without ever being too fast."""
    for left in [4, 3, 2, 1, 0]:
        status, _, headers = ask(server)
        assert (status, headers["x-ratelimit-remaining"]) == (200, str(left)), (status, headers)
        time.sleep(0.25)


def used_up(server):
    status, body, _ = ask(server)
    assert status == 429, f"a jump granted a request: {status}"
    assert body["violated-policies"] == ["daily"], f"a jump refused as a burst: {body}"
    return body["retry_after_seconds"]


def while_serving(folder, store):
    clock = Clock(folder)
    start = time.time()
    # The day that is counted ends in so many seconds.
    base = int(DAY - given.seconds - start % DAY)
    clock.set(base)
    server, jumps = Server(given, store, *LIMITS, env=clock.env), 0
    use_up(server)
    for jump in [HOUR, -HOUR, -DAY, 2 * DAY, YEAR, -YEAR, 100 * YEAR, -50 * YEAR, 0]:
        clock.set(base + jump)
        time.sleep(0.5)
        wait = used_up(server)
        assert wait <= given.seconds + 60, f"{jump}: come back in {wait} s"
        status, _, headers = server.get("/llms.txt")
        assert status == 200 and headers.get("date"), f"{jump}: {status} {headers}"
        jumps += 1
    time.sleep(max(0, start + given.seconds + 2 - time.time()))
    status, _, headers = ask(server)
    assert (status, headers.get("x-ratelimit-remaining")) == (200, "4"), f"the day does not end: {status} {headers}"
    assert server.stop() == 0
    return jumps


def wrong_from_the_start(folder, store):
    clock, starts = Clock(folder), 0
    for years in [-50, 100, 400]:
        clock.set(years * YEAR)
        server = Server(given, store, "--log", "info", "--log-json", env=clock.env)
        for path in ["/health", "/api/public/regime", "/api/public/data/UNRATE?start=5y", "/", "/widget/regime"]:
            status, _, headers = server.get(path)
            assert status < 500 and headers.get("date"), f"{years} {path}: {status}"
        assert server.stop() == 0
        for words in [["call", "get_macro_summary", "--text"], ["doctor", "--offline"], ["sync", "--only", "DGS10"]]:
            if words:
                done = run(given, *words, store=store, env=clock.env)
                assert "panicked" not in done.stderr, f"{years} {words}: {done.stderr}"
        starts += 1
    return starts


with tempfile.TemporaryDirectory() as folder:
    store = imported(given, folder)
    result("clock jumps", jumps=while_serving(folder, store), granted=0, refused=0, wrong_from_the_start=wrong_from_the_start(folder, store))

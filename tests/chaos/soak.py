#!/usr/bin/env python3
"""An hour of everything at once, at a rate that leaves the machine room: nothing may grow and nothing may fail.

Honest clients ask every endpoint, page, picture and document, both revisions of MCP over two thousand addresses; a few
hang up; listeners come and go; some requests are hostile (tests/hunt/seeds.jsonl); a figure is imported every few seconds
into the store that is served. A row for each minute says what it came to. At the end the last third is held against the
first, after a warm-up of a tenth.
"""
import asyncio, json, os, pathlib, random, statistics, sys, tempfile, time
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "hunt"))
from common import Server, arguments, imported, percentile, result, run
from mixed_load import SERIES, question
from request import rpc, seeds, varied

given = arguments(__doc__.splitlines()[0], minutes=(60, 1, "rows of the table; with --short they are of six seconds, and ten"),
                  rate=(150, 150, "honest requests a second"), lines=(40, 40, "connections of honest clients"),
                  hostile=(2, 2, "hostile requests a second"), listeners=(30, 30, "listeners at any time"))
ROW, ROWS = (6, 10) if given.short else (60, given.minutes)


class Soak:
    def __init__(self, server):
        self.server, self.rng, self.until = server, random.Random(12), time.monotonic() + ROW * ROWS
        self.times, self.bad, self.counts = [], [], dict.fromkeys(["honest", "hung up", "hostile", "listened", "heard", "imports"], 0)

    def address(self):
        return f"x-forwarded-for: 198.51.{self.rng.randrange(8)}.{self.rng.randrange(1, 251)}\r\n"

    def on(self):
        return time.monotonic() < self.until

    async def open(self):
        return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.server.port, limit=1 << 20), 10)

    async def exchange(self, streams, request):
        """Status, and whether the connection is kept."""
        reader, writer = streams
        writer.write(request.raw(self.address()))
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if b"text/event-stream" in head:
            return int(head[9:12]), False
        at = head.find(b"\r\ncontent-length: ")
        left = int(head[at + 18:].split(b"\r\n", 1)[0]) if at >= 0 and request.method != "HEAD" else 0
        body = await reader.readexactly(left)
        if request.body is not None and b'"error":{' in body[:4000] or b'"isError":true' in body[-4000:]:
            return "an error inside: " + body[:300].decode(), True
        return int(head[9:12]), b"\r\nconnection: close" not in head

    async def honest(self, i):
        """One connection that asks at its share of the rate, and is opened anew now and then."""
        streams, pause = None, given.lines / given.rate
        await asyncio.sleep(pause * i / given.lines)
        while self.on():
            due, request = time.monotonic(), question(self.rng)
            hangs_up = self.rng.random() < 0.02
            try:
                streams = streams or await self.open()
                if hangs_up:
                    streams[1].write(request.raw(self.address()))
                    await asyncio.sleep(0.002 * self.rng.random())
                    self.counts["hung up"] += 1
                else:
                    status, keeps = await asyncio.wait_for(self.exchange(streams, request), 30)
                    self.times.append((time.monotonic() - due) * 1e3)
                    self.counts["honest"] += 1
                    if status != 200:
                        self.bad.append(f"{status} to {request.words()}")
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError) as problem:
                keeps = False
                self.bad.append(f"{problem!r} to {request.words()}")
            if streams and (hangs_up or not keeps or self.rng.random() < 0.01):
                streams[1].transport.abort()
                streams = None
            await asyncio.sleep(max(0, pause - (time.monotonic() - due)))
        if streams:
            streams[1].transport.abort()

    async def listener(self):
        """Listens to a few series for up to twenty seconds, again and again."""
        while self.on():
            names = self.rng.sample(SERIES, 4) + ["HOSTILE"]
            request = rpc("subscriptions/listen", {"notifications": {"resourceSubscriptions": [f"macro://series/{name}" for name in names]}}, True)
            reader, writer = await self.open()
            writer.write(request.raw(self.address()))
            try:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
                if b" 200 " not in head:
                    self.bad.append(f"{head[:40]} to a listener")
                self.counts["listened"] += 1
                end = time.monotonic() + min(20 * self.rng.random(), max(0, self.until - time.monotonic()))
                while (left := end - time.monotonic()) > 0:
                    news = await asyncio.wait_for(reader.read(65536), left)
                    self.counts["heard"] += news.count(b"resources/updated")
                    if not news:
                        self.bad.append("a listener was closed")
                        break
            except asyncio.TimeoutError:
                pass
            writer.transport.abort()

    async def hostile(self):
        """What was found dear, with other arguments each time; whatever is answered is right."""
        kept, n = seeds(), 0
        while self.on():
            n += 1
            try:
                reader, writer = await self.open()
                writer.write(varied(self.rng.choice(kept), n).raw(self.address()))
                self.counts["hostile"] += 1
                await asyncio.wait_for(reader.read(65536), 0.5 if n % 3 else 0.01)
                writer.transport.abort()
            except (OSError, asyncio.TimeoutError):
                writer.transport.abort()
            await asyncio.sleep(1 / given.hostile)

    async def importer(self, store, folder):
        """A new figure every few seconds, through the program, as a sync in another process would bring it."""
        n = 0
        while self.on():
            n += 1
            (folder / "HOSTILE.csv").write_text(f"series_id,date,value\nHOSTILE,{1900 + n % 120}-{n // 120 % 12 + 1:02}-01,{n}\n")
            done = await asyncio.to_thread(run, given, "import", folder, store=store)
            self.counts["imports"] += 1
            if done.returncode != 0:
                self.bad.append(f"import: {done.stderr}")
            await asyncio.sleep(min(5 if given.short else 15, max(0, self.until - time.monotonic())))

    async def rows(self):
        """The table, a line at a time."""
        process, rows = f"/proc/{self.server.process.pid}", []
        clock, start = (~self.server.process.pid << 3) | 2, time.monotonic()
        print("| minute | requests | failures | p50 ms | p99 ms | RSS MiB | descriptors | threads | CPU % |\n|---|---|---|---|---|---|---|---|---|")
        for n in range(ROWS):
            before, self.times, failed = time.clock_gettime(clock), [], len(self.bad)
            await asyncio.sleep(max(0, start + (n + 1) * ROW - time.monotonic()))
            times, cpu = self.times or [float("inf")], (time.clock_gettime(clock) - before) / ROW * 100
            row = {"p50": percentile(times, 0.5), "p99": percentile(times, 0.99), "memory": self.server.memory(),
                   "descriptors": len(os.listdir(process + "/fd")), "threads": len(os.listdir(process + "/task"))}
            rows.append(row)
            print(f"| {(n + 1) * ROW / 60:g} | {len(times)} | {len(self.bad) - failed} | {row['p50']:.2f} | {row['p99']:.2f} | {row['memory']:.1f} | "
                  f"{row['descriptors']} | {row['threads']} | {cpu:.0f} |", flush=True)
        return rows

    async def all(self, store, folder):
        work = [self.honest(i) for i in range(given.lines)] + [self.listener() for _ in range(given.listeners)]
        rows, *_ = await asyncio.gather(self.rows(), self.hostile(), self.importer(store, folder), *work)
        return rows


def judged(rows):
    """What grew between the first third after the warm-up and the last."""
    rows = rows[max(1, len(rows) // 10):]
    first, last = rows[:max(1, len(rows) // 3)], rows[-max(1, len(rows) // 3):]

    def both(name, how):
        return how(row[name] for row in first), how(row[name] for row in last)

    memory, descriptors, p99 = both("memory", max), both("descriptors", max), both("p99", statistics.median)
    # Caches have a bound and a short run does not reach it.
    assert memory[1] < 1.1 * memory[0] + (60 if given.short else 8), f"memory grew from {memory[0]:.0f} to {memory[1]:.0f} MiB"
    assert descriptors[1] < descriptors[0] + 20, f"descriptors grew from {descriptors[0]} to {descriptors[1]}"
    assert p99[1] < 1.5 * p99[0] + (20 if given.short else 5), f"p99 grew from {p99[0]:.1f} to {p99[1]:.1f} ms"
    return {"memory_mib": f"{memory[0]:.0f} and {memory[1]:.0f}", "descriptors": f"{descriptors[0]} and {descriptors[1]}",
            "p99_ms": f"{p99[0]:.1f} and {p99[1]:.1f}"}


with tempfile.TemporaryDirectory() as folder:
    store, extra = imported(given, folder), pathlib.Path(folder) / "news"
    extra.mkdir()
    server = Server(given, store, "--trusted-proxy", "127.0.0.1/32", "--rate-limit", "1000000000", "--rate-limit-data", "1000000000",
                    "--rate-limit-burst", "1000000", "--rate-limit-per-second", "1000")
    # A bare clone does not hold every series.
    SERIES[:] = [name for name in SERIES if server.get(f"/api/public/data/{name}")[0] == 200]
    soak = Soak(server)
    rows = asyncio.run(soak.all(store, extra))
    assert server.stop() == 0
    for problem in soak.bad[:10]:
        print("unexpected:", problem[:400])
    figures = judged(rows)
    assert not soak.bad, f"{len(soak.bad)} unexpected failures"
    result("soak", minutes=f"{ROW * ROWS / 60:g}", **{k.replace(" ", "_"): v for k, v in soak.counts.items()}, failures=0,
           first_and_last_third=", ".join(f"{k.replace('_', ' ')} {v}" for k, v in figures.items()))

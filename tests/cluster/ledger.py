#!/usr/bin/env python3
"""Three replicas in front of one upstream with a ledger in PostgreSQL: never 101 calls in 24 hours, over simulated days with kill -9; one call of each replica for a question that all ask; no database, no call, and kept answers go on."""
import collections, http.client, http.server, pathlib, random, tempfile, threading, time
from common import PASSWORD, Server, arguments, end, imported, result, together, wait
from database import Database

given = arguments(__doc__, days=(30, 2, "simulated days"), seed=(11, 11, "of the requests"))
rng = random.Random(given.seed)
HOUR = 3600
# Found before the built-in one by who looks there first; the ledger's time then moves as the test wants.
CLOCK = """CREATE SCHEMA fake; CREATE TABLE fake.passed (seconds INT); INSERT INTO fake.passed VALUES (0);
CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
'SELECT pg_catalog.clock_timestamp() + make_interval(secs => (SELECT seconds FROM fake.passed))';
ALTER ROLE postgres SET search_path = fake, pg_catalog, public"""


class Upstream:
    """A service of the same API that counts who asks it, by simulated hour."""

    def __init__(self, port):
        self.to, self.hour, self.delay, self.calls, self.paths = port, 0, 0.0, collections.Counter(), collections.Counter()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.calls[outer.hour] += 1
                outer.paths[self.path] += 1
                time.sleep(outer.delay)
                one = http.client.HTTPConnection("127.0.0.1", outer.to, timeout=30)
                one.request("GET", self.path, headers={"accept": "application/json"})
                answer = one.getresponse()
                body = answer.read()
                one.close()
                try:
                    self.send_response(answer.status)
                    for name in ("content-type", "cache-control", "etag"):
                        if answer.getheader(name):
                            self.send_header(name, answer.getheader(name))
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.handle_error = True, lambda *_: None
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def made(self):
        return sum(self.calls.values())


def ask(server, path):
    try:
        return server.get(path, limit=15)[0]
    except OSError:
        return "gone"


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    database = Database()
    database.create("facts")
    origin = Server(given, imported(given, folder))
    upstream = Upstream(origin.port)

    def start(number):
        own = folder / f"replica{number}"
        own.mkdir(exist_ok=True)
        words = ["--upstream", f"http://127.0.0.1:{upstream.port}", "--upstream-state", database.address("facts", password=PASSWORD)]
        return Server(given, own / "econoscope.db", *words)
    servers = [start(number) for number in range(3)]

    # One question of all, cold: one call of each replica.
    upstream.delay = 1.0
    statuses = together([lambda s=s: ask(s, "/api/public/regime") for s in servers for _ in range(10)])
    assert statuses == [200] * 30 and upstream.made() == 3, (statuses, upstream.paths)
    upstream.delay = 3.0
    dying = threading.Thread(target=ask, args=(servers[0], "/api/public/metrics/UNRATE"))
    dying.start()
    wait(lambda: upstream.made() == 4, "the first call")
    servers[0].process.kill()
    dying.join()
    upstream.delay = 0.0
    began = time.monotonic()
    wait(lambda: ask(servers[1], "/api/public/metrics/UNRATE") == 200, "the answer after a death")
    taken_over = time.monotonic() - began
    assert upstream.made() == 5, upstream.paths
    servers[0] = start(0)

    # No database, no call; what is kept is given.
    database.stop()
    kept = [ask(server, path) for server in servers[1:] for path in ("/api/public/regime", "/api/public/metrics/UNRATE") for _ in range(5)]
    assert kept.count(200) >= 15, kept
    refused = together([lambda s=s: ask(s, "/api/public/metrics/DGS10") for s in servers])
    assert 200 not in refused and upstream.made() == 5, (refused, upstream.paths)
    database.start()
    for server in servers:  # each finds out in its own time
        wait(lambda: ask(server, "/api/public/metrics/DGS10") == 200, "calls after the database came back")
    assert upstream.made() == 8, upstream.paths

    # Days of requests for ever other names, with a death in the middle of each hour and one at its end: whoever was refused
    # keeps away by its own clock, which the test does not move, so that only the newly started ask. Who dies may have paid
    # for a call that is never made.
    # Tables are made anew where the clock is found first, so that what was paid before it counts no more.
    database.sql(CLOCK, "facts")
    upstream.calls.clear()
    for number, server in enumerate(servers):
        server.process.kill()
        servers[number] = start(number)
    deaths, refusals, paid = 0, 0, []
    for upstream.hour in range(1, 24 * given.days + 1):
        database.sql(f"UPDATE fake.passed SET seconds = {upstream.hour * HOUR}", "facts")
        asked = [(number, f"/api/public/metrics/T{rng.randrange(10 ** 9)}") for number in range(3) for _ in range(rng.randrange(2, 6))]
        upstream.delay = 0.05
        asking = threading.Thread(target=lambda: results.extend(together([lambda one=one: ask(servers[one[0]], one[1]) for one in asked])))
        results = []
        asking.start()
        dying = rng.sample(range(3), 2)
        time.sleep(rng.random() * 0.3)
        servers[dying[0]].process.kill()
        asking.join()
        servers[dying[1]].process.kill()
        for number, server in zip(dying, together([lambda n=n: start(n) for n in dying])):
            servers[number] = server
        deaths += 2
        paid.append(int(database.sql(f"SELECT count(*) FROM upstream_calls WHERE at > (SELECT max(at) FROM upstream_calls) - {24 * HOUR * 1000}", "facts")))
        refusals += sum(status in (429, 503) for status in results)
    most = max(sum(upstream.calls[hour + n] for n in range(24)) for hour in range(0, 24 * given.days))
    assert most <= max(paid) <= 100, (most, max(paid))
    assert max(paid) >= 75, ("hardly used", max(paid))
    for server in servers:
        assert server.stop() == 0
        said = server.said()
        assert PASSWORD not in said, said
result("ledger", days=given.days, deaths=deaths, most_calls_in_24_hours=most, most_paid=max(paid), calls=upstream.made(), refusals=refusals,
       calls_for_30=3, taken_over_s=f"{taken_over:.1f}")

#!/usr/bin/env python3
"""One key at three replicas at once: of 10,000 requests exactly the day's number is granted, each number that is left is told once, a burst is one burst."""
import collections, random, tempfile
from common import Redis, Line, arguments, end, is_shared, replicas, request, result, together, wait

given = arguments(__doc__, requests=(10000, 3000, "requests for one key"), connections=(10, 6, "connections"))

with tempfile.TemporaryDirectory() as folder:
    redis = Redis()
    servers = replicas(given, folder, 3, "--limits", redis.url(), "--rate-limit-burst", "1000000")
    wait(lambda: is_shared(servers), "three replicas that share")

    def ask(number, path):
        def go():
            line, statuses = Line(servers[number % 3].port), []
            each = given.requests // given.connections
            for _ in range(each):
                statuses += line.ask([request("203.0.113.9", path)])
            return statuses
        return go
    found = {}
    for path, limit in (("/api/public/regime", 100), ("/api/public/data/UNRATE", 200)):
        statuses = collections.Counter(sum(together([ask(n, path) for n in range(given.connections)]), []))
        granted = statuses.total() - statuses[429]
        assert granted == limit and set(statuses) <= {200, 429}, (path, statuses)
        found[path.split("/")[3]] = f"{granted} of {statuses.total()}"

    left = []
    for number in range(101):
        status, _, headers = random.choice(servers).get("/api/public/regime", {"x-forwarded-for": "203.0.113.10"})
        assert status == (200 if number < 100 else 429), (number, status)
        left.append(int(headers["x-ratelimit-remaining"]))
    assert left == [*range(99, -1, -1), 0], left
    end(servers)

with tempfile.TemporaryDirectory() as folder:
    servers = replicas(given, folder, 3, "--limits", redis.url(), "--rate-limit-per-second", "1", "--rate-limit-burst", "20")
    wait(lambda: is_shared(servers), "replicas that share")
    at_once = together([lambda s=s: Line(s.port).ask([request("203.0.113.11")] * 30) for s in servers])
    burst = sum(at_once, []).count(200)
    assert 20 <= burst <= 22, burst
    end(servers)
result("limits exact", **found, burst_of_20_over_three=burst)

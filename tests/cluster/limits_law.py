#!/usr/bin/env python3
"""The same requests to a server that counts by itself and to one that counts in Redis: the same verdicts, headers and waits."""
import json, random, tempfile, time
from common import Redis, arguments, figures, end, is_shared, replicas, result, together, wait

given = arguments(__doc__, addresses=(40, 20, "addresses"), rounds=(3, 1, "rounds"), seed=(7, 7, "of the sequence"))
# A request of a burst costs a second, and five may be owed. Four times 1.25 s apart no verdict hangs on a quarter of a
# second; then all is paid off.
TIMES = [0, 1.25, 2.5, 3.75]
PAID_OFF = 10
PATHS = ["/api/public/regime", "/api/public/data/UNRATE", "/api/public/metrics/DGS10", "/openapi.json", "/api/public/metrics/NO_SUCH"]
FLAGS = ["--rate-limit", "7", "--rate-limit-data", "4", "--rate-limit-per-second", "1", "--rate-limit-burst", "5",
         "--rate-limit-override", "203.0.113.0/29=9"]
rng = random.Random(given.seed)


def ask(server, wanted):
    address, what = wanted
    who = {"x-forwarded-for": address}
    if what in PATHS:
        status, body, headers = server.get(what, who)
    else:
        body = {"jsonrpc": "2.0", "id": 1, "method": what[0], "params": what[1]} if what[0] else {"junk": 1}
        status, body, headers = server.post(json.dumps(body), who)
    told = [headers.get(name) for name in ("ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining")]
    return status, told, int(headers.get("retry-after", 0)), int(headers.get("x-ratelimit-reset", 0))


CALLS = [("tools/call", {"name": "get_regime", "arguments": {}}), ("tools/call", {"name": "get_time_series", "arguments": {"seriesId": "UNRATE"}}),
         ("tools/list", {}), ("", {})]
with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
    redis = Redis()
    [alone], [shared] = replicas(given, one, 1, *FLAGS), replicas(given, other, 1, *FLAGS, "--limits", redis.url())
    wait(lambda: is_shared([shared]), "a server that shares")
    start, compared, refused = time.monotonic() + 0.2, 0, 0
    for at in [PAID_OFF * n + at for n in range(given.rounds) for at in TIMES]:
        for number in range(given.addresses):
            asked = [(f"203.0.113.{number}", rng.choice(PATHS + CALLS)) for _ in range(rng.choice([0, 1, 2, 4]))]
            time.sleep(max(0, start + at + number * 0.02 - time.monotonic()))
            verdicts = together([lambda s=s: [ask(s, wanted) for wanted in asked] for s in (alone, shared)])
            for wanted, here, there in zip(asked, *verdicts):
                # A day's wait is spread over a minute by the key, and no two keys are the same.
                assert here[:2] == there[:2] and abs(here[2] - there[2]) <= 61 and abs(here[3] - there[3]) <= 2, (at, wanted, here, there)
                refused += here[2] > 0
            compared += len(asked)
    seen = figures(shared.metrics)
    assert seen["econoscope_limits_alone_total"] == 0, "this machine is too busy to compare: the server went on alone"
    assert refused > compared / 20, (refused, compared)
    end([alone, shared])
result("limits law", requests=compared, refused=refused, differing=0)

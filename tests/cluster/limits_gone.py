#!/usr/bin/env python3
"""Redis killed, restarted and emptied under load: each of three replicas grants one limit at most while it is away, and all together exactly one before and after; no request waits for it over 50 ms."""
import collections, tempfile, time
from common import Line, Redis, Stalls, arguments, end, figures, is_shared, longest_wait, replicas, request, result, together, wait

given = arguments(__doc__, addresses=(30, 8, "addresses of each phase"), rounds=(5, 2, "times that each fault happens"))
LIMIT = 100
granted = collections.Counter()


def load(servers, addresses, each, during=None, pause=0.02):
    """So many requests of each address, spread over the replicas; a fault comes after a third of them."""
    lines = [Line(server.port) for server in servers]
    for number in range(each):
        if during and number == each // 3:
            during()
        for at, address in enumerate(addresses):
            line = lines[(number + at) % len(lines)]
            [status] = line.ask([request(address)])
            assert status in (200, 429), status
            granted[address] += status == 200
        time.sleep(pause)


with tempfile.TemporaryDirectory() as folder:
    redis, stalls = Redis(), Stalls()
    servers = replicas(given, folder, 3, "--limits", redis.url(), "--rate-limit-burst", "1000000")
    wait(lambda: is_shared(servers), "three replicas that share")
    phases = {}

    def phase(name, number, fault, back):
        addresses = [f"203.0.{number}.{at}" for at in range(given.addresses)]
        load(servers, addresses, 120, fault)
        away = [granted[a] for a in addresses]
        back()
        wait(lambda: is_shared(servers), "three replicas that share again")
        load(servers, addresses, 40, pause=0)
        total = [granted[a] for a in addresses]
        assert max(away) <= 3 * LIMIT and max(total) <= 4 * LIMIT, (name, away, total)
        phases.setdefault(name, []).append((min(away), max(away), min(total), max(total)))
        fresh = [f"198.51.{number}.{at}" for at in range(3)]
        load(servers, fresh, 110, pause=0)
        assert [granted[a] for a in fresh] == [LIMIT] * 3, ("not exact afterwards", name, [granted[a] for a in fresh])

    nothing = lambda: None
    for number in range(given.rounds):
        phase("killed", 3 * number, redis.kill, redis.start)

        def restart():
            redis.kill()
            redis.start()
        phase("restarted empty", 3 * number + 1, restart, nothing)
        phase("emptied", 3 * number + 2, lambda: redis.ask("FLUSHALL"), nothing)
    waited = longest_wait(servers, stalls)
    outages = sum(figures(server.metrics)["econoscope_limits_outages_total"] for server in servers)
    assert outages >= 3 * given.rounds, outages
    end(servers)
    assert "counts alone" in servers[0].said() and "limits are shared" in servers[0].said(), servers[0].said()
told = {f"{name} granted {what}": f"{min(one[i] for one in all_)} to {max(one[i + 1] for one in all_)}"
        for name, all_ in phases.items() for i, what in ((0, "while away"), (2, "in all"))}
result("limits gone", limit=LIMIT, **told, longest_wait_ms=waited, outages=int(outages))

#!/usr/bin/env python3
"""The way to Redis cut, slow (300 ms a piece) and half open: p99 of honest requests within twice the baseline, no request waits over 50 ms."""
import collections, statistics, tempfile, time
from common import Redis, Stalls, arguments, end, is_shared, longest_wait, percentile, replicas, request, result, wait
from proxy import Proxy

given = arguments(__doc__, requests=(3000, 1200, "requests of each measurement"), rounds=(7, 5, "rounds; baseline and faults in turns, medians count"))
PATHS = ["/api/public/regime", "/api/public/data/UNRATE", "/api/public/metrics/DGS10"]


def times(server, fault=None):
    """Seconds of each answer on one kept connection, of many addresses; the fault comes on the way."""
    taken = []
    with server.connect() as one:
        for number in range(given.requests):
            if fault and number == given.requests // 4:
                fault()
            start = time.perf_counter()
            one.sendall(request(f"10.{number % 200}.{number % 7}.1", PATHS[number % 3]))
            data = b""
            while b"\r\n\r\n" not in data:
                data += one.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            while len(body) < length:
                body += one.recv(65536)
            taken.append(time.perf_counter() - start)
    return taken


with tempfile.TemporaryDirectory() as folder:
    redis, stalls = Redis(), Stalls()
    proxy = Proxy(redis.port)
    flags = [word for name in ("", "-data", "-per-second", "-burst") for word in (f"--rate-limit{name}", "1000" if name == "-per-second" else "1000000")]
    servers = replicas(given, folder, 1, "--limits", redis.url(proxy.port), *flags)
    [server] = servers
    wait(lambda: is_shared(servers), "a server that shares")
    times(server)

    def mode(to):
        proxy.mode = to

    def back():
        proxy.mode = "pass"
        proxy.cut()
        wait(lambda: is_shared(servers), "a server that shares again")
    found = collections.defaultdict(list)
    faults = {"cut": proxy.cut, "slow": lambda: mode("slow"), "half open": lambda: mode("half")}
    for _ in range(given.rounds):
        for name, fault in faults.items():
            found["baseline"].append(percentile(times(server), 0.99))
            found[name].append(percentile(times(server, fault), 0.99))
            back()
    p99 = {name: statistics.median(of) * 1000 for name, of in found.items()}
    assert all(one <= 2 * p99["baseline"] for one in p99.values()), p99
    waited = longest_wait(servers, stalls)
    end(servers)
result("limits network", **{name.replace(" ", "_") + "_p99_ms": f"{of:.2f}" for name, of in p99.items()}, longest_wait_ms=waited)

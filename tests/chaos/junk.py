#!/usr/bin/env python3
"""Junk of every kind: unknown names, deep JSON, huge bodies, ten thousand headers; memory stays flat, nothing panics.

Every request comes from another address, so the count of addresses grows to its bound of a million; a second part
repeats the last tenth from the same addresses with other words, and must leave the memory as it is.
"""
import json, random, tempfile
from common import Line, Server, arguments, imported, result

given = arguments(__doc__, requests=(1000000, 20000, "junk requests"))
random.seed(3)
BATCH = 64
JSON = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
WHOLE = "/api/public/"


def request(method, path, peer, body=None):
    more = "" if body is None else f"{JSON}content-length: {len(body)}\r\n"
    return f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {peer}\r\n{more}\r\n{body or ''}".encode()


def junk(i):
    peer = f"{20 + (i >> 24)}.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}"
    word = "%x" % random.getrandbits(60)
    kind = i % 8
    if kind == 0:
        return request("GET", f"{WHOLE}metrics/{word}", peer)
    if kind == 1:
        return request("GET", f"{WHOLE}data/{word}?start={word}", peer)
    if kind == 2:
        return request("GET", f"/{word}/{word}?{word}={word}", peer)
    if kind == 3:
        return request("GET", f"{WHOLE}glossary/search?q={word}&limit={i % 50 + 1}", peer)
    if kind == 4:
        return request(random.choice(["DELETE", "PATCH", "BREW"]), f"{WHOLE}regime?{word}", peer)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": word, "arguments": {word: word}}}
    body = [word, json.dumps({"jsonrpc": "2.0", "id": word, "method": word}), json.dumps(call)][kind - 5]
    return request("POST", "/mcp", peer, body)


def oddities():
    """One of each kind that may cost a connection."""
    peer = "19.0.0.1"
    yield request("POST", "/mcp", peer, "[" * 900 + "]" * 900)
    for deep in (10_000, 100_000):
        yield request("POST", "/mcp", peer, "[" * deep)
        yield request("POST", "/mcp", peer, '{"params":' * (deep // 20))
    yield request("POST", "/mcp", peer, "a" * 5_000_000)
    yield request("GET", "/" + "a" * 20_000, peer)
    headers = "".join(f"x-{n}: 1\r\n" for n in range(10_000))
    yield f"GET /health HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n".encode()


with tempfile.TemporaryDirectory() as folder:
    server = Server(given, imported(given, folder), "--trusted-proxy", "127.0.0.1/32",
                    "--rate-limit", "4000000", "--rate-limit-data", "4000000", "--rate-limit-burst", "4000000")
    line, statuses = Line(server.port), {}

    def send(numbers):
        numbers = list(numbers)
        for at in range(0, len(numbers), BATCH):
            for status in line.ask([junk(i) for i in numbers[at:at + BATCH]]):
                assert status == "closed" or status < 500, status
                statuses[status] = statuses.get(status, 0) + 1

    send(range(min(20000, given.requests // 4)))
    for one in oddities():
        for status in line.ask([one]):
            assert status == "closed" or status < 500, status
            statuses[status] = statuses.get(status, 0) + 1
    warm, marks = server.memory(), []
    for quarter in range(4):
        send(range(quarter * given.requests // 4, (quarter + 1) * given.requests // 4))
        marks.append(server.memory())
    send(range(given.requests - given.requests // 10, given.requests))
    again = server.memory()
    assert server.get("/api/public/regime")[0] == 200
    assert again < 250, f"{again:.0f} MiB"
    assert again - marks[-1] < 5, f"the same addresses again: {marks[-1]:.0f} MiB grew to {again:.0f}"
    closed = statuses.get("closed", 0)
    assert closed <= 10, f"{closed} answers were lost with their connection"
    result("junk", requests=given.requests, memory_warm_mib=f"{warm:.0f}",
           at_each_quarter_mib=" ".join(f"{m:.0f}" for m in marks), after_a_tenth_again_mib=f"{again:.0f}",
           statuses=dict(sorted(statuses.items(), key=str)))
    assert server.stop() == 0

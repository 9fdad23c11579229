#!/usr/bin/env python3
"""Junk of every kind: unknown names, deep JSON, huge bodies, ten thousand headers; memory stays flat, nothing panics."""
import http.client, json, random, tempfile
from common import Server, arguments, imported, result

given = arguments(__doc__, requests=(1000000, 20000, "junk requests"))
random.seed(3)
with tempfile.TemporaryDirectory() as folder:
    server = Server(given, imported(given, folder), "--trusted-proxy", "127.0.0.1/32",
                    "--rate-limit", "4000000", "--rate-limit-data", "4000000", "--rate-limit-burst", "4000000")
    statuses, connection = {}, http.client.HTTPConnection("127.0.0.1", server.port)

    def send(method, path, body=None, headers={}):
        global connection
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            answer.read()
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            if answer.getheader("connection") == "close":
                connection.close()
            assert answer.status < 500, (path, answer.status)
        except (OSError, http.client.HTTPException):
            connection.close()
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            statuses["closed"] = statuses.get("closed", 0) + 1

    def junk(i):
        peer = {"x-forwarded-for": f"{20 + (i >> 24)}.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}"}
        word = "%x" % random.getrandbits(60)
        kind = i % 8
        if kind == 0:
            send("GET", f"/api/public/metrics/{word}", headers=peer)
        elif kind == 1:
            send("GET", f"/api/public/data/{word}?start={word}", headers=peer)
        elif kind == 2:
            send("GET", f"/{word}/{word}?{word}={word}", headers=peer)
        elif kind == 3:
            send("GET", f"/api/public/glossary/search?q={word}&limit={i % 50 + 1}", headers=peer)
        elif kind == 4:
            send(random.choice(["DELETE", "PATCH", "BREW"]), f"/api/public/regime?{word}", headers=peer)
        else:
            body = [word, json.dumps({"jsonrpc": "2.0", "id": word, "method": word}),
                    json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": word, "arguments": {word: word}}})][kind - 5]
            send("POST", "/mcp", body, {**peer, "content-type": "application/json", "accept": "application/json, text/event-stream"})

    for i in range(min(20000, given.requests // 4)):
        junk(i)
    send("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": json.loads("[" * 900 + "]" * 900)}}),
         {"content-type": "application/json"})
    for deep in (10_000, 100_000):
        send("POST", "/mcp", "[" * deep, {"content-type": "application/json"})
        send("POST", "/mcp", '{"params":' * (deep // 20), {"content-type": "application/json"})
    send("POST", "/mcp", "a" * 5_000_000, {"content-type": "application/json"})
    send("GET", "/health", headers={f"x-{n}": "1" for n in range(10_000)})
    send("GET", "/" + "a" * 20_000)
    warm = server.memory()
    for i in range(given.requests):
        junk(i)
    after = server.memory()
    assert server.get("/api/public/regime")[0] == 200
    assert after - warm < 100, f"{warm:.0f} MiB grew to {after:.0f} MiB"
    assert after < 250, f"{after:.0f} MiB"
    result("junk", requests=given.requests, memory_warm_mib=f"{warm:.0f}", memory_after_mib=f"{after:.0f}",
           statuses=dict(sorted(statuses.items(), key=str)))
    assert server.stop() == 0

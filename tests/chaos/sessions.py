#!/usr/bin/env python3
"""Ten thousand conversations opened and never ended: the server keeps nothing of them."""
import json, tempfile
from common import Line, Server, arguments, imported, result

given = arguments(__doc__, sessions=(10000, 2000, "conversations opened"))
BATCH = 50


def opening(i):
    body = json.dumps({"jsonrpc": "2.0", "id": i, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": f"chaos {i}", "version": "1"}}})
    return (f"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n"
            f"content-length: {len(body)}\r\n\r\n{body}").encode()


with tempfile.TemporaryDirectory() as folder:
    server = Server(given, imported(given, folder))
    line = Line(server.port)
    for i in range(0, given.sessions // 5, BATCH):
        line.ask([opening(n) for n in range(i, i + BATCH)])
    before = server.memory()
    statuses = {}
    for i in range(0, given.sessions, BATCH):
        for status in line.ask([opening(n) for n in range(i, i + BATCH)]):
            statuses[status] = statuses.get(status, 0) + 1
    grown = server.memory() - before
    assert statuses == {200: given.sessions}, statuses
    status, body, headers = server.post(opening(1).split(b"\r\n\r\n", 1)[1])
    assert status == 200 and "mcp-session-id" not in {name.lower() for name in headers}, headers
    assert grown < 20, f"grew by {grown:.1f} MiB"
    result("sessions", opened=given.sessions, answered=statuses[200], kept=0, growth_mib=f"{grown:.1f}")
    assert server.stop() == 0

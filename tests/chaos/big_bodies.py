#!/usr/bin/env python3
"""Bodies of a gigabyte: announced, in chunks, on a GET, and as one line over stdio; memory grows by no more than 20 MiB."""
import json, socket, subprocess, tempfile
from common import Server, arguments, imported, memory, result

given = arguments(__doc__, mebibytes=(1024, 64, "size of a body in MiB"))
PART = b"a" * (1 << 20)


def push(server, head, framed):
    """Sends until the body is whole or the server has had enough; the status line that it answered with."""
    one = server.connect(limit=60)
    sent, answer = 0, b""
    try:
        one.sendall(head)
        for _ in range(given.mebibytes):
            one.sendall(framed)
            sent += 1
        if framed is not PART:
            one.sendall(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass
    try:
        answer = one.recv(64)
    except OSError:
        pass
    one.close()
    return answer.split(b"\r\n")[0].decode(), sent


def head(method, path, framing):
    return f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{framing}\r\n\r\n".encode()


with tempfile.TemporaryDirectory() as folder:
    store = imported(given, folder)
    server = Server(given, store)
    server.get("/api/public/macro-summary")
    before = server.memory()
    length, chunk = given.mebibytes << 20, b"%x\r\n" % len(PART) + PART + b"\r\n"
    said = {}
    for name, given_head, part in [
        ("announced", head("POST", "/mcp", f"content-length: {length}"), PART),
        ("chunked", head("POST", "/mcp", "transfer-encoding: chunked"), chunk),
        ("on_a_get", head("GET", "/api/public/regime", f"content-length: {length}"), PART),
    ]:
        status, sent = push(server, given_head, part)
        said[name] = f"{status or 'closed'} after {sent} MiB"
        assert not status or status.split()[1] in ("413", "200"), (name, status)
        assert sent < given.mebibytes or status, (name, "taken whole and not answered")
    grown = server.memory("VmHWM") - before
    assert grown <= 20, f"grew by {grown:.0f} MiB"
    assert server.get("/api/public/regime")[0] == 200
    assert server.stop() == 0

    process = subprocess.Popen([given.binary, "--store", str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "chaos", "version": "1"}}}
    process.stdin.write(json.dumps(hello).encode() + b"\n")
    process.stdin.flush()
    assert b'"id":1' in process.stdout.readline()
    before, alive = memory(process.pid), "yes"
    try:
        for _ in range(given.mebibytes):
            process.stdin.write(PART)
        process.stdin.write(b"\n" + json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode() + b"\n")
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        while line and b'"id":2' not in line:
            line = process.stdout.readline()
        assert line, "no answer after the long line"
        line_grown = memory(process.pid, "VmHWM") - before
        process.stdin.close()
        code = process.wait(timeout=20)
    except BrokenPipeError:
        alive, line_grown, code = "ended", 0, process.wait(timeout=20)
    assert line_grown <= 20, f"the line made it grow by {line_grown:.0f} MiB"
    assert code == 0, code
    result("big bodies", mib=given.mebibytes, **said, http_growth_mib=f"{grown:.1f}", stdio_growth_mib=f"{line_grown:.1f}", stdio_goes_on=alive)

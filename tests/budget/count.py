"""Instructions a request, by callgrind: BINARY FOLDER BUDGETS [--write]."""

import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

REQUESTS = 200
WARM = 60
SLACK = 1.10

PLAIN = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "budget", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SERIES = {"seriesId": "DGS10", "detail": "full", "start": "1990-01-01"}


def call(tool, arguments, meta=None):
    """A tools/call with an id of its own."""
    params = {"name": tool, "arguments": arguments}
    headers = dict(PLAIN)
    if meta:
        params["_meta"] = meta
        headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}

    def build(number):
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        return "POST", "/mcp", json.dumps(body, separators=(",", ":")), headers

    return build


PATHS = {
    "a small call, 2025-06-18": call("get_metric", {"ticker": "DGS10"}),
    "a small call, 2026-07-28": call("get_metric", {"ticker": "DGS10"}, META),
    "5,000 rows in a call": call("get_time_series", SERIES),
    "a metric over REST": lambda _: ("GET", "/api/public/metrics/DGS10", None, {}),
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(binary, folder):
    """The server under callgrind, on one executor thread."""
    port = free_port()
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out", "-q"]
    command += [binary, "--store", f"{folder}/budget.db", "serve", "--no-sync", "--listen", f"127.0.0.1:{port}"]
    environment = {**os.environ, "TOKIO_WORKER_THREADS": "1"}
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    for _ in range(600):
        if server.poll() is not None:
            sys.exit("the server ended at once")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, port
        except OSError:
            time.sleep(0.1)
    sys.exit("the server does not listen")


def settle(server):
    """Waits until what a server works out ahead, once for its data, is done: it is no request's."""
    used = lambda: sum(map(int, pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    quiet, before = 0, used()
    for _ in range(300):
        time.sleep(1)
        now = used()
        quiet, before = (quiet + 1 if now - before <= 5 else 0), now
        if quiet == 3:
            return
    sys.exit("the server is never quiet")


def send(connection, build, numbers):
    for number in numbers:
        connection.request(*build(number))
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200 or b'"isError":true' in body:
            sys.exit(f"{answer.status}: {body[:300]}")
    return body


def control(server, option):
    subprocess.run(["callgrind_control", option, str(server.pid)], check=True, capture_output=True)
    time.sleep(0.3)


def count(server, port, folder, build):
    """Instructions of one request: many are counted, after as many as fill every cache."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = send(connection, build, range(1000, 1000 + WARM))
    before = set(pathlib.Path(folder).glob("callgrind.out.*"))
    control(server, "-z")
    send(connection, build, range(5000, 5000 + REQUESTS))
    control(server, "-d")
    connection.close()
    instructions = 0
    for dump in set(pathlib.Path(folder).glob("callgrind.out.*")) - before:
        instructions += sum(map(int, re.findall(r"^summary: (\d+)", dump.read_text(), re.M)))
    return instructions // REQUESTS, body


def main():
    binary, folder, file = sys.argv[1:4]
    for old in pathlib.Path(folder).glob("callgrind.out*"):
        old.unlink()
    server, port = start(binary, folder)
    try:
        settle(server)
        found = {}
        for name, build in PATHS.items():
            found[name], body = count(server, port, folder, build)
            if name.startswith("5,000") and b'"rowCount":5000' not in body:
                sys.exit("the series has not 5,000 rows")
    finally:
        server.terminate()
        server.wait()
    if "--write" in sys.argv:
        pathlib.Path(file).write_text(json.dumps(found, indent=2) + "\n")
    budgets = json.loads(pathlib.Path(file).read_text())
    over = 0
    for name, instructions in found.items():
        most = int(budgets[name] * SLACK)
        verdict = "ok" if instructions <= most else "OVER"
        over += verdict == "OVER"
        print(f"{name}: {instructions:,} instructions, budget {budgets[name]:,} and a tenth: {verdict}")
    sys.exit(1 if over else 0)


main()

"""What both measurements share: where the binaries are, and what a process has used."""

import os
import pathlib
import socket
import subprocess

HERE = pathlib.Path(__file__).parent
FLOORS = pathlib.Path(os.environ.get("FLOORS", HERE / "target/release"))
ECONOSCOPE = os.environ.get("ECONOSCOPE", str(HERE / "../../target/release/econoscope"))
WORK = pathlib.Path(os.environ.get("WORK", HERE / "work"))
STORE = os.environ.get("STORE", str(WORK / "bench.db"))
TICKS = os.sysconf("SC_CLK_TCK")

METRIC = {"ticker": "DGS10"}
SERIES = {"seriesId": "DGS10", "detail": "full", "start": "1990-01-01"}


def used(pid):
    """CPU seconds and resident MiB of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return (int(fields[11]) + int(fields[12])) / TICKS, resident / 1024


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def result_file(name, arguments):
    """The result of a call in a file, for the floors to serve the same bytes."""
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / f"{name}-{len(arguments)}.json"
    lines = [
        '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"bench","version":"1"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}' % (name, arguments),
    ]
    server = subprocess.Popen([ECONOSCOPE, "--store", STORE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in lines:
        server.stdin.write(line.encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    answer = server.stdout.readline().strip()
    server.stdin.close()
    server.wait()
    head, result = answer.split(b'"result":', 1)
    assert b'"error"' not in head and b'"isError":true' not in result, answer[:300]
    file.write_bytes(result[:-1])
    return file

#!/usr/bin/env python3
"""Cold starts and sequential calls over stdio, side by side: over_stdio.py [--starts 15] [--rounds 5] [--calls 2000]"""

import argparse
import json
import statistics
import subprocess
import sys
import time


from common import ECONOSCOPE, FLOORS, METRIC, STORE, result_file, used

OPENING = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"bench","version":"1"}}}\n'
)
OPENED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
ARGUMENTS = json.dumps(METRIC, separators=(",", ":"))


def call(number):
    params = '{"name":"get_metric","arguments":%s}' % ARGUMENTS
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}\n' % (number, params.encode())


class Talk:
    """A server at the other end of two pipes."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)

    def ask(self, line):
        self.server.stdin.write(line)
        self.server.stdin.flush()
        return self.server.stdout.readline()

    def open(self):
        self.ask(OPENING)
        self.server.stdin.write(OPENED)

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def cold(command):
    """Milliseconds from the start to the answer of the opening, and of the first call."""
    begin = time.perf_counter()
    talk = Talk(command)
    talk.open()
    opened = time.perf_counter()
    answer = talk.ask(call(1))
    done = time.perf_counter()
    assert b'"isError":true' not in answer and b'"result"' in answer, answer[:200]
    talk.close()
    return (opened - begin) * 1e3, (done - begin) * 1e3


def warm(command, calls):
    """Calls a second one after the other, CPU microseconds a call, resident MiB."""
    talk = Talk(command)
    talk.open()
    for number in range(200):
        talk.ask(call(number))
    before, _ = used(talk.server.pid)
    begin = time.perf_counter()
    for number in range(1_000, 1_000 + calls):
        talk.ask(call(number))
    seconds = time.perf_counter() - begin
    after, resident = used(talk.server.pid)
    talk.close()
    return calls / seconds, (after - before) / calls * 1e6, resident


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--starts", type=int, default=15)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--calls", type=int, default=2_000)
    chosen = options.parse_args()
    floor = [str(FLOORS / "raw_stdio"), str(result_file("get_metric", ARGUMENTS))]
    subjects = {
        "bare stdio": floor,
        "econoscope": [ECONOSCOPE, "--store", STORE],
    }
    starts = {name: [] for name in subjects}
    rounds = {name: [] for name in subjects}
    for _ in range(chosen.starts):
        for name, command in subjects.items():
            starts[name].append(cold(command))
    for _ in range(chosen.rounds):
        for name, command in subjects.items():
            rounds[name].append(warm(command, chosen.calls))
    middle = lambda rows, column: statistics.median(row[column] for row in rows)
    print("| subject | start → opening ms | start → first call ms | calls/s | beside bare | CPU µs/call | resident MiB |")
    print("|---|---|---|---|---|---|---|")
    base = [row[0] for row in rounds["bare stdio"]]
    for name in subjects:
        ratio = statistics.median(row[0] / b for row, b in zip(rounds[name], base))
        print(
            f"| {name} | {middle(starts[name], 0):.1f} | {middle(starts[name], 1):.1f} | {middle(rounds[name], 0):.0f} "
            f"| {ratio:.2f} | {middle(rounds[name], 1):.0f} | {middle(rounds[name], 2):.0f} |"
        )


main()

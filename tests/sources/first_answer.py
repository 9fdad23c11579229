"""The first answer over stdio: BINARY FOLDER [OTHER BINARY] [--most MILLISECONDS].

Milliseconds from the start of the program to the answer of `initialize` and to that of the first call, each binary on a store
of its own, by turns, medians of 40 starts. --most fails above so many to the first answer. No source is asked.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "start", "version": "1"}}
CALL = {"name": "get_metric", "arguments": {"ticker": "UNRATE"}}


def line(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def start(binary, store):
    pipe = subprocess.PIPE
    began = time.perf_counter()
    program = subprocess.Popen([binary, "--no-sync", "--store", str(store)], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={"HOME": str(store.parent)})
    times = []
    for message in (line(1, "initialize", CLIENT), line(2, "tools/call", CALL)):
        program.stdin.write(message)
        program.stdin.flush()
        assert b'"result"' in program.stdout.readline()
        times.append((time.perf_counter() - began) * 1000)
    program.stdin.close()
    program.wait()
    return times


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("other", nargs="?")
    options.add_argument("--most", type=float)
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    binaries = [one for one in (chosen.binary, chosen.other) if one]
    stores = {one: chosen.folder / f"start{n}.db" for n, one in enumerate(binaries)}
    for one, store in stores.items():
        start(one, store)
    times = {one: [] for one in binaries}
    for _ in range(40):
        for one, store in stores.items():
            times[one].append(start(one, store))
    for one, taken in times.items():
        first, call = (statistics.median(column) for column in zip(*taken))
        print(f"{one}: first answer {first:.1f} ms, first call {call:.1f} ms, best {min(taken)[0]:.1f} ms")
    first = statistics.median(taken[0] for taken in times[chosen.binary])
    assert chosen.most is None or first <= chosen.most, f"{first:.1f} ms"


main()

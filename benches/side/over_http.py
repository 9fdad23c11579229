#!/usr/bin/env python3
"""Subjects side by side over HTTP: over_http.py small|series [--rounds 5] [--seconds 2] [--connections 16]

Every round visits every subject; a figure is the median of the rounds. CPU is what the server used, by the kernel.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time


from common import ECONOSCOPE, FLOORS, HERE, METRIC, SERIES, STORE, free_port, result_file, used


def econoscope(*more):
    return [ECONOSCOPE, "--store", STORE, "serve", "--no-sync", "--listen", "127.0.0.1:{port}", *more]


def subjects(table):
    """Name: command, settings of the client."""
    tool, arguments = ("get_metric", METRIC) if table == "small" else ("get_time_series", SERIES)
    arguments = json.dumps(arguments, separators=(",", ":"))
    bare = [str(FLOORS / "bare_axum"), "{port}", str(result_file(tool, arguments))]
    legacy = {"ERA": "legacy", "TOOL": tool, "ARGUMENTS": arguments}
    modern = legacy | {"ERA": "modern"}
    # With a session id, which a server without sessions ignores, the protocol library answers.
    library = {"SESSION": "none"}
    if table == "small":
        return {
            "bare axum": (bare, legacy),
            "econoscope, 2025-06-18": (econoscope(), legacy),
            "econoscope, 2026-07-28": (econoscope(), modern),
            "econoscope, a page of a browser": (econoscope(), legacy | {"ORIGIN": "http://localhost:3000"}),
            "econoscope, arguments spaced as never before": (econoscope(), legacy | {"NEW": "1"}),
            "through the library, 2025-06-18": (econoscope(), legacy | library),
            "through the library, 2026-07-28": (econoscope(), modern | library),
            "econoscope, REST": (econoscope(), {"GET": "/api/public/metrics/DGS10"}),
        }
    path = "/api/public/data/DGS10?start=1990-01-01"
    return {
        "bare axum": (bare, legacy),
        "econoscope, call": (econoscope(), legacy),
        "through the library, call": (econoscope(), legacy | library),
        "econoscope, REST": (econoscope(), {"GET": path}),
        "econoscope, REST, gzip": (econoscope(), {"GET": path, "ENCODING": "gzip"}),
        "econoscope, REST, zstd": (econoscope(), {"GET": path, "ENCODING": "zstd"}),
    }


def start(command):
    port = free_port()
    command = [part.replace("{port}", str(port)) for part in command]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.5).close()
            return server, port
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{command[0]} does not listen")


def load(port, pid, client, seconds, connections, begin=0):
    """One run of wrk: requests a second, median and 99th percentile in ms, CPU microseconds a request."""
    before, _ = used(pid)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "30s", "-s", str(HERE / "call.lua"), f"http://127.0.0.1:{port}"]
    out = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **client, "START": str(begin)}, check=True).stdout
    after, resident = used(pid)
    said = next(json.loads(line[5:]) for line in out.splitlines() if line.startswith("JSON "))
    if said["errors"]:
        sys.exit(f"errors: {said}")
    requests = said["requests"]
    return {
        "rps": requests / said["microseconds"] * 1e6,
        "p50": said["p50"] / 1e3,
        "p99": said["p99"] / 1e3,
        "cpu": (after - before) / requests * 1e6,
        "resident": resident,
    }


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("table", choices=["small", "series"])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=int, default=2)
    options.add_argument("--connections", type=int, default=16)
    chosen = options.parse_args()
    running = {name: (*start(command), client) for name, (command, client) in subjects(chosen.table).items()}
    rounds = {name: [] for name in running}
    try:
        for number in range(-1, chosen.rounds):  # the first one warms up
            begin = (number + 1) * chosen.seconds * 20_000
            for name, (server, port, client) in running.items():
                figures = load(port, server.pid, client, chosen.seconds, chosen.connections, begin)
                if number >= 0:
                    rounds[name].append(figures)
    finally:
        for server, _, _ in running.values():
            server.terminate()
    print("| subject | requests/s | p50/p99 ms | CPU µs/request | CPU beside bare axum | resident MiB |")
    print("|---|---|---|---|---|---|")
    base = [figures["cpu"] for figures in rounds["bare axum"]]
    for name, all_figures in rounds.items():
        middle = {key: statistics.median(f[key] for f in all_figures) for key in all_figures[0]}
        ratio = statistics.median(f["cpu"] / b for f, b in zip(all_figures, base))
        print(
            f"| {name} | {middle['rps']:.0f} | {middle['p50']:.2f}/{middle['p99']:.2f} | {middle['cpu']:.1f} "
            f"| {ratio:.2f} | {middle['resident']:.0f} |"
        )


main()

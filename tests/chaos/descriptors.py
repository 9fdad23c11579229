#!/usr/bin/env python3
"""More idle sockets than a program may have files: honest callers get an answer, or a 503 at once, never silence.

A soft limit of 1,024 open files is raised by the server itself. Under a hard one it takes fewer connections and tells
the others so.
"""
import os, pathlib, resource, socket, tempfile, time
from common import Server, arguments, result

given = arguments(__doc__, sockets=(1100, 1100, "idle sockets"), asks=(200, 20, "honest requests"))
program = given.binary


def limited(folder, soft, hard):
    """The program under a limit of open files."""
    script = pathlib.Path(folder) / f"limited-{soft}-{hard}"
    script.write_text(f'#!/bin/sh\nset -e\nulimit -Sn {soft}\nulimit -Hn {hard}\nexec "{os.path.abspath(program)}" "$@"\n')
    script.chmod(0o755)
    given.binary = str(script)


def idle(server):
    return [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(given.sockets)]


def asked(server):
    """Statuses of honest requests, and the slowest in seconds."""
    statuses, slowest = {}, 0
    for _ in range(given.asks):
        start = time.monotonic()
        status = server.get("/health", limit=5)[0]
        slowest = max(slowest, time.monotonic() - start)
        statuses[status] = statuses.get(status, 0) + 1
    return statuses, slowest


def heals(server):
    """Seconds until an honest request is answered again."""
    start = time.monotonic()
    while server.get("/health", limit=5)[0] != 200:
        assert time.monotonic() - start < 100, "it does not heal"
        time.sleep(0.1)
    return time.monotonic() - start


with tempfile.TemporaryDirectory() as folder:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert hard >= 4_096, f"this script needs a hard limit of 4,096 open files; it is {hard}"
    limited(folder, 1_024, hard)
    server = Server(given, pathlib.Path(folder) / "soft.db")
    sockets = idle(server)
    soft, slowest_soft = asked(server)
    assert set(soft) == {200}, soft
    for one in sockets:
        one.close()
    assert server.stop() == 0

    limited(folder, 1_024, 1_024)
    server = Server(given, pathlib.Path(folder) / "hard.db")
    sockets = idle(server)
    tight, slowest_tight = asked(server)
    assert set(tight) <= {200, 503}, tight
    # What else the program opens is not in the way: the data of a store that was not read yet.
    healed = heals(server)
    assert server.get("/api/public/data/DGS10")[0] == 200
    for one in sockets:
        one.close()

    assert server.stop() == 0
    result("descriptors", idle_sockets=given.sockets, under_a_soft_limit=soft, under_a_hard_limit=tight,
           slowest_answer_s=f"{max(slowest_soft, slowest_tight):.2f}", healed_after_s=f"{healed:.1f}")

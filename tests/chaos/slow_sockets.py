#!/usr/bin/env python3
"""Slow sockets of four kinds while honest clients ask: the honest p99 stays under twice its baseline."""
import atexit, os, pathlib, selectors, signal, socket, tempfile, time
from common import Server, arguments, imported, percentile, result

given = arguments(__doc__, sockets=(2000, 200, "slow sockets"), requests=(2000, 400, "honest requests a phase"))
with tempfile.TemporaryDirectory() as folder:
    server = Server(given, imported(given, folder))
    paths = ["/api/public/macro-summary", "/api/public/metrics/DGS10", "/api/public/data/UNRATE"]

    def honest():
        times = []
        with server.connect() as one:
            for i in range(given.requests):
                start = time.perf_counter()
                one.sendall(f"GET {paths[i % 3]} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
                data = b""
                while b"\r\n\r\n" not in data:
                    data += one.recv(65536)
                head, _, body = data.partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200"), head
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                while len(body) < length:
                    body += one.recv(65536)
                times.append(time.perf_counter() - start)
        return times

    honest()
    before = min(percentile(honest(), 0.99) for _ in range(3))
    slow, opened = [], time.monotonic()
    for i in range(given.sockets):
        one = server.connect()
        kind = i % 4
        if kind == 1:
            one.sendall(b"GET /health HTTP/1.1\r\nhost: ")
        elif kind == 2:
            one.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{")
        elif kind == 3:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            one.sendall(b"GET /api/public/data/DGS10?start=max HTTP/1.1\r\nhost: localhost\r\n\r\n" * 8)
        slow.append((kind, one))
    # A process of its own: a thread would take turns with the honest client and spoil what is measured.
    dripper = os.fork()
    if dripper == 0:
        while True:
            time.sleep(1)
            for kind, one in slow:
                if kind in (1, 2):
                    try:
                        one.send(b"a")
                    except OSError:
                        pass
    atexit.register(lambda: os.kill(dripper, signal.SIGKILL))

    during = min(percentile(honest(), 0.99) for _ in range(3))
    memory = server.memory()
    closed = {}
    watch = selectors.DefaultSelector()
    for kind, one in slow:
        one.setblocking(False)
        if kind != 3:
            watch.register(one, selectors.EVENT_READ, kind)
    left = sum(1 for kind, _ in slow if kind != 3)
    while left and time.monotonic() - opened < 60:
        for key, _ in watch.select(timeout=1):
            try:
                ended = key.fileobj.recv(65536) == b""
            except BlockingIOError:
                continue
            except OSError:
                ended = True
            if ended:
                watch.unregister(key.fileobj)
                left -= 1
                closed[key.data] = time.monotonic() - opened
    for _, one in slow:
        one.close()
    assert left == 0, f"{left} slow sockets are still open"
    assert during < max(2 * before, before + 0.002), f"honest p99 {during * 1e3:.2f} ms, before {before * 1e3:.2f} ms"
    result("slow sockets", sockets=given.sockets, honest_p99_before_ms=f"{before * 1e3:.2f}",
           honest_p99_during_ms=f"{during * 1e3:.2f}", memory_mib=f"{memory:.0f}",
           last_silent_closed_s=f"{closed.get(0, 0):.1f}", last_header_closed_s=f"{closed.get(1, 0):.1f}",
           last_body_closed_s=f"{closed.get(2, 0):.1f}")
    assert server.stop() == 0

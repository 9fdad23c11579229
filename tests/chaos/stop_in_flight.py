#!/usr/bin/env python3
"""SIGTERM with requests in flight: every answer arrives whole, new connections end, and the exit code is 0."""
import pathlib, tempfile, threading, time
from common import Server, arguments, imported, result

given = arguments(__doc__, requests=(500, 100, "requests in flight"))
with tempfile.TemporaryDirectory() as folder:
    server = Server(given, imported(given, folder))
    whole, cut, lock, ready = [], [], threading.Lock(), threading.Barrier(given.requests + 1)

    def one(i):
        connection = server.connect()
        ready.wait()
        path = f"/api/public/data/DGS10?start={1970 + i % 50}-01-{i % 27 + 1:02}&end=2026-0{i % 6 + 1}-01"
        connection.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
        data = b""
        try:
            while part := connection.recv(65536):
                data += part
        except OSError:
            pass
        head, _, body = data.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        good = head.startswith(b"HTTP/1.1 200") and int(length or -1) == len(body)
        with lock:
            (whole if good else cut).append(i)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(given.requests)]
    for thread in threads:
        thread.start()
    ready.wait()
    time.sleep(0.02)
    start = time.monotonic()
    code = server.stop()
    took = time.monotonic() - start
    for thread in threads:
        thread.join()
    assert not cut, f"{len(cut)} answers were cut"
    assert code == 0, code
    result("stop in flight", in_flight=given.requests, cut=0, drained_s=f"{took:.2f}", exit=code)

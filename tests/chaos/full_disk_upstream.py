#!/usr/bin/env python3
"""A disk that is full where the upstream's state lies: the server starts, answers what it holds, forwards nothing that it cannot
count, and goes on when there is room; nothing is paid twice. A file system of 256 KiB of its own (root); without
one the script says so and fails."""
import http.server, json, os, pathlib, subprocess, tempfile, threading, time
from common import Server, arguments, free_port, result

given = arguments(__doc__)
calls = []


class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        calls.append(self.path)
        body = json.dumps({"query": "x", "count": 0, "results": [], "attribution": {"text": "Data by a stand-in", "url": "http://127.0.0.1"}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("cache-control", "max-age=86400")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


origin = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Origin)
threading.Thread(target=origin.serve_forever, daemon=True).start()

with tempfile.TemporaryDirectory() as folder:
    disk = pathlib.Path(folder) / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=True)
    server = None
    try:
        state = disk / "upstream.db"
        flags = ["--upstream", f"http://127.0.0.1:{origin.server_port}", "--upstream-state", str(state)]

        def start():
            # General flags may stand behind the command.
            return Server(given, pathlib.Path(folder) / "econoscope.db", *flags)

        def ask(term):
            status, body, headers = server.get(f"/api/public/glossary/search?q={term}")
            assert str(disk) not in body.decode(), body
            return status, headers

        # Full from the start, with nothing held: it starts, and forwards nothing.
        filler = disk / "filler"

        def fill():
            with open(filler, "ab", buffering=0) as file:
                for size in (4096, 512, 1):
                    try:
                        while file.write(b"x" * size):
                            pass
                    except OSError:
                        pass

        fill()
        server = start()
        status, headers = ask("yield")
        assert status == 503 and headers.get("retry-after") and not calls, (status, calls)
        # Room: the same process goes on. The wait it asked for is the wait it keeps.
        filler.unlink()
        for _ in range(600):
            status, headers = ask("inflation")
            if status == 200:
                break
            time.sleep(0.2)
        assert status == 200 and len(calls) == 1, (status, calls, server.said()[-500:])
        assert server.stop() == 0
        server = start()
        assert ask("spread")[0] == 200 and len(calls) == 2
        assert server.stop() == 0
        # Full again, with answers held: these are given, and nothing is sent.
        fill()
        server = start()
        assert ask("spread")[0] == 200, server.said()
        status, headers = ask("growth")
        assert (status, len(calls)) == (503, 2), (status, calls)
        assert server.stop() == 0
        filler.unlink()
        server = start()
        assert ask("spread")[0] == 200 and len(calls) == 2, "it was paid for before"
        assert server.stop() == 0
        result("full disk with an upstream", starts_refused=0, sent_without_a_count=0, answers_held_given=2, paid_twice=0)
    finally:
        if server:
            server.process.kill()
            server.process.wait()
        subprocess.run(["umount", disk], check=True)

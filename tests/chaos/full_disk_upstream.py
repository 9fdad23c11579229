#!/usr/bin/env python3
"""A disk that is full where the upstream's state lies: no server starts without room for it; one whose disk fills up answers what it
holds, forwards nothing that it cannot count, and goes on when there is room; nothing is paid twice. A file system of 256 KiB of its
own (root); without one the script says so and fails."""
import http.server, json, os, pathlib, subprocess, tempfile, threading, time
from common import Server, arguments, free_port, result, run

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

        # Full from the start: the error names the file.
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
        refused = run(given, *flags, "serve", "--no-sync", "--listen", "127.0.0.1:0", store=pathlib.Path(folder) / "econoscope.db", limit=60)
        assert refused.returncode == 1 and "upstream.db" in refused.stderr and not calls, refused
        filler.unlink()
        server = start()
        assert ask("inflation")[0] == 200 and ask("spread")[0] == 200 and len(calls) == 2, calls
        # It fills up: held answers are given, and nothing is sent.
        fill()
        assert ask("spread")[0] == 200, server.said()
        status, headers = ask("growth")
        assert (status, len(calls)) == (503, 2) and headers.get("retry-after"), (status, calls)
        # Room: the same process goes on.
        filler.unlink()
        for _ in range(600):
            status, headers = ask("growth")
            if status == 200:
                break
            time.sleep(0.2)
        assert status == 200 and len(calls) == 3, (status, calls, server.said()[-500:])
        assert server.stop() == 0
        server = start()
        assert ask("spread")[0] == 200 and len(calls) == 3, "it was paid for before"
        assert server.stop() == 0
        result("full disk with an upstream", starts_without_room=0, sent_without_a_count=0, answers_held_given=2, paid_twice=0)
    finally:
        if server:
            server.process.kill()
            server.process.wait()
        subprocess.run(["umount", disk], check=True)

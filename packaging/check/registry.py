#!/usr/bin/env python3
"""npm's and PyPI's registries on loopback, with nothing in them but our packages: so `npx econoscope` and `uvx econoscope`
run here word for word. Prints its address, serves until it is killed.

    registry.py DIST
"""

import base64
import hashlib
import json
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

dist = Path(sys.argv[1])
npm, wheels = {}, sorted((dist / "pypi").glob("*.whl"))
for file in sorted((dist / "npm").glob("*.tgz")):
    with tarfile.open(file) as tar:
        package = json.load(tar.extractfile("package/package.json"))
    npm[package["name"]] = (package, file)


def packument(base, package, file):
    data = file.read_bytes()
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    entry = {**package, "dist": {"tarball": f"{base}/-/{file.name}", "integrity": integrity}}
    version = package["version"]
    return {"name": package["name"], "dist-tags": {"latest": version}, "versions": {version: entry}}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = unquote(self.path.split("?")[0])
        base = f"http://{self.headers['host']}"
        name = path.rsplit("/", 1)[-1]
        if path.strip("/") in npm:
            self.give(json.dumps(packument(base, *npm[path.strip("/")])).encode(), "application/json")
        elif path.startswith("/-/") and (dist / "npm" / name).is_file():
            self.give((dist / "npm" / name).read_bytes(), "application/octet-stream")
        elif path == "/simple/econoscope/":
            links = [f'<a href="/files/{w.name}#sha256={hashlib.sha256(w.read_bytes()).hexdigest()}">{w.name}</a>' for w in wheels]
            self.give("<br>".join(links).encode(), "text/html")
        elif path.startswith("/files/") and (dist / "pypi" / name).is_file():
            self.give((dist / "pypi" / name).read_bytes(), "application/octet-stream")
        else:
            self.send_error(404)

    def give(self, data, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()

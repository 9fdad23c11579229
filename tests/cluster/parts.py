"""The parts of a cluster under test: a replica, a balancer, a source, a load."""
import atexit, http.client, http.server, json, pathlib, random, socket, sqlite3, subprocess, sys, tempfile, threading, time, urllib.parse, datetime, os

from database import free_port


def run(given, *words, limit=300):
    line = [given.binary, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=limit)


def until(is_so, limit, otherwise):
    end = time.monotonic() + limit
    while not is_so():
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)


def ask(port, path, connection=None):
    own = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        own.request("GET", path)
        answer = own.getresponse()
        return answer.status, answer.read()
    finally:
        if connection is None:
            own.close()


class Replica:
    """A server over a database, or over a file of its own."""

    def __init__(self, given, address, file, *flags, begin=True):
        self.given, self.address, self.file, self.flags = given, address, file, flags
        self.port, self.watched = free_port(), free_port()
        if begin:
            self.begin()

    def begin(self):
        copy = ["--replica", str(self.file)] if self.file else []
        listen = ["--listen", f"127.0.0.1:{self.port}", "--metrics-listen", f"127.0.0.1:{self.watched}"]
        flags = [flag for flag in self.flags if flag not in ("--listen", "127.0.0.1:0")]
        line = [self.given.binary, "--store", str(self.address), *copy, "serve", *listen, *flags]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=self.errors)
        atexit.register(self.process.kill)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.alive():
            try:
                if self.get("/ready")[0] == 200:
                    return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("a server does not get ready: " + self.said())

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def alive(self):
        return self.process.poll() is None

    def get(self, path):
        return ask(self.port, path)

    def text(self, path):
        return self.get(path)[1].decode()

    def metrics(self):
        return ask(self.watched, "/metrics")[1].decode()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0, self.said()
        assert "panicked" not in self.said(), self.said()

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def calls(self, count):
        """So many small calls over one connection; how many were answered well."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_metric", "arguments": {"ticker": "10y"}}})
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
        connection, good = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30), 0
        for _ in range(count):
            connection.request("POST", "/mcp", body, headers)
            answer = connection.getresponse()
            good += b'"isError":true' not in answer.read() and answer.status == 200
        connection.close()
        return good


class Balancer:
    def __init__(self, work, ports):
        self.port = free_port()
        servers = "\n".join(f"    server s{p} 127.0.0.1:{p} check inter 500ms fall 2 rise 1 observe layer4" for p in ports)
        (work / "haproxy.cfg").write_text(f"""
global
    maxconn 1000
defaults
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 30s
    option http-keep-alive
frontend public
    bind 127.0.0.1:{self.port}
    default_backend replicas
backend replicas
    balance roundrobin
    option redispatch 1
    retry-on conn-failure empty-response response-timeout junk-response
    retries 4
    option httpchk
    http-check send meth GET uri /ready ver HTTP/1.1 hdr host localhost
{servers}
""")
        self.process = subprocess.Popen(["haproxy", "-db", "-f", str(work / "haproxy.cfg")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        def answers():
            try:
                return ask(self.port, "/ready")[0] == 200
            except OSError:
                return False
        until(answers, 20, "the balancer does not answer")

    def stop(self):
        self.process.kill()
        self.process.wait()


class Load:
    """A steady load, every answer compared with what is known to be right."""

    def __init__(self, port, knows, rate, threads=6):
        self.port, self.done, self.failed, self.wrong, self.times, self.said = port, 0, 0, 0, [], []
        self.rate, self.ends, self.lock = rate / threads, threading.Event(), threading.Lock()
        paths = [f"/api/public/data/{name}?start={year}-01-01&end={year + 5}-12-31" for name in ("UNRATE", "DGS10", "GDPC1") for year in range(1990, 2010)]
        self.right = {path: self.data(knows.get(path)[1]) for path in paths}
        assert all(self.right.values()), "no data to compare with"
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(threads)]

    @staticmethod
    def data(body):
        return json.loads(body).get("data")

    def work(self):
        connection, next_at = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30), time.monotonic()
        while not self.ends.is_set():
            next_at += 1 / self.rate
            time.sleep(max(0, next_at - time.monotonic()))
            path, began = random.choice(list(self.right)), time.monotonic()
            try:
                status, body = ask(self.port, path, connection)
                failed, wrong = status != 200, status == 200 and self.data(body) != self.right[path]
                said = body[:200] if failed or wrong else None
            except (OSError, http.client.HTTPException) as problem:
                connection.close()
                failed, wrong, said = True, False, repr(problem)
            with self.lock:
                self.times.append(time.monotonic() - max(began, 0))
                self.done, self.failed, self.wrong = self.done + 1, self.failed + failed, self.wrong + wrong
                self.said.extend([said] if said and len(self.said) < 5 else [])
        connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join(30)


class Source:
    """A stand-in for FRED: the version of its figures can be read off each; it can keep an answer back."""

    DAYS = [d for d in (datetime.date.today() - datetime.timedelta(n) for n in range(1500, 0, -1)) if d.weekday() < 5]

    def __init__(self):
        self.version, self.hold, self.held = 0, False, threading.Event()
        own = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                name, since = query.get("id", [""])[0], query.get("cosd", ["0"])[0]
                rows = [f"{day},{own.figure(n, own.version)}" for n, day in enumerate(own.DAYS) if str(day) >= since]
                body = ("observation_date," + name + "\n" + "\n".join(rows) + "\n").encode()
                if own.hold:
                    own.held.set()
                while own.hold:
                    time.sleep(0.05)
                try:
                    self.send_response(200)
                    self.send_header("content-type", "text/csv")
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.home = f"http://127.0.0.1:{server.server_port}"

    @staticmethod
    def figure(n, version):
        return f"{(n * 7 + version) % 400 / 100 + 1:.2f}"

    def held_in(self, database, given, work, name):
        """Which versions the three series hold in the database, each in all its rows."""
        copy = work / f"held-{time.monotonic_ns()}.db"
        done = run(given, "copy", "--from", database.address(name), "--to", copy)
        assert done.returncode == 0, done.stderr
        found = set()
        for series in ("DGS10", "DGS2", "DGS30"):
            said = run(given, "--store", copy, "call", "get_time_series", f"seriesId={series}", f"start={self.DAYS[0]}", f"end={self.DAYS[-1]}")
            rows = {row["date"]: f"{row['value']:.2f}" for row in json.loads(said.stdout)["data"]}
            whole = [v for v in range(9) if all(rows.get(str(day)) == self.figure(n, v) for n, day in enumerate(self.DAYS))]
            found.add(whole[0] if whole else "half")
        return found

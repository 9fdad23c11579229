"""What every chaos script shares: a binary, a store, a server, and requests against it. Standard library only."""
import argparse, atexit, http.client, os, pathlib, resource, signal, socket, sqlite3, subprocess, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERIES = ROOT / "data" / "series"


# Thousands of sockets; what is started here inherits it.
resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)


def arguments(about, **own):
    """Options that all share, and a script's own: numbers as (full, short, words), others as (default, words)."""
    numbers = {name: of for name, of in own.items() if len(of) == 3}
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--binary", default=os.environ.get("ECONOSCOPE", str(ROOT / "target/release/econoscope")))
    parser.add_argument("--series", default=str(SERIES), help="folder of CSV files to import")
    parser.add_argument("--short", action="store_true", help="the short form for CI")
    for name, (full, short, words) in numbers.items():
        parser.add_argument("--" + name, type=type(full), default=None, help=f"{words} [{full}; --short: {short}]")
    for name, (usual, words) in ((name, of) for name, of in own.items() if len(of) == 2):
        parser.add_argument("--" + name, default=usual, help=words, **({"action": "store_true"} if usual is False else {}))
    given = parser.parse_args()
    for name, (full, short, _) in numbers.items():
        if getattr(given, name) is None:
            setattr(given, name, short if given.short else full)
    return given


def run(given, *words, store=None, limit=300, **more):
    line = [given.binary] + (["--store", str(store)] if store else []) + [str(w) for w in words]
    return subprocess.run(line, capture_output=True, text=True, timeout=limit, **more)


def imported(given, folder):
    store = pathlib.Path(folder) / "econoscope.db"
    done = run(given, "import", "--bare", given.series, store=store)
    assert done.returncode == 0, done.stderr
    return store


def rows_by_series(store):
    """How many rows a store holds of each imported series."""
    if not pathlib.Path(store).exists():
        return {}
    one = sqlite3.connect(store)
    try:
        return dict(one.execute("SELECT name, rows FROM series WHERE origin NOT LIKE 'computed%'"))
    except sqlite3.OperationalError:  # it was killed before it made the tables
        return {}
    finally:
        one.close()


def memory(pid, which="VmRSS"):
    """MiB that a process holds (VmRSS), or held at most (VmHWM)."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(which):
            return int(line.split()[1]) / 1024
    raise SystemExit("no " + which)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    def __init__(self, given, store, *flags, env=None):
        self.port = free_port()
        line = [given.binary, "--store", str(store), "serve", "--no-sync", "--listen", f"127.0.0.1:{self.port}", *flags]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(line, stderr=self.errors, stdout=subprocess.DEVNULL, env=env)
        atexit.register(self.process.kill)
        for _ in range(600):
            try:
                if self.get("/ready")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
            if self.process.poll() is not None:
                break
        raise SystemExit("the server does not get ready: " + self.said())

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def connect(self, limit=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=limit)

    def get(self, path, headers={}, limit=30):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def post(self, body, headers={}, limit=30):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        try:
            all_headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            connection.request("POST", "/mcp", body=body, headers={**all_headers, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def memory(self, which="VmRSS"):
        return memory(self.process.pid, which)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        said = self.said()
        assert "panicked" not in said, said
        return code


class Line:
    """One kept connection that sends requests many at a time: Python's own client is too slow for a million."""

    def __init__(self, port, source=None, limit=60):
        self.port, self.source, self.limit, self.socket, self.data = port, source, limit, None, b""

    def ask(self, requests):
        """Statuses of the answers in order; `closed` for those that a closed connection left out."""
        try:
            if self.socket is None:
                self.socket, self.data = socket.create_connection(("127.0.0.1", self.port), self.limit, self.source), b""
            self.socket.sendall(b"".join(requests))
            statuses = []
            while len(statuses) < len(requests):
                status, closes = self.answer()
                statuses.append(status)
                if closes:
                    self.close()
                    break
        except OSError:
            self.close()
            statuses = []
        return statuses + ["closed"] * (len(requests) - len(statuses))

    def answer(self):
        while (end := self.data.find(b"\r\n\r\n")) < 0:
            self.more()
        head = self.data[:end].lower()
        at = head.find(b"\r\ncontent-length: ")
        length = int(head[at + 18:].split(b"\r\n", 1)[0]) if at >= 0 else 0
        while len(self.data) < end + 4 + length:
            self.more()
        self.data = self.data[end + 4 + length:]
        return int(head[9:12]), b"\r\nconnection: close" in head

    def more(self):
        part = self.socket.recv(1 << 18)
        if not part:
            raise OSError("the server closed")
        self.data += part

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None


def honest(server, requests):
    """Seconds of each answer on one kept connection."""
    paths = ["/api/public/macro-summary", "/api/public/metrics/DGS10", "/api/public/data/UNRATE"]
    times = []
    with server.connect() as one:
        for i in range(requests):
            start = time.perf_counter()
            one.sendall(f"GET {paths[i % 3]} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
            data = b""
            while b"\r\n\r\n" not in data:
                data += one.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200") or head.startswith(b"HTTP/1.1 404"), head
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            while len(body) < length:
                body += one.recv(65536)
            times.append(time.perf_counter() - start)
    return times


def figures(port):
    """What the server counts, by name and labels."""
    page = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    page.request("GET", "/metrics")
    lines = page.getresponse().read().decode().splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}


def end(child):
    """Ends a process that was forked off."""
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except OSError:
        pass


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def result(name, **figures):
    print(name + ": " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in figures.items()), flush=True)

"""Runs the program from an empty home in front of an upstream, over HTTP and stdio, with a clock that a test moves."""
import contextlib, glob, http.client, itertools, json, os, pathlib, random, re, socket, subprocess, tempfile, threading, time

CONTRACT_TOOLS = [  # name, arguments
    ("get_macro_summary", {}), ("get_regime", {}), ("get_metric", {"ticker": "UNRATE"}), ("get_signals", {}),
    ("get_time_series", {"seriesId": "UNRATE", "start": "1y"}), ("list_scenarios", {}), ("search_glossary", {"q": "stand-in"}),
    ("get_latest_articles", {}),
]


class Checks:
    """Prints one line a check, and counts."""

    def __init__(self):
        self.results = []

    def __call__(self, name, passed, seen=""):
        self.results.append(bool(passed))
        seen = re.sub(r"[\x00-\x20\x7f-\x9f\u2028-\u202e\u2066-\u2069]+", " ", str(seen))[:220]
        print(f"ok      {name}" if passed else f"FAILED  {name}: {seen}", flush=True)

    def end(self):
        print(f"\n{self.results.count(True)} passed, {self.results.count(False)} failed")
        raise SystemExit(1 if False in self.results else 0)


class Clock:
    """The clocks of programs that are started under it, wall and uptime alike (faketime)."""

    def __init__(self, folder):
        library = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
        if library is None:
            raise SystemExit("faketime is missing: apt-get install faketime")
        self.file = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "clock"
        self.env = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1"}
        self.set(0)

    def set(self, ahead):
        """Sets how many seconds it is ahead of the real time."""
        self.ahead = ahead
        new = self.file.with_suffix(".new")
        new.write_text(f"{ahead:+.3f}")
        new.rename(self.file)

    def time(self):
        return time.time() + self.ahead


class Answer:
    """The answer to a tool call: text, structure as JSON text, and whether it is an error."""

    def __init__(self, message):
        result = message.get("result") or {}
        self.text = "\n".join(part.get("text", "") for part in result.get("content", [])) or json.dumps(message.get("error", ""))
        self.data = result.get("structuredContent", {})
        self.structure = json.dumps(self.data, ensure_ascii=False)
        self.is_error = "error" in message or bool(result.get("isError"))


class Program:
    """A running server (`serve`), or a session over stdio."""

    def __init__(self, binary, folder, upstream, *flags, stdio=False, clock=None, home=None):
        self.home = home or tempfile.mkdtemp(dir=folder)
        self.env = {"HOME": self.home, "PATH": os.environ["PATH"], **(clock.env if clock else {})}
        self.binary, self.general, self.stdio, self.id = binary, [*(["--upstream", upstream] if upstream else []), *flags], stdio, 0
        self.errors = tempfile.TemporaryFile("w+")
        self.port, self.metrics_port = free_port(), free_port()
        listen = ["--listen", f"127.0.0.1:{self.port}", "--metrics-listen", f"127.0.0.1:{self.metrics_port}"]
        words = ["stdio"] if stdio else ["serve", "--no-sync", *listen]
        pipe = subprocess.PIPE if stdio else subprocess.DEVNULL
        self.process = subprocess.Popen([binary, *self.general, *words], env=self.env, cwd=folder, stdin=pipe, stdout=pipe,
                                        stderr=self.errors, text=True, encoding="utf-8")
        self.started = self.start_session() if stdio else self.wait_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def wait_ready(self):
        for _ in range(400):
            try:
                if self.get("/ready")[0] == 200:
                    return True
            except OSError:
                time.sleep(0.05)
            if self.process.poll() is not None:
                return False
        return False

    def start_session(self):
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        try:
            answer = self.rpc("initialize", params)
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), file=self.process.stdin, flush=True)
            return "result" in answer
        except OSError:
            return False

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def run(self, *words):
        """Another command of the program with the same home and upstream."""
        return subprocess.run([self.binary, *self.general, *words], env=self.env, capture_output=True, text=True, timeout=60)

    def request(self, method, path, body=None, headers={}, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            return response.status, response.read().decode("utf-8", "replace"), {k.lower(): v for k, v in response.getheaders()}
        except (OSError, http.client.HTTPException):
            if path == "/ready":
                raise OSError
            return 0, "", {}
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.request("GET", path, headers={"accept": "text/html, */*", **headers})

    def metrics(self):
        return self.request("GET", "/metrics", port=self.metrics_port)[1]

    def rpc(self, method, params):
        self.id += 1
        message = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        if not self.stdio:
            headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            status, body, _ = self.request("POST", "/mcp", message, headers)
            data = re.search(r"^data: (\{.*)", body, re.M)  # an event stream
            return json.loads(data[1] if data else body) if body[:1] in "{de" and body else {"error": f"status {status}: {body[:200]}"}
        print(message, file=self.process.stdin, flush=True)
        watch = threading.Timer(30, self.process.kill)
        watch.start()
        try:
            while line := self.process.stdout.readline():
                if json.loads(line).get("id") == self.id:
                    return json.loads(line)
        finally:
            watch.cancel()
        return {"error": "the session ended: " + self.said()[-300:]}

    def tool(self, name, **arguments):
        return Answer(self.rpc("tools/call", {"name": name, "arguments": arguments}))


def settle(up, quiet=0.3):
    """Waits until calls in the background are done."""
    before, since = -1, time.time()
    while time.time() - since < quiet:
        if (count := len(up.log) + up.running) != before:
            before, since = count, time.time()
        time.sleep(0.01)


PORTS = itertools.count(random.randrange(10_000, 30_000))


def free_port():
    """A port that nothing listens at, each once. It lies below those that a system gives to connections: one of those may be taken
    before the program listens at it."""
    for port in PORTS:
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port

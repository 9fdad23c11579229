"""What every chaos script shares: a binary, a store, a server, and requests against it. Standard library only."""
import argparse, atexit, http.client, json, os, pathlib, shutil, signal, socket, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERIES = ROOT.parent / "shared" / "data" / "series"


def arguments(about, **numbers):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--binary", default=os.environ.get("ECONOSCOPE", str(ROOT / "target/debug/econoscope")))
    parser.add_argument("--series", default=str(SERIES), help="folder of CSV files to import")
    parser.add_argument("--short", action="store_true", help="the short form for CI")
    for name, (full, short, words) in numbers.items():
        parser.add_argument("--" + name, type=int, default=None, help=f"{words} [{full}; --short: {short}]")
    given = parser.parse_args()
    for name, (full, short, _) in numbers.items():
        if getattr(given, name) is None:
            setattr(given, name, short if given.short else full)
    if not pathlib.Path(given.series).is_dir():
        given.series = made_up_series()
    return given


def made_up_series():
    """Where no real data lies: daily and monthly series of plain numbers, enough to fill a store."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="econoscope-series-"))
    for n in range(60):
        rows = ["series_id,date,value"]
        for month in range(600):
            rows.append(f"CHAOS{n:02},{1970 + month // 12}-{month % 12 + 1:02}-01,{n + month / 7:.3f}")
        (folder / f"CHAOS{n:02}.csv").write_text("\n".join(rows) + "\n")
    return str(folder)


def run(given, *words, store=None, limit=300, **more):
    line = [given.binary] + (["--store", str(store)] if store else []) + [str(w) for w in words]
    return subprocess.run(line, capture_output=True, text=True, timeout=limit, **more)


def imported(given, folder):
    store = pathlib.Path(folder) / "econoscope.db"
    done = run(given, "import", given.series, store=store)
    assert done.returncode == 0, done.stderr
    return store


class Server:
    def __init__(self, given, store, *flags):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        line = [given.binary, "--store", str(store), "serve", "--no-sync", "--listen", f"127.0.0.1:{self.port}", *flags]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(line, stderr=self.errors, stdout=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        for _ in range(600):
            try:
                if self.get("/ready")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
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

    def memory(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        raise SystemExit("no VmRSS")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        said = self.said()
        assert "panicked" not in said, said
        return code


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def result(name, **figures):
    print(name + ": " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in figures.items()), flush=True)

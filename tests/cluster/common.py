"""What the cluster's scripts share: a server of Redis, replicas, how long the machine stood still. Standard library only."""
import atexit, importlib.util, os, pathlib, shutil, signal, socket, subprocess, sys, tempfile, threading, time

_spec = importlib.util.spec_from_file_location("chaos_common", pathlib.Path(__file__).parents[1] / "chaos" / "common.py")
chaos = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(chaos)
Line, Server = chaos.Line, chaos.Server
arguments, figures, free_port, imported, memory, percentile, result, run = (
    chaos.arguments, chaos.figures, chaos.free_port, chaos.imported, chaos.memory, chaos.percentile, chaos.result, chaos.run)

PASSWORD = "s3cret-of-the-test"


def wait(what, told, limit=30):
    """Waits until something is so."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if what():
            return
        time.sleep(0.05)
    raise SystemExit("it does not come: " + told)


class Redis:
    """A server of Redis, or of what REDIS_SERVER names, that keeps nothing on disk."""

    def __init__(self, *flags, program=os.environ.get("REDIS_SERVER", "redis-server")):
        self.port, self.flags, self.program = free_port(), flags, program
        self.start()

    def start(self):
        line = [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--requirepass", PASSWORD, *self.flags]
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        wait(self.answers, "redis-server")

    def answers(self):
        try:
            return self.ask("PING") == "+PONG"
        except OSError:
            return False

    def ask(self, *words):
        """The first line of an answer."""
        def written(words):
            return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (w.encode() for w in words))
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as one:
            one.sendall(written(["AUTH", PASSWORD]) + written(words))
            lines = one.makefile("rb")
            lines.readline()
            return lines.readline().decode().strip()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def url(self, port=None):
        return f"redis://:{PASSWORD}@127.0.0.1:{port or self.port}/0"


def replicas(given, folder, count, *flags):
    """Servers, each with a store of its own; who asks is who `X-Forwarded-For` says."""
    store = imported(given, folder)
    servers = []
    for number in range(count):
        own = pathlib.Path(folder) / f"replica{number}"
        own.mkdir()
        shutil.copy(store, own / "econoscope.db")
        metrics = free_port()
        server = Server(given, own / "econoscope.db", "--trusted-proxy", "127.0.0.1/32", "--metrics-listen", f"127.0.0.1:{metrics}", *flags)
        server.metrics = metrics
        servers.append(server)
    return servers


def is_shared(servers, there=1):
    """Whether each server asks the limits' server."""
    return all(figures(server.metrics)["econoscope_limits_shared"] == there for server in servers)


def request(address, path="/api/public/regime"):
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {address}\r\n\r\n".encode()


def together(parts):
    """Runs functions at once, each in a thread; what they gave. Raises the first failure of one."""
    given, failures = [None] * len(parts), []

    def one(at):
        try:
            given[at] = parts[at]()
        except BaseException as failure:
            failures.append(failure)
    threads = [threading.Thread(target=one, args=(at,)) for at in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure
    return given


class Stalls:
    """How long this machine let a process wait for its turn at most: what a busy machine does is not Redis' doing."""

    LOOK = "import sys, time\nworst = 0\nwhile True:\n b = time.monotonic(); time.sleep(0.002); worst = max(worst, time.monotonic() - b - 0.002)\n print(worst * 1000, flush=True)"

    def __init__(self):
        self.told = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([sys.executable, "-c", self.LOOK], stdout=self.told)
        atexit.register(self.process.kill)

    def worst(self):
        self.told.seek(0)
        return float(self.told.read().splitlines()[-2])


def longest_wait(servers, stalls):
    """Milliseconds that a request waited for the limits' server at most, and that this machine stood still."""
    waited = max(figures(server.metrics)["econoscope_limits_longest_wait_seconds"] for server in servers) * 1000
    stood = stalls.worst()
    assert waited <= 50 + stood, (waited, stood)
    return f"{waited:.1f} (a process of this machine waited {stood:.1f} for its turn)"


def end(servers):
    for server in servers:
        assert server.stop() == 0
        assert PASSWORD not in server.said(), server.said()

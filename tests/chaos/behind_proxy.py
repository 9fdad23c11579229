#!/usr/bin/env python3
"""A stranger with sixteen addresses against the whole: nginx, Caddy or HAProxy as deploy/ ships them, and the server behind it.
Meanwhile honest clients get all their answers, and proxy and server keep within their memory. As root and where the kernel
allows it, in a network of its own, so that the stranger can also have all addresses of one IPv6 network, and the kernel can
limit connections where the proxy cannot."""
import collections, json, multiprocessing, os, pathlib, selectors, shutil, socket, ssl, struct, sys, tempfile, threading, time
from common import ROOT, Server, arguments, free_port, imported, percentile, result
from proxies import HOST, Proxy

given = arguments(__doc__, seconds=(20, 3, "seconds of each attack"), sources=(16, 16, "addresses of the stranger"),
                  proxies=("nginx,caddy,haproxy", "haproxy", "which proxies, one after another"),
                  only=("", "names of attacks, with commas"))
LIMIT_MIB = 256  # of the server, and of the proxy
NETWORK = "ECONOSCOPE_OWN_NETWORK"


def get(path, *fields):
    return b"\r\n".join([b"GET " + path + b" HTTP/1.1", b"host: " + HOST.encode(), *fields, b"", b""])


def post(*fields):
    kinds = [b"content-type: application/json", b"accept: application/json, text/event-stream"]
    return b"\r\n".join([b"POST /mcp HTTP/1.1", b"host: " + HOST.encode(), *kinds, *fields, b"", b""])


def frame(kind, flags, stream, body=b""):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def http2_heads():
    """Sixty requests over HTTP/2, each with 1,860 fields of one byte (RFC 7541: one is written out, the rest point at it) and a
    body of one byte that never comes."""
    host = HOST.encode()
    head = b"\x83\x87\x04\x04/mcp\x01" + bytes([len(host)]) + host + b"\x0f\x0d\x011\x40\x01a\x01b" + b"\xbe" * 1860
    streams = (frame(1, 4, stream, head) for stream in range(1, 121, 2))
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + b"".join(streams)


class Attack:
    """What a connection sends first and then again and again; how often; how many an address has; whether it reads."""

    def __init__(self, first, again=None, every=1.0, each=256, reads=True, tls=False):
        self.first, self.again = first, first if again is None else again
        self.every, self.each, self.reads, self.tls = every, each, reads, tls


E_ACUTE = "é".encode()
ATTACKS = {
    "idle": Attack(get(b"/health"), every=3),
    "slow heads": Attack(get(b"/health")[:-4], b"a"),
    "slow bodies": Attack(post(b"content-length: 1000") + b"{", b" "),
    "slow readers": Attack(get(b"/api/public/data/DGS10?start=max") * 8, b"", reads=False),
    "echoed names": Attack(get(b"/api/public/regime?" + E_ACUTE * 3600), every=0.2, each=4),
    "long escapes": Attack(get(b"/api/public/data/UNRATE?" + b"%C3%A9" * 1200), every=0.2, each=4),
    "big heads": Attack(get(b"/health", *(b"x-%d: " % n + b"a" * 500 for n in range(99))), every=0.2, each=16),
    "big bodies": Attack(post(b"content-length: 8388608") + b" " * 8388608, every=0.5, each=4),
    "one-byte chunks": Attack(post(b"transfer-encoding: chunked") + b"1\r\n \r\n" * 65536 + b"0\r\n\r\n", every=0.5, each=4),
    "HTTP/2 heads": Attack(http2_heads(), frame(6, 0, 0, b"unending"), each=8, tls=True),
}


class Socket:
    """One connection of the stranger, opened anew whenever it is closed."""

    def __init__(self, attack, port, source):
        self.attack, self.port, self.source, self.socket, self.unsent = attack, port, source, None, b""

    def open(self):
        one = socket.socket()
        if not self.attack.reads:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        one.settimeout(2)
        try:
            one.bind((self.source, 0))
            one.connect(("127.0.0.1", self.port))
            if self.attack.tls:
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                context.set_alpn_protocols(["h2"])
                one = context.wrap_socket(one, server_hostname=HOST)
        except OSError:
            one.close()
            return False
        one.setblocking(False)
        self.socket, self.unsent = one, self.attack.first
        return True

    def send(self):
        """Sends what it can; false when the other side has closed."""
        try:
            while self.unsent:
                self.unsent = self.unsent[self.socket.send(self.unsent[:65536]):]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        except OSError:
            return False
        return True

    def read(self):
        """What came, or nothing when it was closed."""
        try:
            return self.socket.recv(65536)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None
        except OSError:
            return b""

    def close(self):
        self.socket.close()
        self.socket = None


def stranger(name, port, sources, seconds, told):
    """Attacks for so long; tells when all are open first, and at the end what was answered."""
    attack, counts, poll = ATTACKS[name], collections.Counter(), selectors.DefaultSelector()
    every = [Socket(attack, port, source) for source in sources for _ in range(attack.each)]

    def closed(one):
        poll.unregister(one.socket)
        one.close()
        counts["closed"] += 1

    def turn():
        for one in every:
            if one.socket is None:
                if not one.open():
                    counts["not taken"] += 1
                    continue
                poll.register(one.socket, selectors.EVENT_READ if attack.reads else selectors.EVENT_WRITE, one)
                counts["opened"] += 1
            elif not one.unsent:
                one.unsent = attack.again
            if not one.send():
                closed(one)

    turn()
    told.send(None)
    end, next_turn = time.monotonic() + seconds, time.monotonic() + attack.every
    while time.monotonic() < end:
        events = poll.select(max(0, min(0.2, next_turn - time.monotonic()))) if attack.reads else []
        for key, _ in events:
            data = key.data.read()
            if data == b"" or not key.data.send():
                closed(key.data)
            elif data and data.startswith(b"HTTP/1.1 "):
                counts[data[9:12].decode()] += 1
        if time.monotonic() >= next_turn:
            turn()
            next_turn = time.monotonic() + attack.every
        elif not attack.reads:
            time.sleep(0.1)
    counts["held"] = sum(one.socket is not None for one in every)
    told.send(dict(counts))


def exchange(port, request, source=None, kept=None, host="127.0.0.1"):
    """Status, head and body of one request."""
    one = kept or socket.create_connection((host, port), 10, source and (source, 0))
    try:
        one.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += (part := one.recv(65536))
            if not part:
                raise OSError("closed")
        head, _, body = data.partition(b"\r\n\r\n")
        head = head.lower()
        at = head.find(b"\r\ncontent-length: ")
        if at < 0:
            raise OSError(head)
        length = int(head[at + 18:].split(b"\r\n", 1)[0])
        while len(body) < length:
            body += (part := one.recv(65536))
            if not part:
                raise OSError("closed")
        return int(head[9:12]), head, body
    finally:
        if kept is None:
            one.close()


class Honest(threading.Thread):
    """Asks twenty times a second until told to stop, every other time over a new connection; ten requests an address."""

    paths = [b"/api/public/macro-summary", b"/api/public/metrics/DGS10", b"/api/public/data/UNRATE?start=2015-01-01&end=2020-01-01"]
    asked = 0

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.times, self.failed, self.ends = port, [], [], threading.Event()

    def run(self):
        while not self.ends.is_set():
            number = Honest.asked = Honest.asked + 1
            source, began = f"127.9.{number // 10 // 250}.{1 + number // 10 % 250}", time.monotonic()
            try:
                status, _, body = exchange(self.port, get(self.paths[number % 3]), source)
                if status != 200 or not json.loads(body):
                    self.failed.append((status, body[:100]))
            except (OSError, ValueError) as problem:
                self.failed.append(repr(problem))
            self.times.append(time.monotonic() - began)
            self.ends.wait(max(0, 0.05 - (time.monotonic() - began)))

    def stop(self):
        self.ends.set()
        self.join(30)
        return self


def attacked(name, proxy, server):
    """What the honest got while one attack went on."""
    own, told = multiprocessing.Pipe()
    port = proxy.tls if ATTACKS[name].tls else proxy.port
    sources = [f"127.5.0.{n + 1}" for n in range(given.sources)]
    child = multiprocessing.Process(target=stranger, args=(name, port, sources, given.seconds, told), daemon=True)
    honest, most = Honest(proxy.port), [0, 0]
    child.start()
    os.setpriority(os.PRIO_PROCESS, child.pid, 10)
    honest.start()
    until = time.monotonic() + given.seconds + 120
    while not (own.poll() and (counts := own.recv())):
        assert time.monotonic() < until and child.is_alive(), f"{proxy.name}: the attack {name} does not end"
        most = [max(most[0], proxy.memory()), max(most[1], server.memory())]
        time.sleep(0.2)
    honest.stop()
    child.join()
    result(f"{proxy.name}, {name}", honest=len(honest.times), failed=len(honest.failed), p99_ms=f"{percentile(honest.times, 0.99) * 1e3:.0f}",
           proxy_mib=f"{most[0]:.0f}", server_mib=f"{most[1]:.0f}", stranger=dict(sorted(counts.items())))
    assert not honest.failed, honest.failed[:5]
    assert max(most) < LIMIT_MIB, most
    return len(honest.times)


def forged(proxy, source):
    """Who claims another address with every request still has one allowance."""
    granted, left = 0, 100
    names = (b"x-forwarded-for", b"forwarded", b"x-real-ip")
    for n in range(40):
        fake = b"198.51.100.%d" % n
        values = (fake, b"for=" + fake, fake)
        status, head, _ = exchange(proxy.port, get(b"/api/public/regime", *(name + b": " + value for name, value in zip(names, values))), source)
        if status == 200:
            granted, left = granted + 1, min(left, int(head.split(b"x-ratelimit-remaining: ")[1].split(b"\r\n")[0]))
        else:
            assert status == 429, status
    assert 0 < granted < 40 and left == 100 - granted, (granted, left)
    return granted


def one_network(proxy):
    """Of a hundred connections from as many addresses of one IPv6 network, how many are refused."""
    opened, refused = [], 0
    for n in range(100):
        one = socket.socket(socket.AF_INET6)
        opened.append(one)
        one.settimeout(2)
        one.bind((f"2001:db8:1:2::{n + 1:x}", 0))
        try:
            one.connect(("::1", proxy.port))
            one.sendall(post(b"content-length: 1000") + b"{")
        except OSError:
            pass
    time.sleep(0.5)
    for one in opened:
        one.setblocking(False)
        try:
            one.recv(100)  # a 503, or the end
            refused += 1
        except BlockingIOError:
            pass
        except OSError:
            refused += 1
        one.close()
    return refused


def all_of(name, folder, store):
    metrics = free_port()
    settings = (ROOT / "deploy" / "econoscope.toml").read_text().replace("127.0.0.1:9090", f"127.0.0.1:{metrics}")
    (folder / f"{name}.toml").write_text(settings)
    server = Server(given, store, "--config", str(folder / f"{name}.toml"))
    proxy = Proxy(name, folder, server.port)
    proxy.wait(lambda: exchange(proxy.port, get(b"/ready"))[0] == 200)
    is_own = bool(os.environ.get(NETWORK))
    if name == "caddy" and is_own:
        proxy.filter()
    names = [attack for attack in ATTACKS if not given.only or attack in given.only.split(",")]
    asked = sum(attacked(attack, proxy, server) for attack in names)
    # The day's counts outlive a server: each has an address of its own.
    granted = forged(proxy, f"127.5.9.{1 + given.proxies.split(',').index(name)}")
    refused = one_network(proxy) if is_own else "not shown here, it needs a network of one's own"
    result(f"behind {name}", attacks=len(names), honest_requests=asked, honest_failures=0, granted_to_forged=granted, of_one_ipv6_network_refused=refused)
    assert not is_own or refused >= 36, refused
    proxy.stop()
    assert server.stop() == 0


if os.geteuid() == 0 and not os.environ.get(NETWORK) and shutil.which("unshare"):
    ready = "ip link set lo up && echo 1 >/proc/sys/net/ipv6/ip_nonlocal_bind && ip -6 route add local 2001:db8::/32 dev lo"
    if os.system(f"unshare --net sh -c '{ready}' 2>/dev/null") == 0:
        os.environ[NETWORK] = "yes"
        os.execvp("unshare", ["unshare", "--net", "sh", "-c", f'{ready} && exec "$@"', "sh", sys.executable, *sys.argv])
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    os.chmod(folder, 0o755)
    store = imported(given, folder)
    for name in given.proxies.split(","):
        all_of(name, folder, store)

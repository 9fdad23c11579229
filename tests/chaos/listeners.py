#!/usr/bin/env python3
"""Listeners cost little: a wish of thousands of names, a change that nobody watches, seats that are few, and conditions:
one address has its share of them, is told what is not granted, and delays nobody when the data change."""
import http.client, json, os, pathlib, statistics, tempfile, time
from common import Server, arguments, result, run

given = arguments(__doc__, listeners=(300, 60, "listeners of 64 series each"))
TICK = os.sysconf("SC_CLK_TCK")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "chaos", "version": "1"}}
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream",
           "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen"}


def cpu(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def listen(server, uris, address="127.0.0.1"):
    """An open stream with the status and the first of what it says."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                       "params": {"notifications": {"resourceSubscriptions": uris}, "_meta": META}})
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60, source_address=(address, 0))
    connection.request("POST", "/mcp", body, HEADERS)
    answer = connection.getresponse()
    return connection, answer, answer.status, answer.read1(65536)


def write(folder, store, name, rows):
    lines = [f"{name},2026-01-{day + 1:02},{90 + day}.5" for day in range(rows)]
    (folder / f"{name}.csv").write_text("series_id,date,value\n" + "\n".join(lines) + "\n")
    return run(given, "import", "--bare", folder, store=store)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    store = folder / "econoscope.db"
    for n in range(64):
        lines = [f"OWN{n:02},{1970 + m // 12}-{m % 12 + 1:02}-01,{n + m / 7:.3f}" for m in range(600)]
        (folder / f"OWN{n:02}.csv").write_text("series_id,date,value\n" + "\n".join(lines) + "\n")
    other = folder / "other"
    other.mkdir()
    assert run(given, "import", "--bare", folder, store=store).returncode == 0
    assert write(other, store, "OTHER", 3).returncode == 0
    server = Server(given, store)

    before = cpu(server)
    for spell in (4000, 7400):
        listen(server, [f"macro://metric/ABCD{n:05} XY" for n in range(spell)])[0].close()
    wish = cpu(server) - before

    watched = [f"macro://series/OWN{n:02}" for n in range(64)]
    before = cpu(server)
    streams = [listen(server, watched) for _ in range(given.listeners)]
    assert all(status == 200 for _, _, status, _ in streams)
    opened = cpu(server) - before
    time.sleep(3)
    before = cpu(server)
    assert write(other, store, "OTHER", 4).returncode == 0
    time.sleep(4)
    unwatched = cpu(server) - before
    before = cpu(server)
    assert write(other, store, "OWN07", 5).returncode == 0
    heard = 0
    for _, answer, _, said in streams:
        # A sign of life may come before the news, and the acknowledgement in pieces.
        while b"updated" not in said:
            said = answer.read1(65536)
        heard += b"OWN07" in said
    woken = cpu(server) - before
    assert heard == given.listeners, heard
    for connection, *_ in streams:
        connection.close()
    assert server.stop() == 0

    server = Server(given, store, "--rate-limit-loopback", "--rate-limit", "1000000", "--rate-limit-per-second", "1000",
                    "--rate-limit-burst", "1000", "--max-connections", "256")
    held, refused = [], 0
    for host in range(1, 17):
        for _ in range(20):
            try:
                connection, _, status, _ = listen(server, watched[:1], f"127.0.1.{host}")
            except OSError:
                status = None
            if status == 200:
                held.append(connection)
            else:
                refused += 1
    assert len(held) == 64 and server.get("/health")[0] == 200, len(held)
    for connection in held:
        connection.close()
    assert server.stop() == 0

    # Sixteen subscriptions of sixty-four conditions from each of four addresses, and somebody who compares series meanwhile.
    server = Server(given, store, "--rate-limit-loopback", "--rate-limit", "1000000", "--rate-limit-per-second", "1000",
                    "--rate-limit-burst", "1000", "--rate-limit-override", "127.0.0.0/29=1000000")

    def compared(n):
        """Milliseconds of comparisons that no cache answers."""
        spent = []
        for day in range(25):
            start = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60, source_address=("127.0.0.2", 0))
            connection.request("GET", f"/api/public/compare?series=OWN01,OWN02&start=19{70 + n}-01-{day + 1:02}")
            assert connection.getresponse().read() and not connection.close()
            spent.append((time.perf_counter() - start) * 1e3)
            time.sleep(0.05)
        return spent

    quiet, granted, told, dear = compared(1), 0, 0, []
    for host in range(4):
        for part in range(16):
            conditions = [f"macro://alert/OWN{n:02}%20%3E%20yoy(OWN{(n + 1) % 64:02})%20-%20{host}.{part + 1}" for n in range(64)]
            connection, answer, _, said = listen(server, conditions, f"127.0.2.{host + 1}")
            # A refusal ends the stream.
            said += answer.read() if part else b""
            dear.append(connection)
            granted += b"macro://alert/OWN63" in said and b"notGranted" not in said
            told += b"notGranted" in said
    own = listen(server, ["macro://alert/OWN07%20%3E%200"], "127.0.0.3")
    assert b"OWN07" in own[3], "who comes later has a share, too"
    assert granted == 4 and told == 60, (granted, told)
    time.sleep(2)
    assert write(other, store, "OWN07", 6).returncode == 0
    during = compared(2)
    slow, usual = max(during), statistics.median(quiet)
    for connection in dear:
        connection.close()
    # One item of the background is the most that a request waits for.
    assert slow < usual + (250 if given.short else 60), f"{slow:.0f} ms, {usual:.1f} ms when quiet"
    result("listeners", compare_ms=f"{usual:.1f} quiet, {statistics.median(during):.1f} and at most {slow:.1f} at a change",
           wish_cpu_s=f"{wish:.2f}", open_cpu_s=f"{opened:.2f}", unwatched_cpu_s=f"{unwatched:.2f}",
           woken_cpu_s=f"{woken:.2f}", heard=heard, seats_held=len(held), refused=refused)
    # Sixty-four names are the most that a wish costs; the clock of the system counts in hundredths.
    assert wish < 0.2 and unwatched < 0.5, (wish, unwatched)
    assert server.stop() == 0

#!/usr/bin/env python3
"""HTTP/2 readers that take nothing and never fall silent: each is closed, and costs honest clients nothing.

Three kinds, each from many loopback addresses: a window of nothing and a ping every 5 s; a window that opens by a byte
every 5 s; a socket that is never read. Then floods of frames that ask for nothing, each kind on connections of its own:
the server ends them, and the CPU they took is told.
"""
import atexit, os, select, socket, statistics, tempfile, time
from common import Server, arguments, end, figures, free_port, honest, percentile, result
import http2

given = arguments(__doc__, readers=(2000, 60, "stalled readers"), requests=(2000, 500, "honest requests a phase"),
                  rounds=(7, 3, "phases before and during"), floods=(20, 5, "connections of each flood"))
KINDS = ("pinging", "window by a byte", "never reading")
PATH = b"/api/public/data/DGS10?start=max"
CLOSED_BY = 60  # 30 s after the kernel has taken what it can; an idle one by 60


def kind(i):
    return i % 3


def reader(port, i):
    """A connection that has asked for 32 answers of 170 kB and lets none come, or reads none."""
    one = socket.socket()
    one.bind((f"127.0.0.{2 + i % 200}", 0))
    if kind(i) == 2:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.connect(("127.0.0.1", port))
    asked = b"".join(http2.get(PATH, 2 * stream + 1) for stream in range(32))
    if kind(i) == 2:
        one.sendall(http2.opening((1 << 31) - 1) + http2.window(0, 1 << 30) + asked)
    else:
        one.sendall(http2.opening(0) + asked)
    one.setblocking(False)
    return one


def talk(opened):
    """A ping, or a byte of window, every 5 s."""
    child = os.fork()
    if child:
        atexit.register(end, child)
        return child
    while True:
        time.sleep(5)
        for i, one in enumerate(opened):
            if kind(i) < 2:
                try:
                    one.send(http2.ping() if kind(i) == 0 else http2.window(1, 1) + http2.window(0, 1))
                except OSError:
                    pass


def closings(opened, began, metrics):
    """Seconds that the last of each kind stayed open."""
    last, waiting, poll = {}, {one.fileno(): i for i, one in enumerate(opened) if kind(i) < 2}, select.poll()
    for number in waiting:
        poll.register(number, select.POLLIN)
    # The sockets that are never read can only be asked of the server.
    while waiting or figures(metrics)["econoscope_connections"] > 0:
        now = time.monotonic()
        assert now - max(began) < CLOSED_BY, f"{len(waiting)} still open, {figures(metrics)['econoscope_connections']:.0f} in all"
        for number, _ in poll.poll(500):
            i = waiting[number]
            try:
                if opened[i].recv(65536):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            poll.unregister(number)
            del waiting[number]
            last[kind(i)] = max(last.get(kind(i), 0), time.monotonic() - began[i])
        if not waiting:
            time.sleep(0.2)
    last[2] = time.monotonic() - min(began[2::3])
    return last


def cpu(pid):
    """Seconds of CPU a process has used."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def flooded(server, unit, opening):
    """Frames that were taken until the server ended the connection; none when it never did."""
    with server.connect() as one:
        one.sendall(opening)
        sent, until = 0, time.monotonic() + 5
        try:
            while time.monotonic() < until:
                one.sendall(unit * 100)
                sent += 100
                one.setblocking(False)
                try:
                    while part := one.recv(65536):
                        pass
                    if part == b"":
                        return sent
                except BlockingIOError:
                    pass
                one.settimeout(5)
        except OSError:
            return sent
    return None


def floods(server):
    start, most = cpu(server.process.pid), 0
    asked = http2.opening() + http2.get(b"/health", 1)
    unfinished = http2.opening() + http2.get(b"/health", 1, flags=http2.END_HEADERS)
    kinds = {
        "ping": (http2.ping(), asked), "ping reply": (http2.ping(flags=http2.ACK), asked),
        "settings": (http2.frame(http2.SETTINGS), asked), "window": (http2.window(0, 1), asked),
        "priority": (http2.frame(http2.PRIORITY, 0, 1, b"\0\0\0\0\x10"), asked),
        "reset": (http2.frame(http2.RESET, 0, 1, b"\0\0\0\x08"), asked),
        "unknown": (http2.frame(0x55, 0, 0, b"x" * 1000), asked),
        "empty data": (http2.frame(http2.DATA, 0, 1), unfinished),
        "continuation": (http2.frame(http2.CONTINUATION, 0, 1), http2.opening() + http2.get(b"/health", 1, flags=1)),
    }
    for name, (unit, opening) in kinds.items():
        for _ in range(given.floods):
            sent = flooded(server, unit, opening)
            assert sent is not None, f"{name} frames may come without end"
            most = max(most, sent)
    return len(kinds) * given.floods, most, cpu(server.process.pid) - start


with tempfile.TemporaryDirectory() as folder:
    metrics = free_port()
    server = Server(given, os.path.join(folder, "e.db"), "--metrics-listen", f"127.0.0.1:{metrics}")
    honest(server, given.requests)
    server.get(PATH.decode())
    calm = server.memory()
    before = [percentile(honest(server, given.requests), 0.99) for _ in range(given.rounds)]
    opened, began = [], []
    for i in range(given.readers):
        if i % 100 == 99:
            time.sleep(0.02)
        opened.append(reader(server.port, i))
        began.append(time.monotonic())
    child = talk(opened)
    until = time.monotonic() + 5
    while (held := figures(metrics)["econoscope_connections"]) < given.readers and time.monotonic() < until:
        time.sleep(0.05)
    assert held >= given.readers, f"only {held:.0f} are open"
    during = [percentile(honest(server, given.requests), 0.99) for _ in range(given.rounds)]
    assert figures(metrics)["econoscope_connections"] >= given.readers * 0.9, "it was no load"
    last = closings(opened, began, metrics)
    peak = server.memory("VmHWM")
    end(child)
    for one in opened:
        one.close()
    a, b = statistics.median(before), statistics.median(during)
    assert b < max(2 * a, a + (0.005 if given.short else 0.001)), f"honest p99 {b * 1e3:.2f} ms, before {a * 1e3:.2f} ms"
    assert peak < calm + 400, f"{peak:.0f} MiB"
    result("stalled HTTP/2 readers", readers=given.readers, honest_p99_before_ms=f"{a * 1e3:.2f}", during_ms=f"{b * 1e3:.2f}",
           ratio=f"{b / a:.2f}", memory_before_mib=f"{calm:.0f}", at_most_mib=f"{peak:.0f}",
           **{f"last_{KINDS[k].replace(' ', '_')}_closed_s": f"{last[k]:.1f}" for k in sorted(last)})
    connections, most, seconds = floods(server)
    result("floods of frames", connections=connections, most_frames_sent=most, cpu_seconds=f"{seconds:.2f}")
    assert seconds < 0.05 * connections, f"{seconds:.1f} s of CPU"
    assert server.stop() == 0

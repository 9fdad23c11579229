"""A proxy with faults, for what stands between a server and a client of it. Standard library only."""
import socket, threading, time


def shut(*ends):
    for end in ends:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Proxy:
    """Stands before a server; `mode` is `pass`, `cut`, `slow` (each piece 300 ms later) or `half` (still, with open connections)."""

    def __init__(self, port):
        self.to, self.mode, self.down, self.pairs = port, "pass", 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.watch, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            if self.mode == "cut":
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.pairs.append((client, server))
            for one, other, down in ((client, server, False), (server, client, True)):
                threading.Thread(target=self.pump, args=(one, other, down), daemon=True).start()

    def pump(self, one, other, down):
        try:
            while data := one.recv(65536):
                while self.mode == "half":
                    time.sleep(0.1)
                if self.mode == "slow":
                    time.sleep(0.3)
                self.down += len(data) if down else 0
                other.sendall(data)
        except OSError:
            pass
        shut(one, other)

    def watch(self):
        while True:
            time.sleep(0.05)
            if self.mode == "cut":
                self.cut()

    def cut(self):
        """Closes all connections there are."""
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            shut(*pair)

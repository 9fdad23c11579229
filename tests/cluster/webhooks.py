#!/usr/bin/env python3
"""Webhooks of three replicas over one database, the sender killed at any time: each crossing arrives under one identifier,
once where its receiver answered and nobody was killed, and every signature is right.

The signature is computed here once more. The receiver refuses, hangs or accepts; the sender is killed while it does.
"""
import base64, collections, hashlib, hmac, http.server, json, os, pathlib, tempfile, threading, time
from common import arguments, result, run, wait
from database import Database
from parts import Replica

given = arguments(__doc__, kills=(12, 3, "times killed"))
# No source can be reached, so that a sync ends at once. Webhooks use no proxy.
os.environ["HTTPS_PROXY"] = os.environ["https_proxy"] = "http://127.0.0.1:9"
KEY = bytes(range(32))


class Receiver(http.server.BaseHTTPRequestHandler):
    answer, begun, accepted, wrong = 204, [], collections.Counter(), 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name, stamp = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = hmac.new(KEY, f"{name}.{stamp}.".encode() + body, hashlib.sha256).digest()
        is_right = self.headers["webhook-signature"] == "v1," + base64.b64encode(signed).decode()
        Receiver.wrong += not is_right or json.loads(body)["data"]["id"] != name or abs(time.time() - int(stamp)) > 60
        answer = Receiver.answer
        Receiver.begun.append(name)
        if answer == "hang":
            time.sleep(60)
        elif answer == 204:
            Receiver.accepted[name] += 1
        self.send_response(503 if answer == "hang" else answer)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def cross(address, folder, n):
    """A figure of a later day, above 100 in turns."""
    file = folder / "figures" / "OWN.csv"
    file.parent.mkdir(exist_ok=True)
    day = f"{1990 + n // 12}-{n % 12 + 1:02}-01"
    file.write_text(f"series_id,date,value\nOWN,{day},{150 if n % 2 else 50}\n")
    done = run(given, "import", "--bare", file.parent, store=address)
    assert done.returncode == 0, done.stderr
    return day


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    database = Database()
    address = database.create("webhooks")
    assert run(given, "migrate", store=address).returncode == 0
    cross(address, folder, 0)
    flags = ["--feeds", "none", "--webhook", f"desk=http://127.0.0.1:{receiver.server_port}/", "--webhook-allow-host", "127.0.0.1",
             "--webhook-condition", "desk=OWN > 100", "--webhook-secret", "desk=whsec_" + base64.b64encode(KEY).decode()]
    servers = [Replica(given, address, folder / f"replica{n}.db", *flags) for n in range(3)]
    sender = lambda: next((server for server in servers if server.alive() and "econoscope_writer 1" in server.metrics()), None)
    noted = "SELECT count(*) FROM econoscope.note WHERE key LIKE 'webhook:%'"
    number, expected, restarted = 0, [], 0
    came = lambda names: any(name.endswith(expected[-1]) for name in names)
    # A crossing that comes before the first look is not sent.
    wait(lambda: database.sql(noted, "webhooks") == "1", "nobody looks at the condition", 60)
    for kill in range(given.kills):
        Receiver.answer = ("hang", 503, 204)[kill % 3]
        number += 1
        expected.append(cross(address, folder, number))
        wait(lambda: came(Receiver.begun), f"the crossing of {expected[-1]} is not sent", 60)
        if server := sender():
            server.kill()
            server.begin()
            restarted += 1
        Receiver.answer = 204
        wait(lambda: came(Receiver.accepted), f"the crossing of {expected[-1]} does not arrive", 60)
    killed = sum(Receiver.accepted.values()) - len(Receiver.accepted)
    for _ in range(3):  # nobody is killed: once each
        number += 1
        expected.append(cross(address, folder, number))
        wait(lambda: came(Receiver.accepted), f"the crossing of {expected[-1]} does not arrive", 60)
    time.sleep(5)
    quiet = [count for name, count in Receiver.accepted.items() if name[-10:] in expected[-3:]]
    assert sorted(name[-10:] for name in Receiver.accepted) == sorted(expected), Receiver.accepted
    assert quiet == [1, 1, 1] and Receiver.wrong == 0, (quiet, Receiver.wrong)
    result("webhooks", crossings=len(expected), killed=restarted, again_after_a_kill=killed, wrong_signatures=0)

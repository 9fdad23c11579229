#!/usr/bin/env python3
"""PostgreSQL and Redis over TLS with certificates of an own authority: a trusted one is used, and one that is expired, not valid
yet, for another host or of another authority is refused with the reason; nothing goes over the network in the clear where TLS is
wanted; a renewed certificate is taken without a restart."""
import json, os, pathlib, shutil, subprocess, tempfile
from authority import Authority
from common import PASSWORD, Redis, Server, arguments, figures, free_port, result, run, wait
from database import Database
from parts import Replica, until

given = arguments(__doc__)
SECRET = "s3cret-of-the-test"
os.environ.pop("SSL_CERT_FILE", None)


def migrate(address):
    done = run(given, "--store", address, "migrate", limit=30)
    assert SECRET not in done.stderr and "panicked" not in done.stderr, done.stderr
    return done


def refused(address, *words):
    done = migrate(address)
    assert done.returncode == 1 and all(word in done.stderr for word in words), (words, done.stderr)
    return 1


class Encrypted(Database):
    """A database that is reached over TLS alone."""

    def __init__(self, certificate):
        super().__init__()
        (self.folder / "data" / "pg_hba.conf").write_text("local all all trust\nhostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n")
        self.sql("ALTER SYSTEM SET ssl_cert_file = '../server.pem'")
        self.sql("ALTER SYSTEM SET ssl_key_file = '../server.key'")
        self.shows(certificate)
        self.switch("on")

    def shows(self, files):
        """Has it show another certificate from now on."""
        for file, name in zip(files, ("server.pem", "server.key")):
            shutil.copy(file, self.folder / name)
            os.chmod(self.folder / name, 0o600)
            if self.own:
                os.chown(self.folder / name, self.own["user"], self.own["group"])
        self.sql("SELECT pg_reload_conf()")

    def switch(self, state):
        self.sql(f"ALTER SYSTEM SET ssl = {state}")
        self.sql("SELECT pg_reload_conf()")
        until(lambda: self.sql("SHOW ssl") == state, 10, "the setting is not taken")

    def at(self, host="localhost", **query):
        more = "&".join(f"{name}={value}" for name, value in query.items())
        return f"postgres://postgres:{SECRET}@{host}:{self.port}/postgres?{more}"


def of_database(folder, own, other):
    good, away = own.issue(), 0
    database = Encrypted(good)
    trusted = dict(sslmode="verify-full", sslrootcert=own.root)
    for host in ("localhost", "127.0.0.1"):
        assert migrate(database.at(host, **trusted)).returncode == 0
    os.environ["SSL_CERT_FILE"] = str(own.root)
    assert migrate(database.at(sslmode="require")).returncode == 0, "SSL_CERT_FILE is not heard"
    del os.environ["SSL_CERT_FILE"]
    cases = refused(database.at(sslmode="require"), "authority that this machine does not trust", "sslrootcert=FILE")
    cases += refused(database.at(sslmode="verify-full", sslrootcert=other.root), "authority that this machine does not trust")
    cases += refused(database.at(sslmode="verify-full", sslrootcert=folder / "none.pem"), "cannot read the certificates", "none.pem")
    cases += refused(database.at(sslmode="disable"), "sslmode=require")
    for files, word in ((own.issue("DNS:db.example.org"), "for another host"), (own.issue(days_away=-30), "has expired"),
                        (own.issue(days_away=30), "not valid yet"), (other.issue(), "does not trust")):
        database.shows(files)
        cases += refused(database.at(**trusted), word)
    database.switch("off")
    cases += refused(database.at(**trusted), "does not offer TLS")
    database.shows(good)
    database.switch("on")
    # A server whose database comes back with an expired certificate answers on from its copy; a renewed one is taken without a
    # restart.
    server = Replica(given, database.at(**trusted), folder / "replica.db", "--no-sync")
    encrypted = "SELECT bool_and(ssl), count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'econoscope'"
    assert database.sql(encrypted) == "t|t", database.sql(encrypted)
    is_away = lambda: json.loads(server.text("/ready"))["database"]["away_since"] is not None
    database.shows(own.issue(days_away=-30))
    database.stop()
    until(is_away, 30, "it is not noticed that the database is away")
    database.start()
    refused(database.at(**trusted), "has expired")
    assert is_away() and server.get("/api/public/data/UNRATE?start=2000-01-01")[0] == 200
    database.shows(good)
    until(lambda: not is_away(), 30, "a renewed certificate is not taken")
    assert SECRET not in server.said(), server.said()
    server.stop()
    database.remove()
    return cases


class EncryptedRedis(Redis):
    """A server of Redis with a second port for TLS."""

    def __init__(self, files, program="redis-server"):
        self.tls = free_port()
        certificate, key = files
        super().__init__("--tls-port", str(self.tls), "--tls-cert-file", str(certificate), "--tls-key-file", str(key), "--tls-auth-clients", "no", program=program)

    def shows(self, files):
        certificate, key = map(str, files)
        assert self.ask("CONFIG", "SET", "tls-cert-file", certificate, "tls-key-file", key) == "+OK"


def of_redis(folder, own, other, program):
    good, cases = own.issue(), 0
    redis = EncryptedRedis(good, program)

    def served(scheme, port, root, host="localhost"):
        environment = {**os.environ, **({"SSL_CERT_FILE": str(root)} if root else {})}
        metrics = free_port()
        server = Server(given, folder / "limits.db", "--limits", f"{scheme}://:{PASSWORD}@{host}:{port}/0", "--metrics-listen", f"127.0.0.1:{metrics}", env=environment)
        server.is_shared = lambda: figures(metrics)["econoscope_limits_shared"] == 1
        return server

    def alone(server, word):
        until(lambda: "counts alone" in server.said(), 10, "the log does not say that limits are not shared")
        assert word in server.said(), (word, server.said())
        assert not server.is_shared() and "counts alone" in server.said() and PASSWORD not in server.said(), server.said()
        assert server.get("/api/public/regime")[0] == 200

    for host in ("localhost", "127.0.0.1"):
        server = served("rediss", redis.tls, own.root, host)
        wait(server.is_shared, "limits over TLS: " + server.said())
        assert server.stop() == 0
    for scheme, port, root, word in (("rediss", redis.tls, None, "SSL_CERT_FILE"), ("rediss", redis.tls, other.root, "does not trust"),
                                     ("rediss", redis.port, own.root, "does not answer in time"), ("redis", redis.tls, own.root, "rediss://")):
        server = served(scheme, port, root)
        alone(server, word)
        assert server.stop() == 0
        cases += 1
    for files, word in ((own.issue("DNS:cache.example.org"), "for another host"), (own.issue(days_away=30), "not valid yet"),
                        (own.issue(days_away=-30), "has expired")):
        redis.shows(files)
        server = served("rediss", redis.tls, own.root)
        alone(server, word)
        cases += 1
        if word == "has expired":
            redis.shows(good)
            wait(server.is_shared, "a renewed certificate is taken")
        assert server.stop() == 0
    redis.kill()
    return cases


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    own, other = Authority(folder, "own"), Authority(folder, "other")
    found = {"PostgreSQL": of_database(folder, own, other)}
    # Debian has Valkey from 13 on; where it is not there, it is said.
    for program in ("redis-server", "valkey-server"):
        found[program] = of_redis(folder, own, other, program) if shutil.which(program) else "not on this machine"
result("TLS, refused as they must be", **{name.replace("-", "_"): of for name, of in found.items()})

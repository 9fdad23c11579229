"""A PostgreSQL server of one's own in a folder, on a free port. As a program: database.py -- COMMAND..., which
finds its address in ECONOSCOPE_TEST_DATABASE."""
import atexit, glob, os, pathlib, pwd, shutil, signal, socket, struct, subprocess, sys, tempfile, zlib

PROGRAMS = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Database:
    """Runs as the user postgres, since it refuses to run as root."""

    environment = None

    def __init__(self):
        self.port = free_port()
        self.folder = self.place()
        user = pwd.getpwnam("postgres")
        self.own = dict(user=user.pw_uid, group=user.pw_gid, extra_groups=[]) if os.geteuid() == 0 else {}
        if self.own:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.do("initdb", "-D", self.folder / "data", "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C")
        atexit.register(self.remove)
        self.start()

    def place(self):
        """A new folder for all its files."""
        return pathlib.Path(tempfile.mkdtemp(prefix="econoscope-pg-", dir="/tmp"))

    def do(self, program, *words, check=True):
        line = [str(PROGRAMS / program), *map(str, words)]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/tmp", **self.own)
        assert not check or done.returncode == 0, done.stdout
        return done.stdout

    def start(self):
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        log = self.folder / "log"
        line = [str(PROGRAMS / "pg_ctl"), "-D", str(self.folder / "data"), "-l", str(log), "-o", options, "-w", "start"]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/tmp",
                       env=self.environment, **self.own)

    def stop(self, mode="immediate"):
        self.do("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop", check=False)

    def kill(self):
        """kill -9 of the parent; the others notice and end."""
        lines = (self.folder / "data" / "postmaster.pid").read_text().splitlines()
        os.kill(int(lines[0]), signal.SIGKILL)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, name="postgres", port=None, password=None):
        user = f"postgres:{password}" if password else "postgres"
        return f"postgres://{user}@127.0.0.1:{port or self.port}/{name}"

    def sql(self, text, name="postgres"):
        words = ["-h", self.folder, "-p", self.port, "-U", "postgres", "-d", name, "-qAtX", "-v", "ON_ERROR_STOP=1"]
        return self.do("psql", *words, "-c", text).strip()

    def create(self, name):
        self.sql(f"DROP DATABASE IF EXISTS {name}")
        self.sql(f"CREATE DATABASE {name}")
        return self.address(name)


def article(slug, at):
    """SQL that publishes an article as a writer would: the line with its checksum, the state raised."""
    texts = [slug, slug, slug, None, None, None, "https://example.com/" + slug, "test"]
    data = b"".join(struct.pack("<Q", 2**64 - 1 if t is None else len(t)) + (t or "").encode() for t in texts)
    crc = zlib.crc32(data + struct.pack("<q", at))
    return (
        "BEGIN; UPDATE econoscope.state SET change = change + 1, version = version + 1;"
        f" INSERT INTO econoscope.article SELECT '{slug}', '{slug}', '{slug}', NULL, NULL, NULL, '', {at},"
        f" 'https://example.com/{slug}', 'test', {crc}, change FROM econoscope.state; COMMIT;"
    )


if __name__ == "__main__":
    at = sys.argv.index("--")
    environment = {**os.environ, "ECONOSCOPE_TEST_DATABASE": Database().address("").rstrip("/")}
    sys.exit(subprocess.call(sys.argv[at + 1 :], env=environment))

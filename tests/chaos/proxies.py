"""Starts nginx, Caddy and HAProxy with the files of deploy/, on free ports, with HTTP/1.1 in the clear and HTTP/2 over TLS."""
import atexit, os, pathlib, random, re, shutil, socket, subprocess, time
from common import ROOT, memory

DEPLOY = ROOT / "deploy"
HOST = "macro.example.org"


def free_port():
    """A free port below those that connections get, of which an attack opens thousands."""
    while True:
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", random.randrange(10_000, 32_000)))
                return free.getsockname()[1]
            except OSError:
                continue


def certificate(folder):
    """A certificate for HOST that signs itself; the files with it and its key."""
    files = folder / "certificate.pem", folder / "key.pem"
    words = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "5", "-subj", f"/CN={HOST}"]
    line = ["openssl", "req", "-x509", *words, "-addext", f"subjectAltName=DNS:{HOST}", "-out", files[0], "-keyout", files[1]]
    subprocess.run(line, check=True, stderr=subprocess.DEVNULL)
    return files


def changed(text, *changes):
    """A configuration in which each pattern is replaced once; a pattern that is not found is a mistake of the test."""
    for pattern, new in changes:
        text, count = re.subn(pattern, lambda _: new, text, count=1, flags=re.M)
        assert count == 1, f"deploy/ has no {pattern}"
    return text


class Proxy:
    """A reverse proxy in front of a server, as deploy/ ships it."""

    def __init__(self, name, folder, server):
        self.name, self.folder, self.server = name, folder / name, server
        self.folder.mkdir()
        os.chmod(self.folder, 0o755)
        self.port, self.tls = free_port(), free_port()
        self.certificate, self.key = certificate(self.folder)
        line, environment = getattr(self, name)()
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(line, stdout=self.log, stderr=self.log, env={**os.environ, **environment}, cwd=self.folder)
        atexit.register(self.stop)

    def nginx(self):
        site = changed(
            (DEPLOY / "nginx.conf").read_text(),
            (r"^    listen 80;", f"    listen 127.0.0.1:{self.port}; listen 127.0.0.1:{self.tls} ssl http2;"
             f" ssl_certificate {self.certificate}; ssl_certificate_key {self.key};"),
            (r"listen \[::\]:80;", f"listen [::1]:{self.port};"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{self.server}"))
        (self.folder / "site.conf").write_text(site)
        # What the site's file asks of the main one.
        main = re.findall(r"^#   (worker_rlimit_nofile .*|events .*)$", site, re.M)
        assert len(main) == 2, "deploy/nginx.conf does not say what the main file needs"
        places = " ".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; worker_processes 2;\n" + "\n".join(main)
            + f"\nhttp {{ access_log off; {places} include {self.folder}/site.conf; }}\n")
        return [shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-e", "stderr", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")], {}

    def caddy(self):
        site = changed(
            (DEPLOY / "Caddyfile").read_text(),
            (r"^\{$", "{\n\tadmin off\n\tauto_https off\n\tskip_install_trust"),
            (rf"^{HOST} \{{$", "(site) {\n\tbind 127.0.0.1 ::1"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{self.server}"))
        site += f"http://{HOST}:{self.port} {{\n\timport site\n}}\n"
        site += f"https://{HOST}:{self.tls} {{\n\ttls {self.certificate} {self.key}\n\timport site\n}}\n"
        (self.folder / "Caddyfile").write_text(site)
        own = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        return ["caddy", "run", "--adapter", "caddyfile", "--config", str(self.folder / "Caddyfile")], own

    def haproxy(self):
        both = self.folder / "both.pem"
        both.write_text(self.certificate.read_text() + self.key.read_text())
        site = changed(
            (DEPLOY / "haproxy.cfg").read_text(),
            (r"^    bind :80$", f"    bind 127.0.0.1:{self.port}\n    bind [::1]:{self.port}"),
            (r"^    # bind :443 ssl crt \S+", f"    bind 127.0.0.1:{self.tls} ssl crt {both}"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{self.server}"))
        (self.folder / "haproxy.cfg").write_text(site)
        return [shutil.which("haproxy", path="/usr/sbin:/usr/bin"), "-db", "-f", str(self.folder / "haproxy.cfg")], {}

    def filter(self):
        """Limits the connections of an address by the kernel, as deploy/ says for a proxy that does not count them."""
        rules = changed((DEPLOY / "nftables.conf").read_text(), *[(r"dport \{ 80, 443 \}", f"dport {{ {self.port}, {self.tls} }}")] * 2)
        (self.folder / "nftables.conf").write_text(rules)
        subprocess.run([shutil.which("nft", path="/usr/sbin:/usr/bin"), "--file", str(self.folder / "nftables.conf")], check=True)

    def wait(self, answers):
        """Waits until it passes requests on."""
        for _ in range(200):
            assert self.process.poll() is None, self.said()
            try:
                if answers():
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise SystemExit(f"{self.name} does not answer: {self.said()}")

    def memory(self):
        """MiB of all its processes."""
        own = self.process.pid
        children = pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split()
        return sum(memory(pid) for pid in (own, *children))

    def said(self):
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

"""A certificate authority of one's own, by openssl; faketime makes the certificates that are not valid now."""
import pathlib, subprocess

CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
HERE = "DNS:localhost,IP:127.0.0.1"


class Authority:
    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.root, self.key = self.folder / "root.pem", self.folder / "root.key"
        words = ["-days", "3650", "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
        self.openssl("req", "-x509", *CURVE, "-subj", f"/CN={name}", *words, "-keyout", self.key, "-out", self.root)

    @staticmethod
    def openssl(*words, days_away=0):
        line = ["openssl", *map(str, words)]
        subprocess.run(["faketime", "-f", f"{days_away:+}d", *line] if days_away else line, check=True, stderr=subprocess.DEVNULL)

    def issue(self, names=HERE, days_away=0):
        """Certificate and key for these names, valid for five days from a day so far away."""
        files = [self.folder / f"{abs(hash((names, days_away)))}.{kind}" for kind in ("pem", "key", "csr")]
        certificate, key, request = files
        self.openssl("req", "-new", *CURVE, "-subj", "/CN=server", "-addext", f"subjectAltName={names}", "-keyout", key, "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.root, "-CAkey", self.key, "-CAcreateserial", "-copy_extensions", "copy",
                     "-days", 5, "-out", certificate, days_away=days_away)
        return certificate, key

"""Archives whose bytes depend on nothing but their content and the last commit."""

import base64
import gzip
import hashlib
import io
import tarfile
import time
import zipfile

from targets import epoch


def tgz(path, files):
    """`files` maps names to (bytes, mode)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, epoch()
            tar.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))


def zipped(path, files):
    """As `tgz`; the order given is kept, since a wheel's record stands last."""
    when = max(time.gmtime(epoch()), time.gmtime(315_532_800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def record(files, name):
    """A wheel's list of its own files."""
    rows = []
    for file, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{file},sha256={digest},{len(data)}")
    return ("\n".join([*rows, f"{name},,"]) + "\n").encode()

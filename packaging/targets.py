"""The systems we make packages for, under each registry's name for them; and what Cargo.toml says of the program."""

import json
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Target:
    """One system. `libc` is npm's word for it; a wheel's tag for Linux is read off the binary."""

    triple: str
    os: str
    cpu: str
    libc: str | None
    wheel: str | None

    @property
    def short(self):
        """`linux-x64-musl`, as npm's packages and bundles are called."""
        return f"{self.os}-{self.cpu}" + ("-musl" if self.libc == "musl" else "")

    @property
    def program(self):
        return "econoscope.exe" if self.os == "win32" else "econoscope"


TARGETS = [
    Target("x86_64-unknown-linux-gnu", "linux", "x64", "glibc", None),
    Target("aarch64-unknown-linux-gnu", "linux", "arm64", "glibc", None),
    Target("x86_64-unknown-linux-musl", "linux", "x64", "musl", "musllinux_1_1_x86_64"),
    Target("aarch64-unknown-linux-musl", "linux", "arm64", "musl", "musllinux_1_1_aarch64"),
    Target("x86_64-apple-darwin", "darwin", "x64", None, "macosx_10_12_x86_64"),
    Target("aarch64-apple-darwin", "darwin", "arm64", None, "macosx_11_0_arm64"),
    Target("x86_64-pc-windows-msvc", "win32", "x64", None, "win_amd64"),
]

_package = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
VERSION = _package["version"]
LICENSE = _package["license"]
DESCRIPTION = _package["description"]
REPOSITORY = _package["repository"]
OWNER = REPOSITORY.rstrip("/").split("/")[-2]
MCP_NAME = f"io.github.{OWNER}/econoscope"
IMAGE = f"ghcr.io/{OWNER}/econoscope:{VERSION}"
DOWNLOADS = f"{REPOSITORY}/releases/download/v{VERSION}"


def glibc(binary):
    """The minor number of the newest glibc 2.x whose symbols an ELF binary asks for; 0 when it asks for none."""
    found = re.findall(rb"\0GLIBC_2\.(\d+)", binary.read_bytes())
    return max(map(int, found), default=0)


def wheel_tag(target, binary):
    """What the binary runs on, as a wheel says it: for glibc never more than the binary itself shows."""
    if target.wheel:
        return target.wheel
    arch = target.triple.split("-")[0]
    needs = max(glibc(binary), 17)
    tag = f"manylinux_2_{needs}_{arch}"
    return f"{tag}.manylinux2014_{arch}" if needs == 17 else tag


def binaries(dist):
    """The targets that have been built, with their binaries."""
    found = [(t, dist / "bin" / t.triple / t.program) for t in TARGETS]
    return [(target, path) for target, path in found if path.is_file()]


def epoch():
    """Seconds of the last commit: the one time that stands in every package, so that a second build gives the same bytes."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def tools():
    """Name and first words of every tool."""
    files = sorted((ROOT / "tool-schemas").glob("*.json"))
    schemas = [json.loads(file.read_text()) for file in files]
    return [{"name": s["name"], "description": s["title"]} for s in schemas]


def write(path, value):
    """Text as it is, anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False) + "\n")

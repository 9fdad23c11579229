#!/usr/bin/env python3
"""Makes every package that carries a binary out of dist/bin: archives, npm, wheels, .mcpb, and the formula, registry
entry and plugins that point to them. Called by build.sh; needs Python 3.11 and npm, no network.

    assemble.py DIST
"""

import subprocess
import sys
from pathlib import Path

import plugins
from archive import record, sha256, tgz, zipped
from targets import (
    DESCRIPTION, DOWNLOADS, IMAGE, LICENSE, MCP_NAME, REPOSITORY, ROOT, TARGETS, VERSION,
    binaries, tools, wheel_tag, write,
)

HERE = Path(__file__).resolve().parent
KEYWORDS = ["mcp", "model-context-protocol", "macroeconomics", "fred", "economics", "recession", "interest-rates"]


def extras(dist):
    """What stands beside the binary in an archive: licence, readme, manual pages, completions."""
    files = {name: ((ROOT / name).read_bytes(), 0o644) for name in ("LICENSE", "README.md")}
    licences = dist / f"econoscope-{VERSION}-licenses.txt"
    files["LICENSES.txt"] = (licences.read_bytes(), 0o644)
    for folder in ("man", "completions"):
        for file in sorted((dist / folder).iterdir()):
            files[f"{folder}/{file.name}"] = (file.read_bytes(), 0o644)
    return files


def archives(dist):
    """One .tgz for each target, for `cargo binstall`, Homebrew and people; returns their names and digests."""
    made = {}
    beside = extras(dist)
    for target, binary in binaries(dist):
        top = f"econoscope-{VERSION}-{target.triple}"
        files = {f"{top}/{name}": entry for name, entry in beside.items()}
        files[f"{top}/{target.program}"] = (binary.read_bytes(), 0o755)
        path = dist / f"{top}.tgz"
        tgz(path, files)
        made[target.triple] = (path.name, sha256(path.read_bytes()))
    return made


def npm(dist):
    """The launcher, and a package for each target that npm takes or leaves by os, cpu and libc."""
    work, out = dist / "work" / "npm", dist / "npm"
    out.mkdir(parents=True, exist_ok=True)
    common = {"version": VERSION, "license": LICENSE, "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}}
    for target, binary in binaries(dist):
        folder = work / target.short
        package = {
            "name": f"@econoscope/{target.short}",
            "description": f"The econoscope binary for {target.triple}; install `econoscope` instead",
            **common,
            "os": [target.os],
            "cpu": [target.cpu],
            **({"libc": [target.libc]} if target.libc else {}),
            "files": ["bin"],
            # A package without this may be kept inside an archive, from where nothing can be started.
            "preferUnplugged": True,
        }
        write(folder / "package.json", package)
        write(folder / "README.md", "The binary of [econoscope](https://www.npmjs.com/package/econoscope) for one system.\n")
        program = folder / "bin" / target.program
        program.parent.mkdir(exist_ok=True)
        program.write_bytes(binary.read_bytes())
        program.chmod(0o755)
        pack(folder, out)
    root = work / "econoscope"
    package = {
        "name": "econoscope",
        "description": DESCRIPTION,
        **common,
        "mcpName": MCP_NAME,
        "keywords": KEYWORDS,
        "homepage": REPOSITORY,
        "bin": {"econoscope": "launcher.js"},
        "files": ["launcher.js"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {f"@econoscope/{t.short}": VERSION for t in TARGETS},
    }
    write(root / "package.json", package)
    write(root / "README.md", (ROOT / "README.md").read_text())
    write(root / "LICENSE", (ROOT / "LICENSE").read_text())
    launcher = root / "launcher.js"
    launcher.write_text((HERE / "npm" / "launcher.js").read_text())
    launcher.chmod(0o755)
    pack(root, out)


def pack(folder, out):
    asked = ["npm", "pack", "--silent", "--pack-destination", str(out), str(folder)]
    subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)


def wheels(dist):
    """A wheel for each target that holds nothing but the program, which pip puts on the path."""
    out = dist / "pypi"
    out.mkdir(parents=True, exist_ok=True)
    metadata = "\n".join([
        "Metadata-Version: 2.4",
        "Name: econoscope",
        f"Version: {VERSION}",
        f"Summary: {DESCRIPTION}",
        f"License-Expression: {LICENSE}",
        "License-File: LICENSE",
        f"Keywords: {','.join(KEYWORDS)}",
        f"Project-URL: Repository, {REPOSITORY}",
        "Requires-Python: >=3.7",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text(),
    ])
    for target, binary in binaries(dist):
        tag = wheel_tag(target, binary)
        info = f"econoscope-{VERSION}.dist-info"
        described = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
        files = {
            f"econoscope-{VERSION}.data/scripts/{target.program}": (binary.read_bytes(), 0o755),
            f"{info}/METADATA": (metadata.encode(), 0o644),
            f"{info}/WHEEL": (
                f"Wheel-Version: 1.0\nGenerator: econoscope-packaging\nRoot-Is-Purelib: false\n{described}".encode(),
                0o644,
            ),
            f"{info}/licenses/LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
        }
        files[f"{info}/RECORD"] = (record(files, f"{info}/RECORD"), 0o644)
        zipped(out / f"econoscope-{VERSION}-py3-none-{tag}.whl", files)


# What a host asks its user when it opens a bundle. What is left empty counts as not given.
USER_CONFIG = {
    "no_sync": {
        "type": "boolean", "title": "No new figures", "default": False, "required": False,
        "description": "Answer from the bundled history alone. Otherwise new figures are fetched from the agencies that "
        "publish them, at the start and every six hours; no question leaves this machine.",
    },
    "fred": {
        "type": "boolean", "title": "Ask FRED, too", "default": False, "required": False,
        "description": "For credit spreads, share indexes and house prices. Its terms reserve them for your own use.",
    },
    "fred_key": {
        "type": "string", "title": "FRED API key", "sensitive": True, "default": "", "required": False,
        "description": "Optional: FRED's API instead of its download. Free at fredaccount.stlouisfed.org/apikeys.",
    },
    "store": {
        "type": "string", "title": "Database file", "default": "", "required": False,
        "description": "Optional: where figures are stored; by default in the user's data folder.",
    },
}
ASKED = {name: f"ECONOSCOPE_{name.upper()}" for name in USER_CONFIG}


def bundles(dist):
    """A .mcpb for each target: what Claude Desktop opens by a double click; returns their names and digests."""
    made = {}
    for target, binary in binaries(dist):
        if target.libc == "musl":
            continue
        program = f"server/{target.program}"
        manifest = {
            "manifest_version": "0.3",
            "name": "econoscope",
            "display_name": "Econoscope",
            "version": VERSION,
            "description": DESCRIPTION,
            "author": {"name": "Econoscope maintainers", "url": REPOSITORY},
            "repository": {"type": "git", "url": f"{REPOSITORY}.git"},
            "homepage": REPOSITORY,
            "support": f"{REPOSITORY}/issues",
            "license": LICENSE,
            "keywords": KEYWORDS,
            "server": {
                "type": "binary",
                "entry_point": program,
                "mcp_config": {"command": "${__dirname}/" + program, "args": [], "env": {
                    setting: "${user_config.%s}" % name for name, setting in ASKED.items()
                }},
            },
            "user_config": USER_CONFIG,
            "tools": tools(),
            "prompts_generated": True,
            "compatibility": {"platforms": [target.os]},
        }
        staged = dist / "work" / "mcpb" / target.short / "manifest.json"
        write(staged, manifest)
        path = dist / f"econoscope-{VERSION}-{target.short}.mcpb"
        zipped(path, {
            "manifest.json": (staged.read_bytes(), 0o644),
            "LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
            program: (binary.read_bytes(), 0o755),
        })
        made[target.short] = (path.name, sha256(path.read_bytes()))
    return made


def registry(dist, bundled):
    """server.json for the MCP registry: every package that carries the server, and how each is started."""
    stdio = {"type": "stdio"}
    packages = [
        {"registryType": "npm", "identifier": "econoscope", "version": VERSION, "runtimeHint": "npx", "transport": stdio},
        {"registryType": "pypi", "identifier": "econoscope", "version": VERSION, "runtimeHint": "uvx", "transport": stdio},
        {"registryType": "cargo", "identifier": "econoscope", "version": VERSION, "transport": stdio},
        {
            "registryType": "oci",
            "identifier": IMAGE,
            "runtimeHint": "docker",
            # The image serves HTTP unless it is told otherwise.
            "packageArguments": [{"type": "positional", "value": "stdio"}],
            "transport": stdio,
        },
    ]
    for name, digest in bundled.values():
        packages.append(
            {"registryType": "mcpb", "identifier": f"{DOWNLOADS}/{name}", "fileSha256": digest, "transport": stdio}
        )
    write(dist / "server.json", {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": MCP_NAME,
        "title": "Econoscope",
        "description": "US macro data: regime, recession probability, rates, inflation, jobs, 1,100+ series",
        "version": VERSION,
        "repository": {"url": REPOSITORY, "source": "github"},
        "websiteUrl": REPOSITORY,
        "packages": packages,
    })


def formula(dist, archived):
    """The Homebrew formula, with a part for each system whose archive there is."""
    parts = []
    for system, word in (("darwin", "macos"), ("linux", "linux")):
        inner = []
        for cpu, arch in (("x64", "intel"), ("arm64", "arm")):
            for target in TARGETS:
                if (target.os, target.cpu) == (system, cpu) and target.libc != "musl" and target.triple in archived:
                    name, digest = archived[target.triple]
                    inner += [
                        f"    on_{arch} do", f'      url "{DOWNLOADS}/{name}"', f'      sha256 "{digest}"', "    end",
                    ]
        if inner:
            parts += ["", f"  on_{word} do", *inner, "  end"]
    text = (HERE / "econoscope.rb").read_text()
    for mark, value in (
        ("DESCRIPTION", DESCRIPTION.split(":")[0]), ("HOMEPAGE", REPOSITORY), ("VERSION", VERSION),
        ("LICENSE", LICENSE), ("\n  PARTS", "\n".join(parts)),
    ):
        text = text.replace(f"@{mark}@" if "\n" not in mark else "\n  @PARTS@", value)
    write(dist / "homebrew" / "econoscope.rb", text)


def main():
    dist = Path(sys.argv[1]).resolve()
    if not binaries(dist):
        sys.exit(f"no binary lies in {dist / 'bin'}")
    archived = archives(dist)
    npm(dist)
    wheels(dist)
    bundled = bundles(dist)
    registry(dist, bundled)
    formula(dist, archived)
    plugins.make(dist)


if __name__ == "__main__":
    main()

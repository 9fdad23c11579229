#!/usr/bin/env python3
"""What the program is made of: a CycloneDX bill of materials by the format's own library, and the texts of all licences.

    sbom.py DIST    writes econoscope-VERSION.cdx.json and econoscope-VERSION-licenses.txt

Crates are those that `cargo metadata` resolves from the lock file for any target, without those for tests and builds
alone; fonts, figures and the image's certificates stand beside them. Needs cyclonedx-python-lib, asks the crates' registry only for what is not there yet.
"""

import json
import os
import subprocess
import sys
import tomllib
import uuid
from datetime import datetime, timezone
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from targets import LICENSE, REPOSITORY, ROOT, VERSION

# What is in the program or the image and is no crate: name, kind, licence, the file that says so.
OTHERS = [
    ("Inter", ComponentType.FILE, "OFL-1.1", "crates/core/data/fonts/OFL.txt"),
    ("bundled figures of US public agencies", ComponentType.DATA, None, "docs/DATA.md"),
    ("SCOWL, English words", ComponentType.DATA, "SCOWL", "crates/desk/data/english-license.txt"),
    ("Mozilla CA certificates", ComponentType.DATA, "MPL-2.0", None),
]
NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")


def cargo(*words):
    return subprocess.run(["cargo", *words, "--locked"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates():
    """Packages in the program and, by identifier, what each uses."""
    found = json.loads(cargo("metadata", "--format-version", "1"))
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    # `metadata` has what the features of tests bring in, too; `tree` has not, and knows no uses.
    tree = {tuple(line.split()[:2]) for line in cargo("tree", "--package", "econoscope", "--edges", "normal", "--target", "all", "--prefix", "none").splitlines() if line}
    built = {p["id"] for p in found["packages"] if (p["name"], f"v{p['version']}") in tree}
    is_in = lambda use: any(kind["kind"] is None for kind in use["dep_kinds"])
    uses, left = {}, [found["resolve"]["root"]]
    while left:
        if (one := left.pop()) not in uses:
            uses[one] = sorted(use["pkg"] for use in nodes[one]["deps"] if is_in(use) and use["pkg"] in built)
            left += uses[one]
    return {p["id"]: p for p in found["packages"] if p["id"] in uses}, uses, found["resolve"]["root"]


def bill(packages, uses, root):
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(p["name"], p["version"]): p.get("checksum") for p in lock}
    licences = LicenseFactory()

    def component(package):
        name, version = package["name"], package["version"]
        digest = sums[name, version]
        purl = PackageURL("cargo", None, name, version)
        return Component(
            name=name, version=version, type=ComponentType.APPLICATION if package["id"] == root else ComponentType.LIBRARY,
            purl=purl, bom_ref=str(purl), description=package["description"],
            licenses=[licences.make_from_string((package["license"] or "").replace("/", " OR "))] if package["license"] else [],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else [],
        )

    made = {one: component(package) for one, package in packages.items()}
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{REPOSITORY}/{VERSION}/{seconds}"))
    bom.metadata.timestamp = datetime.fromtimestamp(seconds, timezone.utc)
    bom.metadata.tools.components.add(this_component())
    bom.metadata.component = made[root]
    others = [Component(name=name, type=kind, bom_ref=f"file:{name}", licenses=[licences.make_from_string(licence)] if licence else [])
              for name, kind, licence, _ in OTHERS]
    for one in [*(c for key, c in made.items() if key != root), *others]:
        bom.components.add(one)
    for one, used in uses.items():
        bom.register_dependency(made[one], [made[other] for other in used] + (others if one == root else []))
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1) + "\n"


def texts(packages):
    """Every licence's text once, above it whose it is."""
    by_text = {}
    for package in packages.values():
        title = f"{package['name']} {package['version']} ({package['license'] or 'see its file'})"
        folder = Path(package["manifest_path"]).parent
        found = [f for f in sorted(folder.iterdir()) if f.is_file() and f.name.upper().startswith(NAMES)]
        for file in found or [None]:
            text = file.read_text(errors="replace").strip() if file else "(no text of its own; the licence is the one named)"
            by_text.setdefault(text, []).append(title)
    for name, _, licence, file in OTHERS:
        text = (ROOT / file).read_text().strip() if file else "https://www.mozilla.org/MPL/2.0/"
        by_text.setdefault(text, []).append(f"{name} ({licence or 'rights named per series'})")
    parts = sorted(f"{'=' * 100}\n" + "\n".join(sorted(owners)) + f"\n{'-' * 100}\n{text}\n" for text, owners in by_text.items())
    return f"econoscope {VERSION} is {LICENSE}. It is made of these, under their licences:\n\n" + "\n".join(parts)


dist = Path(sys.argv[1])
packages, uses, root = crates()
document = bill(packages, uses, root)
if (problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(document)) is not None:
    sys.exit(f"the bill of materials is not valid: {problem}")
(dist / f"econoscope-{VERSION}.cdx.json").write_text(document)
(dist / f"econoscope-{VERSION}-licenses.txt").write_text(texts(packages))
print(f"{len(packages)} crates and {len(OTHERS)} others")

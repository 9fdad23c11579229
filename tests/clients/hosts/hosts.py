"""Hosts with a command line of their own, in an empty home, on the recorded model; none of them is signed in.

Each function is given its home, the model's address, its environment and the server, {command, args} or {url}, and runs
once. The server is added by the line that our manual gives, where the host has one for it.
"""

import json
import re
import subprocess
import time


def run(*words, cwd=None, env=None, seconds=180):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {(done.stderr or done.stdout)[-1500:]}")
    return done.stdout


def listening(log):
    """The address that a server which writes its log to a file listens on."""
    for _ in range(300):
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
            return found[0]
        time.sleep(0.1)
    raise RuntimeError(log.read_text())


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def claude_code(home, model, env, server):
    more = {"ANTHROPIC_BASE_URL": model.removesuffix("/v1"), "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "false", "MCP_CONNECTION_NONBLOCKING": "false",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    way = ["--transport", "http", "econoscope", server["url"]] if "url" in server else ["econoscope", "--", server["command"], *server["args"]]
    run("claude", "mcp", "add", *way, cwd=home / "work", env={**env, **more})
    run("claude", "-p", "go", "--allowedTools", "mcp__econoscope", cwd=home / "work", env={**env, **more})


def codex(home, model, env, server):
    way = ["econoscope", "--url", server["url"]] if "url" in server else ["econoscope", "--", server["command"], *server["args"]]
    run("codex", "mcp", "add", *way, cwd=home / "work", env=env)
    config = home / ".codex/config.toml"
    head = 'model = "mock"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
    mock = f'\n[model_providers.mock]\nname = "mock"\nbase_url = "{model}"\nwire_api = "responses"\n'
    config.write_text(head + config.read_text() + mock)
    run("codex", "exec", "--skip-git-repo-check", "go", cwd=home / "work", env=env)


def gemini_cli(home, model, env, server):
    more = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.removesuffix("/v1"), "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    write(home / ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}})
    way = ["--transport", "http", "econoscope", server["url"]] if "url" in server else ["econoscope", server["command"], "--", *server["args"]]
    run("gemini", "mcp", "add", "-s", "user", "--trust", *way, cwd=home / "work", env={**env, **more})
    run("gemini", "-p", "go", "--yolo", "-m", "gemini-3-pro-preview", cwd=home / "work", env={**env, **more})


def qwen_code(home, model, env, server):
    more = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model, "OPENAI_MODEL": "mock"}
    write(home / ".qwen/settings.json", {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}, "tools": {"toolSearch": {"enabled": False}}})
    way = ["--transport", "http", "econoscope", server["url"]] if "url" in server else ["econoscope", server["command"], "--", *server["args"]]
    run("qwen", "mcp", "add", "-s", "user", "--trust", *way, cwd=home / "work", env={**env, **more})
    run("qwen", "-p", "go", "--yolo", cwd=home / "work", env={**env, **more})


def opencode(home, model, env, server):
    way = {"type": "remote", "url": server["url"]} if "url" in server else {"type": "local", "command": [server["command"], *server["args"]]}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": model, "apiKey": "none"}, "models": {"mock": {"tool_call": True}}}
    write(home / ".config/opencode/opencode.json", {"model": "mock/mock", "small_model": "mock/mock", "provider": {"mock": provider},
                                                    "mcp": {"econoscope": way}, "permission": "allow", "autoupdate": False, "share": "disabled"})
    run("opencode", "run", "go", cwd=home / "work", env=env)


def cline(home, model, env, server):
    run("cline", "auth", "-p", "openai", "-k", "none", "-m", "mock", "-b", model, cwd=home / "work", env=env)
    way = {"type": "streamableHttp", "url": server["url"]} if "url" in server else {"command": server["command"], "args": server["args"]}
    write(home / ".cline/data/settings/cline_mcp_settings.json", {"mcpServers": {"econoscope": way}})
    run("cline", "--auto-approve", "true", "go on", cwd=home / "work", env=env)


def continue_cli(home, model, env, server):
    way = f"    type: streamable-http\n    url: {server['url']}\n" if "url" in server else f"    command: {server['command']}\n    args: {json.dumps(server['args'])}\n"
    config = ("name: test\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: mock\n    provider: openai\n    model: mock\n    apiKey: none\n"
              f"    apiBase: {model}\n    useResponsesApi: false\n    roles: [chat]\n    capabilities: [tool_use]\nmcpServers:\n  - name: econoscope\n{way}")
    write(home / "config.yaml", config)
    run("cn", "-p", "go", "--config", home / "config.yaml", "--auto", cwd=home / "work", env={**env, "CONTINUE_TELEMETRY_ENABLED": "0"})


def copilot(home, model, env, server):
    more = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": model, "COPILOT_MODEL": "mock", "COPILOT_AUTO_UPDATE": "false"}
    way = {"type": "http", "url": server["url"], "tools": ["*"]} if "url" in server else {"type": "local", "tools": ["*"], **server}
    write(home / ".copilot/mcp-config.json", {"mcpServers": {"econoscope": way}})
    run("copilot", "-p", "go", "--allow-all-tools", cwd=home / "work", env={**env, **more})

"""What the server says over plain JSON lines, and what of it a client's answer lacks."""

import json
import subprocess

CALLS = [
    ["get_macro_summary", {}],
    ["get_metric", {"ticker": "10y"}],
    ["get_time_series", {"seriesId": "UNRATE", "start": "5y"}],
    ["get_time_series", {"seriesId": "DGS10", "start": "max", "format": "csv"}],
    ["compare_series", {"series": ["UNRATE", "DGS10"], "start": "2020-01-01"}],
    ["get_regime", {}],
    ["search_glossary", {"q": "sahm rule"}],
    ["explain_indicator", {"indicator": "crpi"}],
]
WRONG = ["get_metric", {"ticker": "NOSUCHTHING"}]
PROMPT = ["compare_two", {"first": "UNRATE", "second": "core-cpi"}]
RESOURCE = "macro://series/UNRATE.csv?start=1y"


def truth(binary, store):
    """Names of the lists and the structure and text of every call."""
    server = subprocess.Popen([binary, "--store", store], stdin=-1, stdout=-1, text=True)

    def ask(method, params, number=[0]):
        number[0] += 1
        message = {"jsonrpc": "2.0", "id": number[0], "method": method, "params": params}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())["result"]

    ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "truth", "version": "1"}})
    lists = {
        "tools": ask("tools/list", {})["tools"],
        "prompts": ask("prompts/list", {})["prompts"],
        "resources": ask("resources/list", {})["resources"],
        "templates": ask("resources/templates/list", {})["resourceTemplates"],
    }
    calls = [ask("tools/call", {"name": name, "arguments": arguments}) for name, arguments in CALLS]
    server.stdin.close()
    server.wait()
    return {
        "lists": {kind: sorted(one["name"] for one in listed) for kind, listed in lists.items()},
        "structures": [call["structuredContent"] for call in calls],
        "texts": [call["content"][0]["text"] for call in calls],
    }


def leaves(value, path=""):
    """Every value with its path; numbers as such, dates as text, whatever types a client made of them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{at}]")
    elif value is not None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        yield path, (float(value) if is_number else str(value))


def lost(whole, given):
    """Paths of the values that are not in what a client gave."""
    had = dict(leaves(given))
    return [path for path, value in leaves(whole) if had.get(path) != value]

"""What the server says over plain JSON lines, and what of it a client's answer lacks."""

import json
import pathlib
import subprocess
import urllib.request

CALLS = [
    ["get_macro_summary", {}],
    ["get_metric", {"ticker": "10y"}],
    ["get_time_series", {"seriesId": "UNRATE", "start": "5y"}],
    ["get_time_series", {"seriesId": "DGS10", "start": "max", "format": "csv"}],
    ["compare_series", {"series": ["UNRATE", "DGS10"], "start": "2020-01-01"}],
    ["get_regime", {}],
    ["search_glossary", {"q": "sahm rule"}],
    ["explain_indicator", {"indicator": "CRPI"}],
]
WRONG = ["get_metric", {"ticker": "NOSUCHTHING"}]
PICTURE = ["get_time_series", {"seriesId": "UNRATE", "start": "5y", "chart": True}]
# The longest of the usual answers.
LONG = [["get_release_calendar", {"days": 60}], ["get_regime", {"start": "2020-01"}], ["list_scenarios", {}]]
# More than hosts take; what they make of it is told, not required.
FULL = ["get_time_series", {"seriesId": "DGS10", "start": "max", "detail": "full"}]
# Some hosts send every default that a schema has.
FILLED = [["get_time_series", {"seriesId": "UNRATE"}], ["compare_series", {"series": ["UNRATE", "DGS10"]}], ["search_series", {"query": "inflation"}]]
# A call of every tool, for those that fill in everything.
EXAMPLES = {
    "get_macro_summary": {}, "get_regime": {}, "get_metric": {"ticker": "10y"}, "get_signals": {}, "get_time_series": {"seriesId": "UNRATE"},
    "compare_series": {"series": ["UNRATE", "DGS10"]}, "search_series": {"query": "inflation"}, "list_scenarios": {}, "search_glossary": {"q": "sahm rule"},
    "get_latest_articles": {}, "search": {"query": "net liquidity"}, "fetch": {"id": "series:DGS10"}, "explain_indicator": {"indicator": "CRPI"},
    "what_changed": {}, "get_revisions": {"seriesId": "PAYEMS"}, "get_release_calendar": {},
}
SCHEMAS = pathlib.Path(__file__).parents[3] / "tool-schemas"


def with_defaults(name, arguments):
    """A call with every default of its tool's schema."""
    properties = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))["inputSchema"]["properties"]
    return [name, {**{key: about["default"] for key, about in properties.items() if "default" in about}, **arguments}]


ASKED = [*CALLS, *LONG, PICTURE, *(with_defaults(*call) for call in FILLED), FULL, WRONG]
BESIDE = [["search", {"query": "net liquidity"}], CALLS[1]]
# What the recorded model asks for in each run: over both transports, and beside a server with tools of the same names.
PLANS = {"stdio": ASKED, "http": ASKED, "twins": BESIDE, "apart": BESIDE}
PROMPT = ["compare_two", {"first": "UNRATE", "second": "core-cpi"}]
RESOURCE = "macro://series/UNRATE.csv?start=1y"


def over_stdio(binary, arguments):
    """A way to ask a server over stdio: a function of a method and its parameters, and one that ends it."""
    server = subprocess.Popen([binary, *arguments], stdin=-1, stdout=-1, text=True)

    def ask(message):
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())

    def end():
        server.stdin.close()
        server.wait()
    return ask, end


def over_http(url):
    """The same over HTTP."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}

    def ask(message):
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
            headers.update({"mcp-session-id": answer.headers["mcp-session-id"]} if answer.headers["mcp-session-id"] else {})
        return json.loads(text if text.startswith("{") else next(line[5:] for line in text.splitlines() if line.startswith("data:") and len(line) > 6))
    return ask, lambda: None


def truth(way):
    """Names of the lists, and text and structure of every call."""
    ask, end = way

    def result(method, params):
        return ask({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})["result"]

    result("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "truth", "version": "1"}})
    lists = {
        "tools": result("tools/list", {})["tools"],
        "prompts": result("prompts/list", {})["prompts"],
        "resources": result("resources/list", {})["resources"],
        "templates": result("resources/templates/list", {})["resourceTemplates"],
    }
    call = lambda name, arguments: result("tools/call", {"name": name, "arguments": arguments})
    calls = [call(*one) for one in ASKED]
    wrong = [f"{name} filled with {blank!r} says something else"
             for name, arguments in EXAMPLES.items() for blank in (None, "", "[]")
             if call(name, filled(lists["tools"], name, arguments, blank))["content"] != call(name, arguments)["content"]]
    end()
    return {
        "lists": {kind: sorted(one["name"] for one in listed) for kind, listed in lists.items()},
        "structures": [call.get("structuredContent") for call in calls],
        "texts": [call["content"][0]["text"] for call in calls],
        "wrong": wrong,
    }


def filled(tools, name, arguments, blank):
    """A call with everything that its schema has: defaults, and blanks in one form for the rest."""
    properties = next(tool["inputSchema"]["properties"] for tool in tools if tool["name"] == name)
    none = lambda about: json.loads(blank) if blank == "[]" and about.get("type") == "array" else None if blank == "[]" else blank
    return {**{key: about.get("default", none(about)) for key, about in properties.items()}, **arguments}


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

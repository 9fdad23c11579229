#!/usr/bin/env python3
"""Checks what a server that forwards promises: drive.py BINARY FOLDER

Starts the stand-in of upstream.py and the program from an empty home, over HTTP and stdio. Prints one line a check, the calls of
each tool, widget and page, and a sum; the exit code is 1 after a failure. Checks look at values, structure and status, not at wording."""
import html, json, os, pathlib, re, sys, tempfile, time, urllib.parse, urllib.request
from program import CONTRACT_TOOLS, Checks, Clock, Program, settle
from upstream import Upstream

BINARY, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FENCED = r"(?s)\[external text[^\]]*\].*?\[end\]"
HIDDEN = r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
LOCAL = r"(?i)\blocal|\bown (store|data|figures|history)|\bbundled|not (of|from|by) the upstream"
LINK = r"""(?:href|src|action)\s*=\s*["']?([^"'\s>]+)"""
TOLD = {"get_macro_summary": ["23.4", "71.3", "7.65", "8.88", "5.55", "44.4", "12.3", "(?i)stagflation"],
        "get_regime": ["(?i)stagflation"], "get_metric": ["9.9"], "get_time_series": ["9.9"],
        "get_signals": ["23.4", "7.65", "71.3", "64.2", "1.11", "44.4"],
        "list_scenarios": ["Stand-in scenario 1", "35", "12.5", "0.8"], "search_glossary": ["Stand-in term 1", "Stand-in summary 1"],
        "get_latest_articles": ["Stand-in title 1", "Stand-in title 5"]}
OTHER_TOOLS = [("compare_series", {"series": ["UNRATE", "DGS10"]}), ("fetch", {"id": "series:UNRATE"}), ("what_changed", {}),
               ("get_revisions", {"seriesId": "UNRATE"}), ("explain_indicator", {"indicator": "CRPI"}), ("get_release_calendar", {}),
               ("search_series", {"query": "unemployment"}), ("search", {"query": "unemployment"})]
REST = ["macro-summary", "regime", "signals", "metrics/UNRATE", "data/UNRATE", "scenarios", "glossary/search?q=x", "content/latest"]
PAGES = ["/", "/series/UNRATE", "/series/SERVICE_CRPI", "/regime", "/methods", "/search?q=inflation", "/series", "/glossary",
         "/calendar", "/articles", "/release/PAYEMS", "/scenarios", "/compare?series=UNRATE,DGS10", "/cite/UNRATE",
         "/chart/UNRATE.svg", "/chart/regime.svg", "/chart/release/PAYEMS.svg", "/embed", "/suggest?q=unem", "/alerts.atom?condition=UNRATE%3E5"]
WIDGETS = ["/widget/regime", "/widget/recession", "/widget/metric/UNRATE", "/widget/metric/SERVICE_CMSI", "/widget/release/PAYEMS",
           "/widget/chart?series=UNRATE,DGS10"]
check, asked, table = Checks(), set(), []
# Whether the program does not start from an empty home: then all but the first checks prepare one.
needs_folder = False


class Setting:
    """A fresh stand-in, and a program in front of it."""

    def __init__(self, *flags, stdio=False, clock=None, **variant):
        self.up = Upstream(clock=clock.time if clock else time.time, **variant).start()
        home = tempfile.mkdtemp(dir=FOLDER)
        if needs_folder:
            pathlib.Path(home, ".local/share/econoscope").mkdir(parents=True)
        self.program = Program(BINARY, FOLDER, self.up.url, *flags, stdio=stdio, clock=clock, home=home)

    def __enter__(self):
        return self.program, self.up

    def __exit__(self, *_):
        self.program.__exit__()
        asked.update(self.up.calls()["log"])
        self.up.close()


def missing(text, values):
    """The values that a text does not tell; a pattern begins with (?."""
    pattern = lambda value: value if value.startswith("(?") else rf"(?<![\d.]){re.escape(value)}{'0*' * ('.' in value)}(?!\d)"
    return [value for value in values if not re.search(pattern(value), text)]


def faults(answer, values):
    """What is wrong with an answer that should tell these values."""
    if answer.is_error:
        return "refused: " + answer.text
    wrong = [f"no {value}" for value in missing(answer.text, values)] + ["'no value'"] * ("no value" in answer.text)
    return "; ".join([*wrong, answer.text]) if wrong else ""


def visible(page, pictures=True):
    """The text of a page."""
    dropped = "style|script" if pictures else "style|script|svg"
    return html.unescape(re.sub(r"\s+", " ", re.sub(rf"(?s)<({dropped})\b.*?</\1>|<[^>]+>", " ", page)))


def changes(page):
    """Figures with a sign and three digits or more, by which a page that shows other data is told from this one."""
    found = re.findall(r"[+−]\d[\d.,]*\d", visible(page, pictures="<html" not in page))
    return {figure for figure in found if len(re.sub(r"\D", "", figure).lstrip("0")) > 2}


def start():
    global needs_folder
    up = Upstream().start()
    for name, stdio in [("serve", False), ("stdio", True)]:
        with Program(BINARY, FOLDER, up.url, stdio=stdio) as program:
            check(f"{name} starts from an empty home", program.started, program.said())
            needs_folder |= not program.started
            check(f"{name} makes the folder of its state", list(pathlib.Path(program.home).rglob("upstream.db")), "no upstream.db")
    with Program(BINARY, FOLDER, up.url) as program:
        done = program.run("call", "get_metric", "ticker=UNRATE", "--text")
        check("call works in an empty home", done.returncode == 0 and "9.9" in done.stdout, done.stderr)
    file = pathlib.Path(FOLDER, "no-folder")
    file.write_text("")
    for home in [str(file), "/proc"]:
        with Program(BINARY, FOLDER, up.url, home=home) as program:
            name = f"a home that cannot be written ({os.path.basename(home)})"
            answer = program.tool("get_metric", ticker="UNRATE") if program.started else None
            check(f"{name}: it starts with a warning", program.started and "WARN" in program.said(), program.said())
            check(f"{name}: it answers with its state in memory", answer and "9.9" in answer.text, answer and answer.text)
    up.close()


def wrong_of(tool, answer, words):
    """What is wrong with a tool's answer under a variation."""
    values = list(TOLD[tool])
    if tool == "get_regime":
        values += [] if {"bare", "nulls"} & words else ["61.7"]
        values += [] if {"nulls", "no-views"} & words else ["(?i)bearish"]
        values += ["(?i)silver", "LONG", "(?i)housing"] if "views-unknown" in words else []
    if tool == "get_signals" and "labels" in words:
        values += ["Curve of two to ten", "Fear gauge", "Bond mood", "nervous", "8.88"]
    if wrong := faults(answer, values):
        return wrong
    if "extra" in words and answer.structure.count("extra-4711") < (1 if tool in ("get_metric", "get_time_series") else 2):
        return "an extra field is not in the structure"
    if tool == "get_regime" and answer.data.get("regime") != "STAGFLATION":
        return f"the structure says {answer.data.get('regime')}"
    return ""


def reading():
    for words in [[], ["keyed"], ["numbers"], ["labels"], ["bare"], ["keyed", "bare"], ["nulls"], ["keyed", "nulls"], ["dateless"],
                  ["no-attribution"], ["no-views"], ["views-unknown"], ["extra"], ["keyed", "extra"], ["lower"], ["mixed"]]:
        name = "+".join(words) or "as documented"
        with Setting(words=words) as (program, up):
            for tool, arguments in CONTRACT_TOOLS:
                wrong = wrong_of(tool, program.tool(tool, **arguments), set(words))
                check(f"{name}: {tool}", not wrong, wrong)
            statuses = {path: program.get("/api/public/" + path)[0] for path in REST}
            check(f"{name}: REST", set(statuses.values()) == {200}, statuses)
            for path, value in [("regime", "(?i)stagflation"), ("recession", "23.4"), ("metric/UNRATE", "9.9")]:
                status, page, _ = program.get("/widget/" + path)
                check(f"{name}: /widget/{path}", status == 200 and not missing(visible(page), [value]), f"{status} {visible(page)}")
        with Setting(words=words, stdio=True) as (program, up):
            wrong = {tool: wrong_of(tool, program.tool(tool, **arguments), set(words))[:50] for tool, arguments in CONTRACT_TOOLS}
            check(f"{name}: all of it over stdio", not any(wrong.values()), {tool: what for tool, what in wrong.items() if what})
    for words in [["no-values"], ["keyed", "no-values"]]:
        with Setting(words=words) as (program, up):
            for tool, arguments in CONTRACT_TOOLS[2:4]:
                answer = program.tool(tool, **arguments)
                beside = [line for line in answer.text.splitlines() if "no value" in line and "Stand-in meaning" in line]
                check(f"{'+'.join(words)}: {tool} has no meaning beside 'no value'", not answer.is_error and not beside, beside or answer.text)
    with Setting() as (program, up):
        texts = {tool: program.tool(tool, **arguments).text for tool, arguments in CONTRACT_TOOLS}
        check("changes over 7 and 30 days reach the text", not missing(texts["get_metric"], ["0.77", "1.23"]), texts["get_metric"])
        stray = {tool: re.findall(r".{20}\(\s*\)", text) for tool, text in texts.items()}
        check("no text has stray ()", not any(stray.values()), {tool: found for tool, found in stray.items() if found})


def wrong_types():
    cases = [  # tool, path, field, wrong value, what is still told
        (2, "/metrics/UNRATE", "changes", "up", "9.9"), (2, "/metrics/UNRATE", "date", 20261101, "9.9"),
        (2, "/metrics/UNRATE", "unit", 5, "9.9"), (2, "/metrics/UNRATE", "attribution", "x", "9.9"),
        (2, "/metrics/UNRATE", "value", "9.9 %", "(?i)unemployment rate"), (0, "/macro-summary", "key_rates.10y", "8.88 %", "7.77"),
        (0, "/macro-summary", "labor", [1], "23.4"), (0, "/macro-summary", "regime", "STAGFLATION", "23.4"),
        (0, "/macro-summary", "last_updated", "yesterday", "23.4"), (3, "/signals", "convexIndices.0.value", "23.4 %", "7.65"),
        (3, "/signals", "marketSignals.0.value", "1.11 %", "23.4"), (3, "/signals", "marketSignals", 7, "23.4"),
        (3, "/signals", "generatedAt", 12, "23.4"), (1, "/regime", "confidence", "high", "(?i)stagflation"),
        (1, "/regime", "assetViews", "none", "(?i)stagflation"), (1, "/regime", "trajectory", 4, "(?i)stagflation"),
        (1, "/regime", "narrative", None, "(?i)stagflation"), (5, "/scenarios", "scenarios.0.baseRateProbability", "35 %", "12.5"),
        (5, "/scenarios", "scenarios.0.tags", "a", "Stand-in scenario 2"), (6, "/glossary/search", "results.0.aliases", "a", "Stand-in term 2"),
        (7, "/content/latest", "articles.0.publishedAt", "yesterday", "Stand-in title 2"),
        (4, "/data/UNRATE", "data.3.value", "n/a", "9.9"), (4, "/data/UNRATE", "rowCount", "many", "9.9")]
    for index, path, field, value, told in cases:
        tool, arguments = CONTRACT_TOOLS[index]
        with Setting(set={path: {field: value}}) as (program, up):
            answer = program.tool(tool, **arguments)
            is_named = field.split(".")[-1] in json.dumps(answer.data.get("notes", {})) + answer.text
            check(f"{tool}: {field} = {json.dumps(value)} is named, the rest is told",
                  not answer.is_error and is_named and not missing(answer.text, [told]), ("" if is_named else "not named; ") + answer.text)
    for body in ["array", "empty"]:
        with Setting(body=body) as (program, up):
            told = [tool for tool, arguments in CONTRACT_TOOLS if not program.tool(tool, **arguments).is_error]
            check(f"a body with nothing in it ({body}) is refused", not told, told)


def failures():
    for name, variant in [("429 with a wait", {"status": 429, "retry_after": 600}), ("429", {"status": 429}), ("500", {"status": 500}),
                          ("cut", {"body": "cut"}), ("not JSON", {"body": "text"}), ("HTML", {"body": "html"})]:
        with Setting(**variant) as (program, up):
            answers = [program.tool("get_metric", ticker="UNRATE") for _ in range(2)]
            check(f"{name}: refused, and not asked again at once", all(a.is_error for a in answers) and len(up.log) == 1, answers[0].text)
            status, _, headers = program.get("/api/public/metrics/UNRATE")
            check(f"{name}: REST says when to come back", status in (429, 503) and "retry-after" in headers, f"{status} {headers}")
            program.tool("get_macro_summary")
            check(f"{name}: other questions go on, but in a pause", len(up.log) == (1 if "429" in name else 2), up.calls()["log"])
    with Setting(delay=3) as (program, up):
        check("slow (3 s): answered", "9.9" in program.tool("get_metric", ticker="UNRATE").text)
        up.vary(delay=15)
        begin = time.time()
        answer = program.tool("get_regime")
        check("slow (15 s): refused within 11 s", answer.is_error and time.time() - begin < 11, f"{time.time() - begin:.1f} s {answer.text}")
    clock = Clock(FOLDER)
    with Setting(clock=clock) as (program, up):
        program.tool("get_metric", ticker="UNRATE")
        clock.set(7200)
        up.vary(status=500)
        answer, (status, _, headers) = program.tool("get_metric", ticker="UNRATE"), program.get("/api/public/metrics/UNRATE")
        is_old = status == 200 and int(headers.get("age", 0)) >= 7200
        check("500 two hours later: the older answer with its age", "9.9" in answer.text and is_old, f"{status} {headers.get('age')} {answer.text}")


def prices():
    crpi = [("get_metric", {"ticker": "CRPI"})]
    for kind, most, targets in [("page", 3, PAGES), ("widget", 1, WIDGETS), ("tool", 1, CONTRACT_TOOLS + crpi), ("tool", 3, OTHER_TOOLS)]:
        for target in targets:
            with Setting("--upstream-limit", "10000") as (program, up):
                if kind == "tool":
                    status = "error" if program.tool(target[0], **target[1]).is_error else "ok"
                    target = " ".join([target[0], *(str(value) for value in target[1].values())])
                else:
                    status, page, _ = program.get(target)
                settle(up)
                with urllib.request.urlopen(up.url + "/_calls") as response:
                    counted = json.load(response)
            table.append((kind, target, status, counted))
            check(f"{kind} {target}: at most {most} calls", counted["total"] <= most, f"{counted['total']}: {[*counted['paths']]}")
            if target == "/":
                others = set(counted["paths"]) - {"/api/public/macro-summary", "/api/public/signals"}
                check("the home page asks for summary, signals and at most one more", len(others) <= 1 < counted["total"], sorted(others))
                check("the home page shows the upstream's values", not missing(visible(page), ["23.4", "8.88"]), visible(page))
    with Setting() as (program, up):  # what tempts to ask for more than the contract has
        for arguments in [{"ticker": "UNRATE", "as_of": "2009-01"}, {"ticker": "RNOW"}]:
            program.tool("get_metric", **arguments)
        program.tool("get_regime", as_of="2009-01")
        program.tool("get_time_series", seriesId="UNRATE", units="pc1", frequency="q")
        program.tool("list_scenarios", query="oil")


def bounds():
    allowed = {"regime": set(), "signals": set(), "macro-summary": set(), "content/latest": set(), "metrics": set(),
               "scenarios": {"status", "limit", "tag"}, "glossary/search": {"q", "limit"}, "data": {"start", "end", "format"}}

    def is_in_contract(call):
        path, _, query = call.removeprefix("/api/public/").partition("?")
        kind = path.split("/")[0] if re.fullmatch(r"(metrics|data)/[^/]+", path) else path
        composite = re.search(r"/(?:SERVICE_(\w+)|RNOW)", path)
        is_known = not composite or composite[1] in ("CRPI", "CNLI", "CRAI", "NVI", "CMSI")
        return kind in allowed and is_known and set(dict(urllib.parse.parse_qsl(query))) <= allowed[kind]
    beyond = sorted(call for call in asked if not is_in_contract(call))
    check("what the contract has not is never asked for", not beyond, beyond)


def budget():
    clock = Clock(FOLDER)
    with Setting(clock=clock) as (program, up):
        paths = ["macro-summary", "regime", "signals", "content/latest", "metrics/UNRATE", "metrics/DGS10", "metrics/DGS2", "metrics/VIXCLS",
                 "metrics/SPY", "metrics/T10Y2Y"]
        statuses = {path: program.get("/api/public/" + path)[0] for path in paths}
        check("ten questions of a local user are answered", set(statuses.values()) == {200}, statuses)
        clock.set(320)
        for path in paths:
            program.get("/api/public/" + path)
        settle(up)
        ages = {path: int(program.get("/api/public/" + path)[2].get("age", 9999)) for path in paths}
        check("320 s later, with 90 calls left, they are fresh for at most 10 calls more", max(ages.values()) <= 60 and len(up.log) <= 20,
              f"{len(up.log)} calls, ages {ages}")
    with Setting() as (program, up):
        statuses = [program.get(f"/api/public/metrics/FIGURE{n}")[0] for n in range(120)]
        check("forty different figures in a row for a sole user", statuses[:40].count(200) == 40, f"{statuses[:40].count(200)} answered")
        check("never above 100 calls", len(up.log) <= 100, f"{len(up.log)} calls")
    settings = pathlib.Path(FOLDER, "proxy.toml")
    settings.write_text('trusted-proxy = ["127.0.0.1/32"]\n')
    with Setting("--config", str(settings)) as (program, up):
        ask = lambda path, caller: program.get("/api/public/" + path, **{"x-forwarded-for": caller})[0]
        got = [ask(f"metrics/FIGURE{n}", "192.0.2.1") for n in range(60)].count(200)
        others = [ask(f"metrics/OTHER{n}", f"198.51.100.{n}") for n in range(3)]
        check("one public caller leaves calls to others", others == [200] * 3 and got < 60, f"{got} of 60 for one, others {others}")
        check("what all callers share is still answered then", ask("macro-summary", "198.51.100.9") == 200, up.calls()["total"])


def truth():
    figures = {"CRPI": "23.4", "CVRP": "23.4", "CMSI": "71.3", "CNLI": "7.65", "CRAI": "64.2"}
    for words in [[], ["no-metric"], ["no-metric", "no-signals"], ["no-metric", "no-summary"], ["no-signals", "no-summary"]]:
        name = "+".join(words) or "as documented"
        for ticker, value in figures.items():
            if ticker == "CRAI" and words == ["no-metric", "no-signals"]:
                continue  # no other part has it
            with Setting(words=words) as (program, up):
                wrong = faults(program.tool("get_metric", ticker=ticker), [value])
                check(f"{name}: get_metric {ticker} says {value} for at most 3 calls", not wrong and len(up.log) <= 3, wrong)
                path = "/widget/recession" if ticker == "CRPI" else f"/widget/metric/{ticker}"
                status, page, _ = program.get(path)
                check(f"{name}: {path} shows {value}", status == 200 and not missing(visible(page), [value]), f"{status} {visible(page)}")
    with Setting(words=["no-metric", "no-signals", "no-summary"]) as (program, up):
        answer = program.tool("get_metric", ticker="CRPI")
        again = re.search(r"(?i)mean\W+SERVICE_CRPI\b", answer.text)
        check("a composite that the upstream lacks is not suggested for itself", answer.is_error and not again, answer.text)
    for words in [[], ["percent"]]:
        with Setting(words=words) as (program, up):
            answer = program.tool("list_scenarios")
            wrong = faults(answer, TOLD["list_scenarios"]) or re.search(r"3500|1250|\b80(\.0)? ?%", answer.text)
            check(f"base rates from 0 to {'100' if words else '1'} are told as 35, 12.5 and 0.8 %", not wrong, answer.text)
    with Setting() as (program, up):
        for tool, arguments in OTHER_TOOLS:
            answer = program.tool(tool, **arguments)
            begin = answer.text if answer.text.startswith("{") else answer.text.partition("\n")[0][:300]
            check(f"{tool} is refused or says first that it is local", answer.is_error or re.search(LOCAL, begin), begin)
        for uri in ["macro://alert/UNRATE%20%3E%205", "macro://calendar", "macro://scenario/sahm-trigger"]:
            message = program.rpc("resources/read", {"uri": uri})
            check(f"{uri} is refused or says that it is local", "error" in message or re.search(LOCAL, json.dumps(message)), message)
    with Setting("--upstream-limit", "10000") as (program, up), Program(BINARY, FOLDER, None) as alone:
        for path in ["/", "/series/UNRATE", *PAGES[3:], *WIDGETS[4:]]:
            status, page, _ = program.get(path)
            same = changes(page) & changes(alone.get(path)[1]) if status == 200 else set()
            check(f"{path} has no local figures without a word", not same or re.search(LOCAL, visible(page)), sorted(same))


def untrusted():
    prose = ["Stand-in narrative", "Stand-in narrative", "Stand-in meaning", "Stand-in meaning", "Unemployment rate",
             "Stand-in scenario", "Stand-in summary", "Stand-in title"]
    with Setting() as (program, up):
        for (tool, arguments), part in zip(CONTRACT_TOOLS, prose):
            text = program.tool(tool, **arguments).text
            is_told = part in text or tool == "get_time_series"  # its title may be that of the catalogue
            check(f"{tool}: the upstream's text is told, and fenced", is_told and part not in re.sub(FENCED, "", text), text)
    with Setting("--upstream-limit", "10000", words=["hostile"]) as (program, up):
        for tool, arguments in CONTRACT_TOOLS:
            answer = program.tool(tool, **arguments)
            text, data = answer.text, answer.structure
            signs = {"text outside a fence": "EVIL" in re.sub(FENCED, "", text).upper(), "hidden characters": re.search(HIDDEN, text),
                     "a forged line": re.search(r"(?mi)^\W*SYSTEM:", text),
                     "fences that do not match": text.lower().count("[end]") != text.count("[external text")}
            found = [sign for sign, is_there in signs.items() if is_there]
            check(f"hostile: text of {tool}", not answer.is_error and not found, f"{found} {text}")
            signs = {"hidden characters": re.search(HIDDEN + r"|\\u00[01]", data), "line breaks": re.search(r"(?i)\\n\W*SYSTEM", data),
                     "nothing marked as untrusted": "untrusted" not in data}
            found = [sign for sign, is_there in signs.items() if is_there]
            check(f"hostile: structure of {tool}", not answer.is_error and not found, found or text)
        for path in ["/", "/series/UNRATE", "/regime", *WIDGETS[:4]]:
            status, page, _ = program.get(path)
            found = re.findall(".{12}" + HIDDEN, html.unescape(page)) + re.findall(re.escape("](x) <b>"), page)
            check(f"hostile: {path}", status == 200 and not found, f"{status} {[ascii(text) for text in found]}")
    for word, sign in [("javascript", "javascript:"), ("foreign", "evil.example")]:
        with Setting("--upstream-limit", "10000", words=[word]) as (program, up):
            for path in ["/", "/series/UNRATE", "/regime", *WIDGETS[:4]]:
                status, page, _ = program.get(path)
                links = [link for link in re.findall(LINK, html.unescape(page)) if sign in link]
                check(f"{word} addresses are no links of {path}", status == 200 and not links, f"{status} {links}")
            answers = {tool: program.tool(tool, **arguments) for tool, arguments in CONTRACT_TOOLS}
            shown = [tool for tool, answer in answers.items() if sign in answer.text + answer.structure]
            check(f"{word} addresses are not in answers of tools", not shown, shown)
    not_public = lambda got: "public" not in got and re.search("no-store|no-cache", got)
    rules = [({"cache-control": "no-store"}, not_public), ({"vary": "*"}, not_public),
             ({"cache-control": "private, max-age=300"}, lambda got: "private" in got or not_public(got)),
             ({"cache-control": "max-age=60"}, lambda got: int((re.findall(r"max-age=(\d+)", got) or [0])[0]) <= 60)]
    for headers, is_kept in rules:
        with Setting("--upstream-limit", "10000", headers=headers) as (program, up):
            for path in ["/api/public/metrics/UNRATE", "/widget/metric/UNRATE", "/"]:
                got = program.get(path)[2].get("cache-control", "")
                check(f"{headers} is carried over to {path}", is_kept(got), got)


def operator():
    with Setting() as (program, up):
        host = up.url.removeprefix("http://")
        done = program.run("doctor")
        told = "\n".join(block for block in re.split(r"\n(?=\S)", done.stdout) if "upstream" in block.lower() or host in block)
        check("doctor asks the upstream once", len(up.log) == 1, f"{len(up.log)} calls")
        check("doctor names the address", host in told, told)
        check("doctor tells calls used and left", not missing(told.replace(host, ""), ["1", "99"]), told)
        check("doctor tells the last success", re.search(r"(?i)\blast\b|succe|answered", told), told)
        program.tool("get_metric", ticker="UNRATE")
        lines = [line for line in program.metrics().splitlines() if "upstream" in line and not line.startswith("#")]
        for what, names in [("calls", "call|used"), ("calls left", "left|remaining"), ("stale answers", "stale"), ("refusals", "refus|denied")]:
            check(f"/metrics has the upstream's {what}", [line for line in lines if re.search(names, line)], lines)
        for host in ["cursor", "claude-desktop", "vscode"]:
            done = program.run("install", host, "--print")
            check(f"install {host} keeps --upstream", "--upstream" in done.stdout and up.url in done.stdout, done.stdout + done.stderr)
    gone = Upstream()
    gone.server.server_close()
    with Program(BINARY, FOLDER, gone.url) as program:
        done = program.run("doctor")
        named = gone.url.removeprefix("http://") in done.stdout
        check("doctor fails when the upstream is closed, and names it", done.returncode and named, f"exit code {done.returncode}")


if __name__ == "__main__":
    pathlib.Path(FOLDER).mkdir(parents=True, exist_ok=True)
    for title, part in [
            ("Start (F1)", start), ("Read what is there (F2, F3)", reading), ("A wrong type costs its field alone (F2)", wrong_types),
            ("An upstream that fails", failures), ("Prices (F4)", prices), ("Fair budget (F5)", budget), ("One truth (F6, F7)", truth),
            ("Text of the upstream is untrusted (F7)", untrusted), ("Seen by its operator (F8, F9)", operator),
            ("The contract's bounds (F4)", bounds)]:
        print(f"\n{title}", flush=True)
        part()
    print("\nCalls of one answer without anything cached")
    for kind, target, status, counted in table:
        paths = ", ".join(path.removeprefix("/api/public/") + (f" x{n}" if n > 1 else "") for path, n in counted["paths"].items())
        print(f"{kind:6} {target:38} {status!s:5} {counted['total']:2}  {paths}")
    check.end()

#!/usr/bin/env python3
"""A server locked to a past day tells nothing that was known later. Usage: proof.py BINARY FOLDER [DAY] [REQUESTS]

Two stores: the bundled history, and the same with every later figure of seven series altered, a series that begins later and
an article of a later day, all of them canaries. Two clocks: this machine's, and one set years ahead by faketime, if that is
installed. The same requests (2,000 by default: every tool, prompt and resource, with names, days and formulas drawn by a fixed
seed) go to both over stdio, and a quarter as many over HTTP to /mcp, with every endpoint, document and page of
tests/addresses.json, also with past days; all of it again with --strict. The bytes and headers of every answer have to be equal,
and no canary may be in any of them. HTTP's Date is noon of the day.
"""
import csv, datetime, email.utils, http.client, json, os, pathlib, random, shutil, signal, socket, subprocess, sys, time

binary, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
day = sys.argv[3] if len(sys.argv) > 3 else "2015-06-30"
count = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
root = pathlib.Path(__file__).resolve().parents[2]
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
env = {"HOME": str(work), "PATH": os.environ["PATH"], "HTTPS_PROXY": "http://127.0.0.1:9"}
CANARY = "98765.4"
WORD = "ZEPHYRCANARY"
ALTERED = ["UNRATE", "PAYEMS", "CPIAUCSL", "GDPC1", "INDPRO", "DGS10", "FEDFUNDS"]


def run(*arguments):
    subprocess.run([binary, *arguments], env=env, check=True, capture_output=True, timeout=600)


def later_files(folder):
    """Vintages that rewrite every figure after the day, and restate old ones after it."""
    folder.mkdir()
    after = (datetime.date.fromisoformat(day) + datetime.timedelta(days=1)).isoformat()
    for name in ALTERED:
        dates = [row["date"] for row in csv.DictReader(open(root / "data/series" / f"{name}.csv"))]
        with open(folder / f"{name}.csv", "w") as file:
            file.write("date,value,known_from\n")
            for date in dates:
                known = max(after, date) if date > day else after
                if date > "2000":
                    file.write(f"{date},{CANARY},{known}\n")
    (folder / f"{WORD}.csv").write_text(f"date,value\n{after},{CANARY}\n")


def article(folder):
    folder.mkdir()
    text = f"---\nid: {WORD}\ntitle: {WORD}\npublished: 2026-01-01T00:00:00Z\ntags: [fed]\n---\n{WORD}\n"
    (folder / "canary.md").write_text(text)


def requests():
    """The tools with drawn arguments, then lists, prompts and resources."""
    draw = random.Random(7)
    names = ["UNRATE", "PAYEMS", "CPIAUCSL", "GDPC1", "INDPRO", "DGS10", "FEDFUNDS", "10y", "core cpi", "inflation", "unemployment",
             "payrolls", "gdp growth", "SOFR", "CRPI", "CNLI", "CMSI", "USREC", "VIX", WORD, "T10Y2Y", "PERMIT", "M2SL", "ICSA", "fed funds"]
    days = [None, "2008-12-31", "2012", "2014Q4", "2015-06", "2016-01-31", "2024-01-31", "today", "yesterday", "latest"]
    formulas = ["UNRATE - 4", "yoy(CPIAUCSL)", "DGS10-DGS2", "FEDFUNDS > yoy(CPIAUCSL)", "chg(PAYEMS)"]
    tools = {
        "get_macro_summary": lambda: {"as_of": draw.choice(days)},
        "get_regime": lambda: {"as_of": draw.choice(days)},
        "get_metric": lambda: {"ticker": draw.choice(names), "as_of": draw.choice(days)},
        "get_signals": lambda: {"as_of": draw.choice(days)},
        "get_time_series": lambda: {"seriesId": draw.choice(names), "start": draw.choice(["5y", "max", "2014", "2007-01"]),
                                    "as_of": draw.choice(days), "detail": draw.choice([None, "summary", "full"])},
        "compare_series": lambda: draw.choice([
            {"series": f"{draw.choice(names)},{draw.choice(formulas)}", "start": draw.choice(["5y", "2010"])},
            {"series": draw.choice(["yield curve", "employment report", "CPI report", "GDP report", "unemployment by state", "$1,200"])},
            {"series": draw.choice(["curve", "UNRATE,DGS10", "jobs report"]), "dates": ["2007-06-29", draw.choice(["2012", "latest"])]}]),
        "search_series": lambda: {"query": draw.choice(names)},
        "list_scenarios": lambda: {"query": draw.choice([None, "recession", "sahm"])},
        "search_glossary": lambda: {"q": draw.choice(names)},
        "get_latest_articles": lambda: {},
        "search": lambda: {"query": draw.choice(names)},
        "fetch": lambda: {"id": draw.choice(["method:crpi", "term:sahm-rule", "series:UNRATE", "scenario:sahm-trigger"])},
        "explain_indicator": lambda: {"indicator": draw.choice(["CRPI", "CNLI", "RNOW", "regime"]), "detail": draw.choice([None, "full"])},
        "what_changed": lambda: {"since": draw.choice(["30d", "2015-01", "2008"])},
        "get_revisions": lambda: draw.choice([{"seriesId": draw.choice(names)}, {"claim": "UNRATE 2014-08 >= 6.1"}, {"claim": "UNRATE 2023-08 > 3"}]),
        "get_release_calendar": lambda: {"series": draw.choice([None, *names])},
    }
    sent = [("tools/list", {}), ("resources/list", {}), ("resources/templates/list", {}), ("prompts/list", {})]
    sent += [("resources/read", {"uri": f"macro://{name}"}) for name in
             ["summary", "regime", "calendar", "catalog", "articles", "scores", "rights", "doubts", "method/regime", "method/crpi", "formulas",
              "series/UNRATE.csv", "series/UNRATE", f"series/{WORD}", "metric/UNRATE", "glossary/sahm-rule", "scenario/sahm-trigger",
              "alert/UNRATE%20%3E%205", "catalog/labor", "articles/fed"]]
    while len(sent) < count:
        tool = draw.choice(list(tools))
        arguments = {name: value for name, value in tools[tool]().items() if value is not None}
        sent.append(("tools/call", {"name": tool, "arguments": arguments}))
    return sent[:count]


def started(store, words, clock=None):
    line = [binary, "--store", store, "--articles", work / f"articles-{store.stem}", "--as-of", day, *words]
    if clock and shutil.which("faketime"):
        line = ["faketime", clock, *line]
    return subprocess.Popen(line, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            start_new_session=True)


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "proof", "version": "1"}}


def answers(store, sent, flags, clock=None):
    """Every answer over stdio, as sent, one by one."""
    program = started(store, [*flags, "stdio"], clock)

    def ask(message):
        program.stdin.write((json.dumps(message) + "\n").encode())
        program.stdin.flush()

    ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO})
    received = [program.stdout.readline()]
    ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for number, (method, params) in enumerate(sent, 1):
        ask({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        received.append(program.stdout.readline())
    program.stdin.close()
    program.wait(60)
    return received


def addresses():
    """Every address of the sample, pages of altered series and of the canary, and what takes a past day with one."""
    listed = json.loads((root / "tests/addresses.json").read_text())
    paths = [*listed["endpoints"], *listed["documents"], "/health", "/ready", "/sitemap.xml", "/nowhere"]
    for page in listed["pages"]:
        sample = page["sample"].replace("{base}", f"http://127.0.0.1:{PORT}")
        joint = "&" if "?" in sample else "?"
        paths += [sample, *(f"{sample}{joint}as_of={then}" for then in ("2012-03-01", "2024-01-31") if "as_of" in page["arguments"])]
    for name in [*ALTERED, "CRPI", "CMSI", WORD]:
        paths += [f"/series/{name}", f"/cite/{name}", f"/chart/{name}.png", f"/widget/metric/{name}", f"/api/public/metrics/{name}",
                  f"/api/public/data/{name}?start=2010-01-01", f"/api/public/data/{name}.csv?start=max", f"/api/public/revisions/{name}",
                  f"/alerts?condition={name}%20%3E%205", f"/alerts.atom?condition={name}%20%3E%205", f"/release/{name}",
                  f"/compare?series={name},DGS2", f"/compare.csv?series={name},DGS2", f"/search?q={name}", f"/suggest?q={name}"]
    paths += [f"/api/public/compare?series={name}" for name in ("yield%20curve", "employment%20report", "unemployment%20by%20state")]
    return [*paths, f"/articles/{WORD}", "/articles/canary"]


def over_http(store, sent, flags, clock=None):
    """Status, headers and body of every address, and of messages to /mcp. The port is one: answers may name it."""
    generous = [word for name in ("", "-data", "-pages") for word in (f"--rate-limit{name}", "100000")]
    generous += ["--rate-limit-per-second", "1000", "--rate-limit-burst", "1000"]
    server = started(store, [*flags, "serve", "--listen", f"127.0.0.1:{PORT}", *generous], clock)

    def ask(method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        kinds = {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
        connection.request(method, path, body=body, headers=kinds if body else {})
        answer = connection.getresponse()
        headers = sorted((name.lower(), value) for name, value in answer.getheaders() if name.lower() != "x-request-id")
        shown = json.dumps([answer.status, headers]).encode() + b"\n" + answer.read()
        connection.close()
        return shown

    try:
        for _ in range(600):
            try:
                ask("GET", "/ready")
                break
            except OSError:
                time.sleep(0.1)
        received = [ask("GET", path) for path in addresses()]
        received += [ask("HEAD", path) for path in addresses()[:40]]
        messages = [("initialize", HELLO), *sent]
        for number, (method, params) in enumerate(messages):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            received.append(ask("POST", "/mcp", json.dumps(message)))
    finally:
        os.killpg(server.pid, signal.SIGTERM)  # faketime starts a child
        server.wait(60)
    return received


def judge(what, asked, first, second):
    """Prints what differs and what has a canary; returns whether the answers are without both, and most are no errors."""
    unequal = [number for number, pair in enumerate(zip(first, second)) if pair[0] != pair[1]]
    leaks = [number for number, answer in enumerate(second)
             if CANARY.encode() in answer or WORD.encode() in answer and WORD not in json.dumps(asked[number])]
    failed = sum(b'"isError":true' in answer or b'"error"' in answer for answer in first)
    for number in (unequal + leaks)[:8]:
        a, b = first[number], second[number]
        at = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), 0)
        print(asked[number], "\n ", a[max(0, at - 150):at + 150], "\n ", b[max(0, at - 150):at + 150])
    print(f"{what}: {len(second)} answers as of {day}: {len(unequal)} differ, {len(leaks)} with a canary, {failed} are errors")
    return not unequal and not leaks and len(first) == len(second) == len(asked) and failed <= len(asked) * 2 / 3


plain, altered = work / "plain.db", work / "altered.db"
for store in (plain, altered):
    (work / f"articles-{store.stem}").mkdir()
    run("--store", store, "call", "get_metric", "UNRATE")
later_files(work / "later")
(work / "articles-altered").rmdir()
article(work / "articles-altered")
run("--store", altered, "import", work / "later", "--replace")
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    PORT = free.getsockname()[1]
CLOCK = "2031-05-04 03:02:01"
sent = requests()
fewer = sent[:24] + sent[24::4]
is_right = True
for flags in ([], ["--strict"]):
    name = " ".join(["locked", *flags])
    asked = [("initialize", {}), *(sent if not flags else fewer)]
    told = [answers(plain, asked[1:], flags), answers(altered, asked[1:], flags, CLOCK)]
    is_right &= judge(f"{name}, stdio", asked, *told)
    paths = [("GET", path) for path in addresses()]
    asked = [*paths, *(("HEAD", path) for _, path in paths[:40]), ("initialize", {}), *fewer]
    told = [over_http(plain, fewer, flags), over_http(altered, fewer, flags, CLOCK)]
    is_right &= judge(f"{name}, HTTP", asked, *told)
    noon = email.utils.format_datetime(datetime.datetime.fromisoformat(day + "T12:00:00+00:00"), usegmt=True)
    undated = [path for path, answer in zip(asked, told[0]) if noon.encode() not in answer.split(b"\n")[0]]
    print(f"{name}, HTTP: {len(undated)} answers without the day's Date", *undated[:5])
    is_right &= not undated
sys.exit(not is_right)

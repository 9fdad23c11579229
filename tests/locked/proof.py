#!/usr/bin/env python3
"""A server locked to a past day tells nothing that was known later. Usage: proof.py BINARY FOLDER [DAY] [REQUESTS]

Two stores: the bundled history, and the same with every later figure of seven series altered, a series that begins later and
an article of a later day, all of them canaries. Two clocks: this machine's, and one set years ahead by faketime, if that is
installed. The same requests (2,000 by default: every tool, prompt and resource, with names, days and formulas drawn by a fixed
seed) go to both over stdio. The bytes of every answer have to be equal, and no canary may be in any of them.
"""
import csv, datetime, json, os, pathlib, random, shutil, subprocess, sys

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
        "compare_series": lambda: {"series": f"{draw.choice(names)},{draw.choice(formulas)}", "start": draw.choice(["5y", "2010"])},
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


def answers(store, sent, clock=None):
    """Every answer, as sent, one by one."""
    start = [binary, "--store", store, "--articles", work / f"articles-{store.stem}", "--as-of", day, "stdio"]
    if clock and shutil.which("faketime"):
        start = ["faketime", clock, *start]
    program = subprocess.Popen(start, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(message):
        program.stdin.write((json.dumps(message) + "\n").encode())
        program.stdin.flush()

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "proof", "version": "1"}}
    ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    received = [program.stdout.readline()]
    ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for number, (method, params) in enumerate(sent, 1):
        ask({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        received.append(program.stdout.readline())
    program.stdin.close()
    program.wait(60)
    return received


plain, altered = work / "plain.db", work / "altered.db"
for store in (plain, altered):
    (work / f"articles-{store.stem}").mkdir()
    run("--store", store, "call", "get_metric", "UNRATE")
later_files(work / "later")
(work / "articles-altered").rmdir()
article(work / "articles-altered")
run("--store", altered, "import", work / "later", "--replace")
sent = requests()
first = answers(plain, sent)
second = answers(altered, sent, "2031-05-04 03:02:01")
unequal = [number for number, pair in enumerate(zip(first, second)) if pair[0] != pair[1]]
asked = [("initialize", {}), *sent]
leaks = [number for number, line in enumerate(second) if CANARY.encode() in line or WORD.encode() in line and WORD not in json.dumps(asked[number])]
failed = sum(b'"isError":true' in line or b'"error"' in line for line in first)
for number in (unequal + leaks)[:8]:
    a, b = first[number], second[number]
    at = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), 0)
    print(asked[number], "\n ", a[max(0, at - 150):at + 150], "\n ", b[max(0, at - 150):at + 150])
print(f"{len(second)} answers as of {day}: {len(unequal)} differ, {len(leaks)} with a canary, {failed} are errors")
sys.exit(bool(unequal or leaks or failed > len(sent) / 2))

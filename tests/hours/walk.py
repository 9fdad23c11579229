#!/usr/bin/env python3
"""The analyst's first hour and the operator's first day, typed on an empty home: every command of the documents of a user, read
from them, and the mistakes people make. Usage: walk.py BINARY WORKDIR [--show]

Each command's exit code and some words of what it says are asserted; a mistake's message has to name what is wrong and
what is right. Nothing outside the machine is asked: every source lies behind a proxy that is not there. With --show what
every command said is printed, too.
"""
import os, pathlib, re, shutil, signal, socket, subprocess, sys, time, urllib.error, urllib.request

binary, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
show = "--show" in sys.argv
root = pathlib.Path(__file__).resolve().parents[2]
shutil.rmtree(work, ignore_errors=True)
home = work / "home"
home.mkdir(parents=True)
nowhere = "http://127.0.0.1:9"
env = {"HOME": str(home), "PATH": f"{work}:{os.environ['PATH']}", "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere, "NO_PROXY": "127.0.0.1"}
(work / "econoscope").symlink_to(binary)
wrong, done = [], 0


def typed(line, code, *words, least=None, **more):
    """Types a line; its exit code and words of what it says, whatever the case."""
    global done
    done += 1
    ran = subprocess.run(line, shell=True, cwd=work, env=env | more, capture_output=True, text=True, timeout=60)
    said = ran.stdout + ran.stderr
    if show:
        print(f"$ {line}\n{said.strip()[:1500]}\n[{ran.returncode}]\n")
    lacks = [word for word in words if word.lower() not in said.lower()]
    if ran.returncode != code or lacks or "panicked" in said:
        wrong.append(f"$ {line}\n  exit {ran.returncode}, due {code}; lacks {lacks}\n  {said.strip()[:600]}")
    return said


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def got(url, status=200, *words):
    global done
    done += 1
    try:
        with urllib.request.urlopen(url, timeout=150) as answer:
            code, body = answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        code, body = error.code, error.read().decode("utf-8", "replace")
    lacks = [word for word in words if word.lower() not in body.lower()]
    if code != status or lacks:
        wrong.append(f"GET {url}\n  {code}, due {status}; lacks {lacks}\n  {body[:600]}")
    return body


# The analyst: README, from the top.
started = time.monotonic()
typed("econoscope call get_macro_summary --text", 0, "economy is in", "within 12 months", "Data by Econoscope")
typed("econoscope call get_macro_summary", 0, '"key_rates"')
typed("econoscope --help", 0, "serve", "Exit codes")
typed("econoscope demo", 0, "economy is in")
typed("econoscope call", 2, "Tools:", "get_regime")
typed("econoscope call --help", 0, "--table", "get_regime")
typed("econoscope call get_time_series --help", 0, "seriesId", "Example:")
typed("econoscope call get_metric ticker=10y --text", 0, "10-Year Treasury", "%")
typed("econoscope call get_metric 'ticker=core cpi' --text", 0, "CPILFESL")
typed("econoscope call get_metric 'ticker=fed funds' --text", 0, "fed")
typed("econoscope call get_regime as_of=2008-12 --text", 0, "December 2008", "31 December 2008")
typed("econoscope call get_regime 'as_of=December 2008' --text", 0, "December 2008", "31 December 2008")
typed("econoscope call get_time_series seriesId=UNRATE start=5y format=csv", 0, "observation_date,UNRATE")
typed("econoscope call get_time_series seriesId=UNRATE start=2008 end=Q1\\ 2009 --table", 0, "2008-12-01")
typed("econoscope call get_time_series seriesId=UNRATE 'dates=December 15, 2008' --text", 0, "7.3")
typed("econoscope call compare_series series=DGS10,DGS2 start=2015 --csv", 0, "DGS10")
typed("econoscope call search_series query=rent --table", 0, "rent")
typed("econoscope call explain_indicator indicator=CRPI --text", 0, "Formula")
typed("econoscope call get_revisions seriesId=PAYEMS date=2008-12 --text", 0, "first print")
typed("econoscope call get_release_calendar --text", 0, "Releases from")
typed("econoscope call what_changed since=yesterday --text", 2, "since", "day of the data")
typed("econoscope call what_changed since=6m --text", 0, "Since")
typed("econoscope install cursor --dry-run", 0, "econoscope")
typed("econoscope install", 1, "name one of claude-desktop")
typed("econoscope sync --plan", 0, "treasury")
before = time.monotonic()
said = typed("econoscope sync", 1, "can be reached", "Check the network")
took, lines = time.monotonic() - before, len(said.splitlines())
print(f"a sync without a network gave up after {took:.1f} s and {lines} lines")
if lines > 12:
    wrong.append(f"a sync without a network says {lines} lines:\n{said[:2000]}")
typed("econoscope doctor --offline", 0, "store")

# Figures of one's own.
csv = work / "csv"
csv.mkdir()
(csv / "MINE.csv").write_text("series_id,date,value\nMINE,2026-01-01,1\nMINE,2026-02-01,2\n")
typed("econoscope import csv", 0, "2 new")
typed("econoscope call get_metric ticker=UNRATE --text", 0, "Unemployment Rate")
typed("econoscope call get_time_series seriesId=MINE start=max", 0, '"rowCount":2')

# The operator: OPERATIONS, from the top.
(work / "backups").mkdir()
typed("econoscope backup backups/", 0, "econoscope-")
port = free_port()
at = f"http://127.0.0.1:{port}"
log = open(work / "serve.log", "w")
server = subprocess.Popen([binary, "serve", "--no-sync", "--listen", f"127.0.0.1:{port}"], env=env, stderr=log, stdout=log, cwd=work)
for _ in range(200):
    try:
        urllib.request.urlopen(f"{at}/ready", timeout=1)
        break
    except OSError:
        time.sleep(0.05)
try:
    got(f"{at}/ready")
    got(f"{at}/health")
    got(f"{at}/api/public/macro-summary", 200, "recession_probability")
    got(f"{at}/api/public/regime?as_of=December%202008", 200, "2008-12-31")
    got(f"{at}/api/public/metrics/DGS10?as_of=02/03/2008", 400, "as_of", "2 March or 3 February", "2008-12-31")
    got(f"{at}/chart/PAYEMS.png?start=1990-01-01")
    got(f"{at}/chart/PAYEMS.svg?start=January%201990&end=2000")
    got(f"{at}/chart/PAYEMS.svg?start=31%20June%201990", 400, "that month has 30")
    for page in ("/", "/series/UNRATE?start=1990", "/compare?series=DGS10,DGS2&start=2008", "/regime", "/methods", "/rights", "/calendar"):
        got(f"{at}{page}", 200, "Econoscope")
    pages = (root / "README.md").read_text().split("## Pages")[1].split("## Documents")[0]
    for address in re.findall(r"^\| `(/[^`]*)`", pages, re.M):
        got(f"{at}{address}", 200)
    typed(f"econoscope health {at}", 0)
    typed(f"econoscope serve --no-sync --listen 127.0.0.1:{port}", 1, "in use", str(port))
finally:
    server.send_signal(signal.SIGTERM)
    if server.wait(20) != 0:
        wrong.append("serve did not end with 0 after SIGTERM")
typed(f"econoscope health {at}", 1, "does not answer", at.removeprefix("http://"))

# Every command of these documents, in a home of its own: lines of code, and commands in a sentence. What a console shows is said.
DOCUMENTS = ["README.md", *(f"docs/{name}.md" for name in ("INSTALL", "TASKS", "OWN-DATA", "OPERATIONS", "FORWARDING", "LOCKED"))]
# A reader's own words, and what asks for more than a home: a table's placeholder, a server elsewhere, a folder of root, a release.
WORDS = {"HOST": "cursor", "<tool>": "get_metric", "name=value …": "ticker=UNRATE", "[--format csv|sqlite] [--as-of DAY] [--series UNRATE,payrolls]": "--series UNRATE,payrolls",
         "DAY": "2015-06-30", "report.txt": "report.txt", "/var/backups/econoscope/": "backups/", "http://host:port": f"http://127.0.0.1:{free_port()}", "import FOLDER": "import figures",
         "--sources FOLDER": "--sources sources", "export FOLDER": "export tables", "export --as-of": "export tables --as-of"}
UNTYPED = {"econoscope generate": "writes into the checkout"}
ASKS = re.compile(r"econoscope (?:--sources sources )?sync(?! --plan)|--upstream \S+ (?:call|doctor)|health")
(work / "docs").mkdir()
env["HOME"] = str(work / "docs")
for name in ("figures", "sources", "tables", "backups"):
    (work / name).mkdir(exist_ok=True)
(work / "figures" / "OWN.csv").write_text("date,value\n2026-01-01,1\n")
recipe = re.search(r"```toml\n(\[source\].*?)```", (root / "docs/OWN-DATA.md").read_text(), re.S)
(work / "sources" / "example.toml").write_text(recipe[1])


def served(line):
    """A server that starts, says where it listens, and ends at once when it is told to."""
    global done
    done += 1
    at = re.search(r"127\.0\.0\.1:\d+", line)
    line = line.replace(at[0], f"127.0.0.1:{free_port()}") if at else f"{line} --listen 127.0.0.1:{free_port()}"
    server = subprocess.Popen([*line.split(), "--no-sync"], env=env, cwd=work, stderr=subprocess.PIPE, text=True)
    said = server.stderr.readline()
    if "on http" in said:
        got(re.search(r"http://[\d.:]+", said)[0] + "/ready")
    server.terminate()
    if server.wait(20) != 0 or "on http" not in said:
        wrong.append(f"$ {line}\n  exit {server.returncode}; {said}")


typed_lines = set()
for name in DOCUMENTS:
    text = (root / name).read_text()
    lines = [(line.removeprefix("$ "), []) for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, *shown = part.strip().splitlines()
            lines.append((line, [words for words in shown if words and not words.startswith("# ")]))
    lines += [(line, []) for line in re.findall(r"`(econoscope [^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S))]
    for line, shown in lines:
        line = re.split(r"\s{2,}#", line)[0]
        if not line.startswith(("econoscope ", "printf ", "mkdir ")) or line in UNTYPED or line in typed_lines:
            continue
        typed_lines.add(line)
        for words, own in WORDS.items():
            line = line.replace(words, own)
        if " serve" in line:
            served(line)
        else:
            typed(f"{line} </dev/null", 1 if ASKS.search(line) else 0, *shown)
print(f"{len(typed_lines)} commands of {len(DOCUMENTS)} documents")
env["HOME"] = str(home)

# Mistakes, ten of a kind; each line: what is typed, exit code, words that name what is wrong and what is right.
dates = "2008-12-31, 15 December 2008, 2008-12"
call = "econoscope call"
MISTAKES = {
    "dates": [
        (f"{call} get_regime as_of=02/03/2008", 2, "as_of", "2 March or 3 February", dates),
        (f"{call} get_regime as_of=2008-13", 2, "as_of", "month 13", dates),
        (f"{call} get_metric ticker=UNRATE as_of='31 June 2008'", 2, "as_of", "has 30", dates),
        (f"{call} get_metric ticker=UNRATE as_of='31 June'", 2, "as_of", "has no year", dates),
        (f"{call} get_signals as_of=2099", 2, "as_of", "future", "a day up to"),
        (f"{call} get_time_series seriesId=UNRATE start=soon", 2, "start", "is not a date", dates),
        (f"{call} get_time_series seriesId=UNRATE start=2020 end=2019", 2, "start", "after end"),
        (f"{call} get_time_series seriesId=UNRATE dates=2020-02-30", 2, "dates", "has 29", dates),
        (f"{call} get_time_series seriesId=UNRATE after=2020 horizons=soon", 2, "horizons", "30d, 2w, 6m or 5y"),
        (f"{call} get_revisions seriesId=PAYEMS date=Q5", 2, "date", "quarter 5", dates),
        (f"{call} what_changed since=1066", 2, "since", "before 1700", dates),
        (f"{call} compare_series series=DGS10 start=today", 1, "DGS10", "take an earlier start"),
    ],
    "names": [
        (f"{call} get_metrik ticker=UNRATE", 2, "get_metric"),
        (f"{call} get_metric ticker=UNRTE", 1, "UNRATE"),
        (f"{call} get_metric ticker=xyzzy", 1, "xyzzy"),
        (f"{call} get_metric", 2, "ticker is required", "for example"),
        (f"{call} get_metric ticker=", 2, "ticker", "empty"),
        (f"{call} get_metric tickr=UNRATE", 2, "tickr", "ticker"),
        (f"{call} get_metric UNRATE DGS10", 2, "name=value", "ticker="),
        (f"{call} explain_indicator indicator=HOUST", 2, "indicator", "CRPI"),
        (f"{call} compare_series series=DGS10+GDP", 2, "column 6", "figures of one unit"),
        (f"{call} compare_series 'series=yoy(CPIAUCSL'", 2, "series"),
        (f"{call} fetch id=series:NOPE", 1, "NOPE"),
        (f"{call} list_scenarios status=open", 2, "status", "active, paused"),
    ],
    "flags": [
        ("econoscope serv", 2, "serve"),
        ("econoscope serve --lisen 127.0.0.1:0", 2, "--listen"),
        ("econoscope serve --max-connections 0", 2, "max-connections"),
        ("econoscope serve --rate-limit many", 2, "rate-limit"),
        ("econoscope serve --sync-hours 0", 2, "sync-hours"),
        ("econoscope serve --base-url macro.example.org", 2, "base-url", "https://"),
        ("econoscope serve --base-url ftp://example.org", 2, "base-url", "http"),
        ("econoscope serve --trusted-proxy nobody", 2, "trusted-proxy"),
        ("econoscope serve --rate-limit-override 203.0.113.0=x", 2, "rate-limit-override"),
        ("econoscope --log loud=9 serve --listen 127.0.0.1:0", 2, "log"),
        (f"{call} get_regime --yaml", 2, "--yaml"),
        ("econoscope sync --source-key eia", 2, "source-key", "="),
    ],
    "files": [
        ("econoscope import nowhere", 1, "nowhere"),
        ("econoscope import empty", 1, "empty", "csv"),
        ("econoscope import broken", 1, "UNRATE.csv line 3", "oops"),
        ("econoscope --config absent.toml call get_regime", 2, "absent.toml"),
        ("econoscope --config broken.toml call get_regime", 2, "broken.toml"),
        ("econoscope --config unknown.toml call get_regime", 2, "lisen", "listen"),
        ("econoscope --scenarios nowhere call get_regime", 2, "nowhere"),
        ("econoscope --articles nowhere call get_regime", 2, "nowhere"),
        ("econoscope --sources nowhere sync --plan", 2, "nowhere"),
        ("econoscope --feeds absent.csv sync", 2, "absent.csv"),
        ("econoscope backup nowhere/copy.db", 1, "nowhere"),
    ],
    "ports": [
        ("econoscope serve --listen 8080", 2, "listen", "127.0.0.1:8080"),
        ("econoscope serve --listen 127.0.0.1", 2, "listen", "127.0.0.1:8080"),
        ("econoscope serve --listen 127.0.0.1:99999", 2, "listen", "127.0.0.1:8080"),
        ("econoscope serve --listen ''", 2, "listen"),
        ("econoscope serve --listen :8080", 2, "listen", "127.0.0.1:8080"),
        ("econoscope serve --listen http://127.0.0.1:8080", 2, "listen", "127.0.0.1:8080"),
        ("econoscope serve --listen no.such.host.invalid:8080", 2, "listen"),
        ("econoscope serve --listen 192.0.2.1:8080 --no-sync", 1, "192.0.2.1:8080"),
        ("econoscope serve --listen 127.0.0.1:0 --metrics-listen here", 2, "metrics-listen"),
        ("econoscope health http://127.0.0.1:1", 1, "127.0.0.1:1"),
        ("econoscope health ftp://127.0.0.1", 1, "write http://"),
    ],
    "store": [
        ("econoscope --store nowhere/s.db call get_regime", 2, "nowhere"),
        ("econoscope --store foreign.db call get_regime", 1, "foreign.db", "not"),
        ("econoscope --store foreign.db import csv", 1, "foreign.db"),
        ("econoscope --store foreign.db doctor --offline", 1, "foreign.db"),
        ("econoscope --store csv call get_regime", 1, "csv", "folder", "choose another"),
        ("econoscope --store '' call get_regime", 2, "store"),
        ("econoscope --store other.db call get_regime", 1, "other.db"),
        ("econoscope --store /proc/s.db import csv", 1, "/proc/s.db"),
        ("econoscope --store newer.db call get_regime", 1, "newer.db"),
        ("econoscope backup backups/../csv/MINE.csv", 1, "MINE.csv"),
    ],
}
(work / "empty").mkdir()
(work / "broken").mkdir()
(work / "broken" / "UNRATE.csv").write_text("date,value\n2026-01-01,1\n2026-02-01,oops\n")
(work / "broken.toml").write_text("listen = \n")
(work / "unknown.toml").write_text('lisen = "127.0.0.1:1"\n')
(work / "foreign.db").write_text("not a database, however long it is. " * 100)
import sqlite3
for name, version in (("other.db", 0), ("newer.db", None)):
    if version is None:
        shutil.copy(home / ".local/share/econoscope/econoscope.db", work / name)
        with sqlite3.connect(work / name) as db:
            db.execute("PRAGMA user_version = 9999")
    else:
        with sqlite3.connect(work / name) as db:
            db.execute("CREATE TABLE other (x)")
for kind, mistakes in MISTAKES.items():
    for line, code, *words in mistakes:
        typed(line, code, *words)
    print(f"{len(mistakes)} mistakes with {kind}")

print(f"{done} commands and addresses in {time.monotonic() - started:.1f} s, {len(wrong)} not as they should be")
sys.exit("\n\n".join(wrong) if wrong else 0)

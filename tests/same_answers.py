#!/usr/bin/env python3
"""Compares two binaries: asks both the same over HTTP and prints every answer that differs.

    python3 tests/same_answers.py BASE NEW                                3,000 addresses, 10,000 tool calls, other methods of MCP
    python3 tests/same_answers.py BASE NEW --skip 'openapi|^tools/list'   what is meant to differ is counted, but not shown

For changes that must not change an answer: a refactoring, a new version of a dependency. Each binary serves a store of its own: the
bundled history, some imported series, two articles; nothing is fetched. Addresses are listed here, linked from pages, or drawn, as calls
are, from the tools' schemas with values that people write, a few of them wrong; the seed is fixed. Both servers are asked request by
request within one UTC day. Compared are the status, the headers in COMPARED, and the body once the times in MOMENT are masked. Exits 1
if anything differs, 2 if too many answers were errors or the day ended.
"""
import argparse, collections, datetime, html, http.client, itertools, json, pathlib, re, sys, tempfile, time, types
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent / folder) for folder in ("chaos", "hunt")]
from common import Server, run
from grammar import World
from hunt import PAGES, targets
from request import Request, expanded, modern_headers, rpc

COMPARED = ["content-type", "content-disposition", "location", "allow", "warning", "vary", "access-control-allow-origin"]
MOMENT = re.compile(rb'((?:generatedAt|last_updated|updated_at)\\?": ?\\?")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z')  # when each store was written
# Differences printed, characters of each, how many of them before the first that differs; least share of answers without an error.
SHOWN, WIDTH, BEFORE, LEAST_GOOD = 40, 200, 40, 0.7

# What arguments are drawn from; {s} is any series, {p} one in percent, {d} any day.
KNOWN = ("UNRATE PAYEMS CPIAUCSL CPILFESL DGS10 DGS2 DFF FEDFUNDS T10Y2Y T10Y3M GDP GDPC1 GFDEBTN INDPRO ICSA SAHMREALTIME M2SL HOUST WALCL "
         "CRPI RNOW CNLI CMSI CRAI NVI SERVICE_CRPI VIXCLS OWN").split()
PERCENT = "UNRATE DGS10 DGS2 DGS3MO DFF FEDFUNDS yoy(CPIAUCSL) yoy(CPILFESL) MORTGAGE30US".split()
RELEASED = "PAYEMS UNRATE CPIAUCSL CPILFESL ICSA GDPC1 INDPRO HOUST RSAFS PCEPI PPIACO WALCL NFCI JTSJOL".split()
NAMES = ["{s}"] * 50 + ("10y|core cpi|fed funds|unemployment|payrolls|inflation|rates|mortgage rate|2s10s|jobless claims|Real GDP|oil|"
                        "money supply|recession probability|net liquidity|unemploymnt|DGS1O|no such thing").split("|")
DAYS = ["{d}"] * 6 + "2008-12-31|15 December 2008|Dec 2008|2008Q4|Q4 2008|2008|2020-03|2020-02-29|2026-07|2019|yesterday|today".split("|")
TEXTS = NAMES + "yield curve|sahm rule|housing|labor|oil spike|what is the fed funds rate|wages|infaltion|zzz|<b>&\"'|é ü 经济".split("|")
FORMULAS = ("{s}|{s}|{s}|{p}-{p}|{p}>{p}|yoy({s})|mom({s})|ma({s},12)|lag({s},3)|index({s})|ann(CPILFESL,3)|cagr(GDPC1,5)|{p}^2|{p}+|{s}/{s}|"
            'GFDEBTN/GDP*100|gap(GDPC1,GDPPOT)|real(AHETPI,"2026-07")|index(PAYEMS,"2020-02")|abs(chg({s}))|not({p}>3)|"core cpi"').split("|")
CONDITIONS = "{p} < 2|{p} > {p}|T10Y2Y < 0|FEDFUNDS > yoy(CPILFESL) and UNRATE > 5|not {p} > 3 or {p} < 1|lag({p},1) != {p}|{s} > 1".split("|")
VALUES = dict.fromkeys(["seriesId", "ticker", "name"], NAMES) | dict.fromkeys(["as_of", "end", "date", "dates", "revised"], DAYS) | {
    "start": "2015-01-01|2020|2007-12|5y|10y|1y|90d|13w|6m|ytd|max|1990|2005Q4|30y|Jan 2010".split("|"), "series": FORMULAS,
    "since": "1m|7d|13w|6m|1y|5y|2008-09-15|1999".split("|"), "horizons": "1m|3m|6m|12m|5y|250td".split("|"), "maxwidth": ["300"], "check": ["4"],
    "after": "2008-09-15|2001-09-11,2008-09-15|2020-03|FOMC 2022|NBER peaks".split("|"), "condition": CONDITIONS + ["> 5", ">= 0.5"],
    "category": "rates|labor|credit|imported|none".split("|"), "tag": "recession|fed|none".split("|"), "agency": "BLS|BEA|Fed|DOL|none".split("|"),
    "id": ["series:{s}"] * 9 + "term:sahm-rule|term:yield-curve|method:CRPI|method:regime|scenario:sahm-trigger|article:first|x:y".split("|"),
    "url": ["http://localhost/" + path for path in "widget/metric/{s}|series/{s}|widget/regime|compare?series={s},{s}|none".split("|")]}
# Instead of these, by endpoint or page and the argument's name.
INSTEAD = [(r"release/.* name|calendar\S* series|revisions seriesId", RELEASED), (r"calendar start", ["today", "yesterday", "7d", "30d"]),
           (r"scenario\S* name", ["sahm-trigger", "curve-inversion", "oil-spike-30", "equity-drop-10", "none"]), (r"alerts\S* condition", CONDITIONS),
           (r"glossary\S* name", ["sahm-rule", "yield-curve", "core-inflation", "none"]), (r"articles\S* name", ["first", "second", "none"])]
# Arguments that mean nothing without another, and those that people give more often than not though no schema requires them.
NEEDS, USUAL = {"horizons": "after", "aggregation": "frequency"}, ["series", "condition", "url", "q", "query", "name"]
WRONG = ["", "x", -1, 0, 1.5, 10**9, True, None, [], {}, ["a", "b"], "2026-13-01", "2031-01-01", "last year", "é" * 300, "%", "yoy(", "> >", " "]

LISTED = [path for path in PAGES if "{" not in path] + (
    "/search?q=inflation /series/UNRATE /series/CRPI?as_of=2009-01-15 /cite/UNRATE /release/PAYEMS /compare?series=UNRATE,PAYEMS "
    "/scenarios/sahm-trigger /chart/release/PAYEMS.svg /chart/release/CPIAUCSL.png /chart/scenario/sahm-trigger.svg /series/%ff // /nowhere "
    "/api/public/nowhere /metrics /mcp /.well-known/nothing /.well-known/mcp/server-card.json /.well-known/mcp-server-card.json "
    "/alerts.atom?condition=T10Y2Y%3C0 /alerts.ics?condition=UNRATE%3E5 /widget/chart?series=UNRATE,PAYEMS /oembed?format=xml "
    "/api/public/regime?colour=red /api/public/data/%ff /api/public/data/UNRATE?start=1&start=2 /api/public/data/UNRATE.csv?start=max").split()
BODIES = ["", "[", "{}", "[]", "null", "\0", '"\\ud800"', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","method":"ping"}',
          '{"jsonrpc":"2.0","id":null,"method":"ping"}', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]']
RESOURCES = [f"macro://{kind}/{name}" for name in KNOWN for kind in ("series", "metric")] + [
    "macro://" + path for path in ("glossary/sahm-rule catalog catalog/rates regime calendar alert/T10Y2Y%20<%200 method/crpi articles summary "
                                   "scenario/sahm-trigger article/first articles/fed scores formulas none series/DGS10?format=csv").split()]
SKILLS = ["skill://us-macro-data/SKILL.md", "skill://us-macro-data", "ui://econoscope/regime.html"]
METHODS = [
    *((name, {}) for name in "ping server/discover tools/list prompts/list resources/list resources/templates/list skills/list none".split()),
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}), ("tools/call", {"name": "x"}),
    *(("resources/read", {"uri": uri}) for uri in RESOURCES + SKILLS),
    *((name, {"uri": uri}) for name in ("skills/get", "resources/directory/read") for uri in SKILLS),
    *(("prompts/get", {"name": name, "arguments": given}) for name in ("morning_brief", "recession_check", "regime_history", "compare_two")
      for given in ({}, {"as_of": "2008-12"}, {"since": "10y"}, {"first": "DGS10", "second": "core-cpi"})),
    *(("completion/complete", {"ref": {"type": "ref/resource", "uri": f"macro://{kind}/{{{name}}}"}, "argument": {"name": name, "value": value}})
      for kind, name in (("metric", "ticker"), ("glossary", "slug"), ("alert", "condition")) for value in ("", "c", "T10", "in", "zzz"))]
ARTICLE = "---\nid: {0}\ntitle: The {0} on <b>rates</b>\npublished: 2026-0{1}-02T00:00:00Z\ntags: [fed]\nseries: UNRATE\n---\nThe *yield curve*.\n"
IMPORTED = {"OWN": 1, "VIXCLS": 15, "VXVCLS": 17, "BAMLH0A0HYM2": 3, "SP500": 4_000}  # the bundled history lacks them; by their level


class Everyday(World):
    """Requests as people make them, a few of them wrong."""

    def requests(self, found, kinds, most):
        """Adds drawn ones to those found, kind by kind, until there are so many that differ, or no others come."""
        kept = {one.line(): one for one in found}
        for kind in itertools.islice(itertools.cycle(kinds), most * 20):
            if len(kept) < most:
                request = kind.build(self.arguments(kind))
                kept.setdefault(request.line(), request)
        return list(kept.values())[:most]

    def arguments(self, kind):
        """What is required, and up to three others."""
        known, named = kind.schema["properties"], list(kind.schema.get("required", []))
        others = [name for name in known if name not in (*named, "accept-encoding")]
        named += self.rng.sample(others, min(len(others), self.rng.choice([0, 1, 1, 2, 3])))
        named += [NEEDS[name] for name in named if name in NEEDS]
        if kind.kin not in ("get_time_series", "get_release_calendar") and self.rng.random() < 0.9:
            named += USUAL
        given = {name: self.argument(kind, name, known[name]) for name in known if name in named}
        return given if self.rng.random() < 0.99 else {**given, "colour": "red"}

    def argument(self, kind, name, schema):
        instead = next((values for pattern, values in INSTEAD if re.search(pattern + "$", f"{kind.kin} {name}")), None)
        if self.rng.random() < 0.02:
            return self.rng.choice(WRONG)
        if "enum" in schema and not instead:
            return self.rng.choice(schema["enum"])
        if schema.get("type") == "boolean":
            return self.rng.random() < 0.7
        if schema.get("type") == "integer":
            return self.rng.randint(schema.get("minimum", 1), min(schema.get("maximum", 100), 900))
        texts = [self.filled_in(self.rng.choice(instead or VALUES.get(name, TEXTS))) for _ in range(self.rng.choice([1, 1, 2, 2, 3]))]
        return texts if schema.get("type") == "array" else texts[0]

    def filled_in(self, text):
        pools = {"{s}": KNOWN if self.rng.random() < 0.6 else self.held, "{p}": PERCENT, "{d}": [self.day()]}
        return re.sub(r"\{[spd]\}", lambda found: self.rng.choice(pools[found[0]]), text)


class Side:
    """A binary that serves a store of its own."""

    def __init__(self, binary, folder):
        given, store = types.SimpleNamespace(binary=binary), folder / "econoscope.db"
        days = [day for n in range(2_790) if (day := datetime.date(2019, 1, 1) + datetime.timedelta(n)).weekday() < 5]
        rows = [f"{name},{day},{level * (100 + day.toordinal() * 7 % 31) / 100:.2f}" for name, level in IMPORTED.items() for day in days]
        folder.mkdir()
        (folder / "imported.csv").write_text("series_id,date,value\n" + "\n".join(rows) + "\n")
        for month, name in enumerate(["first", "second"], 1):
            (folder / f"{name}.md").write_text(ARTICLE.format(name, month))
        assert run(given, "import", folder, store=store).returncode == 0
        # Loopback has no limits; with a base address no answer names the port.
        self.server = Server(given, store, "--base-url", "http://localhost", "--articles", str(folder))
        self.wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)

    def ask(self, request):
        """Status, headers in a line, and body."""
        body, headers = None, {"Host": "localhost", **request.headers}
        if request.body is not None:
            body = expanded(request.body)
            headers |= {"content-type": "application/json", "accept": "application/json, text/event-stream",
                        **dict(line.split(": ", 1) for line in modern_headers(body))}
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        try:
            self.wire.request(request.method, request.path, body, headers)
            answer = self.wire.getresponse()
            head = "".join(f"{name}: {answer.headers[name]}; " for name in COMPARED if answer.headers[name])
            return answer.status, head.encode(), MOMENT.sub(rb"\1now", answer.read())
        except (OSError, http.client.HTTPException) as error:
            self.wire.close()
            return 0, b"", repr(error).encode()


def addresses(base):
    """Those listed, and those that they link to."""
    kinds, links = ({}, {"accept": "text/html"}, {"accept": "application/json"}, {"accept": "text/csv"}), set()
    found = [Request("GET", path, None, headers) for path in LISTED for headers in kinds] + [Request("POST", "/mcp", body) for body in BODIES]
    found += [Request(verb, path) for verb in ("HEAD", "OPTIONS", "DELETE") for path in ("/", "/api/public/regime", "/mcp", "/llms.txt", "/nowhere")]
    for path in LISTED:
        text = html.unescape(base.ask(Request("GET", path, None, kinds[1]))[2].decode(errors="replace"))
        links |= set(re.findall(r"""(?:(?:href|src|action)="|http://localhost)(/[!-z|~]*?)["'<>)\s#]""", text))
    return found + [Request("GET", link, None, kinds[1]) for link in sorted(links)]


def outcome(status, body):
    error = re.search(rb'"isError":(true)|"error":\{"code":(-\d+)', body) if status == 200 else None
    return f"error {error[2].decode()}" if error and error[2] else "refused" if error else status


def compare(name, requests, sides, skip, most):
    """Asks both sides and prints up to `most` differences. Returns how many there are, and whether enough answers are no errors."""
    outcomes, differing, skipped = collections.Counter(), 0, 0
    for request in requests:
        base, new = (side.ask(request) for side in sides)
        outcomes[outcome(base[0], base[2])] += 1
        if base == new and base[0]:
            continue
        is_meant = bool(skip and re.search(skip, request.words(10**6)))
        skipped, differing = skipped + is_meant, differing + (not is_meant)
        if not is_meant and differing <= most:
            texts = [b"%d %s%s" % answer for answer in (base, new)]
            at = next((n for n, (one, other) in enumerate(zip(*texts)) if one != other), min(map(len, texts)))
            parts = [text[max(0, at - BEFORE):][:WIDTH].decode(errors="replace") for text in texts]
            print(f"{request.words(300)}\n  base: {parts[0]!r}\n  new:  {parts[1]!r}")
    shares = ", ".join(f"{kind} {count / len(requests):.1%}" for kind, count in outcomes.most_common())
    print(f"{name}: {len(requests):,} asked ({shares}), {differing} differ, {skipped} skipped", flush=True)
    return differing, outcomes[200] >= LEAST_GOOD * len(requests)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="binary whose answers are right")
    parser.add_argument("new", help="binary that is compared with it")
    parser.add_argument("--addresses", type=int, default=3_000, metavar="N", help="addresses to ask [3000]")
    parser.add_argument("--calls", type=int, default=10_000, metavar="N", help="tool calls to make [10000]")
    parser.add_argument("--skip", metavar="REGEX", help="differences of requests in which it is found are meant: they are only counted")
    given = parser.parse_args()
    started, day = time.monotonic(), time.gmtime()[:3]
    with tempfile.TemporaryDirectory() as folder:
        sides = [Side(binary, pathlib.Path(folder) / name) for name, binary in (("base", given.base), ("new", given.new))]
        catalogue = json.loads(sides[0].ask(rpc("resources/read", {"uri": "macro://catalog"}))[2])["result"]["contents"][0]["text"]
        world, kinds = Everyday(catalogue), targets(sides[0].server)
        places = world.requests(addresses(sides[0]), [kind for kind in kinds if kind.name.startswith("GET ")], given.addresses)
        calls = world.requests([], [kind for kind in kinds if re.match("tools/call (?!no_such)", kind.name)], given.calls)
        for n, call in enumerate(calls):
            call.body["id"] = n if n % 3 else f"call {n}"
        others = [rpc(name, params, modern) for name, params in METHODS for modern in (False, True)]
        differing, is_good = 0, True
        for name, requests in (("addresses", places), ("tool calls", calls), ("other methods", others)):
            more, is_enough = compare(name, requests, sides, given.skip, SHOWN - differing)
            differing, is_good = differing + more, is_good and is_enough
        ended = [side.server.stop() for side in sides]
    print(f"{differing} differences in {time.monotonic() - started:.0f} s")
    if not differing and (not is_good or any(ended) or time.gmtime()[:3] != day):
        print("worth nothing: too many errors, a server that did not stop well, or another UTC day at the end")
        sys.exit(2)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()

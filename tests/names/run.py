#!/usr/bin/env python3
"""Measures how names that people write are read.

usage: run.py BINARY CSV [--json FILE] [--port N] [--quiet] [--gate]   (--quiet: the counts without the phrases; --gate:
fails where one is answered wrongly, or where less than 95 percent are right or name an alternative)

CSV: phrase,kind,truth,acceptable,note
  truth       a series, a formula, 'ask' (must list candidates and not answer) or 'none' (not carried, must say so)
  acceptable  further right answers, by ';'; for 'ask' the candidates, for 'none' honest alternatives
Starts its own server with a fresh store on a free port of loopback, and ends it.
Formulas are compared by value over ten years (latest, mean, lowest, highest) with compare_series.
"""
import collections, csv, datetime, http.client, json, os, random, re, signal, socket, subprocess, sys, tempfile, time, urllib.parse

COLUMNS = [  # code, heading
    ("right", "right"), ("asked", "asked rightly"), ("refused", "refused rightly"),
    ("silent", "WRONG silently"), ("dropped", "WRONG: item right, transform, operator or sign dropped"), ("warned", "wrong, but a note names the truth or says it is not the thing"),
    ("notasked", "ambiguous, not asked"), ("named", "refused, but names the truth"), ("lost", "refused wrongly"),
    ("needless", "asked needlessly"), ("misleads", "refused, suggests a stranger"),
]
BY_COMPARE = {"compare", "formula"}

# Series without bundled figures (rights, or no public package): filled with made-up figures for the measure only, so that
# readings of them can be told apart by value, too. A series that has figures keeps them.
FILL = {
    "daily": """DFII7 DTB3 DTB6 DPRIME OBFR SOFR90DAYAVG SOFR180DAYAVG RRPONTSYAWARD BAMLH0A0HYM2 BAMLC0A0CM
        BAMLC0A4CBBB BAMLH0A1HYBB BAMLH0A2HYB BAMLH0A3HYC BAMLC0A1CAAA BAMLH0A0HYM2EY BAMLC0A0CMEY BAMLEMCBPIOAS BAA10Y AAA10Y
        DBAA DAAA DCPF3M DCPN3M VIXCLS VXVCLS VXNCLS OVXCLS GVZCLS RVXCLS VXEEMCLS USEPUINDXD DGASNYH DJFUELUSGULF DHOILNYH
        DEXCHUS DEXMXUS DEXINUS DEXBZUS DEXSIUS DTWEXAFEGS DTWEXEMEGS RPONTSYD SP500 DJIA NASDAQCOM NASDAQ100 SPY QQQ IWM TLT
        HYG LQD GLD CBBTCUSD CBETHUSD TGA_DAILY DEBT_TO_PENNY DGS6WK DGS2MO DGS4MO OFRFSI OFRFSICREDIT OFRFSIEQUITY OFRFSISAFE
        OFRFSIFUNDING OFRFSIVOL OFRFSIUS OFRFSIADV OFRFSIEM""",
    "weekly": """MORTGAGE30US MORTGAGE15US NFCIRISK NFCICREDIT NFCILEVERAGE NFCINONFINLEVERAGE GASDESW ICNSA CCNSA IURSA
        WDTGAL WLRRAL WORAL H41RESPPALDKNWW WLCFLPCL SWPT DPSACBW027SBOG TOTCI CREACBW027SBOG CCLACBW027SBOG ECBASSETSW""",
    "monthly": """CUSR0000SEHA CUSR0000SETA02 CUSR0000SASLE CPILFENS CUUR0000SAH1 CUSR0000SEHC DGDSRG3M086SBEA
        CORESTICKM159SFRBATL STICKCPIM157SFRBATL COREFLEXCPIM159SFRBATL EXPINF1YR EXPINF10YR EXPINF5YR MICH IR IQ BAA AAA
        USEPUINDXM EMVOVERALLEMV PCOPPUSDM PALUMUSDM PWHEAMTUSDM PMAIZMTUSDM PIORECRUSDM PALLFNFINDEXM PNRGINDEXM PFOODINDEXM
        EMRATIO LNS11300060 LNS12300060 U1RATE LNS14000024 USLAH USEHS USPBS CES9091000001 LNS13023653 UEMPMED JTSQUL JTSLDL
        JTSHIL AWHAETP FRBATLWGT3MMAUMHWGO IPMAN TCU MCUMFN CFNAIDIFF BUSINV RETAILIRSA BOPTEXP BOPTIMP RECPROUSM156N HOUST1F
        PERMIT1 COMPUTSA UNDCONTSA MSACSR EXHOSLUSM495S CSUSHPINSA CSUSHPISA SPCS20RSA TTLCONS PRRESCONS CURRCIR JPNASSETS
        MTSDS133FMS UMCSENT RSFSXMV PI DSPI TOTALSA ALTSALES IRLTLT01DEM156N IRLTLT01JPM156N IRLTLT01GBM156N""",
    "quarterly": """DRTSCLCC DRCRELEXFACBS DRALACBS ECIALLCIV ECIWAG GDI CP A261RX1Q020SBEA FINSLC1 LB0000031Q020SBEA
        JHGDPBRINDX USSTHPI RHORUSQ156N RRVRUSQ156N ECOMSA TDSP FODSP FHFAPOQ""",
}

def write_figures(folder):
    """Made-up figures, another walk for each series."""
    end = datetime.date(2026, 8, 20)
    with open(os.path.join(folder, "figures.csv"), "w") as file:
        file.write("series_id,date,value\n")
        for frequency, ids in FILL.items():
            for series in ids.split():
                walk = random.Random(series)
                value, day = walk.uniform(50, 150), datetime.date(2014, 1, 2)
                while day < end:
                    is_due = {"daily": day.weekday() < 5, "weekly": day.weekday() == 3, "monthly": day.day == 1,
                              "quarterly": day.day == 1 and day.month % 3 == 1}[frequency]
                    if is_due:
                        value *= 1 + walk.gauss(0.0004, 0.006)
                        file.write(f"{series},{day},{value:.2f}\n")
                    day += datetime.timedelta(days=1)

def free_port():
    if "--port" in sys.argv: return int(sys.argv[sys.argv.index("--port") + 1])
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

class Server:
    def __init__(self, binary):
        self.dir = tempfile.TemporaryDirectory(prefix="names-")
        self.port = free_port()
        env = dict(os.environ, HOME=self.dir.name)
        store, folder = os.path.join(self.dir.name, "store.db"), os.path.join(self.dir.name, "figures")
        os.mkdir(folder)
        write_figures(folder)
        subprocess.run([binary, "import", folder, "--store", store], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        self.process = subprocess.Popen([binary, "serve", "--store", store, "--listen",
            f"127.0.0.1:{self.port}", "--no-sync"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.connect(); self.get("/api/public/series/search?query=cpi"); return
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
        sys.exit("the server does not start")
    def connect(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
    def request(self, method, path, body=None):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"} if body else {}
        for attempt in (1, 2):
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                return answer.status, json.loads(answer.read() or b"{}")
            except (OSError, http.client.HTTPException):
                if attempt == 2: raise
                self.connect()
    def get(self, path):
        return self.request("GET", path)
    def metric(self, name):
        return self.get("/api/public/metrics/" + urllib.parse.quote(name, safe=""))
    def search(self, words):
        status, body = self.get("/api/public/series/search?limit=10&query=" + urllib.parse.quote(words[:100]))
        return [r["seriesId"] for r in body.get("results", [])] if status == 200 else []
    def compare(self, *columns):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "compare_series", "arguments": {"series": list(columns), "max_points": 5}}}
        result = self.request("POST", "/mcp", json.dumps(body))[1].get("result", {})
        text = " ".join(part.get("text", "") for part in result.get("content", []))
        return result.get("isError", False), result.get("structuredContent") or {}, text, (result.get("_meta") or {}).get("econoscope/error", {})
    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try: self.process.wait(10)
        except subprocess.TimeoutExpired: self.process.kill()
        self.dir.cleanup()

def columns_of(structure):
    columns = structure.get("columns") or structure.get("series") or []
    if isinstance(columns, dict):  # a table of columns and rows
        names, rows = columns.get("columns"), columns.get("rows")
        if names and rows is not None: return [dict(zip(names, row)) for row in rows]
        return [columns]
    return columns

def figures(structure):
    out = []
    for column in columns_of(structure):
        if isinstance(column, dict):
            out.append(tuple(column.get(k) for k in ("latest", "mean", "min", "max")))
    return out

def same(a, b):
    pairs = [(x, y) for x, y in zip(a, b) if isinstance(x, (int, float)) and isinstance(y, (int, float))]
    return len(pairs) >= 3 and all(abs(x - y) <= 2e-3 * max(abs(x), abs(y)) + 2e-3 for x, y in pairs)

class Judge:
    def __init__(self, server):
        self.server, self.cache = server, {}
    def value(self, formula):
        if formula not in self.cache:
            is_error, structure, _, _ = self.server.compare(formula)
            found = [] if is_error else figures(structure)
            self.cache[formula] = found[0] if len(found) == 1 else None
        return self.cache[formula]
    def judge(self, row):
        phrase, truth = row["phrase"], row["truth"]
        further = [t for t in row["acceptable"].split(";") if t]
        status, body = self.server.metric(phrase)
        by_compare = row["kind"] in BY_COMPARE
        read = self.read_metric(status, body)
        metric_verdict = self.verdict(truth, further, read)
        if by_compare:
            compared = self.read_compare(phrase)
            if compared["code"] == "no_data" or compared["answered"] and not compared["ids"]:
                compared["ids"] = read["ids"]
                compared["answered"] = compared["answered"] or read["answered"]
            verdict = self.verdict(truth, further, compared)
            read = dict(compared, shown=compared["shown"])
        else:
            verdict = metric_verdict
        wanted = [t for t in [truth] + further if re.fullmatch(r"[A-Za-z0-9_]+", t)] if truth not in ("ask", "none") else []
        if truth not in ("ask", "none") and not wanted:
            wanted = inputs(truth)
        rank = None
        if wanted:
            found = self.server.search(phrase)
            rank = next((i + 1 for i, s in enumerate(found) if s in wanted), 0)
        return dict(row, verdict=verdict, metric_verdict=metric_verdict, got=read["shown"], note_read=read["note"], rank=rank,
                    alternative=bool(set(read["suggestions"]) & set(further)))
    def read_metric(self, status, body):
        if status == 200:
            note = (body.get("notes") or {}).get("name", "")
            value = body.get("value")
            return dict(answered=True, ids=[body.get("ticker", "")], note=note, title=body.get("displayName", ""), figures=None,
                        suggestions=[], code="", shown=body.get("ticker", ""), value=value, text=json.dumps(body.get("notes") or {}), columns=1)
        return dict(answered=False, ids=[], note="", title="", figures=None, suggestions=body.get("suggestions") or [],
                    code=body.get("code", ""), shown="%s %s" % (body.get("code", status), ",".join(body.get("suggestions") or [])),
                    value=None, text=body.get("error", ""), columns=0)
    def read_compare(self, phrase):
        is_error, structure, text, error = self.server.compare(phrase)
        if is_error:
            suggestions = error.get("suggestions") or []
            return dict(answered=False, ids=[], note="", title="", figures=None, suggestions=suggestions, code=error.get("code", ""),
                        shown="%s %s" % (error.get("code", "error"), ",".join(suggestions)), value=None, text=text, columns=0)
        found = figures(structure)
        titles = [str(c.get("title", "")) for c in columns_of(structure) if isinstance(c, dict)]
        notes = structure.get("notes") or {}
        note = json.dumps(notes, ensure_ascii=False) if "read as" in json.dumps(notes) else ""
        ids = re.findall(r'read as ([A-Za-z0-9_]+)', note)
        return dict(answered=True, ids=ids[:1], note=note, title=" | ".join(titles), figures=found[0] if len(found) == 1 else None,
                    suggestions=[], code="", shown="column: " + " | ".join(titles), value=None, text=text, columns=len(found))
    def verdict(self, truth, further, read):
        suggestions = set(read["suggestions"])
        asked = read["code"] == "ambiguous_name"
        if truth == "ask":
            if read["answered"]:
                if read["columns"] > 1: return "right"
                named = set(re.findall(r"[A-Z0-9_]{2,}", read["note"]))
                meant = set(read["ids"]) & set(further)
                return "notasked" if meant or not further or named & set(further) else "silent"
            listed = suggestions & set(further) if further else suggestions
            if asked and (listed or not further): return "asked"
            return "asked" if len(listed) >= 2 or not further else "lost"
        if truth == "none":
            if read["answered"]:
                says = re.search(r"\bnot (carried|of an|DXY|covered)", read["title"] + " " + read["note"])
                return "warned" if says else "silent"
            if "not carried" in read["text"] or "not covered" in read["text"]: return "refused"
            strangers = suggestions and not suggestions & set(further)
            return "misleads" if strangers or asked else "refused"
        right = [truth] + further
        if read["answered"]:
            if set(read["ids"]) & set(right): return "right"
            for formula in right:
                wanted = self.value(formula)
                got = read["figures"] or (self.value(read["ids"][0]) if read["ids"] and read["columns"] == 1 else None)
                if wanted and got and same(wanted, got): return "right"
            if set(re.findall(r"[A-Za-z0-9_]{2,}", read["note"].split("may also mean")[-1] if "may also mean" in read["note"] else "")) & set(right):
                return "warned"
            answered = set(read["ids"])
            parts = {part for formula in right for part in inputs(formula)}
            plain = set() if not is_plain(truth) else {t for t in right if is_plain(t)}
            return "dropped" if answered & ((parts - plain) | related(parts)) else "silent"
        if asked: return "needless" if suggestions & (set(right) | set(inputs(truth))) else "lost"
        return "named" if suggestions & (set(right) | set(inputs(truth))) else "lost"

def is_plain(truth):
    return bool(re.fullmatch(r"[A-Za-z0-9_]+", truth))

FUNCTIONS = {"yoy", "mom", "ann", "chg", "ch1", "pch", "pca", "ma", "lag", "real", "gap", "index", "log", "abs", "cagr"}

def inputs(formula):
    return [w for w in re.findall(r"[A-Za-z][A-Za-z0-9_]*", formula) if w not in FUNCTIONS]

PAIRS = {"CPIAUCSL": {"CPI_YOY"}, "CPILFESL": {"CORE_CPI_YOY"}, "PCEPILFE": {"CORE_PCE_YOY"}, "PCEPI": {"PCE_YOY"},
         "CES0500000003": {"WAGE_YOY"}, "PAYEMS": {"PAYROLL_CHANGE"}, "PPIFIS": {"PPI_YOY"}, "INDPRO": {"INDPRO_YOY"},
         "RSAFS": {"RETAIL_YOY"}, "M2SL": {"M2_YOY"}, "CUSR0000SAH1": {"SHELTER_YOY"}}

def related(parts):
    out = set()
    for part in parts:
        out |= PAIRS.get(part, set())
        out |= {k for k, v in PAIRS.items() if part in v}
    return out

def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) < 2: sys.exit(__doc__)
    binary, path = arguments[:2]
    out = sys.argv[sys.argv.index("--json") + 1] if "--json" in sys.argv else None
    with open(path, newline="", encoding="utf-8") as file: rows = list(csv.DictReader(file))
    server = Server(os.path.abspath(binary))
    try:
        judge = Judge(server)
        results = [judge.judge(row) for row in rows]
    finally:
        server.end()
    if out:
        with open(out, "w") as file: json.dump(results, file, ensure_ascii=False, indent=0)
    kinds = list(dict.fromkeys(r["kind"] for r in results))
    counts = {k: collections.Counter(r["verdict"] for r in results if r["kind"] == k) for k in kinds}
    total = collections.Counter(r["verdict"] for r in results)
    print("kind".ljust(13), "n".rjust(5), *(c[:9].rjust(9) for c, _ in COLUMNS))
    for kind in kinds + ["ALL"]:
        c = total if kind == "ALL" else counts[kind]
        print(kind.ljust(13), str(sum(c.values())).rjust(5), *(str(c.get(code, 0) or ".").rjust(9) for code, _ in COLUMNS))
    n = len(results)
    good = total["right"] + total["asked"] + total["refused"]
    bad = total["silent"] + total["dropped"]
    print(f"\nright, asked or refused rightly: {good} of {n} ({100*good/n:.1f} %); answered wrongly without a word: {bad} ({100*bad/n:.1f} %)")
    for code, heading in COLUMNS: print(f"  {code}: {heading}: {total.get(code,0)}")
    none = [r for r in results if r["truth"] == "none" and r["verdict"] == "refused"]
    wanted = [r for r in none if r["acceptable"]]
    if wanted: print(f"of {len(wanted)} refused rightly that have an honest alternative, {sum(r['alternative'] for r in wanted)} name one")
    ranks = [r["rank"] for r in results if r["rank"] is not None]
    if ranks:
        hit = lambda k: sum(1 for r in ranks if 0 < r <= k)
        print(f"search_series, {len(ranks)} phrases with a truth: first {hit(1)}, in three {hit(3)}, in ten {hit(10)}, absent {ranks.count(0)}")
    by_metric = collections.Counter(r["metric_verdict"] for r in results if r["kind"] in BY_COMPARE)
    if by_metric: print("comparisons and formulas asked of get_metric instead:", ", ".join(f"{k} {v}" for k, v in by_metric.most_common()))
    named = sum(r["alternative"] for r in wanted)
    is_failed = "--gate" in sys.argv and (bad or 100 * good < 95 * n or 100 * named < 95 * len(wanted))
    if "--quiet" not in sys.argv:
        order = [code for code, _ in COLUMNS if code not in ("right", "asked", "refused")]
        for code in order:
            chosen = [r for r in results if r["verdict"] == code]
            if chosen: print(f"\n== {dict(COLUMNS)[code]} ({len(chosen)})")
            for r in chosen:
                also = f"  [{r['note_read']}]" if code in ("warned",) else ""
                print(f"{r['kind']:12} {r['phrase']!r}: wanted {r['truth']}" + (f" ({r['acceptable']})" if r['acceptable'] else "") + f"; got {r['got']}{also}")

    if is_failed: sys.exit(1)

if __name__ == "__main__":
    main()

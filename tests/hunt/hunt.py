#!/usr/bin/env python3
"""The cost hunter: searches for the dearest request of every endpoint, tool, page, picture, widget and MCP method.

    python3 tests/hunt/hunt.py --seconds 20            every target for 20 s each; prints the table of docs/RELIABILITY.md
    python3 tests/hunt/hunt.py --only compare --keep   one target; what is dearer than all kept seeds is added to seeds.jsonl
    python3 tests/hunt/hunt.py --short                 the gate: replays the seeds, searches briefly, fails above a bound

A price is the CPU time of the whole server process, by the kernel's clock of that process (nanoseconds, threads that
ended included), from just before a request is sent until the process rests again after the answer; the least of several
repeats counts. Machines differ by a factor, and one machine differs from minute to minute with its neighbours. So a fixed
piece of work is measured beside every price above its bound, and on a slower machine than the table's the price is
divided by how much longer that work takes. So that no cache hides a price, the data get a new version before each repeat: it makes every kept answer, page,
picture, composite and rendered result old, as a sync does. Series that are in memory stay there, as they would for an
attacker who has asked before, and what each new version costs whoever comes first is spent on a cheap request that is
not counted. Arguments are drawn from the tools' schemas and a grammar of formulas, names, days and long texts; what
turned out dear is mutated further.
"""
import json, pathlib, re, sqlite3, struct, sys, tempfile, time, urllib.parse, zlib
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "chaos"))
from common import Server, arguments, imported, result, run
from grammar import World
from request import SEEDS, Request, Wire, rpc, seeds

ADDRESSES = pathlib.Path(__file__).resolve().parents[1] / "addresses.json"
# Milliseconds of CPU that one request may cost: the usual, those that draw a PNG (up to 3,840,000 pixels and their compression),
# and those that compute composites over their whole history.
BOUND, PICTURE, WHOLE = 10, 30, 40
DRAWN = re.compile(r"\.png|chart=true|\"chart\": ?\"?true")
COMPOSITE = re.compile(r"regime|signals|summary|explain|what.changed|scenarios|recession|methods|"
                       r"CRPI|RNOW|CNLI|CMSI|CRAI|NVI|CVRP|^(GET|HEAD) /( |\?|$)", re.I)
# Milliseconds of CPU that `fixed_work` takes on the machine of the table.
FIXED_WORK = 5.0
# Seconds for all targets of the short form.
MOST_SECONDS = 65
# Requests of a target that are remembered and mutated.
KEPT = 8
# A search that found so much need not look further.
DEAR_ENOUGH = 1_000
# Searches and lists cost more the more series there are: these are hunted over so many imported ones, too.
WIDE, WIDE_TARGETS = 10_000, re.compile(r"search|/series$|catalog|resources/read|completion|get_metric|metrics|listen")

ENCODINGS = {"accept-encoding": {"enum": ["identity", "gzip", "zstd"]}}
NAME, START, LONG = {"maxLength": 80}, {}, {"maxLength": 20_000}
# Arguments of pages by their names; one that is not here is a long text.
ARGUMENTS = {
    "theme": {"enum": ["light", "dark"]}, "range": {"enum": ["1y", "5y", "10y", "30y", "max"]},
    "units": {"enum": ["lin", "chg", "pch", "pc1", "index"]}, "frequency": {"enum": ["w", "m", "q", "a"]},
    "start": START, "end": START, "as_of": START, "revised": START, "date": START, "show": {}, "maxwidth": {}, "maxheight": {},
    "width": {"type": "integer", "minimum": 240, "maximum": 2_400}, "height": {"type": "integer", "minimum": 160, "maximum": 1_600},
    "agency": {"enum": ["BLS", "BEA", "Fed"]}, "check": {"maxLength": 20}, "format": {"enum": ["json", "xml"]},
}
# Addresses without a row in the program's tables.
OTHERS = ["/health", "/ready", "/{name}"]


def pages():
    """Path and arguments of every page, picture, widget and document, from the list that the program writes."""
    listed = json.loads(ADDRESSES.read_text())
    found = {path: {} for path in listed["documents"] + OTHERS}
    for page in listed["pages"]:
        # The name in a picture's address carries the format.
        forms = (".png", ".svg") if re.fullmatch(r"/chart/.*\{name\}", page["path"]) else ("",)
        for form in forms:
            found[page["path"] + form] = {name: ARGUMENTS.get(name, LONG) for name in page["arguments"]}
    return found


PAGES = pages()
METHODS = {
    "resources/read": {"uri": {"maxLength": 400}},
    "prompts/get": {"name": {"enum": ["morning_brief", "recession_check", "regime_history", "compare_two"]},
                    "first": LONG, "second": LONG, "since": LONG, "as_of": LONG},
    "completion/complete": {"ref": {"enum": ["macro://series/{seriesId}{?start,end,format}", "macro://metric/{ticker}",
                                             "macro://glossary/{slug}", "macro://catalog/{category}", "macro://articles/{tag}",
                                             "macro://alert/{condition}"]},
                            "argument": {"enum": ["seriesId", "ticker", "slug", "category", "tag", "condition", "start"]}, "value": LONG},
    "subscriptions/listen": {"uris": {}},
    "initialize": {"client": LONG}, "ping": {}, "server/discover": {}, "tools/list": {"cursor": LONG}, "prompts/list": {},
    "resources/list": {}, "resources/templates/list": {}, "skills/list": {}, "skills/get": {"uri": {"maxLength": 400}},
    "resources/directory/read": {"uri": {"maxLength": 400}}, "no/such/method": {"argument": LONG},
}
BODIES = ["[", "{\"params\":", "[{}", "a", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[[", "\"\\u0000"]


DAYS = json.dumps([{"date": f"{1960 + n // 365}-{n % 12 + 1:02}-{n % 28 + 1:02}", "value": n * 7919 % 10_007 / 100} for n in range(4_000)])


def fixed_work():
    """Milliseconds of CPU for work like the server's: reading JSON, writing it, and compressing it."""
    start = time.thread_time_ns()
    zlib.compress(json.dumps(json.loads(DAYS)).encode(), 5)
    return (time.thread_time_ns() - start) / 1e6


class Target:
    """A kind of request: how arguments make one, and how one is read back, so that seeds can be mutated."""

    def __init__(self, name, kin, schema, build, read=lambda request: None):
        self.name, self.kin, self.schema, self.build, self.read = name, kin, schema, build, read


def rest(method, path, schema, kin):
    place = re.search(r"\{(\w+)\}", path)
    required = [place[1]] if place else []
    schema = {"properties": {**schema.get("properties", {}), **ENCODINGS}, "required": required + schema.get("required", [])}
    shape = re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+?)", re.escape(path)))

    def build(given):
        given = dict(given)
        headers = {k: given.pop(k) for k in ENCODINGS if k in given}
        where = path.replace(place[0], urllib.parse.quote(str(given.pop(place[1])) or "x", safe="")) if place else path
        pairs = {k: ",".join(v) if isinstance(v, list) else str(v).lower() if isinstance(v, bool) else v for k, v in given.items()}
        return Request(method, where + ("?" + urllib.parse.urlencode(pairs) if pairs else ""), None, headers)

    def read(request):
        where, _, query = request.path.partition("?")
        found = shape.fullmatch(where)
        if request.method != method or not found:
            return None
        given = dict(urllib.parse.parse_qsl(query), **request.headers)
        if place:
            given[place[1]] = urllib.parse.unquote(found[1])
        known = schema["properties"]
        given = {k: v for k, v in given.items() if k in known}
        return {k: v.split(",") if known[k].get("type") == "array" else v for k, v in given.items()}

    return Target(f"{method} {path}", kin, schema, build, read)


def tool(name, schema):
    schema = {**schema, "properties": {**schema.get("properties", {}), "modern": {"type": "boolean"}}}

    def build(given):
        given = dict(given)
        modern = given.pop("modern", False)
        return rpc("tools/call", {"name": name, "arguments": given}, modern)

    def read(request):
        params = isinstance(request.body, dict) and request.body.get("method") == "tools/call" and request.body.get("params")
        return dict(params.get("arguments") or {}, modern="_meta" in params) if params and params.get("name") == name else None

    return Target(f"tools/call {name}", name, schema, build, read)


def method(name, properties):
    properties = {**properties, "modern": {"type": "boolean"}}

    def build(given):
        given = dict(given)
        modern = given.pop("modern", False)
        if name == "subscriptions/listen":
            return rpc(name, {"notifications": {"resourceSubscriptions": given.get("uris", [])}}, True)
        if name == "completion/complete":
            given = {"ref": {"type": "ref/resource", "uri": given.get("ref")},
                     "argument": {"name": given.get("argument"), "value": given.get("value", "")}}
        elif name == "prompts/get":
            given = {"name": given.pop("name", ""), "arguments": given}
        elif name == "initialize":
            given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": given.get("client", ""), "version": "1"}}
        return rpc(name, given, modern and name != "initialize")

    def read(request):
        if not isinstance(request.body, dict) or request.body.get("method") != name:
            return None
        params = request.body.get("params") or {}
        if name == "subscriptions/listen":
            return {"uris": params.get("notifications", {}).get("resourceSubscriptions", [])}
        return {"uri": params["uri"], "modern": "_meta" in params} if "uri" in params else None

    return Target(name, name, {"properties": properties, "required": list(properties)[:1]}, build, read)


def junk(given):
    body = {"times": max(1, min(int(given["bytes"]), 262_000) // len(given["text"])), "text": given["text"]}
    return Request("POST", "/mcp", body)


def lone(request):
    return Target(request.words(60), "", {"properties": {}}, lambda given: request, lambda other: {} if other is request else None)


# Operations of the OpenAPI document that are not called as their tool is.
OPERATIONS = {"fetch_document": "fetch", "search_documents": "search", "get_time_series_csv": "get_time_series"}


def targets(server):
    """Paths out of the server's own OpenAPI document, arguments out of its tools' schemas, pages out of the program's list."""
    document = server.get("/.well-known/openapi.yaml")[1].decode()
    operations = [(path, verbs["get"]["operationId"]) for path, verbs in json.loads(document.split("\n", 1)[1])["paths"].items()]
    paths = [(path, OPERATIONS.get(name, name)) for path, name in operations]
    tools = json.loads(server.post(json.dumps(rpc("tools/list").body))[1])["result"]["tools"]
    schemas = {one["name"]: one["inputSchema"] for one in tools}
    assert {name for _, name in paths} == set(schemas), "an operation without a tool, or the other way round"
    every = []
    for path, name in paths:
        every += [rest("GET", path, schemas[name], name), rest("HEAD", path, schemas[name], name)]
    every += [tool(name, schema) for name, schema in schemas.items()]
    for path, properties in PAGES.items():
        every += [rest(verb, path, {"properties": {**properties, **({"name": NAME} if "{name}" in path else {})}}, path)
                  for verb in ("GET", "HEAD")]
    every += [method(name, properties) for name, properties in METHODS.items()]
    every.append(tool("no_such_tool", {"properties": {"argument": LONG}}))
    every.append(Target("POST /mcp, no JSON", "junk", {"properties": {"text": {"enum": BODIES}, "bytes": {"enum": [100, 20_000, 262_000]}},
                                                       "required": ["text", "bytes"]}, junk))
    return every


class Ground:
    """A server over a store of its own that tells what a request costs."""

    def __init__(self, given, folder, more=0):
        pathlib.Path(folder).mkdir()
        self.store = imported(given, folder)
        if more:
            rows = "\n".join(f"WIDE{n:05},2020-0{month}-01,{n + month}" for n in range(more) for month in (1, 2, 3))
            wide = pathlib.Path(folder) / "wide"
            wide.mkdir()
            (wide / "wide.csv").write_text("series_id,date,value\n" + rows + "\n")
            assert run(given, "import", "--bare", wide, store=self.store).returncode == 0
        self.server = Server(given, self.store, "--rate-limit-loopback", "--rate-limit", "1000000000", "--rate-limit-data", "1000000000",
                             "--rate-limit-burst", "1000000000", "--rate-limit-per-second", "1000")
        self.clock = (~self.server.process.pid << 3) | 2  # clock_getcpuclockid(3)
        self.wire, self.beside = Wire(self.server.port), Wire(self.server.port)
        self.db = sqlite3.connect(self.store, isolation_level=None)
        self.db.execute("PRAGMA synchronous = OFF")
        self.wire.ask(rpc("resources/read", {"uri": "macro://catalog"}))
        self.world = World(json.loads(self.wire.last)["result"]["contents"][0]["text"])
        self.cheap = Request("GET", f"/api/public/data/{self.world.held[0]}?start=2020-01-01")
        dear = Request("GET", "/api/public/regime")
        cold, warm = min(self.once(dear)[0] for _ in range(3)), min(self.spent(dear)[0] for _ in range(3))
        assert cold > 2 * warm, f"a new version of the data makes nothing old: {cold:.2f} ms, {warm:.2f} ms"

    def new_version(self):
        """What a commit does to the line in which the store counts its changes (src/store/sqlite/state.rs)."""
        version, series = self.db.execute("SELECT version, series FROM state").fetchone()
        crc = zlib.crc32(b"state" + struct.pack("<qq", version + 1, series))
        self.db.execute("UPDATE state SET version = ?, crc = ?", (version + 1, crc))
        time.sleep(0.006)  # as long as a version may be told unasked
        self.beside.ask(self.cheap)

    def cpu(self):
        return time.clock_gettime_ns(self.clock) / 1e6

    def resting(self):
        """Milliseconds spent when the server has come to rest."""
        last = self.cpu()
        for _ in range(200):
            time.sleep(0.0007)
            now = self.cpu()
            if now - last < 0.02:
                break
            last = now
        return now

    def spent(self, request):
        before = self.resting()
        status, headers, length = self.wire.ask(request)
        return self.resting() - before, status, length

    def once(self, request):
        self.new_version()
        return self.spent(request)

    def fair_price(self, request, repeats):
        """The price on a machine as fast as the table's; other work on the machine slows both measurements."""
        pairs = [(self.once(request), fixed_work()) for _ in range(repeats)]
        cost, status, length = min(price for price, _ in pairs)
        return cost / max(1, min(work for _, work in pairs) / FIXED_WORK), status, length

    def price(self, request, repeats, enough=0, sure=DEAR_ENOUGH):
        """The least of some repeats; stops when it is below `enough`, or so far above that noise does not matter."""
        best = None
        for _ in range(repeats):
            found = self.once(request)
            best = min(best, found) if best else found
            if best[0] < enough or best[0] > sure:
                break
        return best

    def charged(self, request):
        """How much of the day's allowances it takes, over REST and the time series'."""
        def left():
            probes = (Request("GET", "/api/public/content/latest"), self.cheap)
            return sum(int(self.beside.ask(probe)[1].get("x-ratelimit-remaining", 0)) for probe in probes)
        before = left()
        self.wire.ask(request)
        return before - left() - 2


class Hunt:
    def __init__(self, ground, target, kept, kin):
        self.ground, self.target, self.best = ground, target, []
        self.tried = 0
        for request in kept:
            self.weigh(request, target.read(request))
        for begun in kin:
            self.weigh(target.build(begun), begun)
        self.of_seeds = self.best[0][0] if self.best else 0

    def weigh(self, request, given):
        """Keeps the dearest; a first price that is high is not believed before it came three times."""
        self.tried += 1
        floor = self.best[-1][0] if len(self.best) >= KEPT else 0
        found = self.ground.price(request, 3, floor, 30)
        if found[0] > floor:
            self.best = sorted(self.best + [(*found, request, given)], key=lambda b: -b[0])
            # Half of them may be refusals: those are cheap here and lead nowhere, but may be dear themselves.
            refused = [one for one in self.best if one[1] >= 400]
            for one in refused[KEPT // 2:] or self.best[KEPT:]:
                self.best.remove(one)

    def go(self, seconds):
        world, until = self.ground.world, time.monotonic() + seconds
        most = 10**9 if set(self.target.schema["properties"]) - set(ENCODINGS) - {"modern"} else 12
        while not self.best or time.monotonic() < until and self.tried < most and not (self.best and self.best[0][0] > DEAR_ENOUGH):
            known = [one[4] for one in self.best if one[4] is not None]
            known = [one[4] for one in self.best if one[4] is not None and one[1] < 400] or known
            if known and world.rng.random() < 0.8:
                base = known[0] if world.rng.random() < 0.5 else world.rng.choice(known)
                given = world.mutated(self.target.schema, base)
            else:
                given = world.drawn(self.target.schema)
            request = self.target.build(given)
            if len(request.raw()) < 262_000 + 300 and len(request.path) < 8_000:
                self.weigh(request, given)
        return self.result()

    def result(self):
        _, _, _, request, given = self.best[0]
        words = request.words(10**6)
        bound = WHOLE if COMPOSITE.search(words) else PICTURE if DRAWN.search(words) else BOUND
        cost, status, length = self.ground.price(request, 7)
        for _ in range(3):
            # What other work on the machine adds passes; what the request costs stays.
            if bound < cost < 3 * bound:
                time.sleep(0.5)
                cost = min(cost, self.ground.fair_price(request, 7)[0])
        return {"target": self.target.name, "cost": cost, "status": status, "length": length, "request": request, "given": given,
                "charged": self.ground.charged(request), "tried": self.tried, "known": self.of_seeds, "bound": bound}


def fan_out(given, ground, listeners=32):
    """What a change of one series costs while others are listened to."""
    names = ground.world.held[1:65]
    body = rpc("subscriptions/listen", {"notifications": {"resourceSubscriptions": [f"macro://series/{name}" for name in names]}}, True)
    lines = [ground.server.connect() for _ in range(listeners)]
    for line in lines:
        line.sendall(body.raw())
        line.recv(65536)
    time.sleep(1.5)
    costs = []
    for _ in range(3):
        start = last = ground.cpu()
        ground.new_version()
        while True:
            time.sleep(1.3)  # listeners are told once a second
            if (now := ground.cpu()) - last < 5:
                break
            last = now
        costs.append(now - start)
    for line in lines:
        line.close()
    return {"target": f"a change of the data while {listeners} listen to {len(names)} series each", "cost": min(costs), "status": 200,
            "length": 0, "request": body, "given": None, "charged": 0, "tried": 3, "known": 0, "bound": WHOLE}


def table(found):
    print("| What | Dearest request found | CPU ms | Status | Bytes | Charged | Bound | Tried |\n|---|---|---|---|---|---|---|---|")
    shown = [one for one in found if one["cost"] >= 1]
    for one in sorted(shown, key=lambda o: -o["cost"]):
        words = one["request"].words().replace("|", "\\|").replace("`", "'")
        over = " **over**" if one["cost"] > one["bound"] else ""
        print(f"| {one['target']} | `{words}` | {one['cost']:.2f}{over} | {one['status']} | {one['length']:,} | {one['charged']} | "
              f"{one['bound']} | {one['tried']} |")
    print(f"\nThe other {len(found) - len(shown)} targets: below 1 ms.")


def hunted(given, grounds, kept):
    """Every target in turn; what is found of an endpoint is where its other doors begin."""
    found, kin = [], {}
    for where, ground in grounds.items():
        every = targets(ground.server)
        # A seed of no target is one by hand, and replayed.
        every += [lone(request) for request in kept if all(target.read(request) is None for target in every)]
        every = [one for one in every if re.search(given.only, one.name) and (not where or WIDE_TARGETS.search(one.name))]
        started = time.monotonic()
        for n, target in enumerate(every):
            hunt = Hunt(ground, target, [request for request in kept if target.read(request) is not None], kin.get(target.kin, []))
            # What HEAD costs is what GET costs; the short form only shows that.
            seconds = 0 if given.short and hunt.best and target.name.startswith("HEAD") else given.seconds
            if given.short:
                # On a slow machine there is less search and no longer gate.
                seconds = min(seconds, max(0, (started + MOST_SECONDS - time.monotonic()) / (len(every) - n) - 0.2))
            one = hunt.go(seconds)
            one["target"] += where
            if one["given"] is not None:
                shared = set(target.schema["properties"]) - {"modern", *ENCODINGS}
                kin.setdefault(target.kin, []).append({k: v for k, v in one["given"].items() if k in shared})
            found.append(one)
            if one["cost"] > one["bound"] or not given.short:
                print(f"{one['cost']:9.2f} ms of {one['bound']}  {one['target']}: {one['request'].words()}", file=sys.stderr, flush=True)
    return found


def kept_seeds(found):
    """Adds what is clearly dearer than every seed of its target, and no seed is ever dropped: an old attack must not come back."""
    with SEEDS.open("a") as file:
        for one in found:
            if one["cost"] > 1 and one["cost"] > 1.2 * one["known"] and one["given"] is not None:
                file.write(one["request"].line() + "\n")


def main():
    given = arguments(__doc__.splitlines()[0], seconds=(20.0, 0.3, "seconds of search for each target"),
                      only=("", "targets whose name this expression finds"), seeds=(str(SEEDS), "file of seeds"),
                      keep=(False, "add what is dearer than the seeds to seeds.jsonl"))
    started, kept = time.monotonic(), seeds(given.seeds)
    with tempfile.TemporaryDirectory() as folder:
        grounds = {"": Ground(given, folder + "/usual")}
        if not given.short:
            grounds[f", {WIDE:,} series imported"] = Ground(given, folder + "/wide", WIDE)
        found = hunted(given, grounds, kept)
        if re.search(given.only, "listeners"):
            found.append(fan_out(given, grounds[""]))
        for ground in grounds.values():
            ground.wire.close()
            ground.beside.close()
            assert ground.server.stop() == 0
    if given.keep:
        kept_seeds(found)
    over = [one for one in found if one["cost"] > one["bound"]]
    if not given.short or over:
        table(found)
    dearest = max(found, key=lambda one: one["cost"])
    result("hunt", targets=len(found), requests=sum(one["tried"] for one in found),
           dearest_ms=f"{dearest['cost']:.1f}", of=dearest["target"], above_their_bound=len(over), seconds=f"{time.monotonic() - started:.0f}")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()

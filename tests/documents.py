#!/usr/bin/env python3
"""Checks what the documents name against what decides it, and writes the tables that are data.

    python3 tests/documents.py            every check; exit code 1 and one line for each fault
    python3 tests/documents.py --write    first writes the parts between `<!-- NAME: written by tests/documents.py -->` and
                                          `<!-- /NAME -->`, from the recipes and the catalogue

Checked: files, links and headings, in documents and as the source cites them; rows of tables; every document is linked in README; flags,
commands, variables, metrics and `macro://` addresses that are named exist; docs/CATALOGUE.md is what the build writes; the counts in COUNTS
and the limits in CONSTANTS.
A row of the table of limits in docs/OPERATIONS.md ends in the constants of its values, in their order, as `path/of/file.rs`
`NAME`; the numbers of the row's second cell must be those constants.
"""

import collections
import csv
import importlib.util
import pathlib
import re
import subprocess
import sys
import textwrap
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ROOT / "crates/core/data"
NAMED = re.compile(r"`((?:src|crates|tests|docs|deploy|packaging|data|fuzz|\.ci|\.github)/[^\s`*<>{}…]+)`")
BARE = re.compile(r"`([\w-][\w./-]*\.(?:csv|toml|rs|py|sh|mjs|md|json|html|yml))`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CITED = re.compile(r"docs/([A-Z-]+\.md)(?:#([\w-]+))?")
LIMITS = ("docs/OPERATIONS.md", "<!-- limits: checked by tests/documents.py -->", "<!-- /limits -->")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "million": 10**6, "s": 1, "minutes": 60, "hours": 3600}
# Files of a reader or a release, and members of an archive: they are named and not here.
ELSEWHERE = re.compile(r"econoscope-0\.1\.0.*|titles\.csv|figures/.*|sources/example\.toml|own-unemployment-5\.toml|econoscope\.toml|server\.json|(?:observations|series|releases)\.csv|names\.csv|claude_desktop_config\.json")
# Flags of other programs, and two of the build's own.
OTHER_FLAGS = set("--locked --release --path --bench --test --workspace --no-run --rm --repo --predicate-type --upgrade --format --schema --file "
                  "--clean --if-exists --now --package --ignore-missing --create --manifest-path --ref".split())


def anchor(heading):
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


def anchors(path):
    return {anchor(line.lstrip("#")) for line in path.read_text().splitlines() if line.startswith("#")}


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\n") if name and (ROOT / name).exists()]


FILES = tracked()


def check_names(document, text):
    for name in NAMED.findall(text):
        path = name.rstrip(".,;:").removesuffix("/")
        if not (ROOT / path).exists() and not (document.parent / path).exists():
            yield f"names {path}, which does not exist"
    for name in BARE.findall(text):
        if not ELSEWHERE.fullmatch(name) and not any(f"/{file}".endswith(f"/{name}") for file in FILES):
            yield f"names {name}, which is no file"


def check_links(document, text):
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, part = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists():
            yield f"links to {link}, which does not exist"
        elif part and target.suffix == ".md" and part not in anchors(target):
            yield f"links to {link}, a heading that does not exist"


def check_rows(text):
    """A pipe in a cell splits it: each row of a table has as many cells as its head."""
    size = 0
    for line in re.sub(r"```.*?```", "", text, flags=re.S).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        if size and cells and cells != size:
            yield f"has a row of {cells - 1} cells below {size - 1} columns: {line[:60]}"
        size = cells and (size or cells)


def check_citations():
    """What code, data and scripts cite of the documents."""
    for name in FILES:
        if name.endswith((".rs", ".py", ".toml", ".sh", ".csv", ".yml", ".yaml", ".txt", ".service", ".md")):
            for document, part in CITED.findall((ROOT / name).read_text(errors="replace")):
                path = ROOT / "docs" / document
                if not path.exists():
                    yield f"{name} cites docs/{document}, which does not exist"
                elif part and part not in anchors(path):
                    yield f"{name} cites docs/{document}#{part}, a heading that does not exist"


def check_table_of_documents():
    linked = set(LINK.findall((ROOT / "README.md").read_text()))
    for name in [*tracked("docs/*.md"), "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md", "benches/README.md"]:
        if name not in linked:
            yield f"README.md does not link {name}"


class Program:
    """What the command line and the source have, for names in documents."""

    def __init__(self):
        reference = (ROOT / "docs/CONFIGURATION.md").read_text()
        self.flags = set(re.findall(r"^\| `(--[\w-]+)", reference, re.M)) | {"--help", "--version"}
        self.commands = set(re.findall(r"^## `econoscope ([\w-]+)`", reference, re.M)) | {"help", "demo", "migrate", "stdio"}
        self.variables = set(re.findall(r"`(ECONOSCOPE_\w+)`", reference))
        self.tools = {pathlib.Path(name).stem for name in tracked("tool-schemas/*.json")}
        scripts = [(ROOT / name).read_text() for name in FILES if name.endswith((".py", ".sh"))]
        self.flags_of_scripts = {flag for text in scripts for flag in re.findall(r"[\s\"'](--[a-z][\w-]+)", text)}
        self.metrics = set(re.findall(r"econoscope_\w+", (ROOT / "templates/metrics.txt").read_text()))
        self.resources = {row["address"].split("/")[2].split("{")[0] for row in csv.DictReader((ROOT / "data/resources.csv").open())}

    def check(self, text):
        blocks = re.findall(r"```\w*\n(.*?)```", text, re.S)
        spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
        for code in spans + [line.split("  #")[0] for block in blocks for line in block.splitlines()]:
            # A tool's own line may run the program after a variable or a redirection.
            line = re.search(r"(?:^|[\s/])econoscope ((?!econoscope).*)$", code)
            words = line[1].split() if line else []
            for flag in re.findall(r"(?:^|\s)(--[a-z][\w-]*)", code):
                known = self.flags if line and not code.startswith(("claude", "codex", "gemini", "docker", "gh ", "git ", "cargo", "pg_", "tests/")) else self.flags | self.flags_of_scripts | OTHER_FLAGS
                if flag not in known:
                    yield f"names the flag {flag}, which does not exist: {code.strip()}"
            verbs = [word for word in words if re.fullmatch(r"[a-z-]+", word) and not word.startswith("-")]
            if line and code.strip().startswith("econoscope") and verbs and words[0] == verbs[0] and verbs[0] not in self.commands:
                yield f"names the command econoscope {verbs[0]}, which does not exist"
            if len(words) > 1 and words[0] == "call" and re.fullmatch(r"\w+", words[1]) and words[1] not in self.tools:
                yield f"calls {words[1]}, which is no tool"
        for name in set(re.findall(r"\bECONOSCOPE_[A-Z_]+\b", text)) - self.variables:
            yield f"names {name}, which is no setting"
        for name in set(re.findall(r"\beconoscope_(?!(?:answers|core|data|desk)\b)[a-z_]+\b", text)) - self.metrics:
            yield f"names {name}, which is no metric"
        for name in set(re.findall(r"macro://(\w+)", text)) - self.resources:
            yield f"names macro://{name}, which is no resource"


def constant(path, name):
    """The value of a constant or a default of a setting, in bytes, seconds or pieces."""
    source = (ROOT / path).read_text()
    constants = re.finditer(rf"\b{name}(?:: [\w<>]+ =|:)\s*([^;,\n]*\d[^;,\n]*)[;,]\s*$", source, re.M)
    defaults = re.finditer(rf"(?:default_value_t|skip) = ([^,\n]*\d[^,\n]*?)(?:_usize)?(?:,.*)?\)\]\s*pub {name}:", source)
    for found in [*constants, *defaults]:
        text = re.sub(r"(?<=\d)_(?=\d)", "", found[1])
        value = re.sub(r"Duration::from_(?:secs|millis)\((.*)\)", r"\1", text)
        if re.fullmatch(r"[\d\s*<+.()]+", value):
            break
    else:
        raise LookupError(f"{path} has no number {name}")
    number = eval(value)  # Digits and operators alone, as matched above.
    return number / 1000 if "from_millis" in text else number


def amounts(cell):
    for number, unit in re.findall(r"(\d[\d,.]*)(?: (KiB|MiB|million|s|minutes|hours)\b)?", cell):
        yield float(number.replace(",", "")) * UNITS.get(unit, 1)


def check_limits():
    name, start, end = LIMITS
    text = (ROOT / name).read_text()
    if start not in text or end not in text:
        yield f"{name} lacks the marks of the table of limits"
        return
    rows = [line for line in text.split(start)[1].split(end)[0].strip().splitlines() if line.startswith("|")][2:]
    if len(rows) < 10:
        yield f"{name}: only {len(rows)} limits"
    for row in rows:
        what, limit, where = (cell.strip() for cell in row.strip("|").split("|"))
        path, *names = re.findall(r"`([^`]+)`", where)
        values = []
        for part in names:
            if "/" in part:
                path = part
            else:
                try:
                    values.append(constant(path, part))
                except LookupError as error:
                    yield f"{name}: {error}"
        stated = list(amounts(limit))
        if stated != values:
            yield f"{name}: {what} is {limit} in the document and {values} in the source"


def check_constants():
    """Sentences with limits outside of that table: their numbers are the constants, in their order."""
    for name, sentence, where in CONSTANTS:
        if sentence not in " ".join((ROOT / name).read_text().split()):
            yield f"{name} should say: {sentence}"
        path, *names = where.split()
        try:
            values = [constant(path, part) for part in names]
        except LookupError as error:
            yield f"{name}: {error}"
            continue
        if list(amounts(sentence)) != values:
            yield f"{name}: {sentence!r}, and {values} in the source"


CONSTANTS = [
    ("docs/FORMULAS.md", "200 characters, 8 levels, 8 powers, 12 names, windows up to 5,000 periods", "crates/core/src/indicators/expression/parser.rs MAX_CHARACTERS MAX_DEPTH MAX_POWERS MAX_NAMES MAX_PERIODS"),
    ("docs/FORMULAS.md", "refused above 3.5 million", "crates/answers/src/conditions/formulas.rs MAX_STEPS"),
    ("docs/FORMULAS.md", "each column 6 a figure and each pair of columns 3", "crates/answers/src/endpoints/compare_series/columns.rs COLUMN_STEPS PAIR_STEPS"),
    ("docs/SOURCES.md", "**Waiting**: 8 s, then", "crates/data/src/ingest/demand.rs PATIENCE"),
    ("docs/SOURCES.md", "20 series waiting, 60 s and", "crates/data/src/ingest/demand.rs MAX_WAITING LONGEST_FETCH"),
    ("docs/SOURCES.md", "is remembered for 24 hours", "crates/data/src/ingest/demand.rs UNKNOWN_LIFETIME"),
    ("docs/SOURCES.md", "for 90 days after the last question", "crates/data/src/ingest/demand.rs KEPT_DAYS"),
    ("docs/SOURCES.md", "in memory, for 15 minutes, 64 series at most", "crates/data/src/ingest/demand.rs MEMORY_LIFETIME MAX_IN_MEMORY"),
    ("docs/SOURCES.md", "at most once in 30 minutes", "crates/data/src/ingest/feeds.rs INTERVAL_SECONDS"),
    ("docs/SOURCES.md", "in two attempts, 30 s and 8 MiB", "crates/data/src/ingest/feeds.rs MAX_DURATION MAX_FEED_BYTES"),
    ("docs/SOURCES.md", "The first 200 entries are read. The store keeps title (200 characters), summary (600)", "crates/data/src/ingest/feeds/entries.rs MAX_ENTRIES MAX_TITLE MAX_SUMMARY"),
    ("docs/SOURCES.md", "of the 60 newest common dates", "crates/data/src/ingest/accept.rs COMPARED_DATES"),
    ("docs/SOURCES.md", "a ZIP is read as a stream up to 512 MiB", "crates/core/src/recipe/formats.rs MAX_UNPACKED_BYTES"),
    ("docs/SOURCE-NOTES.md", "at most 2,000 vintage days a request", "crates/data/src/ingest/sources/fred/vintages.rs MAX_DAYS"),
    ("docs/METHODS.md", "500 days without a figure, and 250 after one was due", "crates/core/src/model/timeliness.rs ENDED_AFTER_DAYS ENDED_AFTER_DUE_DAYS"),
    ("docs/METHODS.md", "in the 20 years before, overlapping, 24 at least", "crates/answers/src/endpoints/what_changed/moves.rs YEARS MIN_MOVES"),
    ("docs/RELEASES.md", "within 12 days (3 for weekly releases)", "crates/core/src/model/calendar/announced.rs MAX_DISTANCE_DAYS MAX_WEEKLY_DISTANCE_DAYS"),
    ("docs/RELEASES.md", "(48 at least)", "crates/core/src/indicators/revisions/bars.rs MIN_REVISIONS"),
    ("docs/COMPOSITES.md", "over 240 months, 60 at least", "crates/core/src/indicators/regime/axes.rs WINDOW MIN_WINDOW"),
    ("docs/COMPOSITES.md", "ended more than 75 days ago", "crates/core/src/indicators/regime.rs STALE_DAYS"),
    ("docs/COMPOSITES.md", "Under 40 the label is contested", "crates/core/src/indicators/regime.rs CONTESTED"),
    ("docs/COMPOSITES.md", "the newest week of claims ended more than 14 days before the day", "crates/core/src/indicators/recession_now.rs STALE_DAYS"),
    ("docs/COMPOSITES.md", "first value after 504 earlier days", "crates/core/src/indicators/stress.rs MIN_HISTORY"),
    ("docs/COMPOSITES.md", "over 504 days of the index, 252 at least", "crates/core/src/indicators/appetite.rs WINDOW MIN_DAYS"),
    ("docs/COMPOSITES.md", "At most 20,000 texts of 120 days are read", "crates/desk/src/narrative.rs MAX_ARTICLES WINDOW"),
    ("docs/COMPOSITES.md", "fewer than 14 days of texts; fewer than 20 texts a day", "crates/core/src/indicators/narrative_velocity.rs MIN_DAYS MIN_TEXTS_A_DAY"),
    ("docs/COMPOSITES.md", "180 months in common with the regimes and 24 on each side", "crates/core/src/indicators/asset_views/evidence.rs MIN_MONTHS MIN_IN_REGIME"),
    ("docs/COMPOSITES.md", "Above 1.21 the answer says", "crates/core/src/indicators/precedents.rs CLOSE"),
    ("docs/SCENARIOS.md", "the newest 50", "src/alerts.rs MAX_ALERTS"),
    ("docs/OPERATIONS.md", "Each address may make 100 requests a UTC day and 200 more for time series, at most 20 at once and 10 a second", "src/admission/settings.rs general data burst per_second"),
    ("docs/OPERATIONS.md", "1,000 a day and address (`--rate-limit-pages`)", "src/admission/settings.rs pages"),
    ("docs/OPERATIONS.md", "once for every 3 million pixels", "src/site/pictures.rs WORK_PER_PAGE"),
    ("docs/OPERATIONS.md", "one with more than 16 conditions", "src/mcp/subscriptions.rs CONDITIONS_PER_REQUEST"),
    ("docs/OPERATIONS.md", "have 16 subscriptions open", "src/admission/permits.rs MAX_LISTENERS_PER_ADDRESS"),
    ("docs/OPERATIONS.md", "each of 64 addresses, and 64 conditions at once", "src/mcp/subscriptions.rs MAX_ADDRESSES MAX_CONDITIONS"),
    ("docs/OPERATIONS.md", "At most 256 answers wait", "crates/data/src/pool/queue.rs MAX_JOBS"),
    ("docs/OPERATIONS.md", "32 connections are reserved", "src/admission/permits.rs RESERVE"),
    ("docs/LOCKED.md", "of the next 400 days", "src/lock.rs HORIZON"),
    ("docs/CLUSTER.md", "The holder renews it every 3 s", "src/app/live.rs LEASE_INTERVAL"),
    ("docs/FORWARDING.md", "At most 100 are made", "src/app/serving.rs DOCUMENTED_LIMIT"),
]


# ---------------------------------------------------------------- tables and counts

CATALOGUE = [row for row in csv.DictReader((CORE / "catalogue.csv").open()) if row["category"] != "composite"]
ORDER = re.findall(r'"(\w+)"', re.search(r"embedded!\((.*?)\);", (ROOT / "crates/core/src/recipe.rs").read_text(), re.S)[1])
RECIPES = [tomllib.loads((CORE / f"sources/{name}.toml").read_text()) for name in ORDER]


def series_of(recipe):
    """The series of a recipe, and what is known of each."""
    seen = {}
    for feed in recipe.get("feed", []):
        for series in feed.get("series", []):
            seen.setdefault(series["id"], series.get("seen", feed.get("seen")))
    return seen


def ways():
    """Series of the catalogue by the best way to a source other than FRED; derived is what follows by a formula from those."""
    best = {}
    for recipe in RECIPES:
        source = recipe["source"]
        is_own = source["rights"] in ("personal", "own_key")
        way = "own" if is_own else "free" if "key" in source and not source["key"].get("optional") else "open"
        for series in series_of(recipe):
            best[series] = min(way, best.get(series, way), key=["open", "free", "own"].index)
    ids = {row["series_id"] for row in CATALOGUE}
    rows = csv.DictReader((CORE / "identities.csv").open())
    formulas = {row["series_id"]: ids & set(re.findall(r"[A-Z0-9_]{2,}", row["formula"])) for row in rows} | {"SAHMCURRENT": {"UNRATE"}}
    while new := {series for series, of in formulas.items() if series not in best and of <= best.keys()}:
        best |= dict.fromkeys(new, "derived")
    return collections.Counter(best.get(series, "none") for series in ids)


def sources_table():
    on_fred = sum("not FRED" not in r["source_agency"] and "not on FRED" not in r["source_agency"] and not r["source_agency"].startswith("FRED-MD") for r in CATALOGUE)
    synced = sum(row.get("sync") == "yes" for row in csv.DictReader((CORE / "identities.csv").open()))
    lines = ["| name | who | series | from memory | key | rights |", "|---|---|---|---|---|---|"]
    first = {}
    for recipe in RECIPES:
        source, seen = recipe["source"], series_of(recipe)
        for series, kind in seen.items():
            first.setdefault(series, kind)
        key = "no" if source.get("key", {"optional": True}).get("optional") else "own" if source["rights"] == "own_key" else "free"
        cells = [f"`{source['id']}`", source["name"], str(len(seen)), str(sum(kind == "memory" for kind in seen.values())), key, source["rights"]]
        if source["id"] == "formula":
            cells = ["`formula`", "computed from stored series by their [identities](METHODS.md#identities)", str(synced), "-", "no", "cite"]
        elif source["id"] == "fred":
            cells = ["`fred`", "[FRED](SOURCE-NOTES.md#fred-download), last", str(on_fred), "-", "no, free for [vintages](SOURCE-NOTES.md#fred-vintages)", "[its terms](#fred-terms)"]
        elif not seen:
            cells[2:4] = ["[by identifier](#any-series)", "-"]
        lines.append(f"| {' | '.join(cells)} |")
    way = ways()
    lines += ["", f"The catalogue has {len(CATALOGUE)} series besides our own composites. Of these, {way['open']} have a source other than FRED without a key, "
              f"{way['free']} with a free",
              f"key, and {way['own']} for the operator's own use; {way['derived']} more are computed from such series, and {way['none']} have none. "
              f"Of the {len(first)}, {sum(kind == 'memory' for kind in first.values())} are from memory at",
              "their first source."]
    return lines


def rights_table():
    kinds = {"ok": ("may be", "yes"), "ok_with_citation": ("may be", "yes; the answer names the source"), "fetch_only": ("never", "**no**, unless started with `--serve-restricted` by a licensee")}
    count = collections.Counter(row["bundle"] for row in CATALOGUE)
    lines = ["| right | series | bundled | served by a public server |", "|---|---|---|---|"]
    lines += [f"| `{kind}` | {count[kind]} | {bundled} | {served} |" for kind, (bundled, served) in kinds.items()]
    whose = collections.Counter(agency(row) for row in CATALOGUE if row["bundle"] == "fetch_only")
    names = ", ".join(f"{name} ({count})" for name, count in sorted(whose.items(), key=lambda item: (-item[1], item[0])))
    return [*lines, "", *textwrap.wrap(f"Those of `fetch_only` are of {names}.", 140, break_long_words=False)]


def agency(row):
    """The agency without the release, the route and remarks."""
    name = re.sub(r" \(.*\)$| (?:G|H|Z)\.\d+(?:\.\d)?$", "", row["source_agency"])
    return re.sub(r"^FRED-MD.*", "FRED-MD", name.split(" / ")[0])


def agencies_table():
    rows = collections.defaultdict(list)
    for row in CATALOGUE:
        rows[agency(row)].append(row)
    lines = ["| agency | series | categories | days |", "|---|---|---|---|"]
    few = [name for name, of in rows.items() if len(of) < 4]
    for name, of in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        lags = sorted(int(row["publication_lag_days"]) for row in of)
        span = f"{lags[0]} to {lags[-1]}" if lags[0] != lags[-1] else str(lags[0])
        if name not in few:
            kinds = [kind for kind, _ in collections.Counter(row["category"] for row in of).most_common(3)]
            lines.append(f"| {name} | {len(of)} | {', '.join(kinds)} | {span} |")
    return [*lines, f"| three or fewer each | {sum(len(rows[name]) for name in few)} | {', '.join(sorted(few))} | |"]


TABLES = {("docs/SOURCES.md", "sources"): sources_table, ("docs/SOURCES.md", "rights"): rights_table, ("docs/SOURCE-NOTES.md", "agencies"): agencies_table}


def check_tables(is_written):
    for (name, part), lines in TABLES.items():
        text = (ROOT / name).read_text()
        start, end = f"<!-- {part}: written by tests/documents.py -->\n", f"<!-- /{part} -->"
        before, _, rest = text.partition(start)
        _, found, after = rest.partition(end)
        if not found:
            yield f"{name} lacks the marks of {part}"
            continue
        new = before + start + "\n".join(lines()) + "\n" + end + after
        if is_written:
            (ROOT / name).write_text(new)
        elif new != text:
            yield f"{name}: the part {part} is out of date, run tests/documents.py --write"
    folder = ROOT / "crates/data/data/history"
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("build", folder / "build.py")
    build = sys.modules["build"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    held = build.read_all()
    if build.DOCS.read_text() != build.tables(held, build.catalogue(held)):
        yield "docs/CATALOGUE.md is out of date, run crates/data/data/history/build.py --tables"
    yield from check_counts(held)


def rows_of(path):
    return sum(1 for _ in csv.DictReader((ROOT / path).open()))


def check_counts(held):
    """Sentences that count what the repository has."""
    walk = (ROOT / "tests/hours/walk.py").read_text()
    mistakes = walk[walk.index("MISTAKES = {"):walk.index('(work / "empty")')]
    with_states = len(list((ROOT / "data/vintages").glob("*.csv")))
    counts = {
        "series": f"{len(CATALOGUE):,}", "hundreds": f"{len(CATALOGUE) // 100 * 100:,}", "bundled": len(held), "files": len(list((ROOT / "data/series").glob("*.csv"))),
        "vintages": with_states, "copied": len({row["series_id"] for path in (ROOT / "data/copies").glob("*.csv") if path.name != "origins.csv" for row in csv.DictReader(path.open())}),
        "mistakes": len(re.findall(r"^        \(f?[\"']", mistakes, re.M)), "targets": len(list((ROOT / "fuzz/fuzz_targets").glob("*.rs"))),
        "prints": rows_of("tests/figures/first_prints.csv"),
        "days": rows_of("crates/core/data/calendar/days.csv"),
    }
    for name, sentence in COUNTS:
        wanted = sentence.format(**counts)
        if wanted not in " ".join((ROOT / name).read_text().split()):
            yield f"{name} should say: {wanted}"
    words = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
    for name, sentence, number in (
        ("docs/SOURCES.md", "{} RSS and Atom feeds", rows_of("crates/data/data/feeds.csv")),
        ("CHANGELOG.md", "{} tools over stdio", len(tracked("tool-schemas/*.json"))),
    ):
        wanted = sentence.format(words[number].capitalize())
        if wanted not in (ROOT / name).read_text():
            yield f"{name} should say: {wanted}"


COUNTS = [
    ("README.md", "more than {hundreds} series"),
    ("CHANGELOG.md", "{series} series, {bundled} of them with figures in the program"),
    ("docs/DATA.md", "real figures of {bundled} US series"),
    ("docs/DATA.md", "{files} series of public agencies"),
    ("docs/DATA.md", "real-time rows of {vintages} series"),
    ("docs/DATA.md", "{copied} series that copies in public repositories hold"),
    ("docs/DATA.md", "Of {prints} published first prints"),
    ("docs/METHODS.md", "Vintages: {vintages} series in the bundle"),
    ("docs/RELEASES.md", "of the {days} lie where the vintages can tell"),
    ("docs/RELIABILITY.md", "{mistakes} mistakes get an error"),
    ("docs/RELIABILITY.md", "`fuzz/` has {targets} targets"),
    ("data/series/README.md", "{files} series of public agencies"),
    ("data/vintages/README.md", "Real-time figures of {vintages} series"),
]


def main():
    documents = tracked("*.md")
    faults = list(check_tables("--write" in sys.argv[1:]))
    program = Program()
    for name in documents:
        document = ROOT / name
        text = document.read_text()
        faults += [f"{name} {fault}" for fault in (*check_names(document, text), *check_links(document, text), *check_rows(text), *program.check(text))]
    faults += [*check_citations(), *check_table_of_documents(), *check_limits(), *check_constants()]
    print("\n".join(faults) or f"{len(documents)} documents: every file, link, name, table, count and limit is as they say")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

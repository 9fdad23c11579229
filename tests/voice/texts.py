#!/usr/bin/env python3
"""What every text keeps to, over all tools and situations: texts.py BINARY FOLDER [--show]

Usual, long, as-of, late, empty, withheld and forwarded answers. No text names a field of its structure, has a statistic of a
record or a sentence of more than 35 words, or says a sentence twice; and both halves of an answer, of which many hosts show a
model one, carry what it must not be read without: late, computed, licensed, withheld, untrusted, never published, as revised.
"""
import json, re, sys
from program import Program

SITUATIONS = {
    "usual": [
        ("get_macro_summary", {}), ("get_regime", {}), ("get_metric", {"ticker": "UNRATE"}), ("get_signals", {}),
        ("get_time_series", {"seriesId": "UNRATE", "start": "1y"}), ("compare_series", {"series": ["UNRATE", "DGS10"]}),
        ("search_series", {"query": "unemployment"}), ("list_scenarios", {}), ("search_glossary", {"q": "yield curve"}),
        ("get_latest_articles", {}), ("explain_indicator", {"indicator": "CRPI"}), ("what_changed", {}),
        ("get_revisions", {"seriesId": "UNRATE"}), ("get_release_calendar", {})],
    "long": [
        ("get_regime", {"switches": True}), ("get_regime", {"regime": "STAGFLATION"}), ("get_metric", {"ticker": "PAYEMS"}),
        ("get_metric", {"ticker": "ICSA"}), ("get_metric", {"ticker": "GDPC1"}), ("get_metric", {"ticker": "CMSI"}),
        ("get_metric", {"ticker": "SAHM"}), ("get_metric", {"ticker": "10y"}),
        ("get_time_series", {"seriesId": "UNRATE", "after": "NBER peaks"}),
        ("get_time_series", {"seriesId": "UNRATE", "condition": ">8", "start": "1948"}),
        ("get_time_series", {"seriesId": "DGS10", "start": "5y"}),
        ("compare_series", {"series": ["yoy(CPIAUCSL)", "FEDFUNDS"], "correlations": True, "start": "1990"}),
        ("list_scenarios", {"query": "sahm-trigger"}), ("explain_indicator", {"indicator": "regime"}),
        ("explain_indicator", {"indicator": "RNOW"}), ("explain_indicator", {"indicator": "CMSI"}),
        ("what_changed", {"since": "9m"}), ("get_revisions", {"seriesId": "PAYEMS", "date": "2024-01..2024-06"}),
        ("get_release_calendar", {"series": "PAYEMS"})],
    "as of": [
        ("get_macro_summary", {"as_of": "2008-12-31"}), ("get_regime", {"as_of": "2008-12-31"}),
        ("get_signals", {"as_of": "2008-12-31"}), ("get_metric", {"ticker": "CRPI", "as_of": "2008-12-31"}),
        ("get_metric", {"ticker": "UNRATE", "as_of": "2009-01-15"}), ("get_metric", {"ticker": "UNRATE", "as_of": "2022-03"}),
        ("get_time_series", {"seriesId": "PAYEMS", "as_of": "2009-01-15, latest", "start": "2008"}),
        ("explain_indicator", {"indicator": "CRPI", "as_of": "2007-06"}), ("what_changed", {"as_of": "2020-04-01"}),
        ("get_release_calendar", {"as_of": "2020-04-01"})],
    "empty": [
        ("get_metric", {"ticker": "VIX"}), ("get_time_series", {"seriesId": "DGS10", "start": "1950", "end": "1955"}),
        ("search_series", {"query": "zirconium"}), ("search_glossary", {"q": "blorp"}),
        ("list_scenarios", {"query": "zirconium"}), ("get_revisions", {"seriesId": "DGS10"}), ("get_metric", {"ticker": "CRAI"}),
        ("get_metric", {"ticker": "NVI"}), ("get_macro_summary", {"as_of": "1930"})],
}
# Arguments that a text offers, and identifiers of the contract that are words of their own.
WRITTEN = {"as_of", "max_points", "detail", "series", "start", "end", "dates", "query", "tag", "get_time_series", "search_series",
           "get_revisions", "get_metric", "explain_indicator", "seriesId", "compare_series"}
STATISTICS = r"\bAUC\b|\bBrier\b|\bp-value|\bt -?\+?\d\.\d|\bt-stat|\bcorrelation -?0\.\d+ since|\b90 % intervals\)"

def names(value, found):
    """Names of fields that are no plain word: camelCase or with an underscore."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("columns", "rows"): pass
            elif re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+|[a-z]+([A-Z][a-z0-9]*)+", name): found.add(name)
            names(inner, found)
        for column in value.get("columns", []) if isinstance(value.get("columns"), list) else []:
            part = column.split(".")[-1] if isinstance(column, str) else ""
            if re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+|[a-z]+([A-Z][a-z0-9]*)+", part): found.add(part)
    elif isinstance(value, list):
        for inner in value: names(inner, found)
    return found

def sentences(text, ends=".:;?"):
    """Sentences of prose: tables, lists in a line of sources and fenced text by others are none."""
    kept = []
    for line in text.split("\n"):
        if line.startswith(("Source", "Data by")) or re.match(r"^[^ ]*,[^ ]*,|^\{", line) or line.count(",") > 6 and "." not in line:
            continue
        kept += re.split(rf"(?<=[{ends}])\s+", line)
    return [s for s in kept if s.strip()]

def judge(text, structure):
    faults = []
    fields = names(structure, set()) - WRITTEN
    used = sorted(name for name in fields if re.search(rf"(?<![\w/.=]){re.escape(name)}(?![\w=])", text))
    if used: faults.append("names fields: " + ", ".join(used))
    if re.search(r"`[a-z_]+`", text): faults.append("quotes a field: " + re.search(r"`[a-z_]+`", text).group())
    if re.search(STATISTICS, text): faults.append("has a statistic: " + re.search(STATISTICS, text).group())
    told = set()
    for sentence in sentences(text):
        words = sentence.split()
        if len(words) > 35: faults.append(f"{len(words)} words: {sentence[:100]}")
    for sentence in sentences(text, ".?"):
        if len(sentence.split()) > 4 and sentence in told: faults.append("twice: " + sentence[:100])
        told.add(sentence)
    return faults

def both(name, text, structure, pattern, in_structure, faults):
    """A caveat stands in both halves."""
    if not re.search(pattern, text): faults.append(f"{name}: the text lacks {pattern}")
    if not re.search(in_structure, json.dumps(structure, ensure_ascii=False)): faults.append(f"{name}: the structure lacks {in_structure}")

def honesty(program, faults):
    def ask(tool, **arguments): return program.call(tool, arguments)[:2]
    late = r"(A newer figure|Newer figures).*(is|are) not loaded\."
    for tool, arguments in SITUATIONS["usual"]:
        text, structure, _ = program.call(tool, arguments)
        if structure.get("late"): both(f"late {tool}", text, structure, late, r'"late": \{"', faults)
        if any(reason == "not_loaded" for reason in structure.get("reasons", {}).values()):
            both(f"missing {tool}", text, structure, r"[Nn]ot loaded", '"not_loaded"', faults)
    for tool, arguments in (("get_metric", {"ticker": "CRPI"}), ("explain_indicator", {"indicator": "CRPI"}), ("get_signals", {})):
        text, structure = ask(tool, **arguments)
        both(f"odds {tool}", text, structure, "not odds", "not odds", faults)
        both(f"record {tool}", text, structure, r"8 of 325 months under 15 %", r"8 of 325 months under 15 %", faults)
    both("odds of the summary", *ask("get_macro_summary"), "not odds", "not odds", faults)
    for tool, arguments in (("get_metric", {"ticker": "CRPI"}), ("explain_indicator", {"indicator": "CRPI"}), ("get_signals", {}),
                            ("get_metric", {"ticker": "RNOW"}), ("get_metric", {"ticker": "CMSI"}), ("get_metric", {"ticker": "CNLI"})):
        text, structure = ask(tool, as_of="2008-12-31", **arguments)
        both(f"later years {tool} {arguments}", text, structure, "Counted with later years", "Counted with later years", faults)
        both(f"as known {tool}", text, structure, r"As known on 31 December 2008\.", '"knowledge"', faults)
    both("revised", *ask("get_metric", ticker="DGS10", as_of="2008-12-31"), "Only the last revisions are held of DGS10", "as last revised", faults)
    both("computed", *ask("get_metric", ticker="A191RL1Q225SBEA"), "computed here from", "computed here from", faults)
    both("not loaded", *ask("get_metric", ticker="VIX"), "not loaded", "not_loaded", faults)
    both("never published", *ask("get_time_series", seriesId="UNRATE", start="2025-06", end="2026-01"), "never published", "never published", faults)
    both("no forecast", *ask("list_scenarios"), "no forecast", "measured", faults)
    both("untrusted", *ask("get_latest_articles"), "external|own|untrusted|Econoscope", "articles", faults)
    both("ended", *ask("get_metric", ticker="LIBOR"), "ended|not carried|SOFR", "", faults)

def main():
    if len(sys.argv) < 3: sys.exit(__doc__)
    program, faults = Program(sys.argv[1], sys.argv[2]), []
    for situation, calls in SITUATIONS.items():
        for tool, arguments in calls:
            text, structure, is_error = program.call(tool, arguments)
            own = judge(text, structure)
            if is_error: own.append("an error: " + text[:120])
            faults += [f"{situation}: {tool} {json.dumps(arguments)}: {fault}" for fault in own]
            if "--show" in sys.argv: print(f"## {situation}: {tool} {json.dumps(arguments)}, {len(text)} characters\n\n{text}\n")
    honesty(program, faults)
    program.end()
    print(*faults, sep="\n")
    print(f"{sum(map(len, SITUATIONS.values()))} texts, {len(faults)} faults")
    sys.exit(1 if faults else 0)

if __name__ == "__main__":
    main()

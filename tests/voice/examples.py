#!/usr/bin/env python3
"""The 35 calls of the voice's examples on one binary, written one after another: examples.py BINARY FOLDER > FILE

Two files, of a binary before a change and after it, show what an assistant reads differently.
"""
import json, sys
from program import Program, size

CALLS = [
    ("get_macro_summary", {}), ("get_macro_summary", {"as_of": "2008-12-31"}), ("get_regime", {}), ("get_regime", {"as_of": "2008-12-31"}),
    ("get_metric", {"ticker": "UNRATE"}), ("get_metric", {"ticker": "CRPI"}), ("get_metric", {"ticker": "10y"}),
    ("get_metric", {"ticker": "VIX"}), ("get_signals", {}), ("get_signals", {"as_of": "2008-12-31"}),
    ("get_time_series", {"seriesId": "UNRATE", "start": "1y"}),
    ("get_time_series", {"seriesId": "PAYEMS", "start": "2008-06", "end": "2008-12", "as_of": "2009-01-31, latest"}),
    ("get_time_series", {"seriesId": "DGS10", "start": "1950", "end": "1955"}), ("compare_series", {"series": ["UNRATE", "PAYEMS"]}),
    ("search_series", {"query": "unemployment", "limit": 3}), ("list_scenarios", {"query": "sahm-trigger"}), ("list_scenarios", {}),
    ("search_glossary", {"q": "yield curve"}), ("search_glossary", {"q": "blorp"}), ("get_latest_articles", {}),
    ("explain_indicator", {"indicator": "CRPI"}), ("explain_indicator", {"indicator": "regime"}), ("what_changed", {}),
    ("get_revisions", {"seriesId": "PAYEMS"}), ("get_revisions", {"seriesId": "DGS10"}), ("get_release_calendar", {}),
    ("get_release_calendar", {"series": "PAYEMS"}), ("compare_series", {"series": ["DGS10", "DGS2"], "start": "2026"}),
    ("search_series", {"query": "zirconium"}), ("what_changed", {"since": "9m"}), ("fetch", {"id": "series:UNRATE"}),
    ("search", {"query": "yield curve"}), ("search", {"query": "zirconium"}),
    ("get_time_series", {"seriesId": "UNRATE", "after": "NBER peaks"}), ("explain_indicator", {"indicator": "RNOW"}),
]

def main():
    if len(sys.argv) < 3: sys.exit(__doc__)
    program, total = Program(sys.argv[1], sys.argv[2]), 0
    for tool, arguments in CALLS:
        text, structure, _ = program.call(tool, arguments)
        total += len(text)
        print(f"## {tool} {json.dumps(arguments)}: text {len(text)}, structure {size(structure)}\n\n{text}\n")
    program.end()
    print(f"{len(CALLS)} texts, {total} characters")

if __name__ == "__main__":
    main()

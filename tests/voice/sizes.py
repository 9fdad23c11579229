#!/usr/bin/env python3
"""What an assistant reads, in characters, against budgets: sizes.py BINARY FOLDER

Prints text and structure of the usual call of each tool and of four more, the list of tools and their output schemas, and fails
where one is above its budget.
"""
import sys
from program import Program, size

# Tool, arguments, budget of its text.
CALLS = [
    ("get_macro_summary", {}, 1300),
    ("get_regime", {}, 1100),
    ("get_metric", {"ticker": "UNRATE"}, 600),
    ("get_signals", {}, 1800),
    ("get_time_series", {"seriesId": "UNRATE", "start": "1y"}, 900),
    ("compare_series", {"series": ["UNRATE", "DGS10"]}, 1000),
    ("search_series", {"query": "unemployment"}, 1400),
    ("list_scenarios", {}, 1700),
    ("search_glossary", {"q": "yield curve"}, 600),
    ("get_latest_articles", {}, 700),
    ("search", {"query": "unemployment"}, 900),
    ("fetch", {"id": "series:UNRATE"}, 2000),
    ("explain_indicator", {"indicator": "CRPI"}, 1300),
    ("what_changed", {}, 1700),
    ("get_revisions", {"seriesId": "UNRATE"}, 800),
    ("get_release_calendar", {}, 1700),
]
MORE = [
    ("get_metric", {"ticker": "CRPI"}, 600),
    ("get_metric", {"ticker": "10y"}, 600),
    ("list_scenarios", {"query": "sahm-trigger"}, 600),
    ("search_glossary", {"q": "blorp"}, 400),
]
USUAL, STRUCTURES, TOOLS, SCHEMAS = 18_500, 32_000, 43_000, 28_000

def main():
    if len(sys.argv) < 3: sys.exit(__doc__)
    program = Program(sys.argv[1], sys.argv[2])
    failures, texts, structures = [], 0, 0
    def check(what, characters, budget):
        if characters > budget: failures.append(f"{what}: {characters} characters, budget {budget}")
    for number, (tool, arguments, budget) in enumerate(CALLS + MORE):
        text, structure, _ = program.call(tool, arguments)
        check(f"{tool} {arguments}", len(text), budget)
        texts += len(text) if number < len(CALLS) else 0
        structures += size(structure)
        print(f"{tool:22} text {len(text):5} of {budget:5}  structure {size(structure):5}  {arguments or ''}")
    tools = program.ask("tools/list", {})["result"]["tools"]
    schemas = sum(size(tool.get("outputSchema")) for tool in tools)
    program.end()
    for what, characters, budget in (("texts of the usual calls", texts, USUAL), ("structures of all calls", structures, STRUCTURES),
                                     ("tools/list", size(tools), TOOLS), ("output schemas", schemas, SCHEMAS)):
        print(f"{what:25} {characters:6} of {budget:6}")
        check(what, characters, budget)
    print(*failures, sep="\n")
    sys.exit(1 if failures else 0)

if __name__ == "__main__":
    main()

"""Fails unless every file of answers says the same: same.py CALLS FILE..."""

import json
import sys


def plain(value):
    """Numbers as numbers, whatever a language makes of 4 and 4.0; no empty fields."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return value


calls, *files = sys.argv[1:]
wanted = len(json.load(open(calls, encoding="utf-8")))
answers = [plain(json.load(open(f, encoding="utf-8"))) for f in files]
wrong = 0
for f, a in zip(files, answers):
    if len(a) != wanted:
        sys.exit(f"{f}: {len(a)} answers, not {wanted}")
    for one, two in zip(answers[0], a):
        if one != two:
            wrong += 1
            print(f"{f}: {two['name']} {two['args']} differs", file=sys.stderr)
errors = sum(a["isError"] for a in answers[0])
print(f"{wanted} calls through {len(files)} clients: {wrong} differ ({errors:.0f} of the answers are errors, as they should be)")
sys.exit(wrong > 0)

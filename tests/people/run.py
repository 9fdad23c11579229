#!/usr/bin/env python3
"""Sixty-four questions that people asked in public, put to a new start of the program over stdio: run.py BINARY FOLDER [--show ID]

questions.csv has for each: the question, where it was asked, the truth, the calls an assistant makes first (at most two, chosen
before an answer was seen), and patterns over the texts of the answers, joined by "& ": `must` (each is in a right answer), `told`
(in one that says plainly what is not held), `never` (figures that would be wrong). The second call is made only if the first
leaves something of `must` open. Fewer than 62 right or told, or one that is silently wrong, fails; so do more characters a
question than an assistant should read: 1,100 of text or 1,600 of structure.
"""
import csv, json, os, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "voice"))
from program import Program, size  # a new start of the program over stdio

def plain(text):
    return re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("\u2212", "-").replace("\u2011", "-"))

def patterns(cell):
    return [p for p in cell.split("& ") if p]

def found(cell, text):
    return bool(cell) and all(re.search(p, text) for p in patterns(cell))

def judge(program, row):
    texts, structures = [], 0
    for tool, arguments in json.loads(row["calls"]):
        said, structure, _ = program.call(tool, arguments)
        texts.append(said)
        structures += size(structure)
        if found(row["must"], plain("\n".join(texts))): break
    text = plain("\n".join(texts))
    wrong = [p for p in patterns(row["never"]) if re.search(p, text)]
    if wrong: verdict, why = "silent", "has " + " ".join(wrong)
    elif found(row["must"], text): verdict, why = "right", ""
    elif found(row["told"], text): verdict, why = "told", ""
    else: verdict, why = "wrong", "lacks " + " & ".join(p for p in patterns(row["must"] or row["told"]) if not re.search(p, text))
    return verdict, why, texts, structures

def main():
    if len(sys.argv) < 3: sys.exit(__doc__)
    binary, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    only = sys.argv[sys.argv.index("--show") + 1] if "--show" in sys.argv else None
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "questions.csv"), newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if only in (None, row["id"])]
    program, counts, calls, characters, structures = Program(binary, folder), {}, 0, 0, 0
    for row in rows:
        verdict, why, texts, of_structure = judge(program, row)
        structures += of_structure
        counts[verdict] = counts.get(verdict, 0) + 1
        calls, characters = calls + len(texts), characters + sum(map(len, texts))
        print(f"{verdict:6} {row['id']:26} {len(texts)} {sum(map(len, texts)):6} {why[:160]}")
        if only: print(row["question"], row["truth"], row["calls"], *texts, sep="\n\n")
    program.end()
    n, right, told = len(rows), counts.get("right", 0), counts.get("told", 0)
    silent = counts.get("silent", 0)
    print(f"{n} questions: {right} right, {told} plainly told, {n - right - told} wrong, of them {silent} silently; "
          f"{calls / max(n, 1):.2f} calls, {characters / max(n, 1):.0f} characters of text and "
          f"{structures / max(n, 1):.0f} of structure a question")
    is_long = characters > 1100 * n or structures > 1600 * n
    sys.exit(1 if not only and (right + told < 62 or silent or is_long) else 0)

if __name__ == "__main__":
    main()

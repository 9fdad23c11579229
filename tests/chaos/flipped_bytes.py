#!/usr/bin/env python3
"""Flipped bytes, cut ends and zeroed heads in copies of the store: no panic, no wrong figure, and the file is kept."""
import json, pathlib, random, shutil, tempfile
from common import arguments, imported, result, run

given = arguments(__doc__, copies=(200, 20, "damaged copies"))
random.seed(11)
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    good = imported(given, folder)
    sample = sorted(pathlib.Path(given.series).glob("*.csv"))[0].stem
    ask = ("call", "get_time_series", f"seriesId={sample}", "start=max")
    truth = json.loads(run(given, *ask, store=good).stdout)["data"]
    whole = good.read_bytes()
    found = unharmed = refused = answered = 0
    for i in range(given.copies):
        bad = folder / "bad.db"
        for old in folder.glob("bad.db*"):
            old.unlink()
        data = bytearray(whole)
        kind = i % 8
        if kind == 6:
            data = data[: random.randrange(len(data))]
        elif kind == 7:
            data[: random.choice([16, 100, 4096])] = bytes(random.choice([16, 100, 4096]))
        else:
            for _ in range(1 + kind * 3):
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        bad.write_bytes(data)
        said = run(given, "doctor", "--offline", store=bad)
        assert "panicked" not in said.stderr and said.returncode in (0, 1), said.stderr
        called = run(given, *ask, store=bad)
        assert "panicked" not in called.stderr, called.stderr
        if called.returncode == 0:
            answered += 1
            assert json.loads(called.stdout)["data"] == truth, f"copy {i}: a wrong figure"
        else:
            refused += 1
        if "FAULT store" in said.stdout:
            found += 1
            moved = run(given, "doctor", "--offline", "--quarantine", store=bad)
            assert "panicked" not in moved.stderr, moved.stderr
            aside = list(folder.glob("bad.db.corrupt-*"))
            kept = [p for p in [bad, *aside] if p.exists() and p.stat().st_size > 0 or not data]
            assert kept, f"copy {i}: the file is gone"
        else:
            unharmed += 1
    result("flipped bytes", copies=given.copies, found_by_doctor=found, without_effect=unharmed,
           answered_rightly=answered, refused=refused, panics=0, wrong_figures=0)

#!/usr/bin/env python3
"""A store and a settings file of an earlier program under this one: run.py BINARY FOLDER.

`store.db.gz` was made by the program of commit eb507bc9 (468 series): three rows of UNRATE with the days on which they became
known, as bundled figures; imports of an own series and of California's unemployment, which that program did not list.
`settings.toml` is one of its settings files. Both must open; imports and what was known on a past day must be answered as
before, and the series that the program bundles since must be there.
"""
import gzip
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CASES = [  # what is asked, and what the answer must hold
    (["get_metric", "ticker=MYINDEX"], ["99.75", "2026-08-01"]),
    (["get_metric", "ticker=CAUR"], ["5.1", "2026-08-01", "Unemployment Rate, California"]),
    (["get_metric", "ticker=UNRATE", "as_of=2026-07-15"], ["4.2", "2026-06-01"]),
    (["get_metric", "ticker=UNRATE", "as_of=2026-08-10"], ["4.3", "2026-07-01"]),
    (["get_time_series", "seriesId=UNRATE", "start=2026-06-01", "as_of=2026-08-10"], ["4.1", "4.3"]),
    (["get_metric", "ticker=TXUR"], ["4.4", "2026-06-01"]),
    (["get_metric", "ticker=GDP"], ["2026-04-01"]),
]


def main():
    binary, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "store.db"
    store.write_bytes(gzip.decompress((HERE / "store.db.gz").read_bytes()))
    line = [binary, "call", "--store", store, "--config", HERE / "settings.toml", "--json"]
    wrong = []
    for question, wanted in CASES:
        done = subprocess.run([*line, *question], capture_output=True, text=True, timeout=120, env={"HOME": str(folder)})
        lacking = [text for text in wanted if text not in done.stdout]
        print("right" if not lacking else "WRONG", " ".join(question))
        if done.returncode or lacking:
            wrong.append((question, lacking, done.stdout[:600], done.stderr[:600]))
    for question in wrong:
        print(json.dumps(question, indent=1), file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

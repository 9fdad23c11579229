#!/usr/bin/env python3
"""kill -9 at a random moment of an import: the store is whole, no series is half there, and it opens at once."""
import json, pathlib, random, subprocess, tempfile, time
from common import arguments, imported, result, run

given = arguments(__doc__, kills=(100, 10, "times killed"))
random.seed(7)
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    start = time.monotonic()
    good = imported(given, folder)
    whole = time.monotonic() - start

    def rows(store):
        said = run(given, "call", "get_time_series", f"seriesId={sample}", "start=max", store=store)
        return json.loads(said.stdout)["rowCount"] if said.returncode == 0 else None

    files = sorted(pathlib.Path(given.series).glob("*.csv"))
    sample = files[len(files) // 2].stem
    expected = rows(good)
    store, killed, slowest, halves = folder / "killed.db", 0, 0.0, 0
    for i in range(given.kills):
        if i % 10 == 0:
            for part in folder.glob("killed.db*"):
                part.unlink()
        process = subprocess.Popen([given.binary, "--store", str(store), "import", "--bare", given.series],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.01, whole))
        process.kill()
        killed += process.wait() == -9
        if not store.exists():
            continue
        checked = run(given, "doctor", "--offline", store=store)
        assert "FAULT store" not in checked.stdout, f"kill {i}: {checked.stdout}"
        start = time.monotonic()
        held = rows(store)
        slowest = max(slowest, time.monotonic() - start)
        # A series that is not there yet has no rows, or none that can be told.
        halves += held not in (None, 0, expected)
    assert run(given, "import", "--bare", given.series, store=store).returncode == 0
    assert rows(store) == expected
    assert halves == 0, f"{halves} half series"
    assert killed > given.kills // 3, f"only {killed} were killed in time"
    result("kill -9 during import", killed=killed, damaged=0, half_series=0, slowest_open_s=f"{slowest:.2f}")

#!/usr/bin/env python3
"""kill -9 at a random moment of an import: all of the folder is in or nothing, the store is whole, and it opens at once."""
import json, pathlib, random, subprocess, tempfile, time
from common import arguments, imported, result, rows_by_series, run

given = arguments(__doc__, kills=(100, 10, "times killed"))
random.seed(7)


def revised(folder):
    """The same files, the newest figure of each another one."""
    for file in pathlib.Path(given.series).glob("*.csv"):
        *lines, last = file.read_text().splitlines()
        head, value = last.rsplit(",", 1)
        (folder / file.name).write_text("\n".join([*lines, f"{head},{float(value) + 0.5}"]) + "\n")
    return folder


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "revised").mkdir()
    folders = [given.series, str(revised(folder / "revised"))]
    start = time.monotonic()
    good = imported(given, folder)
    whole = time.monotonic() - start
    once = rows_by_series(good)

    def answers(store):
        said = run(given, "call", "get_time_series", f"seriesId={sample}", "start=max", store=store)
        return json.loads(said.stdout)["rowCount"] if said.returncode == 0 else None

    def clear():
        for part in folder.glob("killed.db*"):
            part.unlink()

    files = sorted(pathlib.Path(given.series).glob("*.csv"))
    sample = files[len(files) // 2].stem
    expected = answers(good)
    store, killed, slowest, parts, imports = folder / "killed.db", 0, 0.0, 0, 0
    for i in range(given.kills):
        if i % 10 == 0:
            clear()
        before = sum(rows_by_series(store).values())
        process = subprocess.Popen([given.binary, "--store", str(store), "import", "--bare", folders[i % 2]],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.01, 1.3 * whole))
        process.kill()
        killed += process.wait() == -9
        if not store.exists():
            continue
        # Each import that went in adds one row to each series: the same number everywhere, or a part of one is there.
        held = rows_by_series(store)
        parts += len({held.get(name, 0) - rows for name, rows in once.items()} if held else {0}) != 1
        imports += sum(held.values()) > before
        checked = run(given, "doctor", "--offline", store=store)
        assert "FAULT store" not in checked.stdout, f"kill {i}: {checked.stdout}"
        start = time.monotonic()
        assert answers(store) in (None, 0, expected)
        slowest = max(slowest, time.monotonic() - start)
        if not held:  # which has made it a copy of the bundled history
            clear()
    assert run(given, "import", "--bare", given.series, store=store).returncode == 0
    assert answers(store) == expected
    assert parts == 0, f"parts of {parts} imports"
    assert killed > given.kills // 3, f"only {killed} were killed in time"
    result("kill -9 during import", killed=killed, damaged=0, in_whole=imports, in_part=parts, slowest_open_s=f"{slowest:.2f}")

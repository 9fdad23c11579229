#!/usr/bin/env python3
"""A disk that is full (RLIMIT_FSIZE): the import fails with a reason and leaves nothing, reads go on, and it recovers when there is room."""
import json, pathlib, resource, signal, tempfile
from common import arguments, imported, result, rows_by_series, run

given = arguments(__doc__)
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    good = imported(given, folder)
    size, whole = good.stat().st_size, rows_by_series(good)
    store, failures = folder / "small.db", 0
    for share in (0.02, 0.1, 0.3, 0.6, 0.9):
        limit = int(size * share)

        def narrow():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        done = run(given, "import", "--bare", given.series, store=store, preexec_fn=narrow)
        assert "panicked" not in done.stderr, done.stderr
        if done.returncode != 0:
            failures += 1
            words = done.stderr.lower()
            assert "full" in words or "disk" in words or "cannot" in words, done.stderr[-400:]
        if store.exists():
            checked = run(given, "doctor", "--offline", store=store)
            assert "FAULT store" not in checked.stdout, checked.stdout
        assert rows_by_series(store) in ({}, whole), "a part of an import is in"
    assert failures > 0, "the limit was never met"
    assert run(given, "import", "--bare", given.series, store=store).returncode == 0
    sample = sorted(pathlib.Path(given.series).glob("*.csv"))[0].stem
    ask = ("call", "get_time_series", f"seriesId={sample}", "start=max")
    assert json.loads(run(given, *ask, store=store).stdout)["data"] == json.loads(run(given, *ask, store=good).stdout)["data"]
    result("disk full", refused_writes=failures, damaged=0, recovered="yes")

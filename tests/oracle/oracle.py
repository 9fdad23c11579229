"""A second calculation of what the program computes, from the CSV files alone and by other means.

Nothing here is shared with the program: plain lists and dictionaries, sums taken anew for each day, no
incremental windows. Every figure is asked of the release binary, over its command line, and compared.

Usage: oracle.py BINARY STORE FOLDER_OF_SERIES   (the store has imported that folder)
"""

import bisect
import csv
import datetime as dt
import json
import math
import pathlib
import statistics
import subprocess
import sys

BINARY, STORE, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
Z90 = 1.6448536269514722
checked = 0


def series(name):
    with open(FOLDER / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = [(dt.date.fromisoformat(r["date"]), r["value"]) for r in csv.DictReader(file)]
    return {day: float(value) for day, value in rows if value not in ("", ".", "NaN")}


def ask(tool, **arguments):
    given = [f"{name}={value}" for name, value in arguments.items()]
    done = subprocess.run([BINARY, "--store", STORE, "call", tool, *given], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{tool} {given}: {done.stderr}")
    return json.loads(done.stdout)


def rows(name, **arguments):
    """A series as the program tells it, in pieces below the cap of one answer."""
    found = {}
    for start in range(1950, 2030, 15):
        span = {"start": f"{start}-01-01", "end": f"{start + 14}-12-31"}
        if span["end"] > "2026-12-31":
            span["end"] = "2026-11-20"
        if span["start"] > "2026-11-20":
            break
        found |= {dt.date.fromisoformat(r["date"]): r["value"] for r in ask("get_time_series", seriesId=name, detail="full", **span, **arguments)["data"]}
    return found


def close(what, mine, theirs, within=1e-9):
    global checked
    checked += 1
    if mine is None or theirs is None or not math.isclose(mine, theirs, rel_tol=min(within, 1e-6), abs_tol=within):
        raise SystemExit(f"FAILED: {what}: computed here {mine}, told {theirs}")


def same(what, mine, theirs, least, within=1e-9):
    """Two histories: every date of the program's is known here and equal."""
    for day, value in theirs.items():
        close(f"{what} on {day}", mine.get(day), value, within)
    if len(theirs) < least:
        raise SystemExit(f"FAILED: {what}: {len(theirs)} rows, expected {least} or more")
    print(f"- {what}: {len(theirs)} rows equal")


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def month(day, back=0):
    at = day.year * 12 + day.month - 1 - back
    return dt.date(at // 12, at % 12 + 1, 1)


def monthly(of, how=statistics.fmean):
    by = {}
    for day in sorted(of):
        by.setdefault(month(day), []).append(of[day])
    return {m: how(values) for m, values in by.items()}


def bridged(of):
    """A single month that was never published, on the straight line between the logarithms of its neighbours."""
    whole = dict(of)
    for day in list(of):
        gap, after = month(day, -1), month(day, -2)
        if gap not in of and after in of and of[day] > 0 and of[after] > 0:
            whole[gap] = math.sqrt(of[day] * of[after])
    return whole


def mean3(of, at):
    values = [of[m] for m in (month(at, k) for k in range(3)) if m in of]
    return statistics.fmean(values) if len(values) == 3 else None


def recession():
    """docs/COMPOSITES.md#recession-probability, the months that have all three inputs."""
    spread, conditions, permits = monthly(series("T10Y3M")), monthly(series("NFCI")), series("PERMIT")
    out = {}
    for at, s in spread.items():
        now, before = mean3(permits, month(at, 1)), mean3(permits, month(at, 13))
        if at not in conditions or now is None or before is None:
            continue
        b = 100 * math.log(now / before)
        first = phi(-0.5333 - 0.6330 * s)
        out[at] = 50 * (first + phi(-0.4101 - 0.4916 * s + 0.8150 * conditions[at] - 0.0268 * b))
    told = {d: v for d, v in rows("SERVICE_CRPI").items() if d in out and d < max(out)}
    same("recession probability", out, told, 520, 0.00000501)


def liquidity():
    """docs/COMPOSITES.md#net-liquidity: Wednesdays with the newest cash balance and repo figure up to them."""
    assets, cash, repo = series("WALCL"), series("WTREGEN"), series("RRPONTSYD")
    cash_days, repo_days = sorted(cash), sorted(repo)
    out = {}
    for day, value in assets.items():
        at = cash_days[bisect.bisect_right(cash_days, day) - 1]
        near = repo_days[max(bisect.bisect_right(repo_days, day) - 1, 0)]
        over = repo[near] if near <= day and (day - near).days <= 7 else 0.0
        out[day] = value / 1e6 - cash[at] / 1e6 - over / 1e3
    same("net liquidity", out, rows("SERVICE_CNLI"), 1_200, 0.00000501)


def growth_and_inflation(day):
    """docs/COMPOSITES.md#regime for a state of knowledge that ends with the month before `day`'s."""
    at = month(day, 1)
    production, payrolls, permits = series("INDPRO"), series("PAYEMS"), series("PERMIT")
    unemployment = bridged(series("UNRATE"))
    core, headline = bridged(series("CPILFESL")), bridged(series("CPIAUCSL"))

    def log_change(of, scale, back):
        return lambda m: scale * math.log(of[m] / of[month(m, back)])

    parts = [
        (0.3, log_change(production, 200, 6)),
        (0.3, log_change(payrolls, 400, 3)),
        (0.2, lambda m: -(mean3(unemployment, m) - mean3(unemployment, month(m, 6)))),
        (0.2, lambda m: 100 * math.log(mean3(permits, m) / mean3(permits, month(m, 12)))),
    ]
    growth = 0.0
    for weight, of in parts:
        window = [of(month(at, k)) for k in range(240)]
        z = (window[0] - statistics.fmean(window)) / statistics.stdev(window)
        growth += weight * max(-3.0, min(3.0, z))
    core12 = log_change(core, 100, 12)(at)
    level = 0.5 * core12 + 0.5 * log_change(headline, 100, 12)(at) - 2.5
    momentum = log_change(core, 200, 6)(at) - core12
    clip = lambda x: max(-3.0, min(3.0, x))
    return growth, 0.7 * clip(level) + 0.3 * clip(momentum)


def regime():
    sides = {(1, 1): "REFLATION", (1, 0): "GOLDILOCKS", (0, 1): "STAGFLATION", (0, 0): "DEFLATION"}
    for day in ("1999-06-30", "2008-12-31", "2017-06-30", "2020-05-31", "2021-06-30", "2022-06-30"):
        growth, inflation = growth_and_inflation(dt.date.fromisoformat(day))
        told = ask("explain_indicator", indicator="regime", as_of=day)
        scores = {s["name"]: s["value"] for s in told["scores"]}
        close(f"growth on {day}", growth, scores["growth"], 1e-4)
        close(f"inflation on {day}", inflation, scores["inflation"], 1e-4)
        asked = ask("get_regime", as_of=day)
        # Far from the borders hysteresis has no say.
        if min(abs(growth), abs(inflation)) > 0.1:
            close(f"regime on {day}", 1.0, float(asked["regime"] == sides[growth >= 0, inflation >= 0]))
        up = phi(growth / 0.20) if growth >= 0 else 1 - phi(growth / 0.20)
        hot = phi(inflation / 0.12) if inflation >= 0 else 1 - phi(inflation / 0.12)
        close(f"confidence on {day}", round(100 * up * hot), asked["confidence"], 0.011)
    print("- growth, inflation, regime and confidence: 6 months equal")


def changes():
    """Percent from a year earlier and month on month, by the calendar and not by position."""
    for name in ("CPIAUCSL", "CPILFESL", "INDPRO", "PAYEMS", "RSAFS"):
        level = series(name)
        for units, back in (("pc1", 12), ("pch", 1)):
            mine = {d: 100 * (v / level[month(d, back)] - 1) for d, v in level.items() if month(d, back) in level}
            same(f"{name} {units}", mine, rows(name, units=units), 300)
    two, ten = series("DGS2"), series("DGS10")
    spread = {d: 100 * (ten[d] - two[d]) for d in ten if d in two}
    last = max(spread)
    close("2s10s", round(spread[last], 1), ask("get_macro_summary")["key_rates"]["spread_2s10s_bps"])


def digest():
    for name, start in (("DGS10", "2010-01-01"), ("UNRATE", "1990-01-01"), ("DCOILWTICO", "2000-01-01")):
        told = ask("get_time_series", seriesId=name, start=start, end="2026-08-22", detail="summary")["summary"]
        values = [v for d, v in sorted(series(name).items()) if start <= d.isoformat() <= "2026-08-22"]
        mean = statistics.fmean(values)
        close(f"{name} mean", mean, told["mean"], 1e-4 * max(1.0, abs(mean)))  # told with five digits
        close(f"{name} lowest", min(values), told["min"]["value"])
        close(f"{name} highest", max(values), told["max"]["value"])
        close(f"{name} change", values[-1] - values[0], told["change"])
        for key, is_so in (("below_pct", lambda v: v < values[-1]), ("equal_pct", lambda v: v == values[-1]), ("above_pct", lambda v: v > values[-1])):
            close(f"{name} {key}", 100 * sum(map(is_so, values)) / len(values), told[key], 0.051)
        close(f"{name} days of the lowest", values.count(min(values)), told["min"].get("ties", 1))
        fall = max(max(values[:i + 1]) - v for i, v in enumerate(values)) if told["change_pct"] is None else None
        if fall is not None:
            close(f"{name} greatest fall", -fall, told["fall"]["change"])
    print("- figures over three ranges equal")


def comparison():
    """Core inflation and the funds rate since 2015: the example of the README."""
    core, funds = series("CPILFESL"), series("FEDFUNDS")
    start = dt.date(2015, 1, 1)
    a = {d: 100 * (v / core[month(d, 12)] - 1) for d, v in core.items() if d >= start and month(d, 12) in core}
    b = {d: v for d, v in funds.items() if d >= start}
    common = sorted(set(a) & set(b))
    told = ask("compare_series", series="yoy(CPILFESL),FEDFUNDS", start="2015-01-01", correlations="true")
    close("common months", len(common), told["count"])
    close("figures", statistics.correlation([a[d] for d in common], [b[d] for d in common]), told["correlations"][0]["figures"], 0.006)
    first = told["columns"][0]
    values = list(a.values())
    close("mean", statistics.fmean(values), first["mean"], 1e-4)
    close("sd", statistics.stdev(values), first["sd"], 1e-4)
    close("z", (a[max(a)] - statistics.fmean(values)) / statistics.stdev(values), first["zScore"], 0.006)
    print("- the comparison since 2015 equal")


def wilson(share, count):
    middle = (share + Z90**2 / (2 * count)) / (1 + Z90**2 / count)
    half = Z90 * math.sqrt(share * (1 - share) / count + Z90**2 / (4 * count**2)) / (1 + Z90**2 / count)
    return middle - half, middle + half


def rate(slug, level, given, happens, months=12):
    """Share of the months in which the event came within `months` (docs/SCENARIOS.md#base-rates)."""
    told = next(s for s in ask("list_scenarios", limit=50)["scenarios"] if s["slug"] == slug)
    starts = hits = 0
    for at, now in level.items():
        ahead = [level[m] for m in (month(at, -k) for k in range(1, months + 1)) if m in level]
        whole = all(month(at, -k) <= max(level) for k in range(1, months + 1))
        if not whole or not given(now):
            continue
        starts += 1
        hits += any(happens(now, later) for later in ahead)
    close(slug, hits / starts, told["baseRateProbability"], 0.005)
    low, high = wilson(hits / starts, starts / months)
    close(f"{slug}, lower end", low, told["baseRateInterval"][0], 0.01)
    close(f"{slug}, upper end", high, told["baseRateInterval"][1], 0.01)


def base_rates():
    always = lambda _: True
    ten, funds, jobs = monthly(series("DGS10")), series("FEDFUNDS"), series("UNRATE")
    rate("10y-up-100bp", ten, always, lambda a, b: b - a >= 1)
    rate("10y-down-100bp", ten, always, lambda a, b: a - b >= 1)
    rate("fed-cut-50", funds, always, lambda a, b: a - b >= 0.4999)
    rate("fed-hike-50", funds, always, lambda a, b: b - a >= 0.4999)
    rate("unemployment-up-50bp", jobs, always, lambda a, b: b - a >= 0.4999)
    rate("curve-inversion", monthly(series("T10Y2Y")), lambda a: a > 0, lambda _, b: b < 0)
    rate("dollar-up-5", monthly(series("DTWEXBGS")), always, lambda a, b: b / a >= 1.05)
    rate("sahm-trigger", series("SAHMREALTIME"), lambda a: a < 0.5, lambda _, b: b >= 0.5)
    print("- 8 base rates with their intervals equal")


def ranks(values):
    """Where each value stands among all before it."""
    before, out = [], []
    for value in values:
        low, high = bisect.bisect_left(before, value), bisect.bisect_right(before, value)
        out.append((low + 0.5 * (high - low) + 0.5) / (len(before) + 1))
        bisect.insort(before, value)
    return out


def stress():
    """docs/COMPOSITES.md#macro-stress, the public profile, on days whose excess bond premium is too old to count."""
    ten, conditions, claims = series("DGS10"), series("NFCI"), series("ICSA")
    weeks = sorted(claims)
    mean4 = {w: statistics.fmean(claims[x] for x in weeks[i - 3 : i + 1]) for i, w in enumerate(weeks) if i >= 3}
    year = dt.timedelta(days=364)
    change = {w: 100 * math.log(v / mean4[w - year]) for w, v in mean4.items() if w - year in mean4}
    market = sorted(ten)
    moves = [ten[b] - ten[a] for a, b in zip(market, market[1:])]
    swing = {d: 100 * math.sqrt(252) * statistics.stdev(moves[i - 20 : i + 1]) for i, d in enumerate(market[1:]) if i >= 20}
    days = [d for d in market if d >= dt.date(1986, 1, 1)]

    def ranked(of, lag):
        known = sorted(of)
        out = [known[bisect.bisect_right(known, d - dt.timedelta(days=lag)) - 1] for d in days]
        return dict(zip(days, ranks([of[d] for d in out])))

    parts = [(0.45, ranked(conditions, 5)), (0.2, ranked(change, 5)), (0.1, ranked(swing, 0))]
    told = {d: v for d, v in rows("SERVICE_CMSI").items() if d >= dt.date(2026, 1, 1)}
    mine = {d: 100 * sum(w * of[d] for w, of in parts) / 0.75 for d in days}
    # A day more or less at the start of 1986 moves a rank among ten thousand.
    same("macro stress in 2026", mine, told, 100, 0.01)


def main():
    recession()
    liquidity()
    stress()
    regime()
    changes()
    digest()
    comparison()
    base_rates()
    print(f"oracle: {checked} figures equal")


main()

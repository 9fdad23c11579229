#!/usr/bin/env python3
"""Three days of forwarding, simulated through the real ledger: day.py BINARY FOLDER

One desktop user who asks 60 questions of 15 kinds between 7 and 23 o'clock, and a public server with 2,000 callers a day. The clock is
moved (faketime), and the program restarts each midnight. Prints by hour and day which answers were fresh (within the lifetime that
the upstream states), stale and how old, or refused, and the calls used."""
import bisect, collections, os, pathlib, random, statistics, sys, tempfile, time
from program import Checks, Clock, Program, settle
from upstream import Upstream

BINARY, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DAYS, HOUR, DAY, LIMIT = 3, 3600, 86400, 100
SHARED = ["macro-summary", "regime", "signals", "scenarios", "content/latest"]
FIGURES = ["metrics/" + name for name in "UNRATE DGS10 CPIAUCSL FEDFUNDS SPY VIXCLS SERVICE_CRPI".split()]
KINDS = [*SHARED, *FIGURES, "data/DGS10", "data/UNRATE", "glossary/search?q=inflation"]
RARE = [f"{kind}/{name}{n}" for kind in ("metrics", "data") for name in ("A", "B") for n in range(60)]
check = Checks()


def desktop(random):
    """Times within a day, callers and questions: each kind comes again, some often."""
    weights = [1 / (1 + n % 8) for n in range(len(KINDS))]
    return sorted((random.uniform(7 * HOUR, 23 * HOUR), "", random.choices(KINDS, weights)[0]) for _ in range(60))


def public(random):
    """2,000 callers with two questions on average, most of them common, one in eight rare."""
    questions = []
    for caller in range(2000):
        at = random.choice([random.uniform(0, DAY), random.gauss(15 * HOUR, 3 * HOUR) % DAY])
        for n in range(random.choice([1, 1, 2, 4])):
            question = random.choices([SHARED, FIGURES, RARE], [5, 2, 1])[0]
            # All within five minutes are asked at one time of the clock.
            questions.append(((at + n * 30) % DAY // 300 * 300, f"10.{caller % 8}.{caller // 8}.1", random.choice(question)))
    return sorted(questions)


class Count:
    """The answers of an hour or a day."""

    def __init__(self):
        self.fresh, self.stale, self.refused, self.failed, self.calls = 0, [], 0, 0, 0

    def __str__(self):
        old = sorted(self.stale)
        ages = f" (age {statistics.median(old) / 60:.0f} min in the median, {old[-1] / 60:.0f} at most)" if old else ""
        asked = self.fresh + len(old) + self.refused + self.failed
        return f"{asked:5} asked, {self.fresh:5} fresh, {len(old):5} stale{ages}, {self.refused} refused, {self.failed} failed, {self.calls} calls"


def simulate(name, plan, flags):
    print(f"\n{name}")
    random_days, clock, home = random.Random(1), Clock(FOLDER), tempfile.mkdtemp(dir=FOLDER)
    pathlib.Path(home, ".local/share/econoscope").mkdir(parents=True)
    midnight = (time.time() // DAY + 1) * DAY
    up, days, refused, oldest = Upstream(clock=clock.time).start(), [], collections.Counter(), collections.Counter()
    for day in range(DAYS):
        begin = midnight + day * DAY
        clock.set(begin - time.time())
        hours = collections.defaultdict(Count)
        with Program(BINARY, FOLDER, up.url, *flags, clock=clock, home=home) as program:
            before = None
            for at, caller, question in plan(random_days):
                if at != before:
                    settle(up, 0.08)
                    clock.set(begin + at - time.time())
                    before = at
                status, _, headers = program.get("/api/public/" + question, **({"x-forwarded-for": caller} if caller else {}))
                hour, age = hours[int(at // HOUR)], int(headers.get("age", 0))
                if status == 200 and age <= (1800 if "data/" in question else 300):
                    hour.fresh += 1
                elif status == 200:
                    hour.stale.append(age)
                    oldest[question] = max(oldest[question], age)
                elif status in (429, 503):
                    hour.refused += 1
                    refused[question] += 1
                else:
                    hour.failed += 1
            settle(up)
        total = Count()
        for n, hour in sorted(hours.items()):
            hour.calls = sum(begin + n * HOUR <= at < begin + (n + 1) * HOUR for _, at in up.log)
            print(f"  day {day + 1}, {n:2} h: {hour}")
            for field in ("fresh", "stale", "refused", "failed", "calls"):
                setattr(total, field, getattr(total, field) + getattr(hour, field))
        print(f"  day {day + 1}      : {total}", flush=True)
        days.append(total)
    up.close()
    times = sorted(at for _, at in up.log)
    most = max((bisect.bisect_left(times, at + DAY) - n for n, at in enumerate(times)), default=0)
    check(f"{name}: at most {LIMIT} calls in any 24 hours, over restarts", most <= LIMIT, f"{most} calls")
    check(f"{name}: at most {LIMIT} calls a day", max(day.calls for day in days) <= LIMIT, [day.calls for day in days])
    check(f"{name}: no answer is a failure", not sum(day.failed for day in days), [day.failed for day in days])
    return days, refused, oldest


if __name__ == "__main__":
    pathlib.Path(FOLDER).mkdir(parents=True, exist_ok=True)
    days, refused, oldest = simulate("One desktop user, 60 questions a day", desktop, [])
    asked = sum(day.fresh + len(day.stale) + day.refused for day in days)
    check("the desktop user is never refused, since 60 questions need no more than 100 calls", not refused, dict(refused))
    check("nine of ten of his answers are fresh", sum(day.fresh for day in days) >= 0.9 * asked, f"{sum(day.fresh for day in days)} of {asked}")
    settings = pathlib.Path(FOLDER, "proxy.toml")
    settings.write_text('trusted-proxy = ["127.0.0.1/32"]\n')
    days, refused, oldest = simulate("A public server, 2,000 callers a day", public, ["--config", str(settings)])
    check("what all callers share is never refused", not set(SHARED) & set(refused), {path: refused[path] for path in SHARED if path in refused})
    ages = {path: round(oldest[path] / HOUR) for path in SHARED}
    check("what all callers share is never older than six hours", max(ages.values()) <= 6, f"at most so many hours old: {ages}")
    refusals, answers = sum(day.refused for day in days), sum(day.fresh + len(day.stale) for day in days)
    check("nine of ten questions are answered", refusals * 9 <= answers, f"{refusals} refused, {answers} answered")
    check.end()

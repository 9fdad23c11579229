"""Arguments as an attacker would draw them: formulas, names, days, long texts; and how a dear one is made dearer."""
import csv, io, random, re, string

FUNCTIONS = ["yoy", "mom", "chg", "ch1", "pch", "pc1", "pca", "cch", "cca", "log", "index", "abs"]
COMPOSITES = ["CRPI", "RNOW", "CNLI", "CMSI", "CRAI", "NVI", "SERVICE_CRPI", "SERVICE_CNLI"]
COMMON = "rate inflation yield curve credit spread the of and index market labor real core price growth money".split()
LONGEST = 200


class World:
    """What may be named: series that are held, words that occur in their titles."""

    def __init__(self, catalogue, seed=1):
        rows = list(csv.DictReader(io.StringIO(catalogue)))
        self.held = [row["series_id"] for row in rows if row["newest"]]
        self.words = sorted({word for row in rows for word in row["title"].lower().split() if word.isalpha()} | set(COMMON))
        self.categories = sorted({row["category"] for row in rows})
        self.rng = random.Random(seed)

    # Texts

    def nonsense(self, length):
        return "".join(self.rng.choice(string.ascii_lowercase) for _ in range(max(1, length)))

    def typo(self):
        word = list(self.rng.choice(self.words))
        word[self.rng.randrange(len(word))] = self.rng.choice(string.ascii_lowercase)
        return "".join(word)

    def text(self, most):
        words = self.rng.choice([
            lambda: self.nonsense(most), lambda: self.nonsense(3), lambda: self.rng.choice(self.words), lambda: "",
            lambda: self.filled(most, lambda: self.nonsense(self.rng.randrange(1, 13))),
            lambda: self.filled(most, lambda: self.nonsense(1)), lambda: self.filled(most, self.typo),
            lambda: self.filled(most, lambda: self.rng.choice(self.words)), lambda: "é" * most, lambda: "a" * most,
        ])()
        return words[:most]

    def filled(self, most, word):
        out = word()
        while len(out) < most:
            out += " " + word()
        return out

    def name(self, most=80):
        return self.rng.choice([
            lambda: self.rng.choice(self.held), lambda: self.rng.choice(self.held), lambda: self.rng.choice(self.held),
            lambda: self.rng.choice(COMPOSITES), lambda: self.rng.choice(["10y", "unemployment", "core cpi", "inflation"]),
            lambda: self.text(most),
        ])()

    def day(self):
        return f"{self.rng.randrange(1950, 2027)}-{self.rng.randrange(1, 13):02}-{self.rng.randrange(1, 29):02}"

    # Formulas

    def formula(self, depth=2, name=None):
        """Mostly over one series: unlike units cannot be added, and a refusal is cheap."""
        name = name or self.rng.choice(self.held)
        kind = self.rng.random() if depth else 1
        if kind < 0.4:
            return self.around(self.formula(depth - 1, name))
        if kind < 0.65:
            return self.formula(depth - 1, name) + self.rng.choice("+-*/") + self.formula(depth - 1, name)
        return name if self.rng.random() < 0.9 else self.rng.choice(self.held)

    def around(self, inner):
        if self.rng.random() < 0.5:
            return f"{self.rng.choice(['ma', 'lag'])}({inner},{self.rng.choice([1, 12, 500, 2500, 5000])})"
        return f"{self.rng.choice(FUNCTIONS)}({inner})"

    def dearer(self, formula):
        way = self.rng.random()
        if way < 0.4:
            out = self.around(formula)
        elif way < 0.6:
            out = formula + self.rng.choice("+-*/") + formula
        elif way < 0.75:
            out = re.sub(r",\d+", lambda _: f",{self.rng.choice([1, 500, 2500, 5000])}", formula)
        elif way < 0.95:
            old = self.rng.choice([name for name in self.held if name in formula] or [formula])
            out = formula.replace(old, self.rng.choice(self.held))
        else:
            out = self.formula(3)
        return out if len(out) <= LONGEST else formula

    # Addresses of resources

    def address(self):
        kind = self.rng.choice(["series", "series", "metric", "method", "glossary", "catalog", "articles", self.nonsense(5)])
        query = f"?start={self.value('start', {})}&end={self.day()}&as_of={self.day()}" if kind == "series" else ""
        return self.rng.choice([f"macro://{kind}/{self.name(110)}{query}"[:400], f"macro://{kind}", "ui://econoscope/chart.html"])

    def addresses(self):
        """Few that exist, many that do not, or one many times over."""
        times = self.rng.choice([64, 500, 2_000, 7_400])
        unknown = f"macro://{self.rng.choice(['series', 'metric'])}/{self.nonsense(self.rng.choice([1, 6, 12]))}{{}}"
        return self.rng.choice([
            [{"times": times, "of": unknown}], [{"times": min(times, 7_000), "of": f"macro://series/{self.rng.choice(self.held)}"}],
            [f"macro://series/{name}" for name in self.rng.sample(self.held, min(64, len(self.held)))],
            self.conditions(64), self.conditions(self.rng.randrange(1, 64)), [f"macro://alert/{self.formula(3)}%3E0"[:400]] * 64,
            [{"times": 1_900, "of": "macro://series/" + self.nonsense(100) + "{}"}], [f"macro://series/{name}" for name in COMPOSITES],
        ])

    def conditions(self, count):
        """Different conditions, each on two series over their whole history."""
        pairs = [self.rng.sample(self.held, 2) for _ in range(count)]
        return [f"macro://alert/{first}%20%3E%20yoy({second})%20-%20{n}" for n, (first, second) in enumerate(pairs)]

    # Any argument

    def value(self, name, schema):
        """One argument, drawn by its schema and by what its name says."""
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "integer":
            least, most = schema.get("minimum", 1), schema.get("maximum", 10**9)
            return self.rng.choice([least, most, schema.get("default", 7), self.rng.randint(least, most)])
        if kind == "boolean":
            return self.rng.random() < 0.5
        if kind == "array":
            formula = self.formula(3)
            return [formula if self.rng.random() < 0.5 else self.formula() for _ in range(schema.get("maxItems", 8))]
        if name == "uris":
            return self.addresses()
        if name == "series" and self.rng.random() < 0.8:
            names = self.rng.sample(self.held, min(len(self.held), self.rng.choice([1, 2, 8, 8])))
            return ",".join(names)
        most = schema.get("maxLength", 80) * (100 if self.rng.random() < 0.03 else 1)
        if name == "uri":
            return self.address()
        if name in ("start", "since"):
            return self.rng.choice(["max", "1900-01-01", "ytd", "1y", "20y", self.day(), self.day()])
        if name == "as_of" and self.rng.random() < 0.3:
            return ",".join(self.day() for _ in range(5))  # time series take several; others refuse them
        if name in ("end", "as_of"):
            return self.day()
        if name == "id":
            kind = self.rng.choice(["series", "series", "term", "method", "article", self.nonsense(4)])
            return f"{kind}:{self.name(most - 8)}"[:most]
        if name == "category":
            return self.rng.choice(self.categories + ["imported", self.text(most)])
        if name in ("seriesId", "ticker", "name", "first", "second"):
            return self.name(most)
        return self.text(most)

    def changed(self, name, schema, value):
        """The same argument, moved a little towards what may cost more."""
        if name == "uris":
            return self.addresses()
        if isinstance(value, list):
            some = list(value)
            at = self.rng.randrange(len(some))
            some[at] = self.dearer(some[at])
            if self.rng.random() < 0.7:
                some = [some[at]] * schema.get("maxItems", 8)
            return some
        if isinstance(value, str) and "enum" not in schema and schema.get("maxLength", 80) > 20 and self.rng.random() < 0.5:
            most = schema.get("maxLength", 80)
            return self.rng.choice([value + " " + value, value + self.nonsense(8), value[: len(value) // 2], self.typo() + value])[:most]
        return self.value(name, schema)

    def drawn(self, schema):
        """All arguments of a schema: those it wants, and most of the others."""
        wanted = schema.get("required", [])
        each = schema.get("properties", {}).items()
        return {k: self.value(k, s) for k, s in each if k in wanted or self.rng.random() < 0.6}

    def mutated(self, schema, given):
        out, known = dict(given), schema.get("properties", {})
        if not known:
            return out
        for _ in range(self.rng.choice([1, 1, 2])):
            # Formulas are where the room is.
            name = self.rng.choice([k for k in known if known[k].get("type") == "array" and self.rng.random() < 0.6] or list(known))
            if name in out and name not in schema.get("required", []) and self.rng.random() < 0.15:
                del out[name]
            elif name in out:
                out[name] = self.changed(name, known[name], out[name])
            else:
                out[name] = self.value(name, known[name])
        return out

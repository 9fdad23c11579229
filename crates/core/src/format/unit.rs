//! Units by their names: "$24.4 trillion (2017 dollars)", "158.6 million people", "4.69 %".

use super::number;
use crate::model::series_info::round_to;

/// How values of a unit are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// What stands before a number: "$".
    symbol: &'static str,
    /// Power of ten by which a value counts: 9 of billions.
    power: i32,
    /// What stands behind a number, with the space before it: " %", " people".
    after: String,
    /// Whether large values read better in millions, billions or trillions.
    is_amount: bool,
}

/// Large numbers by their power of ten, the largest first.
const SIZES: [(i32, &str); 3] = [(12, "trillion"), (9, "billion"), (6, "million")];

/// Units in the words that stand behind a number.
const WORDS: [(&str, &str); 23] = [
    ("", ""),
    ("index", ""),
    ("flag", ""),
    ("ratio", ""),
    ("pp", " points"),
    ("points", " points"),
    ("percentage points", " points"),
    ("bp", " basis points"),
    ("0-100", " out of 100"),
    ("out of 100", " out of 100"),
    ("% GDP", " % of GDP"),
    ("$/bbl", " a barrel"),
    ("$/gal", " a gallon"),
    ("$/hr", " an hour"),
    ("$/t", " a metric ton"),
    ("$/MMBtu", " per million BTU"),
    ("hours", " hours"),
    ("weeks", " weeks"),
    ("months", " months"),
    ("of the logarithm", ""),
    ("logarithm", ""),
    ("natural logarithm", ""),
    ("JPY 100mn", ""),
];

/// Longest unit that may stand behind a number; a longer one is told above it alone.
const LONGEST: usize = 12;

impl Unit {
    /// The unit of a short form, such as "$bn 2017", or of its words, such as "billion 2017 dollars"; `long` is the
    /// agency's own name of it and may be empty: "Thousands of persons".
    pub fn of(short: &str, long: &str) -> Self {
        let short = short.split(',').next().unwrap_or_default().trim();
        if let Some((power, base)) = dollars(short) {
            return Self::money("$", power, base);
        }
        let counted = |power, noun: &str| Self {
            symbol: "",
            power,
            after: spaced(noun),
            is_amount: true,
        };
        match short {
            "EUR mn" => return Self::money("€", 6, ""),
            "JPY 100mn" => return Self::money("¥", 8, ""),
            "thous" => return counted(3, noun(long)),
            "mn" => return counted(6, noun(long)),
            "claims" | "units" => return counted(0, short),
            _ => {}
        }
        for (size, power) in [("thousand", 3), ("million", 6)] {
            if let Some(rest) = short.strip_prefix(size) {
                let noun = rest.trim_start_matches("s of ").trim();
                return counted(power, people(noun));
            }
        }
        let known = WORDS.iter().find(|(name, _)| *name == short);
        let after = match known {
            Some((_, after)) => (*after).to_owned(),
            None if short.starts_with('%') => " %".to_owned(),
            None if short.len() <= LONGEST => spaced(short),
            None => String::new(),
        };
        Self {
            symbol: if short.starts_with("$/") { "$" } else { "" },
            power: 0,
            after,
            is_amount: false,
        }
    }

    fn money(symbol: &'static str, power: i32, base: &str) -> Self {
        Self {
            symbol,
            power,
            after: match base {
                "" => String::new(),
                "real" => " (1982-84 dollars)".to_owned(),
                base => format!(" ({base} dollars)"),
            },
            is_amount: true,
        }
    }

    /// A value for reading: large amounts to three digits and at least one decimal, others to `decimals`.
    pub fn write(&self, value: f64, decimals: usize) -> String {
        self.written(value, decimals, "") + &self.after
    }

    /// The same in two parts, of which the second may be smaller: "$24.3 trillion" and "(2017 dollars)".
    pub fn parts(&self, value: f64, decimals: usize) -> (String, String) {
        let after = self.after.trim_start().to_owned();
        (self.written(value, decimals, ""), after)
    }

    /// A change with its sign and without what is counted: "+73,000", "−$190 billion".
    pub fn change(&self, value: f64, decimals: usize) -> String {
        self.written(value, decimals, "+")
    }

    fn written(&self, value: f64, decimals: usize, plus: &str) -> String {
        let digits = self.digits(value.abs(), decimals);
        let is_zero = !super::has_digit(&digits);
        let sign = match value < 0.0 {
            _ if is_zero => "",
            true => "−",
            false => plus,
        };
        format!("{sign}{}{digits}", self.symbol)
    }

    /// The number of a value without a sign, with "million" and its like.
    fn digits(&self, value: f64, decimals: usize) -> String {
        let whole = value * 10f64.powi(self.power);
        let size = SIZES.iter().find(|(power, _)| whole >= 10f64.powi(*power));
        let given = i32::try_from(decimals).unwrap_or(0);
        let places = |power: i32| usize::try_from((given + power).max(0)).unwrap_or(0);
        match size.filter(|_| self.is_amount) {
            Some((power, name)) => {
                let scaled = value * 10f64.powi(self.power - power);
                let most = if scaled < 10.0 { 2 } else { 1 };
                let text = number(scaled, most.min(places(power - self.power)));
                let text = match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.'),
                    false => &text,
                };
                format!("{text} {name}")
            }
            None if self.power > 0 => number(whole, places(-self.power)),
            None => number(value, decimals),
        }
    }

    /// Steps of a thousand after which values of a size read better on an axis: 1 of $24,408 billion.
    pub(crate) fn steps(&self, largest: f64) -> i32 {
        let least: f64 = match (self.power, self.symbol) {
            _ if !self.is_amount || self.power % 3 != 0 => return 0,
            (0, "$") => 1e6,
            _ => 1e3,
        };
        if largest < least {
            return 0;
        }
        let mut steps = 0;
        while self.power + 3 * steps < 12 && largest >= 10f64.powi(3 * (steps + 1)) {
            steps += 1;
        }
        steps
    }
}

/// Power of ten and base year of dollars, by a short form or by words.
fn dollars(unit: &str) -> Option<(i32, &str)> {
    let (size, rest) = unit.split_once(' ').unwrap_or((unit, ""));
    let short = match size {
        "$" => Some(0),
        "$k" => Some(3),
        "$mn" => Some(6),
        "$bn" => Some(9),
        "$tn" => Some(12),
        _ => None,
    };
    if let Some(power) = short {
        return Some(match rest {
            "trillion" => (12, ""),
            base => (power, base),
        });
    }
    let power = match size {
        "thousand" => 3,
        "million" => 6,
        "billion" => 9,
        "trillion" => 12,
        _ => return None,
    };
    Some((power, rest.strip_suffix("dollars")?.trim()))
}

/// What is counted: "people" of "Thousands of persons SAAR".
fn noun(long: &str) -> &str {
    let words = long.split(',').next().unwrap_or_default();
    let words = words.trim_end_matches(" SAAR");
    let sizes = ["thousand ", "million "].iter();
    let stripped = sizes.fold(None, |found, size| {
        found.or_else(|| words.strip_prefix(size))
    });
    let of = words.split_once(" of ").map(|(_, what)| what);
    people(of.or(stripped).unwrap_or_default())
}

fn people(noun: &str) -> &str {
    match noun {
        "persons" => "people",
        other => other,
    }
}

fn spaced(word: &str) -> String {
    match word {
        "" => String::new(),
        word => format!(" {word}"),
    }
}

const POWERS: [&str; 5] = ["", "Thousands", "Millions", "Billions", "Trillions"];

/// A short unit above figures: "Percent" for "%", "Billions of 2017 dollars" for "$bn 2017".
pub fn spelled(short: &str) -> String {
    if let Some((power, base)) = dollars(short) {
        let size = POWERS.get(usize::try_from(power / 3).unwrap_or(0));
        let dollars = match base {
            "" => "dollars".to_owned(),
            base => format!("{base} dollars"),
        };
        return match size.copied().unwrap_or_default() {
            "" => "Dollars".to_owned(),
            size => format!("{size} of {dollars}"),
        };
    }
    let known = [
        ("%", "Percent"),
        ("index", "Index"),
        ("thous", "Thousands"),
        ("mn", "Millions"),
    ];
    let known = known.into_iter().find(|(name, _)| *name == short);
    known.map_or(short, |(_, words)| words).to_owned()
}

/// A unit above figures: "Billions of chained 2017 dollars, annual rate"; `steps` of a thousand make them trillions.
pub fn heading(long: &str, steps: i32) -> String {
    let text = long.replace(" SAAR", ", annual rate");
    if steps == 0 {
        return text;
    }
    let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let at = POWERS.iter().position(|name| *name == first);
    let coarser = |at: usize| POWERS.get(usize::try_from(steps).unwrap_or(0) + at);
    match (at, first) {
        (Some(at), _) => coarser(at).map(|name| format!("{name} {rest}").trim_end().to_owned()),
        (None, "Dollars" | "US") => coarser(0).map(|name| format!("{name} of dollars")),
        (None, "Number") => coarser(0).map(|name| (*name).to_owned()),
        (None, "Number,") => coarser(0).map(|name| format!("{name}, {rest}")),
        (None, _) => None,
    }
    .unwrap_or(text)
}

/// A value with all its digits and its unit in words, for text that models read and copy.
///
/// It is the figure of the answer, but thousands of billions are told as trillions: "$24.408 trillion (2017 dollars),
/// annual rate, SA".
pub fn amount_in_words(value: f64, unit: &str) -> String {
    let (name, basis) = unit.split_at(unit.find(',').unwrap_or(unit.len()));
    let base = dollars(name).filter(|(power, _)| *power == 9 && value >= 1_000.0);
    let Some((power, base)) = base else {
        return format!("{value} {unit}").trim_end().to_owned();
    };
    let after = Unit::money("$", power, base).after;
    format!("${} trillion{after}{basis}", round_to(value / 1e3, 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn amounts_are_written_as_a_newspaper_does() {
        for (id, value, text) in [
            ("GDPC1", 24_270.599, "$24.3 trillion (2017 dollars)"),
            ("GDPC1", 950.3, "$950.3 billion (2017 dollars)"),
            ("WALCL", 6_712_345.0, "$6.71 trillion"),
            ("PAYEMS", 158_638.0, "158.6 million people"),
            ("TEMPHELPS", 57.1, "57,100 people"),
            ("ICSA", 219_000.0, "219,000 claims"),
            ("TOTALSA", 16.2, "16.2 million units"),
            ("HOUST", 1_430.0, "1.43 million units"),
            ("JTSJOL", 7_000.0, "7 million"),
            ("MSPUS", 410_800.0, "$410,800"),
            ("DGS10", 4.6, "4.60 %"),
            ("GFDEGDQ188S", 122.3, "122.30000 % of GDP"),
            ("DCOILWTICO", 71.2, "$71.20 a barrel"),
            ("SAHMREALTIME", -0.1, "−0.10 points"),
            ("NFCI", -0.559, "−0.559"),
            ("DEXJPUS", 157.2, "157.20 JPY per USD"),
            ("BOPGSTB", -78_300.0, "−$78.3 billion"),
            ("ECBASSETSW", 6_100_000.0, "€6.1 trillion"),
        ] {
            let info = Catalogue::embedded().get(id).unwrap();
            let unit = Unit::of(&info.units_short, &info.units);
            assert_eq!(unit.write(value, usize::from(info.decimals)), text, "{id}");
        }
        let unit = Unit::of("thousand persons", "");
        assert_eq!(unit.change(73.0, 0), "+73,000");
        assert_eq!(unit.change(0.0, 0), "0");
        let spread = Unit::of("thousands of persons", "");
        assert_eq!(spread.write(66.3, 1), "66,300 people");
        assert_eq!(Unit::of("$tn", "").change(-0.19, 2), "−$190 billion");
        let gdp = Unit::of("$bn 2017", "").parts(24_270.599, 3);
        assert_eq!(gdp, ("$24.3 trillion".into(), "(2017 dollars)".into()));
        assert_eq!(Unit::of("% from a year earlier", "").write(2.2, 1), "2.2 %");
        assert_eq!(
            Unit::of("million dollars, change from the period before", "").write(-5.0, 0),
            "−$5 million"
        );
    }

    #[test]
    fn every_unit_of_the_catalogue_is_written_by_name() {
        for info in Catalogue::embedded().iter() {
            let unit = Unit::of(&info.units_short, &info.units);
            let text = unit.write(1_234.5, usize::from(info.decimals));
            for short in ["$mn", "$bn", "$tn", "thous", "0-100", "SAAR", "pp", "  "] {
                assert!(!text.contains(short), "{}: {text}", info.id);
            }
        }
    }

    #[test]
    fn headings_say_the_size_of_the_figures_below() {
        let gdp = "Billions of chained 2017 dollars SAAR";
        assert_eq!(
            heading(gdp, 0),
            "Billions of chained 2017 dollars, annual rate"
        );
        assert_eq!(
            heading(gdp, 1),
            "Trillions of chained 2017 dollars, annual rate"
        );
        assert_eq!(heading("Thousands of persons", 1), "Millions of persons");
        assert_eq!(heading("Dollars", 4), "Trillions of dollars");
        assert_eq!(heading("Number", 1), "Thousands");
        assert_eq!(heading("Percent", 0), "Percent");
    }

    #[test]
    fn text_for_models_keeps_every_digit() {
        for (value, unit, text) in [
            (
                24_408.0,
                "billion 2017 dollars, annual rate, SA",
                "$24.408 trillion (2017 dollars), annual rate, SA",
            ),
            (950.3, "billion dollars", "950.3 billion dollars"),
            (6_745_382.0, "million dollars", "6745382 million dollars"),
            (
                158_638.0,
                "thousand persons, SA",
                "158638 thousand persons, SA",
            ),
            (-0.559, "index", "-0.559 index"),
            (4.1, "", "4.1"),
        ] {
            assert_eq!(amount_in_words(value, unit), text);
        }
    }

    #[test]
    fn short_units_are_spelled_out_above_an_axis_at_its_scale() {
        for (short, steps, words) in [
            ("%", 0, "Percent"),
            ("thous", 1, "Millions"),
            ("$bn 2017", 1, "Trillions of 2017 dollars"),
            ("$/gal", 0, "$/gal"),
        ] {
            assert_eq!(heading(&spelled(short), steps), words);
        }
    }
}

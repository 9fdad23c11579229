//! Formats values with their units: "$24.4 trillion (2017 dollars)", "158.6 million people", "4.69 %".

use super::{is_nonzero, number};
use crate::model::series_info::round_to;
use crate::model::table;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The format of the values of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Text before the number: "$".
    symbol: &'static str,
    /// Power of ten of the unit: 9 for billions.
    power: i32,
    /// Text after the number, with its leading space: " %", " people".
    suffix: String,
    /// Whether large values are formatted in millions, billions or trillions.
    is_amount: bool,
}

/// Words for powers of ten, the largest first.
const SIZES: [(i32, &str); 3] = [(12, "trillion"), (9, "billion"), (6, "million")];

impl Unit {
    /// Parses a short unit such as "$bn 2017" or "billion 2017 dollars", up to its first comma. `long` is the unit in the words
    /// of the agency, such as "Thousands of persons", and may be empty.
    pub fn parse(name: &str, long: &str) -> Self {
        let short = name.split(',').next().unwrap_or_default().trim();
        if let Some((power, base)) = parse_dollars(short) {
            return Self::amount("$", power, &dollars_suffix(base));
        }
        match short {
            "EUR mn" => return Self::amount("€", 6, ""),
            "JPY 100mn" => return Self::amount("¥", 8, ""),
            "thous" => return Self::amount("", 3, noun(long)),
            "mn" => return Self::amount("", 6, noun(long)),
            "claims" | "units" => return Self::amount("", 0, short),
            _ => {}
        }
        for (size, power) in [("thousand", 3), ("million", 6)] {
            if let Some(rest) = short.strip_prefix(size) {
                let noun = rest.trim_start_matches("s of ").trim();
                return Self::amount("", power, people(noun));
            }
        }
        Self {
            symbol: if short.starts_with("$/") { "$" } else { "" },
            power: 0,
            suffix: with_space(suffix(short)),
            is_amount: false,
        }
    }

    /// Returns the power of ten of its values: 3 for thousands of persons.
    pub fn power(&self) -> i32 {
        self.power
    }

    fn amount(symbol: &'static str, power: i32, noun: &str) -> Self {
        Self {
            symbol,
            power,
            suffix: with_space(noun),
            is_amount: true,
        }
    }

    /// Formats a value with its unit: large amounts with three digits and at least one decimal, others with `decimals`.
    pub fn write(&self, value: f64, decimals: usize) -> String {
        self.format(value, decimals, "") + &self.suffix
    }

    /// Formats a value and its unit apart: "$24.3 trillion" and "(2017 dollars)".
    pub fn format_parts(&self, value: f64, decimals: usize) -> (String, String) {
        let suffix = self.suffix.trim_start().to_owned();
        (self.format(value, decimals, ""), suffix)
    }

    /// Formats a change with its sign and without its unit: "+73,000", "−$190 billion".
    pub fn format_change(&self, value: f64, decimals: usize) -> String {
        self.format(value, decimals, "+")
    }

    fn format(&self, value: f64, decimals: usize, plus: &str) -> String {
        let digits = self.format_abs(value.abs(), decimals);
        let sign = match value < 0.0 {
            _ if !is_nonzero(&digits) => "",
            true => "−",
            false => plus,
        };
        format!("{sign}{}{digits}", self.symbol)
    }

    /// Formats an absolute value, in words from a million on: "24.3 trillion".
    fn format_abs(&self, value: f64, decimals: usize) -> String {
        let full = value * 10f64.powi(self.power);
        let size = SIZES.iter().find(|(power, _)| full >= 10f64.powi(*power));
        let decimals_at = |power: i32| {
            let decimals = i32::try_from(decimals).unwrap_or(0);
            usize::try_from((decimals + power).max(0)).unwrap_or(0)
        };
        match size.filter(|_| self.is_amount) {
            Some((power, name)) => {
                let scaled = value * 10f64.powi(self.power - power);
                let max = if scaled < 10.0 { 2 } else { 1 };
                let text = number(scaled, max.min(decimals_at(power - self.power)));
                let text = if text.contains('.') {
                    text.trim_end_matches('0').trim_end_matches('.')
                } else {
                    &text
                };
                format!("{text} {name}")
            }
            None if self.power > 0 => number(full, decimals_at(-self.power)),
            None => number(value, decimals),
        }
    }

    /// Returns by how many factors of a thousand an axis up to `largest` should be scaled: 1 for $24,408 billion.
    pub(crate) fn steps(&self, largest: f64) -> i32 {
        let min: f64 = match (self.power, self.symbol) {
            _ if !self.is_amount || self.power % 3 != 0 => return 0,
            (0, "$") => 1e6,
            _ => 1e3,
        };
        if largest < min {
            return 0;
        }
        let mut steps = 0;
        while self.power + 3 * steps < 12 && largest >= 10f64.powi(3 * (steps + 1)) {
            steps += 1;
        }
        steps
    }
}

/// Returns what follows a figure in a unit that is no amount.
fn suffix(short: &str) -> &str {
    static WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let rows = table::embedded(include_str!("../../data/unit_words.csv"));
        rows.map(<(_, _)>::from).collect()
    });
    match WORDS.get(short) {
        Some(words) => words,
        None if short.starts_with('%') => "%",
        None if short.len() <= 12 => short,
        None => "",
    }
}

fn with_space(suffix: &str) -> String {
    let space = if suffix.is_empty() { "" } else { " " };
    format!("{space}{suffix}")
}

/// Parses dollars from a short unit or words. Returns the power of ten and the base year.
fn parse_dollars(unit: &str) -> Option<(i32, &str)> {
    let (size, rest) = unit.split_once(' ').unwrap_or((unit, ""));
    let power = match size {
        "$" if rest == "trillion" => return Some((12, "")),
        "$" => 0,
        "$k" | "thousand" => 3,
        "$mn" | "million" => 6,
        "$bn" | "billion" | "billions" => 9,
        "$tn" | "trillion" => 12,
        _ => return None,
    };
    if size.starts_with('$') {
        return Some((power, rest));
    }
    // Earlier vintages are in "billions of chained 2000 dollars".
    let base = rest.strip_suffix("dollars")?.trim_start_matches("of ");
    Some((power, base.trim_start_matches("chained ").trim()))
}

fn dollars_suffix(base: &str) -> String {
    match base {
        "" => String::new(),
        "real" => "(1982-84 dollars)".to_owned(),
        base => format!("({base} dollars)"),
    }
}

/// Returns what is counted: "people" for "Thousands of persons SAAR".
fn noun(long: &str) -> &str {
    let head = long.split(',').next().unwrap_or_default();
    let text = head.trim_end_matches(" SAAR");
    let bare = || {
        let thousand = text.strip_prefix("thousand ");
        thousand.or_else(|| text.strip_prefix("million "))
    };
    let counted = text.split_once(" of ").map(|(_, noun)| noun);
    people(counted.or_else(bare).unwrap_or_default())
}

fn people(noun: &str) -> &str {
    match noun {
        "persons" => "people",
        other => other,
    }
}

/// Names of units by factors of a thousand.
const THOUSANDS: [&str; 5] = ["", "Thousands", "Millions", "Billions", "Trillions"];

/// Returns a short unit in words for a heading: "Percent" for "%", "Billions of 2017 dollars" for "$bn 2017".
pub fn unit_name(short: &str) -> String {
    let Some((power, base)) = parse_dollars(short) else {
        return match short {
            "%" => "Percent",
            "index" => "Index",
            "thous" => "Thousands",
            "mn" => "Millions",
            other => other,
        }
        .to_owned();
    };
    let size = THOUSANDS.get(usize::try_from(power / 3).unwrap_or(0));
    match (size.copied().unwrap_or_default(), base) {
        ("", _) => "Dollars".to_owned(),
        (size, "") => format!("{size} of dollars"),
        (size, base) => format!("{size} of {base} dollars"),
    }
}

/// Returns a heading for values in a unit: "Billions of chained 2017 dollars, annual rate". `steps` factors of a thousand turn
/// billions into trillions.
pub fn heading(long: &str, steps: i32) -> String {
    let text = long.replace(" SAAR", ", annual rate");
    if steps == 0 {
        return text;
    }
    let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let size = match first.trim_end_matches(['s', ',']) {
        "thou" => "thousand",
        size => size,
    };
    let is_size = |name: &&str| name.trim_end_matches('s').eq_ignore_ascii_case(size);
    let index = THOUSANDS.iter().position(is_size);
    let scaled = THOUSANDS.get(index.unwrap_or(0) + usize::try_from(steps).unwrap_or(0));
    match (index, first, scaled) {
        (Some(_), _, Some(name)) => {
            let joint = match first.chars().last() {
                Some(',') => ",",
                Some('s') => "",
                // "Thousand persons".
                Some(_) | None => " of",
            };
            format!("{name}{joint} {rest}").trim_end().to_owned()
        }
        (None, "Dollars" | "US", Some(name)) => format!("{name} of dollars"),
        (None, "Number", Some(name)) => (*name).to_owned(),
        (None, "Number,", Some(name)) => format!("{name}, {rest}"),
        _ => text,
    }
}

/// Formats a value with all its digits and its unit in words, for text that models read and copy.
///
/// Thousands of billions become trillions: "$24.408 trillion (2017 dollars), annual rate, SA".
pub fn amount_in_words(value: f64, unit: &str) -> String {
    let (name, basis) = unit.split_at(unit.find(',').unwrap_or(unit.len()));
    match parse_dollars(name) {
        Some((9, base)) if value >= 1_000.0 => {
            let suffix = Unit::amount("$", 9, &dollars_suffix(base)).suffix;
            format!("${} trillion{suffix}{basis}", round_to(value / 1e3, 6))
        }
        _ => format!("{value} {unit}").trim_end().to_owned(),
    }
}

/// Formats a change with its sign and unit; that of a rate, an index or a score is in points.
pub fn change_text(unit: &Unit, short: &str, change: f64, decimals: usize) -> String {
    let is_in_points = ["%", "index", "0-100", "flag", "points"];
    let signed = unit.format_change(change, decimals);
    if is_in_points.iter().any(|start| short.starts_with(start)) {
        return format!("{signed} points");
    }
    let (_, after) = unit.format_parts(change, decimals);
    format!("{signed} {after}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn amounts_are_formatted_with_their_units() {
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
            let unit = Unit::parse(&info.units_short, &info.units);
            assert_eq!(unit.write(value, usize::from(info.decimals)), text, "{id}");
        }
        let unit = Unit::parse("thousand persons", "");
        assert_eq!(unit.format_change(73.0, 0), "+73,000");
        assert_eq!(unit.format_change(0.0, 0), "0");
        let spread = Unit::parse("thousands of persons", "");
        assert_eq!(spread.write(66.3, 1), "66,300 people");
        assert_eq!(
            Unit::parse("$tn", "").format_change(-0.19, 2),
            "−$190 billion"
        );
        let gdp = Unit::parse("$bn 2017", "").format_parts(24_270.599, 3);
        assert_eq!(gdp, ("$24.3 trillion".into(), "(2017 dollars)".into()));
        let earlier = Unit::parse("billions of chained 2000 dollars", "");
        assert_eq!(earlier.write(11_720.0, 1), "$11.7 trillion (2000 dollars)");
        assert_eq!(
            Unit::parse("% from a year earlier", "").write(2.2, 1),
            "2.2 %"
        );
        assert_eq!(
            Unit::parse("million dollars, change from the period before", "").write(-5.0, 0),
            "−$5 million"
        );
    }

    #[test]
    fn no_formatted_value_has_a_short_unit() {
        for info in Catalogue::embedded().iter() {
            let unit = Unit::parse(&info.units_short, &info.units);
            let text = unit.write(1_234.5, usize::from(info.decimals));
            for short in ["$mn", "$bn", "$tn", "thous", "0-100", "SAAR", "pp", "  "] {
                assert!(!text.contains(short), "{}: {text}", info.id);
            }
        }
    }

    #[test]
    fn headings_are_scaled() {
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
        let change = "Thousand persons, change from the period before";
        assert_eq!(heading(change, 0), change);
        assert_eq!(
            heading(change, 1),
            "Millions of persons, change from the period before"
        );
        assert_eq!(heading("thous, change", 1), "Millions, change");
        assert_eq!(heading("Dollars", 4), "Trillions of dollars");
        assert_eq!(heading("Number", 1), "Thousands");
        assert_eq!(heading("Percent", 0), "Percent");
    }

    #[test]
    fn amounts_in_words_keep_every_digit() {
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
    fn short_units_are_spelled_out_in_headings() {
        for (short, steps, words) in [
            ("%", 0, "Percent"),
            ("thous", 1, "Millions"),
            ("$bn 2017", 1, "Trillions of 2017 dollars"),
            ("$/gal", 0, "$/gal"),
        ] {
            assert_eq!(heading(&unit_name(short), steps), words);
        }
    }
}

//! How figures of one unit are written: which word of size they take, what stands before and after the number.

use super::{number, signed};
use crate::model::SeriesInfo;

/// Words of size, the largest first.
const SIZES: [(f64, &str); 3] = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];

/// Currencies of amounts: the start of the catalogue's short unit, the sign, the name.
const CURRENCIES: [(&str, &str, &str); 3] = [
    ("$", "$", "dollars"),
    ("EUR ", "€", "euros"),
    ("JPY ", "¥", "yen"),
];

/// Prices: the catalogue's short unit, and what stands behind the amount.
const PRICES: [(&str, &str); 5] = [
    ("$/bbl", " a barrel"),
    ("$/gal", " a gallon"),
    ("$/hr", " an hour"),
    ("$/t", " a metric ton"),
    ("$/MMBtu", " per MMBtu"),
];

/// Units that a number needs no word for: what it is says the title.
const BARE: [&str; 4] = ["index", "ratio", "flag", ""];

/// How figures of one unit are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What a figure is multiplied with.
    pub factor: f64,
    /// Decimals after that.
    pub decimals: usize,
    /// Sign of a currency.
    before: &'static str,
    /// Unit behind the number, with the space before it.
    after: String,
    /// The unit of the numbers alone, as the title of an axis: "Trillions of 2017 dollars, annual rate".
    pub unit: String,
}

impl Measure {
    /// How figures of a series up to this size are written.
    pub fn of(info: &SeriesInfo, largest: f64) -> Self {
        Self::new(&info.units_short, &info.units, info.decimals, largest)
    }

    /// The same for changes: those of percentages are points.
    pub fn of_change(info: &SeriesInfo, largest: f64) -> Self {
        match info.units_short.starts_with('%') {
            true => Self::new("pp", "Percentage points", info.decimals, largest),
            false => Self::of(info, largest),
        }
    }

    /// How figures of a unit are written, of which the largest without its sign is this. The unit is the catalogue's
    /// short one; `words` is the same in words, where they are known.
    pub fn new(short: &str, words: &str, decimals: u8, largest: f64) -> Self {
        let largest = largest.abs();
        if let Some(price) = PRICES.iter().find(|(unit, _)| *unit == short) {
            return Self::plain("$", price.1, words, decimals, largest);
        }
        match amount(short).or_else(|| count(short, words)) {
            Some(kind) => kind.measure(words, decimals, largest),
            None => {
                let after = match short {
                    bare if BARE.contains(&bare) => String::new(),
                    "0-100" => " of 100".to_owned(),
                    "pp" => " points".to_owned(),
                    percent if percent.starts_with('%') => " %".to_owned(),
                    other => format!(" {other}"),
                };
                Self::plain("", &after, words, decimals, largest)
            }
        }
    }

    /// Figures as they are.
    fn plain(before: &'static str, after: &str, words: &str, decimals: u8, largest: f64) -> Self {
        let most = if largest >= 1_000.0 { 2 } else { 3 };
        Self {
            factor: 1.0,
            decimals: usize::from(decimals.min(most)),
            before,
            after: after.to_owned(),
            unit: without_basis(words),
        }
    }

    /// A figure with its unit: "$24.27 trillion".
    pub fn value(&self, value: f64) -> String {
        self.around(self.number(value))
    }

    /// The same with its sign: "+22,000 persons".
    pub fn signed(&self, value: f64) -> String {
        self.around(signed(value * self.factor, self.decimals))
    }

    /// A figure without its unit.
    pub fn number(&self, value: f64) -> String {
        number(value * self.factor, self.decimals)
    }

    /// Puts the unit around a number; a sign stands before that of the currency.
    fn around(&self, text: String) -> String {
        let digits = text.trim_start_matches(['+', '−']);
        let sign = text.get(..text.len() - digits.len()).unwrap_or_default();
        format!("{sign}{}{digits}{}", self.before, self.after)
    }
}

/// Amounts of a currency, or things that are counted.
struct Kind {
    /// How much one of the catalogue's unit is.
    size: f64,
    before: &'static str,
    /// What is counted: "persons", "2017 dollars".
    what: String,
    is_money: bool,
}

/// Money: "$bn 2017".
fn amount(short: &str) -> Option<Kind> {
    let of = |(start, ..): &&(&str, &str, &str)| short.starts_with(*start);
    let (start, sign, name) = CURRENCIES.iter().find(of)?;
    let rest = short.strip_prefix(start)?;
    let (size, base) = rest.split_once(' ').unwrap_or((rest, ""));
    let size = match size {
        "" => 1.0,
        "k" => 1e3,
        "mn" => 1e6,
        "100mn" => 1e8,
        "bn" => 1e9,
        "tn" => 1e12,
        _ => return None,
    };
    let what = match base {
        "" => (*name).to_owned(),
        base => format!("{base} {name}"),
    };
    Some(Kind {
        size,
        before: sign,
        what,
        is_money: true,
    })
}

/// Persons, claims, houses.
fn count(short: &str, words: &str) -> Option<Kind> {
    let (size, usual) = match short {
        "thous" => (1e3, ""),
        "mn" => (1e6, ""),
        "claims" => (1.0, "claims"),
        "units" => (1.0, "units"),
        _ => return None,
    };
    let words = words.trim_end_matches(" SAAR");
    let what = words.split_once(" of ").map_or(usual, |(_, what)| what);
    Some(Kind {
        size,
        before: "",
        what: what.to_owned(),
        is_money: false,
    })
}

impl Kind {
    fn measure(&self, words: &str, decimals: u8, largest: f64) -> Measure {
        let whole = largest * self.size;
        let found = SIZES.iter().find(|(least, _)| whole >= *least);
        // What is no larger than its unit says, such as a price of 67,000.12 dollars, keeps its decimals.
        let (factor, word) =
            found.map_or((self.size, ""), |(size, word)| (self.size / size, *word));
        let decimals = match (found, whole) {
            (None, _) if self.size > 1.0 => 0,
            (None, _) => usize::from(decimals.min(2)),
            (Some((size, _)), whole) if whole / size >= 100.0 => 1,
            (Some(_), _) => 2,
        };
        let base = self.what.split_once(' ').map(|(base, _)| base);
        let mut after = match word {
            "" => String::new(),
            word => format!(" {word}"),
        };
        match (self.is_money, base) {
            (true, None) => {}
            (true, Some(_)) => after += &format!(" in {}", self.what),
            (false, _) if self.what.is_empty() => {}
            (false, _) => after += &format!(" {}", self.what),
        }
        Measure {
            factor,
            decimals,
            before: self.before,
            after,
            unit: self.title(word, words),
        }
    }

    /// "Trillions of 2017 dollars, annual rate".
    fn title(&self, word: &str, words: &str) -> String {
        let mut what = self.what.clone();
        if let Some(first) = word.chars().next() {
            let plural = format!(
                "{}{}s",
                first.to_uppercase(),
                word.get(1..).unwrap_or_default()
            );
            what = match what.as_str() {
                "" => plural,
                what => format!("{plural} of {what}"),
            };
        } else if what.is_empty() {
            what = "Number".to_owned();
        } else {
            what = crate::indicators::prose::capitalised(&what);
        }
        match words.contains("SAAR") || words.contains("annual rate") {
            true => what + ", annual rate",
            false => what,
        }
    }
}

/// The unit in words, the abbreviation for an annual rate written out.
fn without_basis(words: &str) -> String {
    words.replace(" SAAR", ", annual rate")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::format::{change, quantity};

    #[test]
    fn figures_stand_with_their_unit_as_a_newspaper_prints_them() {
        for (id, value, text, unit) in [
            (
                "GDPC1",
                24_270.599,
                "$24.27 trillion in 2017 dollars",
                "Trillions of 2017 dollars, annual rate",
            ),
            (
                "WALCL",
                6_712_345.0,
                "$6.71 trillion",
                "Trillions of dollars",
            ),
            (
                "PAYEMS",
                158_638.0,
                "158.6 million persons",
                "Millions of persons",
            ),
            ("JTSJOL", 7_227.0, "7.23 million", "Millions"),
            ("ICSA", 231_000.0, "231,000 claims", "Claims"),
            (
                "HOUST",
                1_307.0,
                "1.31 million units",
                "Millions of units, annual rate",
            ),
            ("DGS10", 4.69, "4.69 %", "Percent"),
            ("SAHMREALTIME", -0.5, "−0.50 points", "Percentage points"),
            ("CPIAUCSL", 323.976, "323.976", "Index 1982-84=100"),
            ("DCOILWTICO", 64.5, "$64.50 a barrel", "Dollars per barrel"),
            ("DEXJPUS", 148.12, "148.12 JPY per USD", "JPY per USD"),
            ("MSPUS", 410_800.0, "$410,800", "Dollars"),
            (
                "JPNASSETS",
                7_100_000.0,
                "¥710.0 trillion",
                "Trillions of yen",
            ),
        ] {
            let info = Catalogue::embedded().get(id).unwrap();
            assert_eq!(quantity(value, info), text, "{id}");
            assert_eq!(Measure::of(info, value).unit, unit, "{id}");
        }
    }

    #[test]
    fn a_change_has_a_sign_and_a_size_of_its_own() {
        for (id, value, text) in [
            ("PAYEMS", 22.0, "+22,000 persons"),
            ("GDP", -180.4, "−$180.4 billion"),
            ("DGS10", -0.07, "−0.07 points"),
            ("CPIAUCSL", 0.0, "0.000"),
        ] {
            let info = Catalogue::embedded().get(id).unwrap();
            assert_eq!(change(value, info), text, "{id}");
        }
    }

    #[test]
    fn every_unit_of_the_catalogue_has_words() {
        for info in Catalogue::embedded().iter() {
            let measure = Measure::of(info, 1.0);
            assert!(
                !measure.unit.is_empty() && !measure.unit.contains("SAAR"),
                "{}",
                info.id
            );
            let text = measure.value(1.0);
            assert!(
                !text.contains("$bn") && !text.contains("thous "),
                "{}: {text}",
                info.id
            );
        }
    }
}

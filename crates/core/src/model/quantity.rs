//! What kind of quantity a series measures: which changes mean something, and in which words its unit is told.

use super::series::Series;
use super::series_info::SeriesInfo;

/// Which changes of a figure mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Amounts, prices, indices of a base year: in the unit and in percent.
    Amount,
    /// Percentages: in points, of which each is a hundred basis points.
    Rate,
    /// Scores, flags, indices around zero, logarithms, changes: in the unit alone.
    Plain,
}

/// Amounts of a whole period, which add up to the amount of a longer one. Rates a year (SAAR) do not.
const FLOWS: [&str; 16] = [
    "RSAFS",
    "RSXFS",
    "RSFSXMV",
    "RETAILX",
    "ECOMSA",
    "DGORDER",
    "NEWORDER",
    "ACOGNO",
    "AMTMNO",
    "UMDMNO",
    "CMRMTSPL",
    "CMRMTSPLX",
    "BOPGSTB",
    "BOPTEXP",
    "BOPTIMP",
    "MTSDS133FMS",
];

/// A short unit in words: "$bn 2017" is "billion 2017 dollars", "0-100" is "out of 100".
pub fn in_words(short: &str) -> String {
    let (size, base) = short.split_once(' ').unwrap_or((short, ""));
    let dollars = |word: &str| match base {
        "" => format!("{word} dollars"),
        base => format!("{word} {base} dollars"),
    };
    match size {
        "$k" => dollars("thousand"),
        "$mn" => dollars("million"),
        "$bn" => dollars("billion"),
        "$tn" => dollars("trillion"),
        "thous" => "thousand".to_owned(),
        "mn" => "million".to_owned(),
        "0-100" => "out of 100".to_owned(),
        _ => short.to_owned(),
    }
}

impl SeriesInfo {
    /// Whether its figures add up over time.
    pub fn is_flow(&self) -> bool {
        FLOWS.contains(&self.id.as_str())
    }

    /// Whether its figures are what is held at a time: money, credit, debt.
    pub fn is_stock(&self) -> bool {
        let is_money = self.units_short.contains('$') || self.units.contains("dollars");
        let is_held = matches!(self.category.as_str(), "money_liquidity" | "consumer");
        is_money && is_held && !self.is_flow() && !self.is_annual_rate()
    }

    /// Whether its figures are told as if they went on for a year.
    pub fn is_annual_rate(&self) -> bool {
        self.units.contains("SAAR") || self.units.contains("annual rate")
    }

    /// The unit in words, without what else is true of the figure: "thousand persons", "index 1982-84=100".
    pub fn unit_in_words(&self) -> String {
        let of_what = || {
            let words = self.units.trim_end_matches(" SAAR");
            words.split_once(" of ").map_or("", |(_, what)| what)
        };
        let counted = |word: &str| format!("{word} {}", of_what()).trim_end().to_owned();
        match self.units_short.as_str() {
            "thous" => counted("thousand"),
            "mn" => counted("million"),
            "index" => self.units.replacen("Index", "index", 1),
            short => in_words(short),
        }
    }

    /// The unit with all that a reader must know of it: "billion dollars, annual rate, SA".
    pub fn unit_and_basis(&self) -> String {
        let mut text = self.unit_in_words();
        if self.is_annual_rate() {
            text += ", annual rate";
        }
        if self.seasonally_adjusted {
            text += ", SA";
        }
        text
    }
}

impl Series {
    /// The kind of its own figures. An index that is ever zero or less has no base of which it could be a percentage.
    pub fn quantity(&self) -> Quantity {
        let is_positive = || self.observations.iter().all(|o| o.value > 0.0);
        match self.info.units_short.as_str() {
            "pp" => Quantity::Rate,
            unit if unit.contains('%') => Quantity::Rate,
            "0-100" | "flag" => Quantity::Plain,
            "index" if !is_positive() => Quantity::Plain,
            _ => Quantity::Amount,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::model::Observation;
    use jiff::civil::date;

    #[test]
    fn units_are_told_with_what_they_stand_on() {
        for (id, words) in [
            ("PAYEMS", "thousand persons, SA"),
            ("HOUST", "thousand units, annual rate, SA"),
            ("GDPC1", "billion 2017 dollars, annual rate, SA"),
            ("CPIAUCNS", "index 1982-84=100"),
            ("JTSJOL", "thousand, SA"),
            ("TOTALSA", "million units, annual rate, SA"),
            ("DGS10", "%"),
            ("NFCI", "index"),
            ("ICSA", "claims, SA"),
            ("DEXJPUS", "JPY per USD"),
        ] {
            let info = Catalogue::embedded().get(id).unwrap();
            assert_eq!(info.unit_and_basis(), words, "{id}");
        }
    }

    #[test]
    fn a_percent_change_needs_an_amount() {
        let of = |id: &str, value| {
            let info = Catalogue::embedded().get(id).unwrap().clone();
            Series::new(info, vec![Observation::new(date(2026, 1, 1), value)]).quantity()
        };
        assert_eq!(of("UNRATE", 4.0), Quantity::Rate);
        assert_eq!(of("SAHMREALTIME", 0.3), Quantity::Rate);
        assert_eq!(of("CPIAUCSL", 320.0), Quantity::Amount);
        assert_eq!(of("NFCI", -0.5), Quantity::Plain);
        assert_eq!(of("SERVICE_CRPI", 12.0), Quantity::Rate);
        assert_eq!(of("SERVICE_CMSI", 12.0), Quantity::Plain);
        assert_eq!(of("NETEXP", -900.0), Quantity::Amount);
    }

    #[test]
    fn every_flow_is_in_the_catalogue_and_no_annual_rate() {
        for id in FLOWS {
            let info = Catalogue::embedded().get(id).unwrap();
            assert!(!info.is_annual_rate(), "{id}");
        }
    }
}

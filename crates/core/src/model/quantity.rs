//! The kind of quantity that a series measures, and its unit in words.

use super::series::Series;
use super::series_info::SeriesInfo;

/// The kind of a quantity, by the changes that are meaningful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Amounts, prices, indices with a base year: changes in the unit and in percent.
    Amount,
    /// Percentages: changes in points, each a hundred basis points.
    Rate,
    /// Scores, flags, indices around zero, logarithms, changes: changes in the unit only.
    Plain,
}

/// Series of amounts per period, which add up to the amount of a longer period. Annual rates (SAAR) do not.
const FLOWS: &str = include_str!("../../data/flows.txt");

/// Returns a short unit in words: "billion 2017 dollars" for "$bn 2017", "out of 100" for "0-100".
pub fn spell_out_unit(short: &str) -> String {
    let (size, base) = short.split_once(' ').unwrap_or((short, ""));
    let space = if base.is_empty() { "" } else { " " };
    let dollars = |word: &str| format!("{word}{space}{base} dollars");
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
    /// Returns whether its figures add up over time.
    pub fn is_flow(&self) -> bool {
        FLOWS.lines().any(|id| id == self.id.as_str())
    }

    /// Returns whether its figures are amounts at a point in time: money, credit, debt.
    pub fn is_stock(&self) -> bool {
        let is_money = self.units_short.contains('$') || self.units.contains("dollars");
        let is_stock_category = matches!(self.category.as_str(), "money_liquidity" | "consumer");
        is_money && is_stock_category && !self.is_flow() && !self.is_annual_rate()
    }

    /// Returns whether its figures are annual rates.
    pub fn is_annual_rate(&self) -> bool {
        self.units.contains("SAAR") || self.units.contains("annual rate")
    }

    /// Returns the unit in words without its basis: "thousand persons", "index 1982-84=100".
    pub fn long_unit(&self) -> String {
        let count = |size: &str| {
            let words = self.units.trim_end_matches(" SAAR");
            let noun = words.split_once(" of ").map_or("", |(_, noun)| noun);
            format!("{size} {noun}").trim_end().to_owned()
        };
        match self.units_short.as_str() {
            "thous" => count("thousand"),
            "mn" => count("million"),
            "index" => self.units.replacen("Index", "index", 1),
            short => spell_out_unit(short),
        }
    }

    /// Returns the unit in words with its basis: "billion dollars, annual rate, SA".
    pub fn unit_and_basis(&self) -> String {
        let mut text = self.long_unit();
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
    /// Returns the kind of its figures. An index that is ever zero or negative has no base for percent changes.
    pub fn quantity(&self) -> Quantity {
        let is_positive = || self.observations.iter().all(|o| o.value > 0.0);
        match self.info.units_short.as_str() {
            unit if unit == "pp" || unit.contains('%') => Quantity::Rate,
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
    fn units_have_their_basis() {
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
    fn quantity_follows_from_unit_and_values() {
        let quantity = |id: &str, value| {
            let info = Catalogue::embedded().get(id).unwrap().clone();
            Series::new(info, vec![Observation::new(date(2026, 1, 1), value)]).quantity()
        };
        assert_eq!(quantity("UNRATE", 4.0), Quantity::Rate);
        assert_eq!(quantity("SAHMREALTIME", 0.3), Quantity::Rate);
        assert_eq!(quantity("CPIAUCSL", 320.0), Quantity::Amount);
        assert_eq!(quantity("NFCI", -0.5), Quantity::Plain);
        assert_eq!(quantity("SERVICE_CRPI", 12.0), Quantity::Rate);
        assert_eq!(quantity("SERVICE_CMSI", 12.0), Quantity::Plain);
        assert_eq!(quantity("NETEXP", -900.0), Quantity::Amount);
    }

    #[test]
    fn every_flow_is_in_the_catalogue_without_an_annual_rate() {
        for id in FLOWS.lines() {
            let info = Catalogue::embedded().get(id).unwrap();
            assert!(!info.is_annual_rate(), "{id}");
        }
    }
}

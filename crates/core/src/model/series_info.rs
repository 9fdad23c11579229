//! The description of a series, and the rounding of its figures.

use super::calendar::Publication;
use super::frequency::{Date, Frequency};
use super::series_id::SeriesId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{EnumString, IntoStaticStr};

/// The default prefix of the identifiers of composites.
pub const DEFAULT_PREFIX: &str = "SERVICE_";

/// The category of composites.
const COMPOSITE_CATEGORY: &str = "composite";

/// Rights of use by the terms of the source. A recipe states the terms more exactly (docs/OWN-DATA.md#recipes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Rights {
    /// Public domain: may be bundled and served.
    #[serde(rename = "open")]
    Ok,
    /// May be bundled and served with a citation or the notice of the source.
    #[serde(rename = "cite", alias = "notice")]
    OkWithCitation,
    /// An operator may fetch it for own use: its terms forbid commercial use, or allow only personal use or that of an API key.
    /// Never bundled; served publicly only if the operator allows it.
    #[serde(rename = "personal", alias = "non_commercial", alias = "own_key")]
    FetchOnly,
}

impl Rights {
    /// Returns the value in answers and in the catalogue file.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The credit line that published content must carry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attribution {
    /// The credit line, ready to print.
    pub text: String,
    /// Where the credit line must link to.
    pub url: String,
}

impl fmt::Display for Attribution {
    /// The credit line with its address: `Data by Econoscope: https://example.org`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.text, self.url)
    }
}

/// The description of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesInfo {
    /// Identifier.
    pub id: SeriesId,
    /// Title.
    pub title: String,
    /// Unit in words: "Percent".
    pub units: String,
    /// Short unit: "%".
    pub units_short: String,
    /// Frequency.
    pub frequency: Frequency,
    /// Whether the figures are seasonally adjusted.
    pub seasonally_adjusted: bool,
    /// Category: rates, inflation, labor …
    pub category: String,
    /// Source of the figures.
    pub source: String,
    /// Typical days from a period's end to publication.
    pub publication_lag_days: i64,
    /// Whether it is one of the tracked metrics.
    pub is_metric: bool,
    /// Rights of use.
    pub rights: Rights,
    /// Decimals the source publishes; changes are rounded to two more.
    pub decimals: u8,
    /// Whether title, units and source are untrusted text: from a source or from an operator's file.
    pub is_untrusted: bool,
}

impl SeriesInfo {
    /// Returns whether the series is a composite.
    pub fn is_composite(&self) -> bool {
        self.category == COMPOSITE_CATEGORY
    }

    /// Returns whether it is an official forecast, whose figures are of years to come: the medians of the FOMC, or those of the
    /// Congressional Budget Office.
    pub fn is_forecast(&self) -> bool {
        self.source.contains("projections")
    }

    /// Returns the day from which the figure dated `date` counts as known if no vintage records it ([`Publication::day`]).
    pub fn publication_day(&self, date: Date) -> Date {
        Publication::new(self).day(date)
    }

    /// Returns whether FRED has the series. The source's name in the catalogue says if it does not.
    pub fn is_on_fred(&self) -> bool {
        !self.is_composite()
            && !self.source.contains("not FRED")
            && !self.source.contains("not on FRED")
            && !self.source.starts_with("FRED-MD")
    }

    /// Rounds a value to the source's decimals plus two (docs/METHODS.md#changes).
    pub fn round(&self, value: f64) -> f64 {
        round_to(value, i32::from(self.decimals) + 2)
    }
}

/// Rounds a value half away from zero to `decimals` places.
pub fn round_to(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    let scaled = value * scale;
    // Beyond 2^53 a number has no fraction.
    if scaled.abs() < 9.0e15 {
        scaled.round() / scale + 0.0
    } else {
        value
    }
}

/// Removes rounding errors from a computed value: rounds to 1e-9, or to thirteen digits if that is coarser.
pub fn remove_rounding_error(value: f64) -> f64 {
    let mut decimals = 9;
    let mut size = value.abs();
    while size >= 10_000.0 && decimals > 0 {
        size /= 10.0;
        decimals -= 1;
    }
    round_to(value, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_errors_are_removed_and_published_digits_kept() {
        for (noisy, clean) in [
            (0.1 + 0.2, 0.3),
            (4.1 - 4.2, -0.1),
            (158_858.3 - 158_858.2, 0.1),
            (39_065_421.1 + 0.2, 39_065_421.3),
            (-0.000_000_000_4, 0.0),
            (1e300, 1e300),
            (2.0 / 3.0, 0.666_666_667),
        ] {
            assert_eq!(remove_rounding_error(noisy).to_string(), clean.to_string());
        }
    }

    #[test]
    fn rounding_is_exact_and_never_gives_negative_zero() {
        assert_eq!(round_to(0.1 + 0.2, 4), 0.3);
        assert_eq!(round_to(-0.00001, 2).to_string(), "0");
        assert_eq!(round_to(1.0e300, 2), 1.0e300);
    }
}

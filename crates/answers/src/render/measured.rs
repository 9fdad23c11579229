//! The kind of transformed figures: the unit of their changes, which changes have a meaning, and their decimals.

use econoscope_core::indicators::prose::{format_number, format_signed};
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::series_info::{remove_rounding_error, round_to};
use econoscope_core::model::{Date, Frequency, Quantity, Series};

/// Decimals of a composite in an answer. Its text shows fewer; these are for further computation.
const COMPOSITE_DECIMALS: i32 = 5;

/// The kind of the figures of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FigureKind {
    quantity: Quantity,
    /// Unit of a change: "points", "thousand persons".
    pub(crate) change_unit: String,
    /// Decimals of a figure in text.
    pub(crate) decimals: i32,
    /// Frequency of the rows.
    pub(crate) frequency: Frequency,
    is_composite: bool,
}

impl FigureKind {
    /// Returns the kind of a series' figures in `units`, at `frequency`.
    pub(crate) fn new(series: &Series, units: Units, frequency: Frequency) -> Self {
        let info = &series.info;
        let level = series.quantity();
        let is_in_own_unit = units.is_in_own_unit();
        let (quantity, decimals) = if units == Units::Level {
            (level, info.decimals)
        } else if is_in_own_unit {
            (Quantity::Plain, info.decimals)
        } else if units == Units::Log {
            (Quantity::Plain, 4)
        } else {
            (Quantity::Rate, 2)
        };
        let change_unit = match info.units_short.as_str() {
            _ if units == Units::Log => "of the logarithm".to_owned(),
            _ if [level, quantity].contains(&Quantity::Rate) => "points".to_owned(),
            "0-100" | "flag" | "index" => "points".to_owned(),
            _ => info.long_unit(),
        };
        Self {
            quantity,
            change_unit,
            decimals: i32::from(decimals),
            frequency,
            is_composite: info.is_composite() && is_in_own_unit,
        }
    }

    /// Rounds a figure for an answer: a composite to five decimals, any other to remove the floating-point noise that
    /// some sources publish.
    pub(crate) fn round(&self, value: f64) -> f64 {
        if self.is_composite {
            round_to(value, COMPOSITE_DECIMALS)
        } else {
            remove_rounding_error(value)
        }
    }

    /// Whether a percent change of positive figures has a meaning.
    pub(crate) fn is_amount(&self) -> bool {
        self.quantity == Quantity::Amount
    }

    /// Returns a change in basis points; `None` unless the figures are rates.
    pub(crate) fn basis_points(&self, change: f64) -> Option<f64> {
        (self.quantity == Quantity::Rate).then(|| round_to(100.0 * change, 1))
    }

    /// Formats a figure with the decimals of its kind.
    pub(crate) fn format(&self, value: f64) -> String {
        let decimals = usize::try_from(self.decimals).unwrap_or(2);
        format_number(round_to(value, self.decimals), decimals)
    }

    /// Formats a figure with its period: "4.10 in August 2026".
    pub(crate) fn format_dated(&self, value: f64, date: Date) -> String {
        format!(
            "{} {}",
            self.format(value),
            self.frequency.period_phrase(date)
        )
    }

    /// Formats a change: "+0.25 points", "+73 thousand persons (+0.05 %)".
    pub(crate) fn format_change(&self, value: f64, percent: Option<f64>) -> String {
        // A mean of changes in whole numbers may be less than one.
        let is_fraction = self.decimals == 0 && value != 0.0 && value.abs() < 1.0;
        let decimals = if is_fraction { 2 } else { self.decimals };
        let places = usize::try_from(decimals).unwrap_or(2);
        let mut text = format_signed(round_to(value, decimals), places);
        text += &format!(" {}", self.change_unit);
        text.extend(percent.map(|percent| format!(" ({} %)", format_signed(percent, 2))));
        text
    }
}

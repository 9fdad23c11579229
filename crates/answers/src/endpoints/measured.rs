//! What the figures of an answer are once they are transformed: their unit, which changes of them mean something, and
//! how a person writes them.

use econoscope_core::indicators::prose::{number, signed};
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::series_info::{round_to, without_noise};
use econoscope_core::model::{Date, Frequency, Quantity, Series};

/// Decimals of a composite, which is computed here and told with fewer: enough for who goes on computing with it.
const COMPOSITE: i32 = 5;

/// The kind of the figures of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FigureKind {
    /// Which changes of them mean something.
    quantity: Quantity,
    /// Unit of a change: "points", "thousand persons".
    pub(super) change_unit: String,
    /// Decimals with which a figure is told.
    pub(super) decimals: i32,
    /// Of the rows.
    pub(super) frequency: Frequency,
    /// Decimals to which every figure is rounded, where it is a composite.
    rounded: Option<i32>,
}

impl FigureKind {
    /// Of figures of a series in other units, at a frequency.
    pub(super) fn new(series: &Series, units: Units, frequency: Frequency) -> Self {
        let info = &series.info;
        let own = series.quantity();
        let is_in_own_unit = units.is_in_own_unit();
        let (quantity, decimals) = if units == Units::Level {
            (own, info.decimals)
        } else if is_in_own_unit {
            (Quantity::Plain, info.decimals)
        } else if units == Units::Log {
            (Quantity::Plain, 4)
        } else {
            (Quantity::Rate, 2)
        };
        let change_unit = match info.units_short.as_str() {
            _ if units == Units::Log => "of the logarithm".to_owned(),
            _ if [own, quantity].contains(&Quantity::Rate) => "points".to_owned(),
            "0-100" | "flag" | "index" => "points".to_owned(),
            _ => info.unit_in_words(),
        };
        Self {
            quantity,
            change_unit,
            decimals: i32::from(decimals),
            frequency,
            rounded: (info.is_composite() && is_in_own_unit).then_some(COMPOSITE),
        }
    }

    /// A figure as it leaves: a composite to five decimals, any other without the noise of arithmetic, which some
    /// sources publish.
    pub(super) fn told(&self, value: f64) -> f64 {
        match self.rounded {
            Some(decimals) => round_to(value, decimals),
            None => without_noise(value),
        }
    }

    /// Whether a percent change of them means something where they are positive.
    pub(super) fn is_amount(&self) -> bool {
        self.quantity == Quantity::Amount
    }

    /// A change of percentages in basis points.
    pub(super) fn basis_points(&self, change: f64) -> Option<f64> {
        (self.quantity == Quantity::Rate).then(|| round_to(100.0 * change, 1))
    }

    /// A figure as a person writes it.
    pub(super) fn figure(&self, value: f64) -> String {
        let decimals = usize::try_from(self.decimals).unwrap_or(2);
        number(round_to(value, self.decimals), decimals)
    }

    /// A figure with its period: "4.10 in August 2026".
    pub(super) fn dated(&self, value: f64, date: Date) -> String {
        format!("{} {}", self.figure(value), self.frequency.when(date))
    }

    /// "+0.25 points (+25 bp)", "+73 thousand persons (+0.05 %)".
    pub(super) fn change(&self, change: f64, percent: Option<f64>) -> String {
        let decimals = usize::try_from(self.decimals).unwrap_or(2);
        let mut text = signed(round_to(change, self.decimals), decimals);
        text += &format!(" {}", self.change_unit);
        if let Some(points) = self.basis_points(change) {
            let points = signed(points, usize::from(points.fract() != 0.0));
            text += &format!(" ({points} bp)");
        }
        text.extend(percent.map(|percent| format!(" ({} %)", signed(percent, 2))));
        text
    }
}

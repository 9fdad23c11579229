//! Formats the values of a chart at the scale of its axis, and escapes text for SVG.

use crate::format::{Unit, heading, number};
use quick_xml::escape::escape;

/// Scale and format of the values on the left axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    /// Factor from a value to the axis.
    pub(super) factor: f64,
    /// The factor as a number of thousands.
    steps: i32,
    unit: Unit,
    decimals: usize,
    /// Decimals of the series.
    series_decimals: usize,
}

impl Scale {
    /// Creates the scale for a chart from its largest absolute value and its unit.
    pub(super) fn new(largest: f64, unit: Unit, decimals: u8) -> Self {
        let steps = unit.steps(largest);
        let factor = 1e-3_f64.powi(steps);
        let max_decimals = match largest * factor {
            size if steps > 0 && size >= 100.0 => 0,
            _ if steps > 0 => 2,
            size if size >= 1_000.0 => 0,
            _ => 3,
        };
        let all_decimals = usize::from(decimals) + usize::try_from(3 * steps).unwrap_or(0);
        Self {
            factor,
            steps,
            unit,
            series_decimals: usize::from(decimals),
            decimals: all_decimals.min(max_decimals),
        }
    }

    /// Returns the decimals of a value: `unscaled` if the axis has no factor; else three for a value with its size in words,
    /// "1.372 million", and those of the series for one in full, "206,000 claims".
    fn decimals_of(&self, value: f64, unscaled: usize) -> usize {
        if self.steps == 0 {
            return unscaled;
        }
        let (text, _) = self.unit.format_parts(value, 3);
        let has_size = text.contains(char::is_alphabetic);
        if has_size { 3 } else { self.series_decimals }
    }

    /// Formats a value with its unit: "4.69 %", "$24.4 trillion".
    pub(super) fn format_value(&self, value: f64) -> String {
        let decimals = self.decimals_of(value, self.decimals);
        self.unit.write(value, decimals)
    }

    /// Formats a value without its unit.
    pub(super) fn format_number(&self, value: f64) -> String {
        number(value * self.factor, self.decimals)
    }

    /// Formats a tick of the axis with its unit if the unit is short: "6.0 %", "$24 trillion".
    pub(super) fn format_tick(&self, tick: f64, decimals: usize) -> String {
        let value = tick / self.factor;
        let shown = self.decimals_of(value, decimals);
        let (text, unit) = self.unit.format_parts(value, shown);
        match unit.len() {
            1..=8 => format!("{text} {unit}"),
            _ => text,
        }
    }

    /// Returns the unit above the axis: "Trillions of dollars".
    pub(super) fn heading(&self, long: &str) -> String {
        heading(long, self.steps)
    }
}

/// Escapes text for SVG and HTML, and removes control characters.
pub fn escaped(text: &str) -> String {
    let visible = text.replace(char::is_control, "");
    // HTML 4 does not know the name that XML has for an apostrophe.
    escape(&visible).replace("&apos;", "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_in_full_has_the_decimals_of_its_series() {
        let claims = Scale::new(258_000.0, Unit::parse("claims", "Claims"), 0);
        assert_eq!(claims.format_tick(260.0, 0), "260,000 claims");
        assert_eq!(claims.format_value(206_000.0), "206,000 claims");
        let people = Scale::new(158_858.0, Unit::parse("thous", "Thousands of persons"), 0);
        assert!(
            people.format_tick(137.5, 1).starts_with("137.5 million"),
            "{}",
            people.format_tick(137.5, 1)
        );
    }
}

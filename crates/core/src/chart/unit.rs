//! Text in narrow places: millions of dollars in trillions, figures with separators, names as SVG may hold them.

use crate::format::{Unit, heading, number};

/// How values on the left axis are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    /// What a value is multiplied with.
    pub(super) factor: f64,
    /// Steps of a thousand that the factor takes.
    steps: i32,
    unit: Unit,
    decimals: usize,
    /// Decimals of the series.
    published: usize,
}

impl Scale {
    /// The scale that suits a chart whose `largest` value, without its sign, is in a unit; `long` is its full name.
    pub(super) fn of(largest: f64, (short, long): (&str, &str), decimals: u8) -> Self {
        let unit = Unit::of(short, long);
        let steps = unit.steps(largest);
        let factor = 1e-3_f64.powi(steps);
        let most = match largest * factor {
            size if steps > 0 && size >= 100.0 => 0,
            _ if steps > 0 => 2,
            size if size >= 1_000.0 => 0,
            _ => 3,
        };
        Self {
            factor,
            steps,
            unit,
            published: usize::from(decimals),
            decimals: usize::from(decimals) + usize::try_from(3 * steps).unwrap_or(0),
        }
        .at_most(most)
    }

    fn at_most(mut self, most: usize) -> Self {
        self.decimals = self.decimals.min(most);
        self
    }

    /// Decimals of a value: `unscaled` where the axis has no factor; else enough for one with its size in words, "1.372
    /// million", and those of the series for one in full, "206,000 claims".
    fn places(&self, value: f64, unscaled: usize) -> usize {
        let is_in_words = || {
            let (text, _) = self.unit.parts(value, 3);
            text.contains(char::is_alphabetic)
        };
        match self.steps {
            0 => unscaled,
            _ if is_in_words() => 3,
            _ => self.published,
        }
    }

    /// A value with its unit: "4.69 %", "$24.4 trillion".
    pub(super) fn value(&self, value: f64) -> String {
        self.unit.write(value, self.places(value, self.decimals))
    }

    /// A value without its unit.
    pub(super) fn number(&self, value: f64) -> String {
        number(value * self.factor, self.decimals)
    }

    /// A figure of the axis with its unit, without one that is long: "6.0 %", "$24 trillion".
    pub(super) fn mark(&self, mark: f64, decimals: usize) -> String {
        let value = mark / self.factor;
        let (text, unit) = self.unit.parts(value, self.places(value, decimals));
        match unit.len() {
            1..=8 => format!("{text} {unit}"),
            _ => text,
        }
    }

    /// The unit above the figures of the axis: "Trillions of dollars".
    pub(super) fn heading(&self, long: &str) -> String {
        heading(long, self.steps)
    }
}

/// Text as it may stand in SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_in_full_has_the_decimals_of_its_series() {
        let claims = Scale::of(258_000.0, ("claims", "Claims"), 0);
        assert_eq!(claims.mark(260.0, 0), "260,000 claims");
        assert_eq!(claims.value(206_000.0), "206,000 claims");
        let people = Scale::of(158_858.0, ("thous", "Thousands of persons"), 0);
        assert!(
            people.mark(137.5, 1).starts_with("137.5 million"),
            "{}",
            people.mark(137.5, 1)
        );
    }
}

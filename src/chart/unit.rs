//! Units in narrow places: millions of dollars in trillions, figures with separators.

use super::ChartSpec;

/// How values are written: a factor, decimals and a unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    /// What a value is multiplied with.
    pub(super) factor: f64,
    /// Unit after scaling.
    pub(super) unit: String,
    decimals: usize,
}

/// Unit, least size from which another reads better, factor, that other unit.
const COARSER: [(&str, f64, f64, &str); 6] = [
    ("$mn", 1.0e6, 1.0e-6, "$tn"),
    ("$mn", 1.0e3, 1.0e-3, "$bn"),
    ("$bn", 1.0e3, 1.0e-3, "$tn"),
    ("thous", 1.0e3, 1.0e-3, "mn"),
    ("claims", 1.0e3, 1.0e-3, "thous"),
    ("$bn 2017", 1.0e3, 1.0e-3, "$tn 2017"),
];

impl Scale {
    /// The scale that suits a chart's largest value.
    pub(super) fn of(spec: &ChartSpec) -> Self {
        let sizes = spec
            .lines
            .iter()
            .flat_map(|l| &l.points)
            .map(|o| o.value.abs());
        let most = sizes.fold(0.0, f64::max);
        let coarser = COARSER
            .iter()
            .find(|(unit, least, ..)| *unit == spec.unit_short && most >= *least);
        match coarser {
            Some((_, _, factor, unit)) => Self {
                factor: *factor,
                unit: (*unit).to_owned(),
                decimals: if *unit == "thous" { 0 } else { 2 },
            },
            None => Self {
                factor: 1.0,
                unit: spec.unit_short.clone(),
                decimals: usize::from(spec.decimals.min(if most >= 1_000.0 { 0 } else { 3 })),
            },
        }
    }

    /// A value with its unit: "4.69 %".
    pub(super) fn value(&self, value: f64) -> String {
        let text = self.number(value);
        if self.unit.is_empty() || self.unit == "index" {
            text
        } else {
            format!("{text} {}", self.unit)
        }
    }

    /// A value without its unit.
    pub(super) fn number(&self, value: f64) -> String {
        grouped(value * self.factor, self.decimals)
    }
}

/// A number with `decimals` places, a comma between thousands, a true minus, never a negative zero.
pub(super) fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let mut out = String::new();
    if value < 0.0 && text.bytes().any(|b| matches!(b, b'1'..=b'9')) {
        out.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped_and_signed() {
        assert_eq!(grouped(6_712_345.4, 0), "6,712,345");
        assert_eq!(grouped(-0.126, 2), "−0.13");
        assert_eq!(grouped(-0.001, 2), "0.00");
        assert_eq!(grouped(999.0, 1), "999.0");
    }
}

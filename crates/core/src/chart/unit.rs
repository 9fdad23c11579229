//! Text in narrow places: millions of dollars in trillions, figures with separators, names as SVG may hold them.

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
    /// The scale that suits a chart whose `largest` value, without its sign, is in `unit`.
    pub(super) fn of(largest: f64, unit: &str, decimals: u8) -> Self {
        let is_fitting =
            |(from, least, ..): &&(&str, f64, f64, &str)| *from == unit && largest >= *least;
        if let Some((_, _, factor, unit)) = COARSER.iter().find(is_fitting) {
            return Self {
                factor: *factor,
                unit: (*unit).to_owned(),
                decimals: if *unit == "thous" { 0 } else { 2 },
            };
        }
        let max = if largest >= 1_000.0 { 0 } else { 3 };
        Self {
            factor: 1.0,
            unit: unit.to_owned(),
            decimals: usize::from(decimals.min(max)),
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

/// From here on a number is written with a power of ten: its digits would fill the picture.
const LONG: f64 = 1e16;

/// A number with `decimals` places, a comma between thousands, a true minus, never a negative zero.
pub(super) fn grouped(value: f64, decimals: usize) -> String {
    if value.abs() >= LONG {
        return format!("{value:.2e}").replace('-', "−");
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_below = value < 0.0 && text.bytes().any(|b| matches!(b, b'1'..=b'9'));
    let sign = if is_below { "−" } else { "" };
    sign.to_owned() + &in_thousands(&text)
}

/// A number without a sign, with a comma between thousands.
pub fn in_thousands(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
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
    fn figures_are_grouped_and_signed() {
        assert_eq!(grouped(6_712_345.4, 0), "6,712,345");
        assert_eq!(grouped(-0.126, 2), "−0.13");
        assert_eq!(grouped(-0.001, 2), "0.00");
        assert_eq!(grouped(999.0, 1), "999.0");
    }
}

//! How figures, units, periods and days are written for readers: the house style of pages and pictures.
//!
//! "$24.3 trillion", "158.6 million persons", "4.69 %", "−0.13", "Q2 2026", "24 September 2026". Answers to programs keep
//! plain numbers and ISO days.

mod measure;

pub use measure::Measure;

use crate::model::{Date, Frequency, SeriesInfo};

/// From here on a number is written with a power of ten: its digits would fill the line.
const LONG: f64 = 1e16;

/// A number with `decimals` places, a comma between thousands, a true minus, never a negative zero.
pub fn number(value: f64, decimals: usize) -> String {
    if value.abs() >= LONG {
        return format!("{value:.2e}").replace('-', "−");
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_below = value < 0.0 && text.bytes().any(|b| matches!(b, b'1'..=b'9'));
    let sign = if is_below { "−" } else { "" };
    sign.to_owned() + &with_commas(&text)
}

/// A number with its sign: "+0.15", "−0.30"; zero has none.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = number(value, decimals);
    let is_above = value > 0.0 && text.bytes().any(|b| matches!(b, b'1'..=b'9'));
    match is_above {
        true => format!("+{text}"),
        false => text,
    }
}

/// A number with all the decimals that it has, a comma between thousands and a true minus.
pub fn exact(value: f64) -> String {
    if value.abs() >= LONG {
        return number(value, 0);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    sign.to_owned() + &with_commas(&value.abs().to_string())
}

/// A number without a sign, with a comma between thousands.
fn with_commas(text: &str) -> String {
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

/// A figure of a series with its unit: "$24.3 trillion".
pub fn quantity(value: f64, info: &SeriesInfo) -> String {
    Measure::of(info, value).value(value)
}

/// A change of a figure of a series with its sign and unit: "+22,000 persons"; of percentages in points.
pub fn change(value: f64, info: &SeriesInfo) -> String {
    Measure::of_change(info, value).signed(value)
}

/// A day: "24 September 2026".
pub fn day(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

/// A period as a reader calls it, by the day that stands for it: "24 September 2026", "August 2026", "Q2 2026", "2025".
pub fn period(date: Date, frequency: Frequency) -> String {
    match frequency {
        Frequency::Monthly => date.strftime("%B %Y").to_string(),
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => day(date),
        Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => short(date, frequency),
    }
}

/// The same for a narrow place: "24 Sep 2026", "Aug 2026", "Q2 2026", "2025".
pub fn short(date: Date, frequency: Frequency) -> String {
    match frequency {
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => {
            date.strftime("%-d %b %Y").to_string()
        }
        Frequency::Monthly => date.strftime("%b %Y").to_string(),
        Frequency::Quarterly => date.strftime("Q%q %Y").to_string(),
        Frequency::Semiannual if date.month() <= 6 => date.strftime("H1 %Y").to_string(),
        Frequency::Semiannual => date.strftime("H2 %Y").to_string(),
        Frequency::Annual => date.strftime("%Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn numbers_have_commas_a_true_minus_and_no_negative_zero() {
        assert_eq!(number(6_712_345.4, 0), "6,712,345");
        assert_eq!(number(-0.126, 2), "−0.13");
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(signed(0.154, 2), "+0.15");
        assert_eq!(signed(-1_234.5, 1), "−1,234.5");
        assert_eq!(signed(0.001, 2), "0.00");
        assert_eq!(exact(-12_345.678), "−12,345.678");
    }

    #[test]
    fn periods_are_called_by_their_names() {
        let of = |frequency| period(date(2026, 4, 1), frequency);
        assert_eq!(of(Frequency::Daily), "1 April 2026");
        assert_eq!(of(Frequency::Monthly), "April 2026");
        assert_eq!(of(Frequency::Quarterly), "Q2 2026");
        assert_eq!(of(Frequency::Semiannual), "H1 2026");
        assert_eq!(of(Frequency::Annual), "2026");
        assert_eq!(short(date(2026, 9, 24), Frequency::Weekly), "24 Sep 2026");
    }
}

//! House style: how numbers, amounts, periods and days are written for readers of pages, pictures and text.
//!
//! REST answers carry plain numbers and ISO dates instead, and text for models keeps ISO days, with which it calls again.

mod days;
mod unit;

pub use days::{day, due, month, period, readable, short_day};
pub use unit::{Unit, amount_in_words, heading, spelled};

/// From here on a number is written with a power of ten: its digits would fill the picture.
const LONG: f64 = 1e16;

/// A number with `decimals` places, a comma between thousands, a true minus, never a negative zero.
pub fn number(value: f64, decimals: usize) -> String {
    if value.abs() >= LONG {
        return format!("{value:.2e}").replace('-', "−");
    }
    with_sign(value < 0.0, &format!("{:.decimals$}", value.abs()))
}

/// A number with its sign: "+0.15", "−0.30"; zero has none.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = number(value, decimals);
    match value > 0.0 && has_digit(&text) {
        true => format!("+{text}"),
        false => text,
    }
}

/// A number with all its digits: commas between thousands, a true minus.
pub fn exact(value: f64) -> String {
    with_sign(value < 0.0, &value.abs().to_string())
}

/// Digits with commas, behind a minus unless all of them are zeros.
fn with_sign(is_negative: bool, digits: &str) -> String {
    let sign = if is_negative && has_digit(digits) {
        "−"
    } else {
        ""
    };
    sign.to_owned() + &in_thousands(digits)
}

/// Whether a number is more than zeros.
fn has_digit(number: &str) -> bool {
    number.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// A number without a sign, with a comma between thousands.
fn in_thousands(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped_and_signed() {
        assert_eq!(number(6_712_345.4, 0), "6,712,345");
        assert_eq!(number(-0.126, 2), "−0.13");
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(number(999.0, 1), "999.0");
        assert_eq!(signed(0.154, 2), "+0.15");
        assert_eq!(signed(-1_234.5, 1), "−1,234.5");
        assert_eq!(signed(0.001, 2), "0.00");
        assert_eq!(exact(-24_270.599), "−24,270.599");
        assert_eq!(exact(219_000.0), "219,000");
    }
}

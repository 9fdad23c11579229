//! Formats numbers, amounts, periods and days for readers of pages, pictures and text.
//!
//! REST answers have plain numbers and ISO dates instead. Text for models keeps ISO days, because models repeat them in calls.

mod days;
mod unit;

pub use days::{day, due, format_dates, month, period, short_day};
pub use unit::{Unit, amount_in_words, change_text, heading, unit_name};

/// Numbers from here on are formatted with a power of ten, because their digits would fill the picture.
const MIN_SCIENTIFIC: f64 = 1e16;

/// Formats a number with `decimals` places, commas between thousands and a true minus, never as negative zero.
pub fn number(value: f64, decimals: usize) -> String {
    if value.abs() >= MIN_SCIENTIFIC {
        return format!("{value:.2e}").replace('-', "−");
    }
    with_sign(value < 0.0, &format!("{:.decimals$}", value.abs()))
}

/// Formats a number with its sign: "+0.15", "−0.30"; zero has none.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = number(value, decimals);
    if value > 0.0 && is_nonzero(&text) {
        format!("+{text}")
    } else {
        text
    }
}

/// Formats a number with all its digits, commas between thousands and a true minus.
pub fn exact(value: f64) -> String {
    with_sign(value < 0.0, &value.abs().to_string())
}

/// Adds commas to digits, and a minus unless all of them are zero.
fn with_sign(is_negative: bool, digits: &str) -> String {
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let is_minus = is_negative && is_nonzero(digits);
    let mut out = String::from(if is_minus { "−" } else { "" });
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// Returns whether a formatted number is not zero.
fn is_nonzero(number: &str) -> bool {
    number.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_signs() {
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

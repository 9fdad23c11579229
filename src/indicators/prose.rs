//! Sentences from numbers: deterministic, plain, and without folklore.

use super::composite::{Reading, Trend};

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// A number with `decimals` places and never a negative zero.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// A number with its sign: "+0.15", "-0.30"; zero has none.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = number(value, decimals);
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if zero || text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}

/// ", up 2.1 points in 3 months"; nothing without a trend.
pub fn moved(trend: Option<&Trend>, unit: &str, decimals: usize) -> String {
    let Some(trend) = trend else {
        return String::new();
    };
    let size = number(trend.change.abs(), decimals);
    if size.chars().all(|c| matches!(c, '0' | '.')) {
        return format!(", unchanged over {}", trend.over);
    }
    let way = if trend.change > 0.0 { "up" } else { "down" };
    format!(", {way} {size} {unit} over {}", trend.over)
}

/// "Net liquidity is not available: WALCL is not there."
pub fn unavailable(name: &str, reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no inputs");
    format!("{name} is not available: {reason}.")
}

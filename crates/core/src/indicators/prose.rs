//! Formatting of numbers, lists and sentences.

use super::composite::Composite;
use super::reading::{Reading, Trend};
use std::fmt::Display;

/// Returns the text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Returns the text with its first letter in lower case, unless it starts with an abbreviation.
pub fn lowercase_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    match letters.clone().next() {
        Some(second) if second.is_uppercase() => text.to_owned(),
        _ => first.chain(letters).collect(),
    }
}

/// Formats a number with `decimals` places and never a negative zero.
pub fn format_number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if is_zero(rest) => rest.to_owned(),
        _ => text,
    }
}

/// Formats a number with its sign: "+0.15", "-0.30"; zero has none.
pub fn format_signed(value: f64, decimals: usize) -> String {
    let text = format_number(value, decimals);
    if is_zero(&text) || text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}

/// Formats a figure in full, or "none".
pub fn format_or_none(value: Option<f64>) -> String {
    value.map_or("none".to_owned(), |value| value.to_string())
}

fn is_zero(number: &str) -> bool {
    number.chars().all(|c| matches!(c, '0' | '.'))
}

/// Formats a trend as the end of a sentence: ", up 2.1 points over 3 months"; empty without a trend.
pub fn format_trend(trend: Option<&Trend>, unit: &str, decimals: usize) -> String {
    let Some(trend) = trend else {
        return String::new();
    };
    let size = format_number(trend.change.abs(), decimals);
    if is_zero(&size) {
        return format!(", unchanged over {}", trend.over);
    }
    let direction = if trend.change > 0.0 { "up" } else { "down" };
    format!(", {direction} {size} {unit} over {}", trend.over)
}

/// Describes band, trend and missing weight: "Calm, down 3.6 points over 4 weeks; 25 % of its weight has no figure: credit.".
/// `None` without a value.
pub fn describe_reading(composite: &Composite, reading: &Reading) -> Option<String> {
    let band = composite.band(reading.value?).unwrap_or_default();
    let share = 100.0 * (1.0 - reading.weight_present);
    let absent = reading.inputs.iter().filter(|i| i.missing.is_some());
    let names = join(absent.map(|i| lowercase_first(i.name)), ", ");
    let head = format!("; {share:.0} % of its weight has no figure: ");
    let missing = enclosed(&head, &names, "");
    let trend = format_trend(reading.trend.as_ref(), "points", 1);
    Some(format!("{}{trend}{missing}.", capitalize(band)))
}

/// Explains why an index has no value: "Only 15 % of its weight is present, 50 % are needed; missing: VIXCLS.".
pub fn describe_missing_inputs(reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no reason is known");
    let absent = reading.inputs.iter().filter(|i| i.value.is_none());
    let series = join(absent.map(|i| i.series.join(" or ")), ", ");
    let missing = enclosed("; missing: ", &series, "");
    format!("{}{missing}.", capitalize(reason))
}

/// Explains why a reading has no value: "Net liquidity is not available: WALCL is not loaded."
pub fn describe_unavailable(name: &str, reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no inputs");
    format!("{name} is not available: {reason}.")
}

/// Formats the two largest contributions by size: "Payrolls (+0.3)".
pub fn format_largest(
    contributions: impl Iterator<Item = (String, f64)>,
    decimals: usize,
) -> Vec<String> {
    let mut sorted: Vec<(String, f64)> = contributions.collect();
    sorted.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let largest = sorted.iter().take(2);
    largest
        .map(|(name, points)| format!("{name} ({})", format_signed(*points, decimals)))
        .collect()
}

/// Joins the parts with a separator.
pub fn join<T: Display>(parts: impl IntoIterator<Item = T>, separator: &str) -> String {
    let texts: Vec<String> = parts.into_iter().map(|part| part.to_string()).collect();
    texts.join(separator)
}

/// Puts a text between `head` and `end`; an empty text stays empty.
pub fn enclosed(head: &str, text: &str, end: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{head}{text}{end}"),
    }
}

/// Joins the items as a list: "a", "a and b", "a, b and c".
pub fn format_list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_signs_and_no_negative_zero() {
        assert_eq!(format_number(-0.001, 2), "0.00");
        assert_eq!(format_number(-1.005, 1), "-1.0");
        assert_eq!(format_signed(0.154, 2), "+0.15");
        assert_eq!(format_signed(-0.154, 2), "-0.15");
        assert_eq!(format_signed(-0.0, 1), "0.0");
    }

    #[test]
    fn trends_are_formatted_as_phrases() {
        let trend = |change| Trend {
            change,
            over: "13 weeks",
        };
        assert_eq!(format_trend(None, "points", 1), "");
        assert_eq!(
            format_trend(Some(&trend(2.14)), "points", 1),
            ", up 2.1 points over 13 weeks"
        );
        assert_eq!(
            format_trend(Some(&trend(-2.14)), "points", 1),
            ", down 2.1 points over 13 weeks"
        );
        assert_eq!(
            format_trend(Some(&trend(0.01)), "points", 1),
            ", unchanged over 13 weeks"
        );
    }

    #[test]
    fn case_and_lists_follow_english_rules() {
        assert_eq!(capitalize("élan"), "Élan");
        assert_eq!(lowercase_first("Core inflation"), "core inflation");
        assert_eq!(lowercase_first("NFCI"), "NFCI");
        assert_eq!(lowercase_first(""), "");
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(format_list(&items), "a, b and c");
        assert_eq!(format_list(&items[..1]), "a");
    }
}

//! Sentences about readings that several indices share.

use super::composite::Composite;
use super::prose::{capitalize, format_largest, format_number, format_trend, join};
use super::reading::{Input, Reading};

/// Describes value, rank, trend and largest contributions: "Macro stress is 34.5 out of 100 (calm), …"; with
/// its band. `None` without a value.
pub fn describe_reading(
    composite: &Composite,
    subject: &str,
    reading: &Reading,
) -> Option<(String, &'static str)> {
    let value = reading.value?;
    let band = composite.band(value).unwrap_or_default();
    let sentence = |b: &String| format!(" {}.", capitalize(b));
    let basis: String = reading.basis.iter().map(sentence).collect();
    let inputs = reading.inputs.iter();
    let contributions = inputs.filter_map(|i| Some((i.name.to_owned(), i.contribution?)));
    let text = format!(
        "{subject} is {} out of 100 on {} ({band}){}.{basis} Largest contributions: {}.{}",
        format_number(value, 1),
        reading.date,
        format_trend(reading.trend.as_ref(), "points", 1),
        format_largest(contributions, 1).join(", "),
        describe_missing(reading)
    );
    Some((text, band))
}

/// Explains why an index has no value, and which inputs are missing.
pub fn describe_unavailable(composite: &Composite, reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no reason is known");
    let absent = reading.inputs.iter().filter(|i| i.value.is_none());
    format!(
        "There is no {} for {}: {reason}. Missing: {}.",
        composite.indicator.title,
        reading.date,
        join(absent.map(|i| i.series.join(" or ")), ", ")
    )
}

fn describe_missing(reading: &Reading) -> String {
    let input = |i: &Input| Some(format!("{} ({})", i.name, i.missing.as_deref()?));
    let missing = join(reading.inputs.iter().filter_map(input), ", ");
    if missing.is_empty() {
        return String::new();
    }
    format!(
        " {:.0} % of the weight is present; missing: {missing}.",
        100.0 * reading.weight_present
    )
}

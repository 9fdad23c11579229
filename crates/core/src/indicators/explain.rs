//! Sentences about readings that several indices share.

use super::composite::Composite;
use super::prose::{capitalize, format_trend, join};
use super::reading::{Input, Reading};

/// Describes band, trend, rank and missing weight: "Calm, down 3.6 points over 4 weeks. Above 32 % of its days since
/// 1988-01."; with the band. `None` without a value.
pub fn describe_reading(
    composite: &Composite,
    reading: &Reading,
) -> Option<(String, &'static str)> {
    let band = composite.band(reading.value?).unwrap_or_default();
    let sentence = |rank: &String| format!(" {}.", capitalize(rank));
    let rank = reading.basis.first().map_or_else(String::new, sentence);
    let text = format!(
        "{}{}.{rank}{}",
        capitalize(band),
        format_trend(reading.trend.as_ref(), "points", 1),
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

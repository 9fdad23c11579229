//! Sentences about readings that several indices share.

use super::composite::Composite;
use super::prose::{capitalize, enclosed, format_trend, join, lowercase_first};
use super::reading::Reading;

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
pub fn describe_unavailable(reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no reason is known");
    let absent = reading.inputs.iter().filter(|i| i.value.is_none());
    let series = join(absent.map(|i| i.series.join(" or ")), ", ");
    let missing = enclosed("; missing: ", &series, "");
    format!("{}{missing}.", capitalize(reason))
}

//! Sentences that readings of several indices share: the value, where it stands, and what it is made of.

use super::composite::Composite;
use super::prose::{self, capitalised, joined, moved, number};
use super::reading::{Input, Reading};

/// "Macro stress is 34.5 out of 100 (calm), …": value, standing, movement and the largest contributions; with
/// its band. `None` without a value.
pub fn opening(
    composite: &Composite,
    subject: &str,
    reading: &Reading,
) -> Option<(String, &'static str)> {
    let value = reading.value?;
    let band = composite.band(value).unwrap_or_default();
    let sentence = |b: &String| format!(" {}.", capitalised(b));
    let basis: String = reading.basis.iter().map(sentence).collect();
    let text = format!(
        "{subject} is {} out of 100 on {} ({band}){}.{basis} {}{}",
        number(value, 1),
        reading.date,
        moved(reading.trend.as_ref(), "points", 1),
        largest(reading),
        missing(reading)
    );
    Some((text, band))
}

/// Why an index has no value, and what would bring it.
pub fn without(composite: &Composite, reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no reason is known");
    let absent = reading.inputs.iter().filter(|i| i.value.is_none());
    format!(
        "There is no {} for {}: {reason}. Missing: {}.",
        composite.about.title,
        reading.date,
        joined(absent.map(|i| i.series.join(" or ")), ", ")
    )
}

fn largest(reading: &Reading) -> String {
    let parts = reading.inputs.iter();
    let parts = parts.filter_map(|i| Some((i.name.to_owned(), i.contribution?)));
    let named = prose::largest(parts, 1);
    format!("Largest contributions: {}.", named.join(", "))
}

fn missing(reading: &Reading) -> String {
    let said = |i: &Input| Some(format!("{} ({})", i.name, i.missing.as_deref()?));
    let gone = joined(reading.inputs.iter().filter_map(said), ", ");
    if gone.is_empty() {
        return String::new();
    }
    format!(
        " {:.0} % of the weight is present; missing: {gone}.",
        100.0 * reading.weight_present
    )
}

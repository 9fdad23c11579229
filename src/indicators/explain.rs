//! Sentences that readings of several indices share: the value, where it stands, and what it is made of.

use super::composite::Composite;
use super::prose::{capitalised, moved, number, signed};
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
    let names: Vec<String> = absent.map(|i| i.series.join(" or ")).collect();
    format!(
        "There is no {} for {}: {reason}. Missing: {}.",
        composite.about.title,
        reading.date,
        names.join(", ")
    )
}

fn largest(reading: &Reading) -> String {
    let inputs = reading.inputs.iter();
    let mut inputs: Vec<(&Input, f64)> =
        inputs.filter_map(|i| Some((i, i.contribution?))).collect();
    inputs.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let named: Vec<String> = inputs
        .iter()
        .take(2)
        .map(|(i, points)| format!("{} ({})", i.name, signed(*points, 1)))
        .collect();
    format!("Largest contributions: {}.", named.join(", "))
}

fn missing(reading: &Reading) -> String {
    let said = |i: &Input| Some(format!("{} ({})", i.name, i.missing.as_deref()?));
    let gone: Vec<String> = reading.inputs.iter().filter_map(said).collect();
    if gone.is_empty() {
        return String::new();
    }
    format!(
        " {:.0} % of the weight is present; missing: {}.",
        100.0 * reading.weight_present,
        gone.join(", ")
    )
}

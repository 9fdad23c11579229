//! Sentences that readings of several indices share: the value, where it stands, and what it is made of.

use super::composite::{Composite, Input, Reading};
use super::prose::{capitalised, moved, number, signed};
use super::statistics::percentile_rank;
use crate::model::Observation;

/// "Macro stress is 34.5 of 100 (calm), …": value, standing, movement and the largest contributions; with
/// the value. `None` without a value.
pub fn opening(composite: &Composite, subject: &str, reading: &Reading) -> Option<(String, f64)> {
    let value = reading.value?;
    let band = composite.band(value).unwrap_or_default();
    let basis: String = reading
        .basis
        .iter()
        .map(|b| format!(" {}.", capitalised(b)))
        .collect();
    let text = format!(
        "{subject} is {} of 100 on {} ({band}){}.{basis} {}{}",
        number(value, 1),
        reading.date,
        moved(reading.trend.as_ref(), "points", 1),
        largest(reading),
        missing(reading)
    );
    Some((text, value))
}

/// Where a value stands in its own history, in words.
pub fn standing(history: &[Observation], value: f64) -> Option<String> {
    let values: Vec<f64> = history.iter().map(|o| o.value).collect();
    let rank = percentile_rank(&values, value)?;
    let since = history.first()?.date.strftime("%Y-%m");
    // Rounded down: nothing is higher than 100 % of days that include itself.
    Some(format!(
        "higher than {:.0} % of its days since {since}",
        rank.floor()
    ))
}

/// Why an index has no value, and what would bring it.
pub fn without(composite: &Composite, reading: &Reading) -> String {
    let reason = reading.reason.as_deref().unwrap_or("no reason is known");
    let names = reading
        .inputs
        .iter()
        .filter(|i| i.value.is_none())
        .map(|i| i.series.join(" or "))
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "There is no {} for {}: {reason}. Missing: {names}.",
        composite.name, reading.date
    )
}

fn largest(reading: &Reading) -> String {
    let mut inputs: Vec<(&Input, f64)> = reading
        .inputs
        .iter()
        .filter_map(|i| Some((i, i.contribution?)))
        .collect();
    inputs.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let named: Vec<String> = inputs
        .iter()
        .take(2)
        .map(|(i, points)| format!("{} ({})", i.name, signed(*points, 1)))
        .collect();
    format!("Largest contributions: {}.", named.join(", "))
}

fn missing(reading: &Reading) -> String {
    let gone: Vec<String> = reading
        .inputs
        .iter()
        .filter_map(|i| Some(format!("{} ({})", i.name, i.missing.as_deref()?)))
        .collect();
    if gone.is_empty() {
        return String::new();
    }
    format!(
        " {:.0} % of the weight is present; missing: {}.",
        100.0 * reading.weight_present,
        gone.join(", ")
    )
}

//! SERVICE_NVI: Narrative Velocity Index, 0 to 100, from dated texts of several sources
//! (docs/COMPOSITES.md#narrative-velocity).
//!
//! Three channels over the ten terms that were mentioned most in the last seven days: how fast they gain
//! mentions (velocity), how evenly the sources mention them (convergence), and whether the same sources
//! keep mentioning them first (primacy). Without texts there is no index and no stand-in.
//!
//! Choices that the method leaves open are stated at each function.

mod channels;
mod vocabulary;

pub use channels::Document;
pub use vocabulary::Vocabulary;

use super::composite::Indicator;
use super::prose::{capitalize, format_number, join};
use super::reading::{Input, Reading, describe_missing_weight, weight_present};
use crate::model::Date;
use channels::MentionCounts;

/// The index of texts.
pub const NVI: Indicator = Indicator { id: "SERVICE_NVI" };
/// The reason where no texts are collected.
pub const NO_FEED: &str = "no narrative feed configured";

/// Days of texts below which there is no index, and below which it is preliminary.
const MIN_DAYS: i64 = 14;
const FINAL_DAYS: i64 = 30;
/// Texts a day, on average over the last 14, below which there is no index.
const MIN_TEXTS_A_DAY: f64 = 20.0;
/// Share of the weight that must be present (docs/METHODS.md#missing-inputs).
const MIN_WEIGHT: f64 = 0.6;

/// The channels: name, weight, and why one may be absent.
const CHANNELS: [(&str, f64, &str); 3] = [
    ("velocity", 0.40, "too few days to compare with"),
    (
        "convergence",
        0.35,
        "fewer than two sources mention the terms",
    ),
    (
        "primacy",
        0.25,
        "no term was mentioned in two of the last four weeks",
    ),
];

/// Computes the index on `day` from texts of that day and before.
///
/// No value, with the reason, without texts, in the first 14 days, under 20 texts a day, or where fewer than
/// 60 % of the weight is present. Until 30 days `basis` says that it is preliminary.
pub fn reading(documents: &[Document<'_>], vocabulary: &Vocabulary, day: Date) -> Reading {
    let counts = MentionCounts::new(documents, vocabulary, day);
    if let Some(reason) = missing_texts(documents, &counts, day) {
        let inputs = inputs([None; 3], day, Some(&reason));
        return Reading::without_value(day, reason, inputs);
    }
    let scores = [counts.velocity(), counts.convergence(), counts.primacy()];
    let inputs = inputs(scores, day, None);
    let weight = weight_present(&inputs);
    if weight < MIN_WEIGHT - 1e-9 {
        let reason = describe_missing_weight(weight, MIN_WEIGHT);
        return Reading::without_value(day, reason, inputs);
    }
    let sum: f64 = inputs.iter().filter_map(|i| i.contribution).sum();
    Reading {
        basis: basis(&counts, vocabulary),
        ..Reading::new(day, sum.clamp(0.0, 100.0), inputs)
    }
}

/// Describes a reading in sentences.
pub fn interpret(reading: &Reading) -> String {
    let name = NVI.definition().title;
    let Some(value) = reading.value else {
        return match reading.reason.as_deref() {
            None | Some(NO_FEED) => NO_FEED.to_owned(),
            Some(reason) => format!("{}.", capitalize(reason)),
        };
    };
    let channel = |i: &Input| match i.value {
        Some(v) => format!("{} {}", i.name, format_number(v, 0)),
        None => format!("{} not known", i.name),
    };
    let channels = join(reading.inputs.iter().map(channel), ", ");
    let pace = match value {
        v if v >= 60.0 => "Stories on the economy are spreading faster than usual",
        v if v <= 40.0 => "Stories on the economy are spreading slower than usual",
        _ => "Stories on the economy are spreading at about their usual pace",
    };
    format!(
        "{name} is {} out of 100 on {}. {pace} ({channels}). {}. It measures attention in the collected texts, not the \
         economy.",
        format_number(value, 1),
        reading.date,
        reading.basis.join("; ")
    )
}

/// Explains why there can be no index from these texts.
fn missing_texts(
    documents: &[Document<'_>],
    counts: &MentionCounts<'_>,
    day: Date,
) -> Option<String> {
    let days = counts.days();
    let texts_a_day = counts.texts_a_day(14);
    match days {
        _ if documents.is_empty() => Some(NO_FEED.to_owned()),
        0 => Some(format!("no texts up to {day}")),
        _ if days < MIN_DAYS => Some(format!(
            "{days} days of texts are there, {MIN_DAYS} are needed"
        )),
        _ if texts_a_day < MIN_TEXTS_A_DAY => Some(format!(
            "{} texts a day over the last 14, {MIN_TEXTS_A_DAY:.0} are needed",
            format_number(texts_a_day, 1)
        )),
        _ => None,
    }
}

/// Builds the channels with their scores; `missing_texts` explains why all are absent.
fn inputs(scores: [Option<f64>; 3], day: Date, missing_texts: Option<&str>) -> Vec<Input> {
    let channels = CHANNELS.into_iter().zip(scores);
    let present = channels.clone().filter(|(_, score)| score.is_some());
    let total: f64 = present.map(|((_, weight, _), _)| weight).sum();
    let input = |((name, weight, missing), score): ((&'static str, f64, &str), Option<f64>)| {
        let missing = || missing_texts.unwrap_or(missing).to_owned();
        let dated_score = score.map(|s| (s, day)).ok_or_else(missing);
        Input {
            weight: Some(weight),
            contribution: score.map(|s| weight * s / total),
            ..Input::new((name, &[], "0-100"), dated_score)
        }
    };
    channels.map(input).collect()
}

fn basis(counts: &MentionCounts<'_>, vocabulary: &Vocabulary) -> Vec<String> {
    let top = counts.top_terms(0).into_iter().take(3);
    let top = join(top.map(|(term, _)| vocabulary.name(term)), ", ");
    let mut basis = vec![format!("Most mentioned: {top}")];
    let days = counts.days();
    if days < FINAL_DAYS {
        basis.push(format!("preliminary: {days} of {FINAL_DAYS} days of texts"));
    }
    basis
}

#[cfg(test)]
mod tests;

//! SERVICE_NVI: Narrative Velocity Index, 0 to 100, from dated texts of several sources (METHODS 6).
//!
//! Three channels over the ten terms that were mentioned most in the last seven days: how fast they gain
//! mentions (velocity), how evenly the sources take them up (convergence), and whether the same sources
//! keep speaking first (primacy). Without texts there is no index: nothing else stands in for it.
//!
//! Choices where the method leaves room are stated at each function.

mod channels;
mod vocabulary;

pub use vocabulary::Vocabulary;

use super::composite::{Input, Reading, present};
use super::prose::number;
use crate::model::Date;
use crate::model::frequency::days_between;
use channels::Tally;

/// Series identifier.
pub const ID: &str = "SERVICE_NVI";
/// Name and version of the method.
pub const METHOD: &str = "nvi-v1";
/// Full name.
pub const NAME: &str = "Narrative Velocity Index";
/// The formula as one line of plain text.
pub const FORMULA: &str = "0.40·velocity + 0.35·convergence + 0.25·primacy over the ten most mentioned macro terms of seven days";
/// The reason where no texts are collected.
pub const NO_FEED: &str = "no narrative feed configured";

/// Days of texts below which there is no index, and below which it is preliminary.
const LEAST_DAYS: i64 = 14;
const SETTLED_DAYS: i64 = 30;
/// Texts a day, on average over the last 14, below which there is no index.
const LEAST_A_DAY: f64 = 20.0;
/// Share of the weight that must be present (METHODS 0.10).
const LEAST_WEIGHT: f64 = 0.6;

/// A text, read for its terms. Texts of one day stand in the order in which they were published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// Day of publication.
    pub day: Date,
    /// Who published it.
    pub source: &'a str,
    /// Title and summary.
    pub text: &'a str,
}

/// The index on `day` from texts of that day and before.
///
/// No value, with the reason, without texts, in the first 14 days, under 20 texts a day, or where fewer than
/// 60 % of the weight is present. Until 30 days `basis` says that it is preliminary.
pub fn reading(documents: &[Document<'_>], vocabulary: &Vocabulary, day: Date) -> Reading {
    let tally = Tally::of(documents, vocabulary, day);
    if let Some(reason) = refusal(documents, &tally, day) {
        return Reading::none(day, reason.clone(), absent(&reason));
    }
    let inputs = weighed(&tally);
    let weight_present = present(&inputs);
    if weight_present < LEAST_WEIGHT - 1e-9 {
        let reason = format!(
            "only {:.0} % of its weight is present, {:.0} % are needed",
            100.0 * weight_present,
            100.0 * LEAST_WEIGHT
        );
        return Reading::none(day, reason, inputs);
    }
    let sum: f64 = inputs.iter().filter_map(|i| i.contribution).sum();
    Reading {
        date: day,
        value: Some(sum.clamp(0.0, 100.0)),
        reason: None,
        base: 0.0,
        inputs,
        weight_present,
        trend: None,
        basis: basis(&tally, vocabulary, day),
    }
}

/// What a reading means, in sentences.
pub fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        let reason = reading.reason.as_deref().unwrap_or(NO_FEED);
        return if reason == NO_FEED {
            NO_FEED.to_owned()
        } else {
            format!("There is no {NAME}: {reason}.")
        };
    };
    let parts: Vec<String> = reading
        .inputs
        .iter()
        .map(|i| {
            i.value.map_or_else(
                || format!("{} not known", i.name),
                |v| format!("{} {}", i.name, number(v, 0)),
            )
        })
        .collect();
    let pace = if value >= 60.0 {
        "Stories on the economy are spreading faster than usual"
    } else if value <= 40.0 {
        "Stories on the economy are spreading slower than usual"
    } else {
        "Stories on the economy are spreading at about their usual pace"
    };
    format!(
        "{NAME} is {} of 100 on {}. {pace} ({}). {}. It measures attention in the collected texts, not the economy.",
        number(value, 1),
        reading.date,
        parts.join(", "),
        reading.basis.join("; ")
    )
}

/// Why there can be no index from these texts.
fn refusal(documents: &[Document<'_>], tally: &Tally<'_>, day: Date) -> Option<String> {
    let Some(first) = tally.first_day else {
        return Some(if documents.is_empty() {
            NO_FEED.to_owned()
        } else {
            format!("no texts up to {day}")
        });
    };
    let days = days_between(first, day) + 1;
    if days < LEAST_DAYS {
        return Some(format!(
            "{days} days of texts are there, {LEAST_DAYS} are needed"
        ));
    }
    let a_day = tally.documents_a_day(14);
    (a_day < LEAST_A_DAY).then(|| {
        format!(
            "{} texts a day over the last 14, {LEAST_A_DAY:.0} are needed",
            number(a_day, 1)
        )
    })
}

const CHANNELS: [(&str, f64); 3] = [("velocity", 0.40), ("convergence", 0.35), ("primacy", 0.25)];

fn weighed(tally: &Tally<'_>) -> Vec<Input> {
    let scores = [tally.velocity(), tally.convergence(), tally.primacy()];
    let reasons = [
        "too few days to compare with",
        "fewer than two sources speak of the terms",
        "no term was mentioned in two of the last four weeks",
    ];
    let channels = || CHANNELS.iter().zip(scores);
    let weight: f64 = channels()
        .filter(|(_, s)| s.is_some())
        .map(|((_, w), _)| w)
        .sum();
    channels()
        .zip(reasons)
        .map(|((&(name, own), score), reason)| match score {
            Some(score) => Input {
                value: Some(score),
                date: Some(tally.day),
                contribution: Some(own * score / weight),
                missing: None,
                ..Input::absent(name, &[], "0-100", own, String::new())
            },
            None => Input::absent(name, &[], "0-100", own, reason.to_owned()),
        })
        .collect()
}

fn absent(reason: &str) -> Vec<Input> {
    let input = |&(name, weight)| Input::absent(name, &[], "0-100", weight, reason.to_owned());
    CHANNELS.iter().map(input).collect()
}

fn basis(tally: &Tally<'_>, vocabulary: &Vocabulary, day: Date) -> Vec<String> {
    let top: Vec<&str> = tally
        .top()
        .iter()
        .take(3)
        .map(|t| vocabulary.name(t.term))
        .collect();
    let mut basis = vec![format!("Most mentioned: {}", top.join(", "))];
    let days = tally
        .first_day
        .map_or(0, |first| days_between(first, day) + 1);
    if days < SETTLED_DAYS {
        basis.push(format!(
            "preliminary: {days} of {SETTLED_DAYS} days of texts"
        ));
    }
    basis
}

#[cfg(test)]
mod tests;

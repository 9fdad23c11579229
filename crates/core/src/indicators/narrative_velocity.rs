//! SERVICE_NVI: Narrative Velocity Index, 0 to 100, from dated texts of several sources
//! (docs/METHODS.md#narrative-velocity).
//!
//! Three channels over the ten terms that were mentioned most in the last seven days: how fast they gain
//! mentions (velocity), how evenly the sources take them up (convergence), and whether the same sources
//! keep speaking first (primacy). Without texts there is no index: nothing else stands in for it.
//!
//! Choices where the method leaves room are stated at each function.

mod channels;
mod vocabulary;

pub use channels::Document;
pub use vocabulary::Vocabulary;

use super::composite::{Indicator, Listing};
use super::prose::{joined, number};
use super::reading::{Input, Reading, present, too_little};
use crate::model::{Date, Frequency};
use channels::Tally;

/// The index of texts.
pub const NVI: Indicator = Indicator {
    id: "SERVICE_NVI",
    title: "Narrative Velocity Index",
    method: "nvi-v1",
    summary: "narrative velocity, 0 to 100: how fast, how evenly and by whom macro terms are taken up in dated texts",
    formula: "0.40·velocity + 0.35·convergence + 0.25·primacy over the ten most mentioned macro terms of seven days",
    source: "Own method over dated texts of public agencies",
    listing: Some(Listing {
        units: "Score, 0 to 100",
        units_short: "0-100",
        frequency: Frequency::Daily,
        made_from: "texts of public agencies",
        publication_lag_days: 0,
        decimals: 1,
        term: "Narrative Velocity Index",
        aliases: &["nvi", "service_nvi", "narrative velocity", "news velocity"],
        meaning: "How fast macro topics spread through a store of headlines, 0 to 100: term velocity 40 percent, \
                 agreement of sources 35, and who is first 25. It needs 14 days of 20 or more documents each; with \
                 no news feed it is null, never a stand-in. Not the Negative Volume Index.",
        related: &[
            "economic-policy-uncertainty",
            "missing-observation",
            "composite-indicator",
        ],
        series: &[],
    }),
};
/// The reason where no texts are collected.
pub const NO_FEED: &str = "no narrative feed configured";

/// Days of texts below which there is no index, and below which it is preliminary.
const LEAST_DAYS: i64 = 14;
const SETTLED_DAYS: i64 = 30;
/// Texts a day, on average over the last 14, below which there is no index.
const LEAST_A_DAY: f64 = 20.0;
/// Share of the weight that must be present (docs/METHODS.md#missing-inputs).
const LEAST_WEIGHT: f64 = 0.6;

/// The channels: name, weight, and why one may be absent.
const CHANNELS: [(&str, f64, &str); 3] = [
    ("velocity", 0.40, "too few days to compare with"),
    ("convergence", 0.35, FEW_SOURCES),
    ("primacy", 0.25, FEW_WEEKS),
];
const FEW_SOURCES: &str = "fewer than two sources mention the terms";
const FEW_WEEKS: &str = "no term was mentioned in two of the last four weeks";

/// The index on `day` from texts of that day and before.
///
/// No value, with the reason, without texts, in the first 14 days, under 20 texts a day, or where fewer than
/// 60 % of the weight is present. Until 30 days `basis` says that it is preliminary.
pub fn reading(documents: &[Document<'_>], vocabulary: &Vocabulary, day: Date) -> Reading {
    let tally = Tally::of(documents, vocabulary, day);
    if let Some(reason) = refusal(documents, &tally, day) {
        let inputs = inputs([None; 3], day, Some(&reason));
        return Reading::none(day, reason, inputs);
    }
    let scores = [tally.velocity(), tally.convergence(), tally.primacy()];
    let inputs = inputs(scores, day, None);
    let weight = present(&inputs);
    if weight < LEAST_WEIGHT - 1e-9 {
        return Reading::none(day, too_little(weight, LEAST_WEIGHT), inputs);
    }
    let sum: f64 = inputs.iter().filter_map(|i| i.contribution).sum();
    Reading {
        basis: basis(&tally, vocabulary),
        ..Reading::of(day, sum.clamp(0.0, 100.0), inputs)
    }
}

/// What a reading means, in sentences.
pub fn interpret(reading: &Reading) -> String {
    let name = NVI.title;
    let Some(value) = reading.value else {
        let reason = reading.reason.as_deref().unwrap_or(NO_FEED);
        return match reason {
            NO_FEED => NO_FEED.to_owned(),
            _ => format!("There is no {name}: {reason}."),
        };
    };
    let part = |i: &Input| match i.value {
        Some(v) => format!("{} {}", i.name, number(v, 0)),
        None => format!("{} not known", i.name),
    };
    let parts = joined(reading.inputs.iter().map(part), ", ");
    let pace = match value {
        v if v >= 60.0 => "Stories on the economy are spreading faster than usual",
        v if v <= 40.0 => "Stories on the economy are spreading slower than usual",
        _ => "Stories on the economy are spreading at about their usual pace",
    };
    format!(
        "{name} is {} out of 100 on {}. {pace} ({}). {}. It measures attention in the collected texts, not the economy.",
        number(value, 1),
        reading.date,
        parts,
        reading.basis.join("; ")
    )
}

/// Why there can be no index from these texts.
fn refusal(documents: &[Document<'_>], tally: &Tally<'_>, day: Date) -> Option<String> {
    let (days, a_day) = (tally.days(), tally.documents_a_day(14));
    match days {
        _ if documents.is_empty() => Some(NO_FEED.to_owned()),
        0 => Some(format!("no texts up to {day}")),
        _ if days < LEAST_DAYS => {
            let few = format!("{days} days of texts are there, {LEAST_DAYS} are needed");
            Some(few)
        }
        _ if a_day < LEAST_A_DAY => {
            let few = number(a_day, 1);
            let needed = format!("{LEAST_A_DAY:.0} are needed");
            Some(format!("{few} texts a day over the last 14, {needed}"))
        }
        _ => None,
    }
}

/// The channels with their scores; `refused` is why there is none of any.
fn inputs(scores: [Option<f64>; 3], day: Date, refused: Option<&str>) -> Vec<Input> {
    let channels = CHANNELS.into_iter().zip(scores);
    let there = channels.clone().filter(|(_, score)| score.is_some());
    let total: f64 = there.map(|((_, weight, _), _)| weight).sum();
    let input = |((name, weight, lack), score): ((&'static str, f64, &str), Option<f64>)| {
        let found = score.map(|s| (s, day));
        let points = score.map(|s| weight * s / total);
        let lack = refused.unwrap_or(lack);
        Input {
            weight: Some(weight),
            contribution: points,
            ..Input::of((name, &[], "0-100"), found, Some(lack.to_owned()))
        }
    };
    channels.map(input).collect()
}

fn basis(tally: &Tally<'_>, vocabulary: &Vocabulary) -> Vec<String> {
    let top = tally.top(0).into_iter().take(3);
    let top = joined(top.map(|(term, _)| vocabulary.name(term)), ", ");
    let mut basis = vec![format!("Most mentioned: {top}")];
    let days = tally.days();
    if days < SETTLED_DAYS {
        basis.push(format!(
            "preliminary: {days} of {SETTLED_DAYS} days of texts"
        ));
    }
    basis
}

#[cfg(test)]
mod tests;

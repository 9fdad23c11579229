//! What was known at the time beside what the last revisions say.

use super::answer::{AsRevised, RevisedLabel, RevisedScore, Score};
use crate::endpoints::prelude::*;
use econoscope_core::indicators::prose::number;
use econoscope_core::indicators::statistics::count;
use econoscope_core::indicators::{self, Indicator, sahm};
use econoscope_core::model::series_info::round_to;
use econoscope_data::desk::hindsight::Figures;

/// Differing labels that are given.
const LABELS: usize = 12;

const AS_KNOWN: &str = "each figure of its history is as it was known when it came";
const PUBLISHED_AS_KNOWN: &str = "SAHMREALTIME has each month from what was known then";
const NO_VINTAGES: &str =
    "no vintages of its inputs are held: past values rest on the last revisions";

/// A date as known at its month's end, and from the last revisions.
type ComparedMonth = (Figures, Figures);

impl AsRevised {
    /// Compares the months up to the day of an answer, and the answer's own scores; else why there is nothing to compare.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn of(
        desk: &Desk,
        about: &'static Indicator,
        as_of: AsOf,
        scores: &[Score],
    ) -> Result<std::result::Result<Self, &'static str>> {
        let day = desk.present(as_of);
        if about.id == sahm::SAHM.id {
            return Ok(Err(PUBLISHED_AS_KNOWN));
        }
        if indicators::composite(about.id).is_some_and(|c| c.is_as_known()) {
            return Ok(Err(AS_KNOWN));
        }
        let path = desk.known_path(about)?;
        let mut both: Vec<ComparedMonth> = Vec::new();
        for (_, then) in path.iter().take_while(|(on, _)| *on <= day) {
            if let Some(revised) = desk.last_revised(about, then.date)? {
                both.push((then.clone(), revised));
            }
        }
        let (Some((since, _)), [_, ..]) = (path.first(), both.as_slice()) else {
            return Ok(Err(NO_VINTAGES));
        };
        let same = match scores.iter().find_map(|score| score.date) {
            Some(date) => desk.last_revised(about, date)?,
            None => None,
        };
        let labels: Vec<RevisedLabel> = both.iter().filter_map(other_label).collect();
        let compared = scores.iter().enumerate();
        let compared = compared.filter_map(|(at, s)| compare(s, at, same.as_ref(), &both));
        Ok(Ok(Self {
            since: *since,
            months: both.len(),
            scores: compared.collect(),
            label_last_revised: same.and_then(|f| f.label).map(str::to_owned),
            labels_differ: labels.len(),
            labels: labels.into_iter().rev().take(LABELS).collect(),
        }))
    }

    /// The sentences for a model; `label` is the answer's own.
    pub(super) fn in_prose(&self, label: Option<&str>) -> String {
        let mut text = String::from("As known then and from the last revisions:");
        for s in &self.scores {
            if let (Some(known), Some(revised)) = (s.known_then, s.last_revised) {
                let (name, known, revised) = (&s.name, number(known, 2), number(revised, 2));
                text += &format!(" {name} {known} and {revised};");
            }
            let (name, mean) = (&s.name, number(s.mean_difference, 2));
            let (largest, date) = (signed(s.largest_difference, 2), s.largest_date);
            text += &format!(" {name} differs by {mean} on average, {largest} at most ({date});");
        }
        let labels = label.zip(self.label_last_revised.as_deref());
        text.extend(labels.map(|(label, revised)| format!(" label {label} and {revised};")));
        let (differ, months, since) = (self.labels_differ, self.months, self.since);
        text += &format!(" the label differs in {differ} of {months} month ends since {since}");
        text.extend(self.labels.first().map(|last| {
            let (known, revised) = (&last.known_then, &last.last_revised);
            format!(", the last time on {}: {known} and {revised}", last.date)
        }));
        text + "."
    }
}

fn other_label((then, revised): &ComparedMonth) -> Option<RevisedLabel> {
    let (known, now) = (then.label?, revised.label?);
    (known != now).then(|| RevisedLabel {
        date: then.date,
        known_then: known.to_owned(),
        last_revised: now.to_owned(),
    })
}

/// One score of all months.
fn compare(
    score: &Score,
    at: usize,
    same: Option<&Figures>,
    both: &[ComparedMonth],
) -> Option<RevisedScore> {
    let differences = both.iter().filter_map(|(then, revised)| {
        let difference = then.scores.get(at)? - revised.scores.get(at)?;
        Some((then.date, difference))
    });
    let differences: Vec<(Date, f64)> = differences.collect();
    let size = |d: &(Date, f64)| d.1.abs();
    let sizes = differences.iter().map(size);
    let mean = sizes.sum::<f64>() / count(differences.len());
    let all = differences.iter();
    let (largest_date, largest) = *all.max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let revised = same.and_then(|f| f.scores.get(at));
    let last_revised = score.value.and(revised).map(|v| round_to(*v, 4));
    let difference = score.value.zip(last_revised).map(|(a, b)| a - b);
    Some(RevisedScore {
        name: score.name.clone(),
        known_then: score.value,
        last_revised,
        difference: difference.map(|d| round_to(d, 4)),
        mean_difference: round_to(mean, 4),
        largest_difference: round_to(largest, 4),
        largest_date,
    })
}

//! An indicator as known at the time beside the same from the last revisions.

use super::answer::{AsRevised, RevisedLabel, RevisedScore, Score};
use crate::prelude::*;
use econoscope_core::indicators::statistics::count;
use econoscope_core::indicators::{self, Indicator, sahm};
use econoscope_desk::real_time::Figures;

/// Most differing labels in an answer.
const MAX_LABELS: usize = 12;

const AS_KNOWN: &str = "each figure of its history is as it was known when it came";
const PUBLISHED_AS_KNOWN: &str = "SAHMREALTIME has each month from what was known then";
const NO_VINTAGES: &str =
    "no vintages of its inputs are held: past values rest on the last revisions";

/// A month as known at its end, and from the last revisions.
type ComparedMonth = (Figures, Figures);

impl AsRevised {
    /// Compares the month ends up to the day of an answer, and the answer's own scores. The inner error is the reason why
    /// there is nothing to compare.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn new(
        desk: &Desk,
        indicator: &'static Indicator,
        as_of: AsOf,
        scores: &[Score],
    ) -> Result<std::result::Result<Self, &'static str>> {
        let day = desk.reading_day(as_of);
        if indicator.id == sahm::SAHM.id {
            return Ok(Err(PUBLISHED_AS_KNOWN));
        }
        if indicators::composite(indicator.id).is_some_and(|c| c.is_real_time()) {
            return Ok(Err(AS_KNOWN));
        }
        let path = desk.real_time_path(indicator)?;
        let mut months: Vec<ComparedMonth> = Vec::new();
        for (_, known) in path.iter().take_while(|(on, _)| *on <= day) {
            if let Some(revised) = desk.last_revised(indicator, known.date)? {
                months.push((known.clone(), revised));
            }
        }
        let (Some((since, _)), false) = (path.first(), months.is_empty()) else {
            return Ok(Err(NO_VINTAGES));
        };
        let current = match scores.iter().find_map(|score| score.date) {
            Some(date) => desk.last_revised(indicator, date)?,
            None => None,
        };
        let labels: Vec<RevisedLabel> = months.iter().filter_map(revised_label).collect();
        let compared = scores.iter().enumerate().filter_map(|(i, score)| {
            let revised = current.as_ref().and_then(|f| f.scores.get(i));
            compare_score(score, i, revised, &months)
        });
        Ok(Ok(Self {
            since: *since,
            months: months.len(),
            scores: compared.collect(),
            label_last_revised: current.and_then(|f| f.label).map(str::to_owned),
            labels_differ: labels.len(),
            labels: labels.into_iter().rev().take(MAX_LABELS).collect(),
        }))
    }

    /// Describes the comparison; `label` is the answer's own.
    pub(super) fn describe(&self, label: Option<&str>) -> String {
        let mut text = String::from("As known then and from the last revisions:");
        for s in &self.scores {
            let name = &s.name;
            if let Some((known, revised)) = s.known_then.zip(s.last_revised) {
                let [known, revised] = [known, revised].map(|value| format_number(value, 2));
                text += &format!(" {name} {known} and {revised};");
            }
            let mean = format_number(s.mean_difference, 2);
            let largest = format_signed(s.largest_difference, 2);
            let date = s.largest_date;
            text += &format!(" {name} differs by {mean} on average, {largest} at most ({date});");
        }
        let labels = label.zip(self.label_last_revised.as_deref());
        text.extend(labels.map(|(label, revised)| format!(" label {label} and {revised};")));
        let differ = format!("{} of {} month ends", self.labels_differ, self.months);
        text += &format!(" the label differs in {differ} since {}", self.since);
        text.extend(self.labels.first().map(|last| {
            let known = &last.known_then;
            let revised = &last.last_revised;
            format!(", the last time on {}: {known} and {revised}", last.date)
        }));
        text + "."
    }
}

/// Returns both labels of a month where they differ.
fn revised_label((known, revised): &ComparedMonth) -> Option<RevisedLabel> {
    let known_then = known.label?;
    let last_revised = revised.label?;
    (known_then != last_revised).then(|| RevisedLabel {
        date: known.date,
        known_then: known_then.to_owned(),
        last_revised: last_revised.to_owned(),
    })
}

/// Compares the score at `index` in all months; `revised` is its current value from the last revisions.
fn compare_score(
    score: &Score,
    index: usize,
    revised: Option<&f64>,
    months: &[ComparedMonth],
) -> Option<RevisedScore> {
    let difference = |(known, revised): &ComparedMonth| {
        let difference = known.scores.get(index)? - revised.scores.get(index)?;
        Some((known.date, difference))
    };
    let differences: Vec<(Date, f64)> = months.iter().filter_map(difference).collect();
    let sum: f64 = differences.iter().map(|(_, d)| d.abs()).sum();
    let by_size = |a: &&(Date, f64), b: &&(Date, f64)| a.1.abs().total_cmp(&b.1.abs());
    let (largest_date, largest) = *differences.iter().max_by(by_size)?;
    let last_revised = score.value.and(revised).map(|v| round_to(*v, 4));
    let both = score.value.zip(last_revised);
    Some(RevisedScore {
        name: score.name.clone(),
        known_then: score.value,
        last_revised,
        difference: both.map(|(known, revised)| round_to(known - revised, 4)),
        mean_difference: round_to(sum / count(differences.len()), 4),
        largest_difference: round_to(largest, 4),
        largest_date,
    })
}

//! What a sync did, series by series.

use super::progress::describe;
use crate::store::WriteOutcome;
use econoscope_core::error::Error;
use econoscope_core::model::SeriesId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Note of the store: what the last sync missed.
pub(super) const MISSED: &str = "sync_missed";
/// Most reasons that are noted.
const MAX_REASONS: usize = 20;

/// Series that a sync missed for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// What the sources said that were asked, the first one first.
    pub why: String,
    /// One of them.
    pub series: SeriesId,
    /// How many there are.
    pub count: usize,
}

/// What a sync did.
#[derive(Debug, Default)]
pub struct SyncReport {
    /// Every series that was due, fresh or refused, in the order it was dealt with.
    pub series: Vec<(SeriesId, Outcome)>,
    /// What would be asked of whom, line by line, where nothing else was wanted.
    pub plan: Vec<String>,
    /// Requests that failed or whose answers were refused, by source.
    pub failed: BTreeMap<String, u64>,
    /// Whether no source could be reached.
    pub offline: bool,
    /// Whether the sync was ended from outside; the rest is due next time.
    pub cancelled: bool,
}

/// What became of one series.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Its source was read, and the store took this of it.
    Written(WriteOutcome),
    /// It was read a short while ago; from then on it is due again.
    Fresh(Timestamp),
    /// Its source had failed too often or asked for a pause, for this reason.
    NotAsked(String),
    /// It could not be read or written; its rows are as they were.
    Failed(Error),
}

impl Outcome {
    /// The same with the errors of other sources before it; `offline` is why none can be reached.
    pub(super) fn after(self, mut errors: Vec<Error>, offline: Option<&Error>) -> Self {
        match self {
            Self::Failed(error) => {
                errors.push(error.clone());
                Self::Failed(joined(&errors, offline).unwrap_or(error))
            }
            Self::NotAsked(why) => Self::NotAsked(match joined(&errors, offline) {
                Some(error) => format!("{} Then: {why}", error.for_operator()),
                None => why,
            }),
            done @ (Self::Written(_) | Self::Fresh(_)) => done,
        }
    }

    /// How it is shown while the sync runs.
    pub(super) fn shown(&self) -> Result<String, String> {
        match self {
            Self::Written(written) => Ok(describe(*written)),
            Self::Fresh(until) => Ok(format!("skipped: fresh until {until:.0}")),
            Self::NotAsked(why) => Ok(format!("skipped: {why}")),
            Self::Failed(error) => Err(error.for_operator()),
        }
    }
}

/// Several errors as one, the first source's first; `None` where there are none. `offline` is why no source can be
/// reached.
pub(super) fn joined(errors: &[Error], offline: Option<&Error>) -> Option<Error> {
    let mut reasons: Vec<String> = errors.iter().map(Error::for_operator).collect();
    reasons.dedup();
    let last = errors.last()?;
    let is_offline = offline.is_some_and(|why| reasons.last() == Some(&why.for_operator()));
    if is_offline || reasons.len() == 1 {
        return Some(last.clone());
    }
    Some(Error::Unavailable {
        what: reasons.join(" Then: "),
        retry_after: last.retry_after(),
        source: None,
    })
}

impl SyncReport {
    /// Whether all that was due is in.
    pub fn is_complete(&self) -> bool {
        !self.cancelled && self.missed() == 0
    }

    /// Series whose source was read.
    pub fn read(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Written(_)))
    }

    /// Series that failed or were not asked for.
    pub fn missed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_) | Outcome::NotAsked(_)))
    }

    /// Counts a failure of a source.
    pub(super) fn failed(&mut self, source: &str) {
        *self.failed.entry(source.to_owned()).or_default() += 1;
    }

    fn count(&self, which: impl Fn(&Outcome) -> bool) -> usize {
        self.series
            .iter()
            .filter(|(_, outcome)| which(outcome))
            .count()
    }

    /// Series that failed, with the reason.
    pub fn failures(&self) -> impl Iterator<Item = (&SeriesId, &Error)> {
        self.series
            .iter()
            .filter_map(|(id, outcome)| match outcome {
                Outcome::Failed(error) => Some((id, error)),
                Outcome::Written(_) | Outcome::Fresh(_) | Outcome::NotAsked(_) => None,
            })
    }

    /// What was missed, by reason.
    pub(super) fn reasons(&self) -> Vec<Missed> {
        let mut found: Vec<Missed> = Vec::new();
        for (id, outcome) in &self.series {
            let why = match outcome {
                Outcome::Failed(error) => error.for_operator(),
                Outcome::NotAsked(why) => why.clone(),
                Outcome::Written(_) | Outcome::Fresh(_) => continue,
            };
            if let Some(missed) = found.iter_mut().find(|missed| missed.why == why) {
                missed.count += 1;
            } else if found.len() < MAX_REASONS {
                found.push(Missed {
                    why,
                    series: id.clone(),
                    count: 1,
                });
            }
        }
        found
    }

    /// What the store took, over all series.
    pub fn written(&self) -> WriteOutcome {
        let mut sum = WriteOutcome::default();
        for (_, outcome) in &self.series {
            if let Outcome::Written(written) = outcome {
                sum.added += written.added;
                sum.revised += written.revised;
            }
        }
        sum
    }

    /// The report in a sentence.
    pub fn summary(&self) -> String {
        let (read, missed, written) = (self.read(), self.missed(), self.written());
        let fresh = self.series.len() - read - missed;
        let ended = if self.cancelled {
            " Ended early; the rest is due next time."
        } else {
            ""
        };
        format!(
            "{read} series read: {} figures new, {} revised; {fresh} still fresh, {missed} missed.{ended}",
            written.added, written.revised
        )
    }
}

//! The report of a sync, series by series.

use super::progress::format_outcome;
use crate::store::WriteOutcome;
use econoscope_core::error::Error;
use econoscope_core::model::SeriesId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the store's note with the series that the last sync missed.
pub(super) const MISSED: &str = "sync_missed";
/// Most reasons that are stored.
const MAX_REASONS: usize = 20;

/// Series that a sync missed for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedSeries {
    /// The errors of the sources, in the order in which they were asked.
    pub why: String,
    /// One of the series.
    pub series: SeriesId,
    /// Number of series.
    pub count: usize,
}

/// The result of a sync.
#[derive(Debug, Default)]
pub struct SyncReport {
    /// Every series that was due, fresh or refused, in the order of processing.
    pub series: Vec<(SeriesId, Outcome)>,
    /// The planned requests, one line each; filled only by a dry run.
    pub plan: Vec<String>,
    /// Failed requests and refused responses, by source.
    pub failed: BTreeMap<String, u64>,
    /// Whether no source could be reached.
    pub offline: bool,
    /// Whether the sync was cancelled; the rest is due next time.
    pub cancelled: bool,
}

/// The result for one series.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// A source was read, and these rows were written.
    Written(WriteOutcome),
    /// It was computed from other series, and these rows were written.
    Computed(WriteOutcome),
    /// It was read a short while ago; from this time on it is due again.
    Fresh(Timestamp),
    /// Its source was not requested, for this reason: it had failed too often or asked for a pause.
    Skipped(Error),
    /// It could not be read or written; its rows are unchanged.
    Failed(Error),
}

impl Outcome {
    /// Adds the errors of sources that were asked before. `offline` is the reason why no source can be reached.
    pub(super) fn with_errors(self, earlier: &[Error], offline: Option<&Error>) -> Self {
        match self {
            Self::Failed(error) => Self::Failed(join_errors(earlier, error, offline)),
            Self::Skipped(error) => Self::Skipped(join_errors(earlier, error, offline)),
            Self::Written(_) | Self::Computed(_) | Self::Fresh(_) => self,
        }
    }

    /// Returns why the series was missed; `None` when it was not.
    pub(super) fn reason(&self) -> Option<String> {
        match self {
            Self::Failed(error) | Self::Skipped(error) => Some(error.operator_message()),
            Self::Written(_) | Self::Computed(_) | Self::Fresh(_) => None,
        }
    }

    /// Returns the line of progress, or the error.
    pub(super) fn progress(&self) -> Result<String, String> {
        match self {
            Self::Written(written) | Self::Computed(written) => Ok(format_outcome(*written)),
            Self::Fresh(until) => Ok(format!("skipped: fresh until {until:.0}")),
            Self::Skipped(error) => Ok(format!("skipped: {}", error.operator_message())),
            Self::Failed(error) => Err(error.operator_message()),
        }
    }
}

/// Joins the errors of several sources, in order. `offline` is the reason why no source can be reached.
fn join_errors(earlier: &[Error], last: Error, offline: Option<&Error>) -> Error {
    let errors = earlier.iter().chain([&last]);
    let mut reasons: Vec<String> = errors.map(Error::operator_message).collect();
    reasons.dedup();
    let is_offline = offline.is_some_and(|why| reasons.last() == Some(&why.operator_message()));
    if is_offline || reasons.len() == 1 {
        return last;
    }
    Error::unavailable(reasons.join(" Then: "), last.retry_after())
}

impl SyncReport {
    /// Whether every due series was read.
    pub fn is_complete(&self) -> bool {
        !self.cancelled && self.missed_count() == 0
    }

    /// Returns the number of series that were read from a source.
    pub fn read_count(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Written(_)))
    }

    /// Returns the number of series that failed or were skipped.
    pub fn missed_count(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_) | Outcome::Skipped(_)))
    }

    /// Returns the first failure if sources failed and none brought anything.
    pub fn why_nothing_came(&self) -> Option<String> {
        let is_empty = self.read_count() == 0 && !self.failed.is_empty() && !self.cancelled;
        let mut failures = self.failures().filter(|(_, error)| error.is_retryable());
        let first = failures.next().or_else(|| self.failures().next());
        first
            .filter(|_| is_empty)
            .map(|(_, error)| error.operator_message())
    }

    /// Counts a failed request or a refused response of a source.
    pub(super) fn count_failure(&mut self, source: &str) {
        *self.failed.entry(source.to_owned()).or_default() += 1;
    }

    fn count(&self, predicate: impl Fn(&Outcome) -> bool) -> usize {
        let outcomes = self.series.iter().map(|(_, outcome)| outcome);
        outcomes.filter(|outcome| predicate(outcome)).count()
    }

    /// Returns the series that failed, with the error.
    pub fn failures(&self) -> impl Iterator<Item = (&SeriesId, &Error)> {
        self.series.iter().filter_map(|(id, outcome)| {
            let Outcome::Failed(error) = outcome else {
                return None;
            };
            Some((id, error))
        })
    }

    /// Groups the missed series by reason.
    pub(super) fn missed_by_reason(&self) -> Vec<MissedSeries> {
        let mut groups: Vec<MissedSeries> = Vec::new();
        for (id, outcome) in &self.series {
            let Some(why) = outcome.reason() else {
                continue;
            };
            if let Some(group) = groups.iter_mut().find(|group| group.why == why) {
                group.count += 1;
            } else if groups.len() < MAX_REASONS {
                groups.push(MissedSeries {
                    why,
                    series: id.clone(),
                    count: 1,
                });
            }
        }
        groups
    }

    /// Returns the rows written over all series.
    pub fn written(&self) -> WriteOutcome {
        let mut sum = WriteOutcome::default();
        for (_, outcome) in &self.series {
            if let Outcome::Written(written) | Outcome::Computed(written) = outcome {
                sum.added += written.added;
                sum.revised += written.revised;
            }
        }
        sum
    }

    /// Returns the report in a sentence.
    pub fn summary(&self) -> String {
        let read = self.read_count();
        let missed = self.missed_count();
        let written = self.written();
        let fresh = self.count(|outcome| matches!(outcome, Outcome::Fresh(_)));
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

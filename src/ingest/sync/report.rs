//! What a sync did, series by series.

use crate::error::Error;
use crate::model::SeriesId;
use crate::store::Written;
use jiff::Timestamp;

/// What a sync did.
#[derive(Debug, Default)]
pub struct SyncReport {
    /// Every series that was due, fresh or refused, in the order it was dealt with.
    pub series: Vec<SeriesReport>,
    /// Whether the sync was ended from outside; the rest is due next time.
    pub cancelled: bool,
}

/// What became of one series.
#[derive(Debug)]
pub struct SeriesReport {
    /// Series.
    pub id: SeriesId,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of one series.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Its source was read.
    Written {
        /// Figures that came.
        rows: usize,
        /// What the store took of them.
        written: Written,
    },
    /// It was read a short while ago.
    Fresh {
        /// From then on it is due again.
        until: Timestamp,
    },
    /// Its source had failed too often or asked for a pause.
    NotAsked {
        /// What the source's trouble is.
        why: String,
    },
    /// It could not be read or written; its rows are as they were.
    Failed(Error),
}

impl SyncReport {
    /// Whether all that was due is in.
    pub fn is_complete(&self) -> bool {
        !self.cancelled && self.missed() == 0
    }

    /// Series whose source was read.
    pub fn read(&self) -> usize {
        let read = |s: &&SeriesReport| matches!(s.outcome, Outcome::Written { .. });
        self.series.iter().filter(read).count()
    }

    /// Series that failed or were not asked for.
    pub fn missed(&self) -> usize {
        let missed = |s: &&SeriesReport| match s.outcome {
            Outcome::Failed(_) | Outcome::NotAsked { .. } => true,
            Outcome::Written { .. } | Outcome::Fresh { .. } => false,
        };
        self.series.iter().filter(missed).count()
    }

    /// Series that failed, with the reason.
    pub fn failures(&self) -> impl Iterator<Item = (&SeriesId, &Error)> {
        self.series.iter().filter_map(|s| match &s.outcome {
            Outcome::Failed(error) => Some((&s.id, error)),
            Outcome::Written { .. } | Outcome::Fresh { .. } | Outcome::NotAsked { .. } => None,
        })
    }

    /// What the store took, over all series.
    pub fn written(&self) -> Written {
        let mut sum = Written::default();
        for series in &self.series {
            if let Outcome::Written { written, .. } = &series.outcome {
                sum.added += written.added;
                sum.revised += written.revised;
            }
        }
        sum
    }

    /// The report in a sentence.
    pub fn summary(&self) -> String {
        let written = self.written();
        let fresh = self.series.len() - self.read() - self.missed();
        let ended = if self.cancelled {
            " Ended early; the rest is due next time."
        } else {
            ""
        };
        format!(
            "{} series read: {} figures new, {} revised; {fresh} still fresh, {} missed.{ended}",
            self.read(),
            written.added,
            written.revised,
            self.missed()
        )
    }
}

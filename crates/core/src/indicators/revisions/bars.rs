//! Error bars of first prints: where a figure will stand a year later, from the revisions known by a day.

use super::{PrintMeasure, Revisions};
use crate::indicators::statistics::quantile;
use crate::model::Date;
use crate::model::frequency::shift;
use jiff::ToSpan;

/// Shares of first prints, in percent, that the intervals of a bar cover.
pub const LEVELS: [usize; 3] = [50, 80, 90];

/// Years of revisions that count: fifteen, of prints at least a year old.
const YEARS: i32 = 16;
/// Fewest revisions of a bar: twelve years of quarters.
const MIN_REVISIONS: usize = 48;

/// The revisions of first prints over a year, and the intervals that hold shares of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorBar {
    /// The revisions, ascending, in the units of [`PrintMeasure::revision`].
    pub revisions: Vec<f64>,
    /// For each of [`LEVELS`] the lowest and the highest revision that it holds.
    pub intervals: [[f64; 2]; 3],
}

impl ErrorBar {
    /// Returns the values between which a first print stands a year later, for each of [`LEVELS`].
    pub fn around(&self, first: f64, measure: PrintMeasure) -> [[f64; 2]; 3] {
        self.intervals.map(|bounds| {
            bounds.map(|revision| {
                if measure == PrintMeasure::LevelInPercent {
                    first * (1.0 + revision / 100.0)
                } else {
                    first + revision
                }
            })
        })
    }
}

impl Revisions {
    /// Returns the error bar of a first print of `day`, from the revisions of the years before that were complete by then.
    pub fn error_bar(&self, day: Date) -> Option<ErrorBar> {
        let start = shift(day, (-YEARS).years());
        let recent = self.prints.iter().filter(|print| print.date >= start);
        let known = recent.filter_map(|print| {
            let later = print.later[1].filter(|later| later.day < day)?;
            Some(self.measure.revision(print.first.value, later.value))
        });
        let mut revisions: Vec<f64> = known.collect();
        if revisions.len() < MIN_REVISIONS {
            return None;
        }
        revisions.sort_unstable_by(f64::total_cmp);
        let bound = |percent| quantile(&revisions, percent);
        let [half, most, nearly] = LEVELS.map(|level| {
            let tail = (100 - level) / 2;
            Some([bound(tail)?, bound(100 - tail)?])
        });
        Some(ErrorBar {
            intervals: [half?, most?, nearly?],
            revisions,
        })
    }
}

//! Counts and streaks of a condition, from a column of 1 and 0.
//!
//! Every observation counts. A period that was never published does not end a streak, because nothing
//! says that the condition did not hold; the number of such gaps is reported with it.

use crate::model::{Date, Frequency, Observation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Observations one after the other of which all were so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Streak {
    /// How many.
    pub length: usize,
    /// The first.
    pub start: Date,
    /// The last.
    pub end: Date,
    /// Places inside at which periods were never published; they do not end the run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gaps: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// How often and how long a condition held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConditionCounts {
    /// Observations.
    pub count: usize,
    /// Observations that met the condition.
    pub met: usize,
    /// The first of them.
    pub first: Option<Date>,
    /// The last of them.
    pub last: Option<Date>,
    /// The longest streak, the oldest of equal ones.
    pub longest: Option<Streak>,
    /// The streak that the last observation is part of.
    pub current: Option<Streak>,
    /// The last observation that differs from the one before, and whether it met the condition.
    pub crossing: Option<(Date, bool)>,
}

/// Counts observations, ascending by date; those other than 0 met the condition.
pub fn count_condition(rows: &[Observation], frequency: Frequency) -> ConditionCounts {
    let streaks = streaks(rows, frequency);
    let last = streaks.last().copied();
    let newest = rows.last().map(|o| o.date);
    let oldest = rows.first().map(|o| o.date);
    let crossing = runs(rows)
        .next_back()
        .and_then(<[_]>::first)
        .filter(|o| Some(o.date) != oldest);
    ConditionCounts {
        count: rows.len(),
        met: streaks.iter().map(|s| s.length).sum(),
        first: streaks.first().map(|s| s.start),
        last: last.map(|s| s.end),
        longest: streaks.into_iter().rev().max_by_key(|s| s.length),
        current: last.filter(|s| Some(s.end) == newest),
        crossing: crossing.map(|o| (o.date, is_met(o))),
    }
}

/// Returns every streak, oldest first.
pub fn streaks(rows: &[Observation], frequency: Frequency) -> Vec<Streak> {
    let met = runs(rows).filter(|run| run.first().is_some_and(is_met));
    met.filter_map(|run| streak(run, frequency)).collect()
}

fn runs(rows: &[Observation]) -> impl DoubleEndedIterator<Item = &[Observation]> {
    rows.chunk_by(|a, b| is_met(a) == is_met(b))
}

fn is_met(o: &Observation) -> bool {
    o.value != 0.0
}

fn streak(run: &[Observation], frequency: Frequency) -> Option<Streak> {
    let pairs = run.windows(2);
    let gaps =
        pairs.filter(|pair| matches!(pair, [a, b] if !frequency.is_adjacent(a.date, b.date)));
    Some(Streak {
        length: run.len(),
        start: run.first()?.date,
        end: run.last()?.date,
        gaps: gaps.count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::shift;
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    /// Every month from January 2000, but for those that are missing.
    fn months(met: &[Option<bool>]) -> Vec<Observation> {
        let month = |i: i64| shift(date(2000, 1, 1), i.months());
        let rows = (0..).zip(met);
        rows.filter_map(|(i, met)| {
            met.map(|met| Observation::new(month(i), f64::from(u8::from(met))))
        })
        .collect()
    }

    #[test]
    fn streaks_span_gaps_and_count_them() {
        let yes = Some(true);
        let no = Some(false);
        let rows = months(&[no, yes, yes, no, no, yes, None, yes, yes]);
        let counts = count_condition(&rows, Frequency::Monthly);
        let longest = Streak {
            length: 3,
            start: date(2000, 6, 1),
            end: date(2000, 9, 1),
            gaps: 1,
        };
        assert_eq!(
            counts,
            ConditionCounts {
                count: 8,
                met: 5,
                first: Some(date(2000, 2, 1)),
                last: Some(date(2000, 9, 1)),
                longest: Some(longest),
                current: Some(longest),
                crossing: Some((date(2000, 6, 1), true)),
            }
        );
        let none = count_condition(&[], Frequency::Monthly);
        assert_eq!((none.count, none.longest, none.crossing), (0, None, None));
    }

    proptest! {
        #[test]
        fn counts_match_a_plain_loop(met in prop::collection::vec(prop::option::weighted(0.9, any::<bool>()), 0..200)) {
            let rows = months(&met);
            let counts = count_condition(&rows, Frequency::Monthly);
            let met_dates: Vec<Date> = rows.iter().filter(|o| o.value == 1.0).map(|o| o.date).collect();
            prop_assert_eq!((counts.count, counts.met), (rows.len(), met_dates.len()));
            prop_assert_eq!((counts.first, counts.last), (met_dates.first().copied(), met_dates.last().copied()));
            // Runs, one observation after the other.
            let mut longest = 0; let mut now = 0; let mut start = None; let mut at = None;
            for o in &rows {
                now = if o.value == 1.0 { now + 1 } else { 0 };
                if now == 1 { start = Some(o.date); }
                if now > longest { (longest, at) = (now, start); }
            }
            prop_assert_eq!(counts.longest.map_or(0, |r| r.length), longest);
            prop_assert_eq!(counts.longest.map(|r| r.start), at);
            prop_assert_eq!(counts.current.map_or(0, |r| r.length), now);
            let mut turns = rows.windows(2).filter(|w| w[0].value != w[1].value).map(|w| w[1]);
            prop_assert_eq!(counts.crossing, turns.next_back().map(|o| (o.date, o.value == 1.0)));
        }
    }
}

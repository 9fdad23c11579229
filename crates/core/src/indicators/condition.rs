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

/// Returns every streak of observations, ascending by date; those other than 0 met the condition.
pub fn streaks(rows: &[Observation], frequency: Frequency) -> Vec<Streak> {
    let runs = rows.chunk_by(|a, b| is_met(a) == is_met(b));
    let met = runs.filter(|run| run.first().is_some_and(is_met));
    let is_gap =
        |pair: &&[Observation]| matches!(pair, [a, b] if !frequency.is_adjacent(a.date, b.date));
    let streaks = met.filter_map(|run| {
        Some(Streak {
            length: run.len(),
            start: run.first()?.date,
            end: run.last()?.date,
            gaps: run.windows(2).filter(is_gap).count(),
        })
    });
    streaks.collect()
}

/// Returns the last observation that differs from the one before.
pub fn last_change(rows: &[Observation]) -> Option<Observation> {
    let mut pairs = rows.windows(2).rev();
    pairs.find_map(|pair| match pair {
        [before, after] if is_met(before) != is_met(after) => Some(*after),
        _ => None,
    })
}

/// Whether an observation met the condition.
pub fn is_met(o: &Observation) -> bool {
    o.value != 0.0
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
        let streak = |length, start, end, gaps| Streak {
            length,
            start,
            end,
            gaps,
        };
        let all = [
            streak(2, date(2000, 2, 1), date(2000, 3, 1), 0),
            streak(3, date(2000, 6, 1), date(2000, 9, 1), 1),
        ];
        assert_eq!(streaks(&rows, Frequency::Monthly), all);
        assert_eq!(last_change(&rows).map(|o| o.date), Some(date(2000, 6, 1)));
        assert_eq!(
            (streaks(&[], Frequency::Monthly), last_change(&[])),
            (Vec::new(), None)
        );
    }

    proptest! {
        #[test]
        fn counts_match_a_plain_loop(met in prop::collection::vec(prop::option::weighted(0.9, any::<bool>()), 0..200)) {
            let rows = months(&met);
            let found = streaks(&rows, Frequency::Monthly);
            let met_dates: Vec<Date> = rows.iter().filter(|o| o.value == 1.0).map(|o| o.date).collect();
            prop_assert_eq!(found.iter().map(|s| s.length).sum::<usize>(), met_dates.len());
            prop_assert_eq!((found.first().map(|s| s.start), found.last().map(|s| s.end)), (met_dates.first().copied(), met_dates.last().copied()));
            // Runs, one observation after the other.
            let mut longest = 0; let mut now = 0; let mut start = None; let mut at = None;
            for o in &rows {
                now = if o.value == 1.0 { now + 1 } else { 0 };
                if now == 1 { start = Some(o.date); }
                if now > longest { (longest, at) = (now, start); }
            }
            let longest_found = found.iter().rev().max_by_key(|s| s.length);
            prop_assert_eq!(longest_found.map_or(0, |s| s.length), longest);
            prop_assert_eq!(longest_found.map(|s| s.start), at);
            let current = found.last().filter(|s| Some(s.end) == rows.last().map(|o| o.date));
            prop_assert_eq!(current.map_or(0, |s| s.length), now);
            let mut turns = rows.windows(2).filter(|w| w[0].value != w[1].value).map(|w| w[1]);
            prop_assert_eq!(last_change(&rows), turns.next_back());
        }
    }
}

//! Since when, how often and how long something was so: counts and runs of what is 1 or 0.
//!
//! Counted over every observation that is handed over. A period that was never published does not end a run, since
//! nothing says that it was otherwise; how many are missing inside stands beside it.

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
    reason = "serde asks with a reference"
)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// What a condition comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConditionCounts {
    /// Observations judged.
    pub count: usize,
    /// Of them, those that were so.
    pub met: usize,
    /// The first that was so.
    pub first: Option<Date>,
    /// The last that was so.
    pub last: Option<Date>,
    /// The longest run, the oldest of equal ones.
    pub longest: Option<Streak>,
    /// The run that the last observation is part of.
    pub current: Option<Streak>,
    /// The last observation that differs from the one before, and whether it was so.
    pub crossing: Option<(Date, bool)>,
}

/// Counts observations, ascending by date, of which those other than 0 are so.
pub fn tally(rows: &[Observation], frequency: Frequency) -> ConditionCounts {
    let met = |o: &Observation| o.value != 0.0;
    let spells = rows.chunk_by(|a, b| met(a) == met(b));
    let is_run = |spell: &&[Observation]| spell.first().is_some_and(met);
    let runs = spells.clone().filter(is_run);
    let runs = runs.filter_map(|spell| run(spell, frequency));
    let first = runs.clone().next();
    let last = runs.clone().next_back();
    let newest = rows.last().map(|o| o.date);
    let turn = spells.clone().next_back().and_then(<[_]>::first);
    let oldest = rows.first().map(|o| o.date);
    let crossing = turn.filter(|o| Some(o.date) != oldest);
    ConditionCounts {
        count: rows.len(),
        met: runs.clone().map(|run| run.length).sum(),
        first: first.map(|run| run.start),
        last: last.map(|run| run.end),
        longest: runs.rev().max_by_key(|run| run.length),
        current: last.filter(|run| Some(run.end) == newest),
        crossing: crossing.map(|o| (o.date, met(o))),
    }
}

fn run(spell: &[Observation], frequency: Frequency) -> Option<Streak> {
    let pairs = spell.windows(2);
    let gaps = pairs.filter(|pair| matches!(pair, [a, b] if !frequency.follows(a.date, b.date)));
    Some(Streak {
        length: spell.len(),
        start: spell.first()?.date,
        end: spell.last()?.date,
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
    fn runs_count_and_name_what_is_missing() {
        let (yes, no) = (Some(true), Some(false));
        let rows = months(&[no, yes, yes, no, no, yes, None, yes, yes]);
        let found = tally(&rows, Frequency::Monthly);
        let longest = Streak {
            length: 3,
            start: date(2000, 6, 1),
            end: date(2000, 9, 1),
            gaps: 1,
        };
        assert_eq!(
            found,
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
        let none = tally(&[], Frequency::Monthly);
        assert_eq!((none.count, none.longest, none.crossing), (0, None, None));
    }

    proptest! {
        #[test]
        fn a_count_is_the_plain_count(met in prop::collection::vec(prop::option::weighted(0.9, any::<bool>()), 0..200)) {
            let rows = months(&met);
            let found = tally(&rows, Frequency::Monthly);
            let so: Vec<Date> = rows.iter().filter(|o| o.value == 1.0).map(|o| o.date).collect();
            prop_assert_eq!((found.count, found.met), (rows.len(), so.len()));
            prop_assert_eq!((found.first, found.last), (so.first().copied(), so.last().copied()));
            // Runs, one observation after the other.
            let (mut longest, mut now, mut start, mut at) = (0, 0, None, None);
            for o in &rows {
                now = if o.value == 1.0 { now + 1 } else { 0 };
                if now == 1 { start = Some(o.date); }
                if now > longest { (longest, at) = (now, start); }
            }
            prop_assert_eq!(found.longest.map_or(0, |r| r.length), longest);
            prop_assert_eq!(found.longest.map(|r| r.start), at);
            prop_assert_eq!(found.current.map_or(0, |r| r.length), now);
            let mut turns = rows.windows(2).filter(|w| w[0].value != w[1].value).map(|w| w[1]);
            prop_assert_eq!(found.crossing, turns.next_back().map(|o| (o.date, o.value == 1.0)));
        }
    }
}

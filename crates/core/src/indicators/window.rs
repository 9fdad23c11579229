//! Statistics of a stretch of a series: extremes with their ties, the greatest fall and rise, the rank of the latest
//! figure.
//!
//! Values are compared as published: figures that are equal to a reader must be equal here
//! (`model::series_info::without_noise`).

use super::months::compound_rate;
use super::statistics::count;
use crate::model::{Date, Frequency, Observation};

/// A lowest or highest figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    /// The oldest of the equal ones.
    pub first: Observation,
    /// Date of the newest of them.
    pub last: Date,
    /// How many there are.
    pub ties: usize,
}

/// The change from one figure to a later one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueChange {
    /// Where it began.
    pub from: Observation,
    /// Where it ended.
    pub to: Observation,
}

/// How many figures lie below the latest, equal it (itself among them) and lie above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankCounts {
    /// Strictly below.
    pub below: usize,
    /// Equal, the latest included.
    pub equal: usize,
    /// Strictly above.
    pub above: usize,
}

impl RankCounts {
    /// Ranks the newest of the rows among them all.
    pub fn of_latest(rows: &[Observation]) -> Self {
        let latest = rows.last().map_or(0.0, |row| row.value);
        let below = rows.iter().filter(|row| row.value < latest).count();
        let above = rows.iter().filter(|row| row.value > latest).count();
        Self {
            below,
            equal: rows.len() - below - above,
            above,
        }
    }

    /// Returns a count as percent of all; 0 without rows.
    pub fn percent(self, part: usize) -> f64 {
        let all = self.below + self.equal + self.above;
        100.0 * count(part) / count(all.max(1))
    }
}

/// Returns the lowest and the highest figure; `None` without rows.
pub fn extremes(rows: &[Observation]) -> Option<(Extreme, Extreme)> {
    Some((extreme(rows, f64::min)?, extreme(rows, f64::max)?))
}

fn extreme(rows: &[Observation], better: fn(f64, f64) -> f64) -> Option<Extreme> {
    let best = rows.iter().map(|row| row.value).reduce(better)?;
    let equal = rows.iter().filter(|row| row.value == best);
    Some(Extreme {
        first: *equal.clone().next()?,
        last: equal.clone().next_back()?.date,
        ties: equal.count(),
    })
}

impl ValueChange {
    /// Returns the greatest fall from a figure to a later one, of equal ones the oldest; `None` where nothing ever fell.
    ///
    /// `in_percent` compares falls by share, for which all figures must be positive, else by difference.
    pub fn greatest_fall(rows: &[Observation], in_percent: bool) -> Option<Self> {
        greatest(rows, in_percent, |now, high| now < high)
    }

    /// Returns the greatest rise, as [`Self::greatest_fall`] upwards.
    pub fn greatest_rise(rows: &[Observation], in_percent: bool) -> Option<Self> {
        greatest(rows, in_percent, |now, low| now > low)
    }

    /// End less beginning.
    pub fn change(&self) -> f64 {
        self.to.value - self.from.value
    }

    /// The change in percent of the beginning; `None` unless that is positive.
    pub fn percent(&self) -> Option<f64> {
        (self.from.value > 0.0).then(|| 100.0 * (self.to.value / self.from.value - 1.0))
    }

    /// The compound growth rate in percent a year; `None` under a year, and unless both figures are positive.
    pub fn yearly_percent(&self, frequency: Frequency) -> Option<f64> {
        let years = frequency.years_between(self.from.date, self.to.date);
        compound_rate(self.to.value, self.from.value, years).filter(|_| years >= 1.0)
    }
}

/// Compares each row with the best beginning before it, which for a fall is the highest figure so far.
fn greatest(
    rows: &[Observation],
    in_percent: bool,
    is_beyond: fn(f64, f64) -> bool,
) -> Option<ValueChange> {
    let size = |swing: &ValueChange| {
        if in_percent {
            (swing.to.value / swing.from.value - 1.0).abs()
        } else {
            swing.change().abs()
        }
    };
    let mut from = *rows.first()?;
    let mut greatest: Option<(f64, ValueChange)> = None;
    for row in rows {
        if !is_beyond(row.value, from.value) {
            // Of equal beginnings the newest, so that the swing is as short as possible.
            from = *row;
            continue;
        }
        let swing = ValueChange { from, to: *row };
        let size = size(&swing);
        // A difference of rounding does not make a swing greater.
        if greatest.is_none_or(|(greatest, _)| size > greatest * (1.0 + 1e-12)) {
            greatest = Some((size, swing));
        }
    }
    greatest.map(|(_, swing)| swing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::day_from_number;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn rows(values: &[f64]) -> Vec<Observation> {
        let day = |i: usize| day_from_number(20_000 + i32::try_from(i).unwrap()).unwrap();
        let rows = values.iter().enumerate();
        rows.map(|(i, v)| Observation::new(day(i), *v)).collect()
    }

    #[test]
    fn extremes_count_ties_with_both_ends() {
        let rows = rows(&[2.0, 1.0, 3.0, 1.0, 3.0, 1.0]);
        let (low, high) = extremes(&rows).unwrap();
        assert_eq!((low.first, low.last, low.ties), (rows[1], rows[5].date, 3));
        assert_eq!((high.first, high.ties), (rows[2], 2));
        assert_eq!(extremes(&[]), None);
    }

    #[test]
    fn falls_start_high_and_rises_start_low() {
        let rows = rows(&[10.0, 20.0, 15.0, 30.0, 24.0, 12.0, 13.0]);
        let fall = ValueChange::greatest_fall(&rows, false).unwrap();
        assert_eq!(
            (fall.from.value, fall.to.value, fall.change()),
            (30.0, 12.0, -18.0)
        );
        let rise = ValueChange::greatest_rise(&rows, true).unwrap();
        assert_eq!((rise.from.value, rise.to.value), (10.0, 30.0));
        assert_eq!(rise.percent(), Some(200.0));
        assert_eq!(ValueChange::greatest_fall(&rows[..2], false), None);
    }

    #[test]
    fn yearly_rate_needs_a_year() {
        let swing = |months: i8| ValueChange {
            from: Observation::new(date(2020, 1, 1), 100.0),
            to: Observation::new(
                date(2020 + i16::from(months / 12), 1 + months % 12, 1),
                121.0,
            ),
        };
        let rate = swing(24).yearly_percent(Frequency::Monthly).unwrap();
        assert!((rate - 10.0).abs() < 1e-9, "{rate}");
        assert_eq!(swing(11).yearly_percent(Frequency::Monthly), None);
    }

    proptest! {
        #[test]
        fn statistics_match_their_plain_definitions(
            tenths in prop::collection::vec(-40i32..40, 1..60),
        ) {
            let values: Vec<f64> = tenths.iter().map(|t| f64::from(*t) / 10.0).collect();
            let rows = rows(&values);
            let (low, high) = extremes(&rows).unwrap();
            for (actual, expected) in [(low, tenths.iter().min()), (high, tenths.iter().max())] {
                let ties: Vec<usize> = (0..tenths.len()).filter(|i| Some(&tenths[*i]) == expected).collect();
                prop_assert_eq!(actual.first, rows[ties[0]]);
                prop_assert_eq!(actual.last, rows[ties[ties.len() - 1]].date);
                prop_assert_eq!(actual.ties, ties.len());
            }
            // Every pair, an earlier and a later one.
            let pairs = (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
            let moves: Vec<i32> = pairs.map(|(i, j)| tenths[j] - tenths[i]).collect();
            let fall = moves.iter().copied().filter(|m| *m < 0).min();
            let rise = moves.iter().copied().filter(|m| *m > 0).max();
            for (actual, plain) in [
                (ValueChange::greatest_fall(&rows, false), fall),
                (ValueChange::greatest_rise(&rows, false), rise),
            ] {
                prop_assert_eq!(actual.is_some(), plain.is_some());
                if let (Some(actual), Some(plain)) = (actual, plain) {
                    prop_assert!((actual.change() - f64::from(plain) / 10.0).abs() < 1e-9);
                    prop_assert!(actual.from.date < actual.to.date);
                }
            }
            let latest = tenths[tenths.len() - 1];
            let rank = RankCounts::of_latest(&rows);
            prop_assert_eq!(rank.below, tenths.iter().filter(|t| **t < latest).count());
            prop_assert_eq!(rank.equal, tenths.iter().filter(|t| **t == latest).count());
            prop_assert_eq!(rank.above, tenths.iter().filter(|t| **t > latest).count());
        }

        #[test]
        fn greatest_fall_in_percent_matches_all_pairs(
            integers in prop::collection::vec(1u32..500, 2..50),
        ) {
            let values: Vec<f64> = integers.into_iter().map(f64::from).collect();
            let rows = rows(&values);
            let pairs = (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
            let least = pairs.map(|(i, j)| values[j] / values[i] - 1.0).fold(0.0, f64::min);
            let actual = ValueChange::greatest_fall(&rows, true).map_or(0.0, |s| s.to.value / s.from.value - 1.0);
            prop_assert!((actual - least).abs() < 1e-9, "{} {}", actual, least);
        }
    }
}

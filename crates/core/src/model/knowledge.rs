//! What was known of a series on one day after another: each row is met once, where [`Vintages::as_of`] asks them all.

use super::calendar::Publication;
use super::frequency::Date;
use super::observation::{Known, Observation, Vintages};
use super::series_info::SeriesInfo;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A series with every value ever seen of it.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Title, unit, frequency, lag, rights.
    pub info: Arc<SeriesInfo>,
    /// Every value, with the day on which it became known.
    pub vintages: Arc<Vintages>,
}

/// What is known of a series, from its first row on; it only moves forward.
#[derive(Debug)]
pub struct Knowledge<'a> {
    /// Rows to come with the day they become known, the next one last.
    ahead: Vec<(Date, &'a Known)>,
    known: BTreeMap<Date, &'a Known>,
}

impl<'a> Knowledge<'a> {
    /// Before anything is known.
    pub fn of(series: &'a Recorded) -> Self {
        let publication = Publication::of(&series.info);
        let rows = series.vintages.rows().iter();
        let mut ahead: Vec<_> = rows
            .map(|r| (r.known_on(|date| publication.day(date)), r))
            .collect();
        ahead.sort_by_key(|(day, _)| *day);
        ahead.reverse();
        Self {
            ahead,
            known: BTreeMap::new(),
        }
    }

    /// Takes in what becomes known up to the end of `day`.
    pub fn advance(&mut self, day: Date) {
        while let Some((_, row)) = self.ahead.pop_if(|(known, _)| *known <= day) {
            // An estimated day never overrides a recorded one, as in `Vintages`.
            let held = self.known.get(&row.date);
            if held.is_none_or(|held| held.known_from <= row.known_from) {
                self.known.insert(row.date, row);
            }
        }
    }

    /// What is known of the dates up to `day`, the newest first.
    pub fn newest_first(&self, day: Date) -> impl Iterator<Item = Observation> {
        let rows = self.known.range(..=day).rev();
        rows.filter_map(|(date, row)| Some(Observation::new(*date, row.value?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::model::frequency::day_from_number;

    proptest::proptest! {
        #[test]
        fn each_day_knows_what_all_rows_say_of_it(
            rows in proptest::collection::vec(
                (0i32..40, proptest::option::of(0i32..900), proptest::option::of(0.0..9.0)),
                0..60,
            ),
            mut days in proptest::collection::vec(0i32..1_200, 1..8),
        ) {
            let of = |n: i32| day_from_number(20_000 + n).unwrap();
            let info = Catalogue::embedded().get("UNRATE").unwrap();
            let row = |(date, known, value): (i32, Option<i32>, Option<f64>)| Known {
                date: info.frequency.stamp(of(30 * date)),
                known_from: known.map(of),
                value,
            };
            let vintages = Arc::new(Vintages::new(rows.into_iter().map(row).collect()));
            let series = Recorded { info: Arc::clone(info), vintages };
            let mut knowledge = Knowledge::of(&series);
            days.sort_unstable();
            for day in days.into_iter().map(of) {
                knowledge.advance(day);
                let mut known: Vec<_> = knowledge.newest_first(Date::MAX).collect();
                known.reverse();
                assert_eq!(known, series.vintages.as_of(day, |date| info.known_by(date)));
            }
        }
    }
}

//! Steps through the vintages of a series day by day. Each row is visited once, where [`Vintages::as_of`] visits all of them.

use super::calendar::Publication;
use super::frequency::Date;
use super::observation::{Observation, VintageObservation, Vintages};
use super::series_info::SeriesInfo;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A series with its vintages.
#[derive(Debug, Clone)]
pub struct SeriesVintages {
    /// Description of the series.
    pub info: Arc<SeriesInfo>,
    /// Every value with the day on which it became known.
    pub vintages: Arc<Vintages>,
}

/// What is known of a series on a day that only moves forward.
#[derive(Debug)]
pub struct VintageCursor<'a> {
    /// Later rows with the day on which they become known, the next one last.
    upcoming: Vec<(Date, &'a VintageObservation)>,
    known: BTreeMap<Date, &'a VintageObservation>,
}

impl<'a> VintageCursor<'a> {
    /// Starts before the first row.
    pub fn new(series: &'a SeriesVintages) -> Self {
        let publication = Publication::new(&series.info);
        let rows = series.vintages.rows().iter();
        let mut upcoming: Vec<_> = rows
            .map(|row| (row.known_on(|date| publication.day(date)), row))
            .collect();
        upcoming.sort_by_key(|(day, _)| *day);
        upcoming.reverse();
        Self {
            upcoming,
            known: BTreeMap::new(),
        }
    }

    /// Moves to the end of `day`.
    pub fn advance(&mut self, day: Date) {
        while let Some((_, row)) = self.upcoming.pop_if(|(known_on, _)| *known_on <= day) {
            // A row with an estimated day never replaces one with a recorded day, as in `Vintages`.
            let known = self.known.entry(row.date).or_insert(row);
            if known.known_from <= row.known_from {
                *known = row;
            }
        }
    }

    /// Iterates over the known observations dated up to `day`, the newest first.
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
        fn stepping_agrees_with_as_of(
            rows in proptest::collection::vec(
                (0i32..40, proptest::option::of(0i32..900), proptest::option::of(0.0..9.0)),
                0..60,
            ),
            mut days in proptest::collection::vec(0i32..1_200, 1..8),
        ) {
            let day_of = |n: i32| day_from_number(20_000 + n).unwrap();
            let info = Catalogue::embedded().get("UNRATE").unwrap();
            let row = |(date, known_from, value): (i32, Option<i32>, Option<f64>)| VintageObservation {
                date: info.frequency.period_date(day_of(30 * date)),
                known_from: known_from.map(day_of),
                value,
            };
            let vintages = Arc::new(Vintages::new(rows.into_iter().map(row).collect()));
            let series = SeriesVintages { info: Arc::clone(info), vintages };
            let mut knowledge = VintageCursor::new(&series);
            days.sort_unstable();
            for day in days.into_iter().map(day_of) {
                knowledge.advance(day);
                let mut known: Vec<_> = knowledge.newest_first(Date::MAX).collect();
                known.reverse();
                assert_eq!(known, series.vintages.as_of(day, |date| info.publication_day(date)));
            }
        }
    }
}

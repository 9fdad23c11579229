//! How old the figures that are held are, by how often they come. A projection, which is dated ahead, has no age.

use crate::catalogue::Catalogue;
use crate::desk::Holdings;
use crate::model::Date;
use crate::model::frequency::days_between;
use crate::model::observation::is_stale;
use std::collections::BTreeMap;

/// Series of one frequency.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Age {
    /// Days from the end of the newest figure's period to today, of each series; ascending.
    days: Vec<i64>,
    /// Series whose next figure should be there by now.
    pub(super) late: usize,
}

impl Age {
    pub(super) fn series(&self) -> usize {
        self.days.len()
    }

    pub(super) fn youngest(&self) -> i64 {
        seconds(self.days.first())
    }

    pub(super) fn median(&self) -> i64 {
        seconds(self.days.get(self.days.len() / 2))
    }
}

fn seconds(days: Option<&i64>) -> i64 {
    days.copied().unwrap_or_default() * 86_400
}

/// The ages of the catalogue's series by frequency, composites aside, and how many series are projections.
pub(super) fn of(held: &Holdings, today: Date) -> (BTreeMap<&'static str, Age>, usize) {
    let catalogue = Catalogue::embedded();
    let mut ages: BTreeMap<&'static str, Age> = BTreeMap::new();
    let mut projections = 0;
    for status in held.iter() {
        let Some(info) = catalogue.get(status.id.as_str()) else {
            continue;
        };
        let (frequency, last) = (info.frequency, status.last);
        if info.is_composite() {
            continue;
        }
        if last > today {
            projections += 1;
            continue;
        }
        let age = ages.entry(frequency.word()).or_default();
        age.days
            .push(days_between(frequency.period_end(last), today).max(0));
        age.late += usize::from(is_stale(last, today, frequency, info.publication_lag_days));
    }
    for age in ages.values_mut() {
        age.days.sort_unstable();
    }
    (ages, projections)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::{Desk, Settings};
    use crate::model::{Observation, SeriesId};
    use crate::store::{Sqlite, Store, Write};
    use jiff::civil::date;
    use std::sync::Arc;

    #[test]
    fn figures_are_as_old_as_the_end_of_their_period_and_projections_have_no_age() {
        let store = Sqlite::in_memory().unwrap();
        for (id, last) in [
            ("DGS10", date(2026, 1, 8)),
            ("DGS2", date(2025, 12, 1)),
            ("UNRATE", date(2025, 12, 1)),
            ("GDPPOT", date(2036, 10, 1)),
        ] {
            let write = Write {
                id: &SeriesId::new(id).unwrap(),
                observations: &[Observation::new(last, 4.0)],
                known_from: None,
                fetched_at: "2026-01-10T00:00:00Z".parse().unwrap(),
                origin: "import",
            };
            store.write(write).unwrap();
        }
        let now = || "2026-01-10T12:00:00Z".parse().unwrap();
        let desk = Desk::open(Arc::new(store), Settings::default(), Arc::new(now));
        let (ages, projections) = of(&desk.holdings().unwrap(), desk.today());
        let daily = &ages["daily"];
        assert_eq!(
            (daily.series(), daily.late),
            (2, 1),
            "DGS2 is forty days old"
        );
        assert_eq!(daily.youngest(), 2 * 86_400);
        assert_eq!(daily.median(), 40 * 86_400);
        assert_eq!(
            ages["monthly"].youngest(),
            10 * 86_400,
            "from the month's end"
        );
        assert_eq!((ages["monthly"].late, projections), (0, 1));
    }
}

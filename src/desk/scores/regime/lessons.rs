//! What could be learnt of the bridges by a day: each first print beside what was known before it.

use super::seen::known;
use crate::desk::local::Desk;
use crate::error::Result;
use crate::indicators::months::{Month, Months};
use crate::indicators::nowcast::bridges::{self, Coefficients};
use crate::indicators::regime::Grids;
use crate::indicators::statistics::least_squares;
use crate::model::frequency::shift;
use crate::model::{AsOf, Date, Observation, SeriesSet};
use jiff::ToSpan;

/// First months of the regressions: of claims, of gasoline.
const FIRST: Month = Month::new(1970, 1);
const FIRST_GASOLINE: Month = Month::new(1992, 1);
/// The last month that bridges are fitted to.
pub(super) const LAST_LEARNT: Month = Month::new(2019, 12);
/// The fewest months that a regression is made of.
const FEWEST: usize = 36;

/// When a first print was known, what there was to expect it from, and what it was.
type Lesson<const N: usize> = (Date, [f64; N], f64);

/// Every first print up to 2019.
#[derive(Default)]
pub(super) struct Lessons {
    payrolls: Vec<Lesson<4>>,
    production: Vec<Lesson<4>>,
    unemployment: Vec<Lesson<4>>,
    prices: Vec<Lesson<2>>,
}

impl Lessons {
    pub(super) fn of(desk: &Desk) -> Result<Self> {
        let weekly = desk.set(["ICSA", "GASREGW"], AsOf::Latest)?;
        let weekly = Weekly::of(&weekly);
        let mut lessons = Self::default();
        let mut before = grids(desk, FIRST)?;
        // Six months for prints that were late.
        for end in FIRST.plus(1).until(LAST_LEARNT.plus(6)) {
            let now = grids(desk, end)?;
            lessons.take(end.last_day(), (&before, &now), &weekly);
            before = now;
        }
        Ok(lessons)
    }

    fn take(&mut self, day: Date, (before, now): (&Grids, &Grids), weekly: &Weekly) {
        let growth = |before: &Months, now: &Months, m| {
            Some((bridges::momentum(before, m)?, now.log_change(m, 1, 100.0)?))
        };
        for m in printed(&before.payrolls, &now.payrolls) {
            let found = growth(&before.payrolls, &now.payrolls, m);
            self.payrolls.extend(weekly.lesson(day, m, found));
        }
        for m in printed(&before.production, &now.production) {
            let found = growth(&before.production, &now.production, m);
            self.production.extend(weekly.lesson(day, m, found));
        }
        let (old, new) = (&before.unemployment, &now.unemployment);
        for m in printed(old, new) {
            let moved = new.get(m).zip(new.get(m.plus(-1))).map(|(a, b)| a - b);
            let found = bridges::drift(old, m).zip(moved);
            self.unemployment.extend(weekly.lesson(day, m, found));
        }
        for m in printed(&before.prices, &now.prices) {
            let core = before.core.log_change(m.plus(-1), 12, 100.0);
            let beyond = now.prices.log_change(m, 1, 100.0).zip(core);
            let beyond = beyond.map(|(all, core)| all - core / 12.0);
            let found = weekly
                .gasoline(m)
                .zip(beyond)
                .filter(|_| m >= FIRST_GASOLINE);
            self.prices
                .extend(found.map(|(row, beyond)| (day, row, beyond)));
        }
    }

    /// The coefficients that could be had on a day; those that ship where there was too little, and none of gasoline.
    pub(super) fn until(&self, day: Date) -> Coefficients {
        let shipped = bridges::SHIPPED;
        Coefficients {
            payrolls: fitted(&self.payrolls, day).unwrap_or(shipped.payrolls),
            production: fitted(&self.production, day).unwrap_or(shipped.production),
            unemployment: fitted(&self.unemployment, day).unwrap_or(shipped.unemployment),
            prices: fitted(&self.prices, day).unwrap_or_default(),
        }
    }
}

fn fitted<const N: usize>(lessons: &[Lesson<N>], day: Date) -> Option<[f64; N]> {
    let known = lessons.iter().filter(|l| l.0 <= day);
    let (rows, outcomes): (Vec<[f64; N]>, Vec<f64>) = known.map(|l| (l.1, l.2)).unzip();
    match rows.len() >= FEWEST {
        true => least_squares(&rows, &outcomes),
        false => None,
    }
}

fn grids(desk: &Desk, end: Month) -> Result<Grids> {
    let day = end.last_day();
    Ok(Grids::read(&known(desk, day)?, day))
}

/// The months that came between two states.
fn printed(before: &Months, now: &Months) -> impl Iterator<Item = Month> {
    let span = before.last().zip(now.last());
    let months = span.into_iter();
    let months = months.flat_map(|(before, now)| before.plus(1).until(now));
    months.filter(|m| (FIRST..=LAST_LEARNT).contains(m))
}

/// Weekly figures, whole and as they were at each month's end.
struct Weekly<'a> {
    claims: &'a [Observation],
    gasoline: &'a [Observation],
    claims_moved: Months,
    gasoline_moved: Months,
}

impl<'a> Weekly<'a> {
    fn of(set: &'a SeriesSet) -> Self {
        let [claims, gasoline] =
            ["ICSA", "GASREGW"].map(|id| set.get(id).map_or(&[][..], |s| &s.observations));
        Self {
            claims,
            gasoline,
            claims_moved: bridges::moves(claims),
            gasoline_moved: bridges::moves(gasoline),
        }
    }

    fn lesson(&self, day: Date, m: Month, found: Option<(f64, f64)>) -> Option<Lesson<4>> {
        let (mean, outcome) = found?;
        let claims = by_its_end(self.claims, 5, m)?;
        let before = self.claims_moved.get(m.plus(-1))?;
        Some((day, [1.0, mean, claims, before], outcome))
    }

    fn gasoline(&self, m: Month) -> Option<[f64; 2]> {
        let [_, usual] = bridges::gasoline_at(&self.gasoline_moved, m)?;
        Some([by_its_end(self.gasoline, 1, m)?, usual])
    }
}

/// How far the weeks that were out by the month's end, so many days after their stamps, lie from the month before.
fn by_its_end(weeks: &[Observation], lag: i64, m: Month) -> Option<f64> {
    let first = weeks.partition_point(|o| o.date < m.plus(-1).first_day());
    let end = weeks.partition_point(|o| shift(o.date, lag.days()) <= m.last_day());
    bridges::moves(weeks.get(first..end)?).get(m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::store::Sqlite;
    use std::sync::Arc;

    #[test]
    fn the_bridges_that_ship_are_what_all_first_prints_up_to_2019_teach() {
        let store = Arc::new(Sqlite::bundled().unwrap());
        let desk = Desk::open(store, Settings::default(), Desk::system_clock());
        let lessons = Lessons::of(&desk).unwrap();
        assert_eq!(lessons.payrolls.len(), 600);
        assert_eq!(lessons.prices.len(), 336);
        let (found, shipped) = (lessons.until(Date::MAX), bridges::SHIPPED);
        let close = |found: &[f64], shipped: &[f64]| {
            for (found, shipped) in found.iter().zip(shipped) {
                assert!(
                    (found - shipped).abs() <= 0.6e-6,
                    "{found}, printed {shipped}"
                );
            }
        };
        close(&found.payrolls, &shipped.payrolls);
        close(&found.production, &shipped.production);
        close(&found.unemployment, &shipped.unemployment);
        close(&found.prices, &shipped.prices);
    }
}

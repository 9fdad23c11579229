//! What could be learnt of the bridges by a day: each first print beside what was known before it.

use super::seen::known;
use econoscope_core::error::Result;
use econoscope_core::indicators::months::{Month, Months};
use econoscope_core::indicators::nowcast::GASOLINE_OUT_AFTER;
use econoscope_core::indicators::nowcast::bridges::{self, Coefficients};
use econoscope_core::indicators::recession_now::OUT_AFTER;
use econoscope_core::indicators::regime::MonthlyInputs;
use econoscope_core::indicators::statistics::least_squares;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Observation, SeriesSet};
use econoscope_data::desk::Desk;
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
        let set = desk.set(["ICSA", "GASREGW"], AsOf::Latest)?;
        let weekly = [("ICSA", OUT_AFTER), ("GASREGW", GASOLINE_OUT_AFTER)];
        let weekly = weekly.map(|(id, lag)| Weekly::of(&set, id, lag));
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

    fn take(
        &mut self,
        day: Date,
        (before, now): (&MonthlyInputs, &MonthlyInputs),
        weekly: &[Weekly; 2],
    ) {
        let [claims, gasoline] = weekly;
        let lesson = |m: Month, mean: Option<f64>, outcome: Option<f64>| {
            let usual = claims.moved.get(m.plus(-1))?;
            let row = [1.0, mean?, claims.by_the_end(m)?, usual];
            Some((day, row, outcome?))
        };
        let growth = |grid: fn(&MonthlyInputs) -> &Months| {
            let (before, now) = (grid(before), grid(now));
            let moved = |m| now.log_change(m, 1, 100.0);
            let months = printed(before, now);
            let all = months.filter_map(|m| lesson(m, bridges::momentum(before, m), moved(m)));
            all.collect::<Vec<_>>()
        };
        self.payrolls.extend(growth(|grids| &grids.payrolls));
        self.production.extend(growth(|grids| &grids.production));
        let (old, new) = (&before.unemployment, &now.unemployment);
        let moved = |m: Month| Some(new.get(m)? - new.get(m.plus(-1))?);
        let months = printed(old, new);
        let all = months.filter_map(|m| lesson(m, bridges::drift(old, m), moved(m)));
        self.unemployment.extend(all);
        let months = printed(&before.prices, &now.prices).filter(|m| *m >= FIRST_GASOLINE);
        self.prices.extend(months.filter_map(|m| {
            let core = before.core.log_change(m.plus(-1), 12, 100.0)?;
            let beyond = now.prices.log_change(m, 1, 100.0)? - core / 12.0;
            let [_, usual] = bridges::gasoline_at(&gasoline.moved, m)?;
            Some((day, [gasoline.by_the_end(m)?, usual], beyond))
        }));
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
    let is_enough = rows.len() >= FEWEST;
    is_enough.then(|| least_squares(&rows, &outcomes))?
}

fn grids(desk: &Desk, end: Month) -> Result<MonthlyInputs> {
    let day = end.last_day();
    Ok(MonthlyInputs::read(&known(desk, day)?, day))
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
    weeks: &'a [Observation],
    /// Days after its stamp on which a week is out.
    lag: i64,
    moved: Months,
}

impl<'a> Weekly<'a> {
    fn of(set: &'a SeriesSet, id: &str, lag: i64) -> Self {
        let weeks = set.get(id).map_or(&[][..], |s| &s.observations);
        let moved = bridges::moves(weeks);
        Self { weeks, lag, moved }
    }

    /// How far the weeks that were out by the month's end lie from the month before.
    fn by_the_end(&self, m: Month) -> Option<f64> {
        let is_out = |o: &Observation| shift(o.date, self.lag.days()) <= m.last_day();
        let before = m.plus(-1).first_day();
        let first = self.weeks.partition_point(|o| o.date < before);
        let end = self.weeks.partition_point(is_out);
        bridges::moves(self.weeks.get(first..end)?).get(m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_data::desk::Settings;
    use econoscope_data::store::Sqlite;
    use std::sync::Arc;

    #[test]
    fn the_bridges_that_ship_are_what_all_first_prints_up_to_2019_teach() {
        let store = Arc::new(Sqlite::bundled().unwrap());
        let desk = Desk::open(store, Settings::default(), Desk::system_clock());
        let lessons = Lessons::of(&desk).unwrap();
        assert_eq!(lessons.payrolls.len(), 600);
        assert_eq!(lessons.prices.len(), 335);
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

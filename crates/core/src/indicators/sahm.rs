//! Sahm rule: unemployment's three-month mean against its low of the year before (docs/METHODS.md#sahm-rule).
//!
//! Two figures answer to the name: SAHMREALTIME, which used for each month only what was known then and
//! never changes, and a computation from today's UNRATE. They differ by at most 0.37 since 1960.

use super::months::{Month, Months};
use crate::model::series_info::round_to;
use crate::model::{Date, Observation, SeriesSet};

/// Percentage points from which on the rule signals the start of a recession.
pub const TRIGGER: f64 = 0.5;

/// Lows that must be known of the twelve months before: a month never published must not silence the rule
/// for a year, two neighbouring ones may.
const FEWEST_LOWS: usize = 10;

/// The newest figure of the rule up to `day` from current UNRATE, and since when it is late.
pub fn computed(set: &SeriesSet, day: Date) -> Option<(Observation, Option<Date>)> {
    let unrate = set.get("UNRATE")?;
    let last = *history(unrate.up_to(day)).last()?;
    Some((last, unrate.late_since(last.date, day)))
}

/// The rule computed from unemployment rates of one vintage, percentage points, two decimals.
///
/// Formula: mean of three months less the lowest such mean of the twelve months before. A mean needs two of
/// its three months (October 2025 was never published).
pub fn history(unemployment: &[Observation]) -> Vec<Observation> {
    let grid = Months::lasts(unemployment);
    let months = grid.iter().map(|(m, _)| m);
    let means = Months::new(months.filter_map(|m| Some((m, grid.mean3(m, 2)?))));
    let gap = |(m, now): (Month, f64)| {
        let before: Vec<f64> = (1..=12).filter_map(|k| means.get(m.plus(-k))).collect();
        let low = before.iter().copied().min_by(f64::total_cmp)?;
        let is_enough = before.len() >= FEWEST_LOWS;
        is_enough.then(|| Observation::new(m.first_day(), round_to(now - low, 2)))
    };
    means.iter().filter_map(gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::months::Month;
    use crate::indicators::testdata;
    use jiff::civil::date;

    const INPUTS: &[&str] = &["SAHMREALTIME", "UNRATE"];

    fn of_today(set: &SeriesSet) -> Months {
        Months::lasts(&history(&set.get("UNRATE").unwrap().observations))
    }

    #[test]
    fn the_computation_follows_the_published_figures() {
        let set = testdata::load(INPUTS);
        let ours = of_today(&set);
        let published = &set.get("SAHMREALTIME").unwrap().observations;
        let gap = |o: &Observation| ours.get(Month::of(o.date)).map(|v| (v - o.value).abs());
        let last: Vec<_> = published
            .iter()
            .filter(|o| o.date >= date(2025, 12, 1))
            .collect();
        assert!(last.len() >= 8, "{} months", last.len());
        for o in last {
            assert!(gap(o).unwrap() <= 0.01 + 1e-9, "{}", o.date);
        }
        let since_1960 = published.iter().filter(|o| o.date >= date(1960, 1, 1));
        let largest = since_1960.filter_map(gap).fold(0.0, f64::max);
        assert_eq!(round_to(largest, 2), 0.37);
        assert_eq!(ours.get(Month::new(2025, 11)), Some(0.35));
        assert_eq!(
            set.get("SAHMREALTIME").unwrap().at(date(2025, 11, 1)),
            Some(0.43)
        );
    }

    #[test]
    fn the_false_signals_are_all_there_are() {
        let set = testdata::load(INPUTS);
        let published = &set.get("SAHMREALTIME").unwrap().observations;
        let recessions = &crate::indicators::nber::RECESSIONS;
        let near = |m: Month| {
            let held = |r: &crate::indicators::nber::Recession| {
                r.peak < m.plus(8) && m.plus(-8) <= r.trough
            };
            recessions.iter().any(held)
        };
        let runs = published.chunk_by(|a, b| (a.value >= TRIGGER) == (b.value >= TRIGGER));
        let alone: Vec<_> = runs
            .filter(|r| r[0].value >= TRIGGER)
            .map(|r| (Month::of(r[0].date), Month::of(r[r.len() - 1].date)))
            .filter(|&(from, to)| {
                !(0..)
                    .map(|k| from.plus(k))
                    .take_while(|m| *m <= to)
                    .any(near)
            })
            .collect();
        let known = [
            (Month::new(1976, 11), Month::new(1976, 11)),
            (Month::new(2024, 7), Month::new(2024, 9)),
        ];
        assert_eq!(alone, known);
    }

    #[test]
    fn a_stale_figure_says_since_when_it_is_late() {
        let set = testdata::load(INPUTS);
        let (last, late) = computed(&set, date(2026, 11, 21)).unwrap();
        assert_eq!(
            (last.date, late),
            (date(2026, 7, 1), Some(date(2026, 9, 21)))
        );
        assert_eq!(computed(&SeriesSet::default(), date(2026, 8, 22)), None);
    }

    #[test]
    fn one_absent_month_does_not_silence_the_rule_and_a_short_history_does() {
        let rate = |m: i32, v| Observation::new(Month::new(2024, 1).plus(m).first_day(), v);
        let mut rates: Vec<_> = (0..20).map(|m| rate(m, 4.0)).collect();
        rates.remove(10);
        rates.push(rate(20, 4.9));
        let h = history(&rates);
        assert_eq!(h.last().unwrap().value, 0.3);
        // February 2024 has the first mean; November 2024 has none; ten lows are there in January 2025.
        assert_eq!(h.first().unwrap().date, date(2025, 1, 1));
    }
}

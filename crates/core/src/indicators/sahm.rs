//! Sahm rule: unemployment's three-month mean against its low of the year before (docs/COMPOSITES.md#sahm-rule).
//!
//! Two figures have the name: SAHMREALTIME, which is computed for each month from the data known then and
//! never changes, and a computation from today's UNRATE. They differ by at most 0.37 since 1960.

use super::composite::Indicator;
use super::months::{Month, MonthlyGrid};
use super::prose;
use super::reading::{Input, Reading};
use crate::model::series_info::round_to;
use crate::model::{Date, Observation, SeriesSet};

/// Percentage points from which the rule signals the start of a recession.
pub const TRIGGER: f64 = 0.5;

/// The rule as an indicator that can be explained; it is published as a series and is no composite.
pub const SAHM: Indicator = Indicator { id: "SAHM" };

/// Means needed of the twelve months before: one unpublished month must not disable the rule
/// for a year, two neighbouring ones may.
const MIN_MEANS: usize = 10;

/// Returns the newest figure of the rule up to `day` from current UNRATE, and since when it is late.
pub fn computed(set: &SeriesSet, day: Date) -> Option<(Observation, Option<Date>)> {
    let unrate = set.get("UNRATE")?;
    let last = *history(unrate.up_to(day)).last()?;
    Some((last, unrate.timeliness(last.date, day).due_by()))
}

/// Computes the rule from unemployment rates of one vintage, percentage points, two decimals.
///
/// Formula: mean of three months less the lowest such mean of the twelve months before. A mean needs two of
/// its three months (October 2025 was never published).
pub fn history(unemployment: &[Observation]) -> Vec<Observation> {
    let gap = |p: Parts| Observation::new(p.month.first_day(), round_to(p.mean - p.low, 2));
    parts(unemployment).into_iter().map(gap).collect()
}

/// Computes the rule at a day from the unemployment rates of a set, with its two parts as inputs.
pub fn reading(set: &SeriesSet, day: Date) -> Reading {
    let newest = parts(set.up_to("UNRATE", day)).pop();
    let missing = || "UNRATE has too few months".to_owned();
    let input = |name, sign: f64, part: fn(Parts) -> (f64, Month)| {
        let value = newest.map(part);
        let dated = value.map(|(value, month)| (value, month.first_day()));
        Input {
            contribution: value.map(|(value, _)| sign * value),
            ..Input::new((name, &["UNRATE"], "%"), dated.ok_or_else(missing))
        }
    };
    let low = "Lowest such mean of the 12 months before";
    let inputs = vec![
        input("Unemployment, mean of 3 months", 1.0, |p| (p.mean, p.month)),
        input(low, -1.0, |p| (p.low, p.low_month)),
    ];
    match newest {
        Some(p) => Reading::new(p.month.first_day(), p.mean - p.low, inputs),
        None => Reading::without_value(day, missing(), inputs),
    }
}

/// Returns "signal" or "no signal" for a figure of the rule, which is rounded to two decimals.
pub fn state(value: f64) -> &'static str {
    if round_to(value, 2) >= TRIGGER {
        "signal"
    } else {
        "no signal"
    }
}

/// Describes the figure and the track record of the rule.
pub fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::describe_unavailable("The Sahm rule", reading);
    };
    format!(
        "Computed from the unemployment rates known on the day: {} percentage points, {}. SAHMREALTIME is the published \
         figure. With a recession within eight months of a signal as the test, it gave false signals in November 1976 and \
         from July to September 2024. Read it beside RNOW, whose alarm found nearly all ends sooner.",
        prose::format_number(value, 2),
        state(value),
    )
}

/// A month with its mean, and the lowest mean of the twelve months before with its month.
#[derive(Debug, Clone, Copy)]
struct Parts {
    month: Month,
    mean: f64,
    low: f64,
    low_month: Month,
}

/// Returns every month that has both means.
fn parts(unemployment: &[Observation]) -> Vec<Parts> {
    let rates = MonthlyGrid::from_last_values(unemployment);
    let means = rates.map(|month, _| rates.three_month_mean(month, 2));
    let parts = |(month, mean): (Month, f64)| {
        let earlier = (1..=12).map(|k| month.plus(-k));
        let before: Vec<(Month, f64)> = earlier.filter_map(|m| Some((m, means.get(m)?))).collect();
        let lowest = before.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let (low_month, low) = lowest.filter(|_| before.len() >= MIN_MEANS)?;
        Some(Parts {
            month,
            mean,
            low,
            low_month,
        })
    };
    means.iter().filter_map(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::months::Month;
    use crate::indicators::testdata;
    use jiff::civil::date;

    const INPUTS: &[&str] = &["SAHMREALTIME", "UNRATE"];

    fn of_today(set: &SeriesSet) -> MonthlyGrid {
        MonthlyGrid::from_last_values(&history(&set.get("UNRATE").unwrap().observations))
    }

    #[test]
    fn alarm_and_formula_have_the_trigger() {
        let definition = SAHM.definition();
        let alarm = definition.alarm.unwrap();
        assert_eq!([alarm.on, alarm.off], [TRIGGER; 2]);
        assert!(
            definition
                .formula
                .contains(&format!("{TRIGGER:.2} or more"))
        );
    }

    #[test]
    fn computation_is_close_to_the_published_figures() {
        let set = testdata::load(INPUTS);
        let ours = of_today(&set);
        let published = &set.get("SAHMREALTIME").unwrap().observations;
        let gap = |o: &Observation| {
            ours.get(Month::from_date(o.date))
                .map(|v| (v - o.value).abs())
        };
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
            set.get("SAHMREALTIME").unwrap().value_on(date(2025, 11, 1)),
            Some(0.43)
        );
    }

    #[test]
    fn only_the_known_false_signals_occur() {
        let set = testdata::load(INPUTS);
        let published = &set.get("SAHMREALTIME").unwrap().observations;
        let recessions = &crate::indicators::nber::RECESSIONS;
        let near = |m: Month| {
            recessions
                .iter()
                .any(|r| r.peak < m.plus(8) && m.plus(-8) <= r.trough)
        };
        let runs = published.chunk_by(|a, b| (a.value >= TRIGGER) == (b.value >= TRIGGER));
        let alone: Vec<_> = runs
            .filter(|r| r[0].value >= TRIGGER)
            .map(|r| {
                (
                    Month::from_date(r[0].date),
                    Month::from_date(r[r.len() - 1].date),
                )
            })
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
    fn reading_adds_up_to_the_rule() {
        let set = testdata::load(INPUTS);
        let now = reading(&set, date(2020, 5, 31));
        assert_eq!(now.date, date(2020, 5, 1));
        let value = now.value.unwrap();
        assert_eq!(
            Some(round_to(value, 2)),
            of_today(&set).get(Month::new(2020, 5))
        );
        let sum: f64 = now.inputs.iter().filter_map(|i| i.contribution).sum();
        assert!((value - sum).abs() < 1e-9 && value > 5.0, "{value} {sum}");
        let none = reading(&SeriesSet::default(), date(2020, 5, 31));
        assert_eq!((none.value, none.inputs.len()), (None, 2));
    }

    #[test]
    fn stale_figure_has_the_day_since_it_is_late() {
        let set = testdata::load(INPUTS);
        let (last, late) = computed(&set, date(2026, 11, 21)).unwrap();
        assert_eq!(
            (last.date, late),
            (date(2026, 7, 1), Some(date(2026, 9, 21)))
        );
        assert_eq!(computed(&SeriesSet::default(), date(2026, 8, 22)), None);
    }

    #[test]
    fn rule_survives_one_absent_month_but_needs_history() {
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

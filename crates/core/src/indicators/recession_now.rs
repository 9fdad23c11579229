//! Recession now, RNOW, method rnow-v1: docs/COMPOSITES.md#recession-now.
//!
//! A probit on weekly claims and on payrolls: is this month a recession month? Each week is computed from what was known
//! on its Thursday, payrolls in the vintage of that day, and is never recomputed; the newest one changes with new figures
//! until the next Thursday. An alarm begins after two Thursdays in a row and ends after four.

use super::composite::{Composite, Computation, Indicator};
use super::months::{Month, log_ratio};
use super::prose;
use super::reading::{Input, Reading, Trend};
use super::record::{LAST_SCORED, counted, sentence};
use super::shapley::attributed_reading;
use super::statistics::{mean, normal_cdf};
use crate::model::frequency::{add_days, days_between};
use crate::model::{Date, Observation, SeriesSet, SeriesVintages, VintageCursor};

/// Recession now, 0 to 100, weekly.
pub const RNOW: Composite = Composite {
    indicator: Indicator { id: "SERVICE_RNOW" },
    computation: Computation::RealTime {
        reading,
        path,
        release_day,
    },
    interpret,
};

const CLAIMS: &str = "ICSA";
const PAYROLLS: &str = "PAYEMS";

/// Days after the Saturday of a week on which its claims are out.
pub const RELEASE_DAYS: i64 = 5;
/// Weeks in a mean, and the weeks before the newest at which the means of comparison end.
const MEAN_WEEKS: usize = 4;
const COMPARISON: std::ops::RangeInclusive<usize> = 4..=56;
/// Weeks of claims needed.
const WEEKS: usize = *COMPARISON.end() + MEAN_WEEKS;
/// Age of the newest week above which there is no value.
const STALE_DAYS: i64 = 14;
/// Greatest age of payrolls, in months before the month of the day.
const MAX_PAYROLL_AGE: i32 = 3;
/// Means of c and p over the months of the fit: the reference of the contributions.
const USUAL: [f64; 2] = [0.442, 1.431];

/// Returns the probability, 0 to 100.
pub fn probability(claims: f64, payrolls: f64) -> f64 {
    100.0 * normal_cdf(-1.9568 + 0.1263 * claims - 0.0993 * payrolls)
}

/// A driver with the date of its newest figure, or why there is none.
type Driver = Result<(f64, Date), String>;

/// Returns c: four weeks of claims against the year before, percent, with the newest week. Weeks come newest first.
///
/// `None` unless every week is present.
pub fn claims_gap(weeks: impl Iterator<Item = Observation>) -> Option<(Date, f64)> {
    let mut newest = weeks.take(WEEKS).peekable();
    let first = newest.peek()?.date;
    let consecutive = newest
        .zip((0..).step_by(7))
        .take_while(|(week, days)| days_between(week.date, first) == *days);
    let values: Vec<f64> = consecutive.map(|(week, _)| week.value).collect();
    if values.len() < WEEKS {
        return None;
    }
    let mut means: Vec<f64> = values.windows(MEAN_WEEKS).filter_map(mean).collect();
    let now = *means.first()?;
    let comparison = means.get_mut(COMPARISON)?;
    // Their number is odd.
    let middle = comparison.len() / 2;
    let (_, median, _) = comparison.select_nth_unstable_by(middle, f64::total_cmp);
    let gap = 100.0 * log_ratio(now, *median)?;
    Some((first, gap.clamp(-40.0, 60.0)))
}

/// Returns p: growth of payrolls over three months, percent a year, of the newest month that has it. Months come
/// newest first.
pub fn payroll_growth(
    months: impl Iterator<Item = Observation>,
    day: Date,
) -> Option<(Month, f64)> {
    let oldest = Month::from_date(day).plus(-MAX_PAYROLL_AGE);
    let dated = months.map(|o| (Month::from_date(o.date), o.value));
    let needed = dated.take_while(|(m, _)| *m >= oldest.plus(-3));
    let levels: Vec<(Month, f64)> = needed.collect();
    let level = |month| levels.iter().find(|(m, _)| *m == month).map(|(_, v)| *v);
    let recent = levels.iter().take_while(|(m, _)| *m >= oldest);
    recent.copied().find_map(|(month, value)| {
        let growth = 400.0 * log_ratio(value, level(month.plus(-3))?)?;
        Some((month, growth.clamp(-6.0, 6.0)))
    })
}

/// Returns the Thursday on which the claims of a week are published.
pub fn release_day(week: Date) -> Date {
    add_days(week, RELEASE_DAYS)
}

/// Computes every week whose claims were published by `until`, each from what was known on its Thursday.
pub fn path(recorded: &[SeriesVintages], until: Date) -> Vec<Observation> {
    path_with(recorded, until, |_, [c, p]| Some(probability(c, p)))
}

/// Computes the path with another formula of a Thursday's c and p; a week without a value is left out.
pub fn path_with(
    recorded: &[SeriesVintages],
    until: Date,
    mut formula: impl FnMut(Date, [f64; 2]) -> Option<f64>,
) -> Vec<Observation> {
    let find = |id: &str| recorded.iter().find(|r| r.info.id.as_str() == id);
    let (Some(claims), Some(payrolls)) = (find(CLAIMS), find(PAYROLLS)) else {
        return Vec::new();
    };
    let mut weeks = VintageCursor::new(claims);
    let mut months = VintageCursor::new(payrolls);
    let first = claims.vintages.rows().first().map(|row| row.date);
    let saturdays = std::iter::successors(first, |week| Some(add_days(*week, 7)));
    let published = saturdays.take_while(|week| release_day(*week) <= until && *week < Date::MAX);
    let figure = |week| {
        let day = release_day(week);
        weeks.advance(day);
        months.advance(day);
        let (_, c) = claims_gap(weeks.newest_first(week)).filter(|(newest, _)| *newest == week)?;
        let (_, p) = payroll_growth(months.newest_first(day), day)?;
        Some(Observation::new(week, formula(day, [c, p])?))
    };
    published.filter_map(figure).collect()
}

/// Returns the weekly claims published by a day, ascending, and the Saturday of the newest week.
///
/// # Errors
/// Why there are no current claims.
pub fn published_claims(set: &SeriesSet, day: Date) -> Result<(Date, &[Observation]), String> {
    let claims = set.up_to(CLAIMS, day);
    // A week counts from its Thursday, even where it was loaded sooner.
    let end = claims.partition_point(|o| release_day(o.date) <= day);
    let published = claims.get(..end).unwrap_or_default();
    match published.last().map(|o| o.date) {
        None => Err(set.describe_missing(CLAIMS, day)),
        Some(week) if days_between(week, day) > STALE_DAYS => Err(format!(
            "the newest week of ICSA ended on {week}, more than {STALE_DAYS} days before {day}"
        )),
        Some(week) => Ok((week, published)),
    }
}

/// Returns c, percent, and p, percent a year, of a day.
fn drivers(set: &SeriesSet, day: Date) -> [Driver; 2] {
    let claims = published_claims(set, day).and_then(|(week, weeks)| {
        let gap = claims_gap(weeks.iter().rev().copied()).map(|(week, c)| (c, week));
        gap.ok_or_else(|| format!("ICSA lacks one of the {WEEKS} weeks up to {week}"))
    });
    let mut newest_first = set.up_to(PAYROLLS, day).iter().rev().copied();
    let growth = payroll_growth(newest_first.clone(), day);
    let dated_growth = growth.map(|(month, p)| (p, month.first_day()));
    let payrolls = dated_growth.ok_or_else(|| match newest_first.next() {
        None => set.describe_missing(PAYROLLS, day),
        Some(o) => format!("PAYEMS has no growth over three months since {}", o.date),
    });
    [claims, payrolls]
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let [claims, payrolls] = drivers(set, day);
    // Without a figure it is the day that was asked for.
    let week = payrolls.as_ref().and(claims.as_ref());
    let date = week.map_or(day, |(_, week)| *week);
    let name = "Initial claims, 4 weeks against the year before";
    let inputs = [
        Input::new((name, &[CLAIMS], "log %"), claims),
        Input::new(
            ("Payrolls over 3 months", &[PAYROLLS], "% annualized"),
            payrolls,
        ),
    ];
    let formula = |[c, p]: [Option<f64>; 2]| Some(probability(c?, p?));
    let mut reading = attributed_reading(date, inputs, USUAL, formula);
    if let Some(value) = reading.value {
        let before = drivers(set, add_days(day, -28)).map(|driver| Some(driver.ok()?.0));
        reading.trend = Trend::between(formula(before), value, "4 weeks");
    }
    reading
}

/// Describes the value, the alarm and the track record.
fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::describe_unavailable("Recession now", reading);
    };
    let alarm = reading.alarm.map(|alarm| {
        let state = if alarm.on { "on" } else { "off" };
        let since = |week| format!(" since {}", crate::format::month(week));
        format!(
            "; alarm {state}{}",
            alarm.since.map_or_else(String::new, since)
        )
    });
    format!(
        "{}{}{}. {}",
        prose::capitalize(RNOW.band(value).unwrap_or_default()),
        prose::format_trend(reading.trend.as_ref(), "points", 1),
        alarm.unwrap_or_default(),
        counted(sentence("RNOW caveat"), reading.date, LAST_SCORED),
    )
}

#[cfg(test)]
mod tests;

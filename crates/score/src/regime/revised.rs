//! How the regime of a month's end differs from today's label of the same month, and the periods of growth below trend.

use super::{MonthEnd, Revised, inputs_on};
use crate::detection::{self, Signal, periods_at_or_above};
use crate::{format_rate, format_share, new_table};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::regime::{self, Regime, RegimeMonth};
use econoscope_core::indicators::statistics::average;
use econoscope_core::model::Observation;
use econoscope_core::model::frequency::shift;
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use jiff::ToSpan;
use std::ops::RangeInclusive;

/// The first month with all growth inputs.
pub(super) const SINCE: Month = Month::new(1966, 3);
/// The month of the newest vintage.
const LAST: Month = Month::new(2026, 3);
const SINCE_1985: Month = Month::new(1985, 1);
const MONTHLY_FILES_SINCE: Month = Month::new(1999, 8);
/// Days after a month's first on which permits, the last figure of the month before, are published.
const PERMITS_LAG: i64 = 17;
/// The window in which growth below trend is a warning of a recession: eighteen months.
const WINDOW: RangeInclusive<i64> = -548..=60;

/// The newest regime as known in a month: that month, and the regime.
type Newest<'a> = (Month, &'a RegimeMonth);

fn newest((as_of, months): &MonthEnd) -> Option<Newest<'_>> {
    Some((*as_of, months.last()?))
}

/// Returns the table of the shares of labels and sides that differ today.
pub(super) fn label_table(desk: &Desk, ends: &[MonthEnd], revised: &Revised) -> Result<ScoreTable> {
    let since = |month| -> Vec<Newest> {
        let newest = ends.iter().filter_map(newest);
        newest.filter(|n| (month..=LAST).contains(&n.0)).collect()
    };
    let since_1985 = since(SINCE_1985);
    let mut recessions = since_1985.clone();
    recessions.retain(|n| is_recession(n.0));
    let mid_month_path = mid_month(desk)?;
    let borrowed = mid_month_path.iter().map(|(as_of, n)| (*as_of, n));
    let mid_month: Vec<Newest> = borrowed.collect();
    let mut table = new_table("labels", "regime")?;
    let same_month = |n: &Newest| revised.get(&n.1.month).copied();
    let next_month = |n: &Newest| revised.get(&n.0.plus(1).first_day()).copied();
    let by_revisions = "the same row, by revisions alone, since 1966-03";
    table.row(difference_row(by_revisions, &since(SINCE), same_month));
    let recently = "the same since 1999-08";
    table.row(difference_row(
        recently,
        &since(MONTHLY_FILES_SINCE),
        same_month,
    ));
    let at_its_end = "the month itself at its end, since 1985";
    table.row(difference_row(at_its_end, &since_1985, next_month));
    let in_recessions = "the same in recession months";
    table.row(difference_row(in_recessions, &recessions, next_month));
    let in_its_middle = "the month itself on its 15th, since 1985";
    table.row(difference_row(in_its_middle, &mid_month, next_month));
    let revision = |score: fn(&RegimeMonth) -> f64| {
        let sizes = since_1985
            .iter()
            .filter_map(|n| Some((score(n.1) - score(same_month(n)?)).abs()));
        format_share(average(sizes))
    };
    let cells = [
        "mean absolute revision of the same row, since 1985",
        &since_1985.len().to_string(),
        "",
        &revision(|r| r.growth),
        &revision(|r| r.inflation),
    ];
    table.row(cells);
    table.row(change_row(&since_1985, revised));
    Ok(table)
}

/// Returns the newest regime as known in the middle of each month.
fn mid_month(desk: &Desk) -> Result<Vec<(Month, RegimeMonth)>> {
    let mut months = Vec::new();
    for as_of in SINCE_1985.through(LAST) {
        let day = shift(as_of.first_day(), 14.days());
        let newest = regime::compute(&inputs_on(desk, day)?, day).state;
        months.extend(newest.map(|newest| (as_of, newest)));
    }
    Ok(months)
}

fn is_growth_high(regime: Regime) -> bool {
    matches!(regime, Regime::Goldilocks | Regime::Reflation)
}

fn is_inflation_high(regime: Regime) -> bool {
    matches!(regime, Regime::Reflation | Regime::Stagflation)
}

fn difference_row<'a>(
    name: &str,
    newest: &[Newest<'a>],
    today: impl Fn(&Newest<'a>) -> Option<&'a RegimeMonth>,
) -> Vec<String> {
    let pairs: Vec<(Regime, Regime)> = newest
        .iter()
        .filter_map(|n| Some((n.1.regime, today(n)?.regime)))
        .collect();
    let differs = |side: fn(Regime) -> bool| {
        format_rate(pairs.iter().map(|(then, now)| side(*then) != side(*now)))
    };
    vec![
        name.to_owned(),
        pairs.len().to_string(),
        format_rate(pairs.iter().map(|(then, now)| then != now)),
        differs(is_growth_high),
        differs(is_inflation_high),
    ]
}

/// Returns how often the label changed from one month end to the next, and how many changes were confirmed or undone.
fn change_row(newest: &[Newest], revised: &Revised) -> Vec<String> {
    let mut changes = 0;
    let mut confirmed = 0;
    let mut undone = 0;
    for (i, [(_, before), (_, now)]) in newest.array_windows().enumerate() {
        let old = before.regime;
        let new = now.regime;
        if old == new {
            continue;
        }
        let label_today = |months| {
            let date = Month::from_date(now.month).plus(months).first_day();
            revised.get(&date).map(|month| month.regime)
        };
        let is_turn = |k| label_today(k) == Some(new) && label_today(k - 1) != Some(new);
        let mut next_three = newest.iter().skip(i + 2).take(3);
        changes += 1;
        confirmed += usize::from((-2..=2).any(is_turn));
        undone += usize::from(next_three.any(|n| n.1.regime == old));
    }
    let name = "changes of the label from one month end to the next, since 1985";
    let outcome =
        format!("{confirmed} in today's history within 2 months, {undone} undone within 3");
    let cells = [name, &changes.to_string(), &outcome, "", ""];
    cells.map(str::to_owned).to_vec()
}

/// Returns the table of the periods of growth below trend, from the day on which the month's permits are published.
pub(super) fn detection_table(ends: &[MonthEnd]) -> ScoreTable {
    let reading = |(as_of, newest): Newest| {
        let is_below = !is_growth_high(newest.regime);
        let day = shift(as_of.first_day(), PERMITS_LAG.days());
        Observation::new(day, f64::from(u8::from(is_below)))
    };
    let readings: Vec<Observation> = ends.iter().filter_map(newest).map(reading).collect();
    let count = |is_included: fn(Month) -> bool| {
        let month = |o: &&Observation| Month::from_date(o.date);
        let included = readings
            .iter()
            .filter(|o| is_included(month(o)) && month(o) <= LAST);
        let below = included.clone().filter(|o| o.value > 0.0);
        format!("{} of {}", below.count(), included.count())
    };
    let within = count(is_recession);
    let without = count(|m| !is_recession(m));
    let name = format!(
        "growth below trend: no alarm, it stood in {within} recession months and {without} others since 1966-03"
    );
    let signal = Signal::new(name, periods_at_or_above(1.0, &readings));
    detection::table("regime", SINCE_1985, &WINDOW, &[signal])
}

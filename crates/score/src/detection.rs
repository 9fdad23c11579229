//! The lags of a signal at the start and end of each recession, and its false alarms.

use econoscope_core::indicators::alarm::AlarmPeriod;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::{RECESSIONS, Recession};
use econoscope_core::model::Observation;
use econoscope_core::model::frequency::days_between;
use econoscope_desk::scores::ScoreTable;
use std::ops::RangeInclusive;

/// A signal with the periods for which it was on, by the days on which that was known.
pub(super) struct Signal {
    pub(super) name: String,
    pub(super) periods: Vec<AlarmPeriod>,
}

impl Signal {
    pub(super) fn new(name: impl Into<String>, periods: Vec<AlarmPeriod>) -> Self {
        let name = name.into();
        Self { name, periods }
    }
}

/// Returns the periods for which readings were at a level or above, each from its first to its last such reading. A period
/// that includes the newest reading has no end.
pub(super) fn periods_at_or_above(level: f64, readings: &[Observation]) -> Vec<AlarmPeriod> {
    let newest = readings.last().map(|o| o.date);
    let runs = readings
        .chunk_by(|a, b| (a.value >= level) == (b.value >= level))
        .filter_map(|run| Some((run.first()?, run.last()?.date)));
    let high = runs.filter(|(first, _)| first.value >= level);
    let periods = high.map(|(first, last)| AlarmPeriod {
        from: first.date,
        to: Some(last).filter(|to| Some(*to) != newest),
    });
    periods.collect()
}

/// Returns a table with a row for each signal: its lags at the recessions with a peak in `since` or later.
///
/// Signals belong to a recession from a day of the window, counted from the peak, to one counted from the trough.
pub(super) fn table(
    indicator: &str,
    since: Month,
    window: &RangeInclusive<i64>,
    signals: &[Signal],
) -> ScoreTable {
    let ahead = -window.start();
    let behind = window.end();
    let recessions: Vec<&Recession> = RECESSIONS.iter().filter(|r| r.peak >= since).collect();
    let title = format!(
        "days after the last day of the peak's month until on / after the trough's month until it ended, a level until its \
         last reading; what stood within {ahead} days before a peak or began within {behind} days after a trough belongs to \
         the recession, to the earlier of two"
    );
    let mut table = ScoreTable::new(indicator, &title, &["signal"]);
    let months = |r: &&Recession| format!("{} to {}", r.peak.name(), r.trough.name());
    table.columns.extend(recessions.iter().map(months));
    table.columns.push(format!("false since {}", since.name()));
    for Signal { name, periods } in signals {
        let first = since.first_day();
        let scored = periods.iter().filter(|p| p.to.is_none_or(|to| to >= first));
        let mut rest: Vec<&AlarmPeriod> = scored.collect();
        let mut cells = vec![name.clone()];
        for recession in &recessions {
            let is_near = |p: &&AlarmPeriod| is_near(recession, p, window);
            let (near, others) = rest.into_iter().partition(is_near);
            rest = others;
            cells.push(format_lags(recession, near));
        }
        cells.push(format_periods(&rest));
        table.row(cells);
    }
    table
}

fn is_near(recession: &Recession, period: &AlarmPeriod, window: &RangeInclusive<i64>) -> bool {
    let is_too_early = |to| days_between(recession.peak.last_day(), to) < *window.start();
    days_between(recession.end(), period.from) <= *window.end()
        && !period.to.is_some_and(is_too_early)
}

fn format_lags(recession: &Recession, periods: Vec<&AlarmPeriod>) -> String {
    if periods.is_empty() {
        return "never".to_owned();
    }
    let lags = periods.into_iter().map(|period| {
        let on = days_between(recession.peak.last_day(), period.from).to_string();
        let off = period
            .to
            .map(|to| days_between(recession.end(), to).to_string());
        (on, off.unwrap_or("still on".to_owned()))
    });
    let (on, off): (Vec<String>, Vec<String>) = lags.unzip();
    format!("{} / {}", on.join(" and "), off.join(" and "))
}

fn format_periods(periods: &[&AlarmPeriod]) -> String {
    let format = |period: &&AlarmPeriod| {
        let to = period.to.map_or("now".to_owned(), |to| to.to_string());
        format!("{} to {to}", period.from)
    };
    let all: Vec<String> = periods.iter().map(format).collect();
    match all.len() {
        0 => "none".to_owned(),
        n => format!("{n}: {}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn periods_last_from_the_first_to_the_last_high_reading() {
        let readings = [1.0, 5.0, 6.0, 4.9, 5.0];
        let readings: Vec<Observation> = (1..)
            .zip(readings)
            .map(|(day, value)| Observation::new(date(2001, 3, day), value))
            .collect();
        let period = |from, to: Option<i8>| AlarmPeriod {
            from: date(2001, 3, from),
            to: to.map(|to| date(2001, 3, to)),
        };
        assert_eq!(
            periods_at_or_above(5.0, &readings),
            [period(2, Some(3)), period(5, None)]
        );
        assert_eq!(periods_at_or_above(9.0, &readings), []);
    }

    #[test]
    fn each_period_belongs_to_one_recession_or_is_false() {
        let period = |from, to| AlarmPeriod { from, to: Some(to) };
        let periods = vec![
            period(date(1998, 1, 1), date(1998, 2, 1)),
            period(date(2000, 12, 31), date(2001, 12, 1)),
            period(date(2020, 6, 1), date(2020, 7, 1)),
        ];
        let signal = Signal {
            name: "signal".to_owned(),
            periods,
        };
        let table = table("X", Month::new(1990, 1), &(-100..=60), &[signal]);
        let false_alarms = "1: 1998-01-01 to 1998-02-01";
        let cells = [
            "signal",
            "never",
            "-90 / 1",
            "never",
            "93 / 62",
            false_alarms,
        ];
        assert_eq!(table.rows, [cells]);
        assert_eq!(table.columns.len(), cells.len());
    }
}

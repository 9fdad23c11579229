//! How soon a signal came and went at each recession, and when it stood without one.

use econoscope_core::indicators::alarm::AlarmPeriod;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::{RECESSIONS, Recession};
use econoscope_core::model::Observation;
use econoscope_core::model::frequency::days_between;
use econoscope_data::desk::scores::ScoreTable;

/// A signal and the times for which it stood, by the days on which that was known.
pub(super) struct Signal {
    pub(super) name: String,
    pub(super) spells: Vec<AlarmPeriod>,
}

/// The times for which readings were at a level or above: from the first to the last such reading of a row.
pub(super) fn at_least(level: f64, readings: &[Observation]) -> Vec<AlarmPeriod> {
    let rows = readings.chunk_by(|a, b| (a.value >= level) == (b.value >= level));
    let mut spells: Vec<AlarmPeriod> = rows
        .filter(|row| row.iter().all(|o| o.value >= level))
        .filter_map(|row| {
            let (from, to) = (row.first()?.date, row.last().map(|o| o.date));
            Some(AlarmPeriod { from, to })
        })
        .collect();
    let newest = readings.last().map(|o| o.date);
    if let Some(last) = spells.last_mut().filter(|s| s.to == newest) {
        last.to = None;
    }
    spells
}

/// Days before a peak and after a trough within which a signal belongs to the recession.
pub(super) struct SignalWindow {
    pub(super) ahead: i64,
    pub(super) behind: i64,
}

/// One row for each signal: its days at the recessions whose peak is not before a month.
pub(super) fn table(
    indicator: &str,
    since: Month,
    reach: &SignalWindow,
    signals: &[Signal],
) -> ScoreTable {
    let SignalWindow { ahead, behind } = reach;
    let recessions: Vec<&Recession> = RECESSIONS.iter().filter(|r| r.peak >= since).collect();
    let title = format!(
        "days after the last day of the peak's month until on / after the trough's month until it ended, a level until its \
         last reading; what stood within {ahead} days before a peak or began within {behind} days after a trough belongs to \
         the recession, to the earlier of two"
    );
    let mut table = ScoreTable::new(indicator, &title, &["signal"]);
    let years = |r: &&Recession| format!("{} to {}", r.peak.name(), r.trough.name());
    table.columns.extend(recessions.iter().map(years));
    table.columns.push(format!("false since {}", since.name()));
    for Signal { name, spells } in signals {
        let late = spells
            .iter()
            .filter(|s| s.to.is_none_or(|to| to >= since.first_day()));
        let mut left: Vec<&AlarmPeriod> = late.collect();
        let mut cells = vec![name.clone()];
        for r in &recessions {
            let (own, others) = left.iter().partition(|s| is_near(r, s, reach));
            left = others;
            cells.push(lags(r, &own));
        }
        cells.push(listed(&left));
        table.row(cells);
    }
    table
}

fn is_near(r: &Recession, spell: &AlarmPeriod, reach: &SignalWindow) -> bool {
    let is_over = |to| days_between(to, r.peak.last_day()) > reach.ahead;
    days_between(r.end(), spell.from) <= reach.behind && !spell.to.is_some_and(is_over)
}

fn lags(r: &Recession, own: &[&AlarmPeriod]) -> String {
    let on = own
        .iter()
        .map(|s| days_between(r.peak.last_day(), s.from).to_string());
    let off = own.iter().map(|s| match s.to {
        Some(to) => days_between(r.end(), to).to_string(),
        None => "still on".to_owned(),
    });
    let [on, off] = [on.collect::<Vec<_>>(), off.collect()];
    match on.is_empty() {
        true => "never".to_owned(),
        false => format!("{} / {}", on.join(" and "), off.join(" and ")),
    }
}

fn listed(spells: &[&AlarmPeriod]) -> String {
    let day = |s: &&AlarmPeriod| {
        let to = s.to.map_or("now".to_owned(), |to| to.to_string());
        format!("{} to {to}", s.from)
    };
    let all: Vec<String> = spells.iter().map(day).collect();
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
    fn a_level_stands_from_its_first_to_its_last_reading() {
        let readings = [1.0, 5.0, 6.0, 4.9, 5.0];
        let readings: Vec<Observation> = (1..)
            .zip(readings)
            .map(|(day, value)| Observation::new(date(2001, 3, day), value))
            .collect();
        let spell = |from, to: Option<i8>| AlarmPeriod {
            from: date(2001, 3, from),
            to: to.map(|to| date(2001, 3, to)),
        };
        assert_eq!(
            at_least(5.0, &readings),
            [spell(2, Some(3)), spell(5, None)]
        );
        assert_eq!(at_least(9.0, &readings), []);
    }

    #[test]
    fn a_spell_belongs_to_one_recession_or_is_false() {
        let spell = |from, to| AlarmPeriod { from, to: Some(to) };
        let spells = vec![
            spell(date(1998, 1, 1), date(1998, 2, 1)),
            spell(date(2000, 12, 31), date(2001, 12, 1)),
            spell(date(2020, 6, 1), date(2020, 7, 1)),
        ];
        let signal = Signal {
            name: "signal".to_owned(),
            spells,
        };
        let reach = SignalWindow {
            ahead: 100,
            behind: 60,
        };
        let table = table("X", Month::new(1990, 1), &reach, &[signal]);
        let false_ones = "1: 1998-01-01 to 1998-02-01";
        let cells = ["signal", "never", "-90 / 1", "never", "93 / 62", false_ones];
        assert_eq!(table.rows, [cells]);
        assert_eq!(table.columns.len(), cells.len());
    }
}

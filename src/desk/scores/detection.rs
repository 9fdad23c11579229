//! How soon a signal came and went at each recession, and when it stood without one.

use super::table::ScoreTable;
use crate::indicators::alarm::{AlarmRule, Spell};
use crate::indicators::months::Month;
use crate::indicators::nber::{RECESSIONS, Recession};
use crate::model::frequency::days_between;

/// A signal and the times for which it stood, by the days on which that was known.
pub(super) struct Signal {
    pub(super) name: String,
    pub(super) spells: Vec<Spell>,
}

/// The rule that a level is reached so many times in a row, and left as often.
pub(super) fn at_least(level: f64, times: usize) -> AlarmRule {
    AlarmRule {
        on: level,
        on_after: times,
        off: level,
        off_after: times,
    }
}

/// One row for each signal: its days at the recessions whose peak is not before a month. Whatever stood within so many
/// days before the peak belongs to the recession.
pub(super) fn table(indicator: &str, since: &Month, ahead: i64, signals: &[Signal]) -> ScoreTable {
    let recessions: Vec<&Recession> = RECESSIONS.iter().filter(|r| r.peak >= *since).collect();
    let title = format!(
        "days after the last day of the peak's month until on / after the trough's month until off; what stood within \
         {ahead} days before a peak belongs to it"
    );
    let mut table = ScoreTable::new(indicator, &title, &["signal"]);
    let years = |r: &&Recession| format!("{} to {}", r.peak.name(), r.trough.name());
    table.columns.extend(recessions.iter().map(years));
    table.columns.push(format!("false since {}", since.name()));
    for Signal { name, spells } in signals {
        let own = recessions.iter().map(|r| lags(r, spells, ahead));
        let alone = spells.iter().filter(|s| {
            s.to.is_none_or(|to| to >= since.first_day())
                && !recessions.iter().any(|r| is_near(r, s, ahead))
        });
        let name = std::iter::once(name.clone());
        table.row(name.chain(own).chain([listed(alone)]));
    }
    table
}

/// Whether a signal stood within a recession or so many days before its peak.
fn is_near(r: &Recession, spell: &Spell, ahead: i64) -> bool {
    let ended_before = spell
        .to
        .is_some_and(|to| days_between(to, r.peak.last_day()) > ahead);
    spell.from <= r.end() && !ended_before
}

fn lags(r: &Recession, spells: &[Spell], ahead: i64) -> String {
    let own = || spells.iter().filter(|s| is_near(r, s, ahead));
    let on = own().map(|s| days_between(r.peak.last_day(), s.from).to_string());
    let off = own().map(|s| match s.to {
        Some(to) => days_between(r.end(), to).to_string(),
        None => "still on".to_owned(),
    });
    let [on, off] = [on.collect::<Vec<_>>(), off.collect()];
    match on.is_empty() {
        true => "never".to_owned(),
        false => format!("{} / {}", on.join(" and "), off.join(" and ")),
    }
}

fn listed<'a>(spells: impl Iterator<Item = &'a Spell>) -> String {
    let day = |s: &Spell| {
        let to = s.to.map_or("now".to_owned(), |to| to.to_string());
        format!("{} to {to}", s.from)
    };
    let all: Vec<String> = spells.map(day).collect();
    match all.len() {
        0 => "none".to_owned(),
        n => format!("{n}: {}", all.join(", ")),
    }
}

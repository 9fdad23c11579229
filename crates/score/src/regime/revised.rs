//! How the regime of a month's end differed from what is said of it today, and when its growth was below trend.

use super::seen::{Seen, known, seen};
use crate::detection::{self, Signal, SignalWindow, at_least};
use crate::{rate, share};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::regime::{self, Regime, RegimeMonth};
use econoscope_core::indicators::statistics::average;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Observation};
use econoscope_data::desk::Desk;
use econoscope_data::desk::scores::ScoreTable;
use jiff::ToSpan;
use std::collections::BTreeMap;

/// The first month with all growth inputs.
pub(super) const SINCE: Month = Month::new(1966, 3);
/// The month of the newest vintage.
const LAST: Month = Month::new(2026, 3);
const LATE: Month = Month::new(1985, 1);
const MONTHLY_FILES: Month = Month::new(1999, 8);
/// Days from a month's first on which permits, the last figure of the month before, are out.
const OUT: i64 = 17;
/// When growth below trend counts as a warning of a recession: eighteen months.
const REACH: SignalWindow = SignalWindow {
    ahead: 548,
    behind: 60,
};

/// A month's end: the month, its newest label and scores, and whose they are.
type End = (Month, Date, Seen);

fn newest((end, months): &(Month, Vec<RegimeMonth>)) -> Option<End> {
    months.last().map(|s| (*end, s.month, seen(s)))
}

/// How many labels and sides are others today.
pub(super) fn labels(
    desk: &Desk,
    ends: &[(Month, Vec<RegimeMonth>)],
    last: &BTreeMap<Date, Seen>,
) -> Result<ScoreTable> {
    let all: Vec<End> = ends
        .iter()
        .filter_map(newest)
        .filter(|e| e.0 <= LAST)
        .collect();
    let since = |month| -> Vec<&End> { all.iter().filter(|e| e.0 >= month).collect() };
    let (monthly, late) = (since(MONTHLY_FILES), since(LATE));
    let every: Vec<&End> = all.iter().collect();
    let columns = ["what", "months", "label", "growth axis", "inflation axis"];
    let title = "share of month ends to 2026-03 of which today's figures say another";
    let mut table = ScoreTable::new("regime", title, &columns);
    let same = |e: &End| last.get(&e.1).copied();
    let ahead = |e: &End| last.get(&e.0.plus(1).first_day()).copied();
    let recessions: Vec<&End> = late.iter().copied().filter(|e| is_recession(e.0)).collect();
    let middles = middles(desk)?;
    let middles: Vec<&End> = middles.iter().collect();
    let by_revisions = "the same row, by revisions alone, since 1966-03";
    table.row(others(by_revisions, &every, same));
    table.row(others("the same since 1999-08", &monthly, same));
    let at_its_end = "the month itself at its end, since 1985";
    table.row(others(at_its_end, &late, ahead));
    table.row(others("the same in recession months", &recessions, ahead));
    let in_its_middle = "the month itself on its 15th, since 1985";
    table.row(others(in_its_middle, &middles, ahead));
    let moved = |score: fn(&Seen) -> f64| {
        let gaps = late
            .iter()
            .filter_map(|e| Some((score(&e.2) - score(&same(e)?)).abs()));
        share(average(gaps))
    };
    let size = "mean absolute revision of the same row, since 1985";
    let cells = [
        size,
        &late.len().to_string(),
        "",
        &moved(|s| s.1),
        &moved(|s| s.2),
    ];
    table.row(cells.map(str::to_owned));
    table.row(changes(&late, last));
    Ok(table)
}

/// What was published in the middle of each month.
fn middles(desk: &Desk) -> Result<Vec<End>> {
    let mut middles = Vec::new();
    for month in LATE.until(LAST) {
        let day = shift(month.first_day(), 14.days());
        let state = regime::at(&known(desk, day)?, day).state;
        middles.extend(state.map(|s| (month, s.month, seen(&s))));
    }
    Ok(middles)
}

fn is_up(regime: Regime) -> bool {
    matches!(regime, Regime::Goldilocks | Regime::Reflation)
}

fn others(name: &str, ends: &[&End], today: impl Fn(&End) -> Option<Seen>) -> Vec<String> {
    let pairs: Vec<(Seen, Seen)> = ends.iter().filter_map(|e| Some((e.2, today(e)?))).collect();
    let differ =
        |of: fn(Regime) -> bool| rate(pairs.iter().map(|(then, now)| of(then.0) != of(now.0)));
    vec![
        name.to_owned(),
        pairs.len().to_string(),
        rate(pairs.iter().map(|(then, now)| then.0 != now.0)),
        differ(is_up),
        differ(|r| matches!(r, Regime::Reflation | Regime::Stagflation)),
    ]
}

/// How often the label of a month's end was another than the one before, and what came of it.
fn changes(ends: &[&End], last: &BTreeMap<Date, Seen>) -> Vec<String> {
    let mut counts = [0; 3];
    for (i, pair) in ends.windows(2).enumerate() {
        let [(_, _, before), (_, month, now)] = pair else {
            continue;
        };
        if before.0 == now.0 {
            continue;
        }
        let row = |k| {
            last.get(&Month::of(*month).plus(k).first_day())
                .map(|s| s.0)
        };
        let turns = |k| row(k) == Some(now.0) && row(k - 1) != Some(now.0);
        let is_confirmed = (-2..=2).any(turns);
        let mut after = ends.iter().skip(i + 2).take(3);
        let is_undone = after.any(|e| e.2.0 == before.0);
        counts[0] += 1;
        counts[1] += usize::from(is_confirmed);
        counts[2] += usize::from(is_undone);
    }
    let [all, confirmed, undone] = counts;
    let name = "changes of the label from one month end to the next, since 1985";
    let told = format!("{confirmed} in today's history within 2 months, {undone} undone within 3");
    let cells = [name, &all.to_string(), &told, "", ""];
    cells.map(str::to_owned).to_vec()
}

/// When growth was below trend, from the day on which the month's permits are out.
pub(super) fn detection(ends: &[(Month, Vec<RegimeMonth>)]) -> ScoreTable {
    let readings = ends.iter().filter_map(newest).map(|(end, _, of)| {
        let below = f64::from(u8::from(!is_up(of.0)));
        Observation::new(shift(end.first_day(), OUT.days()), below)
    });
    let readings: Vec<Observation> = readings.collect();
    let below = |is_meant: fn(Month) -> bool| {
        let meant = readings
            .iter()
            .filter(|o| is_meant(Month::of(o.date)) && Month::of(o.date) <= LAST);
        let below = meant.clone().filter(|o| o.value > 0.0);
        format!("{} of {}", below.count(), meant.count())
    };
    let (within, without) = (below(is_recession), below(|m| !is_recession(m)));
    let signal = Signal {
        name: format!(
            "growth below trend: no alarm, it stood in {within} recession months and {without} others since 1966-03"
        ),
        spells: at_least(1.0, &readings),
    };
    detection::table("regime", LATE, &REACH, &[signal])
}

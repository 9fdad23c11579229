//! Changes of the target of the federal funds rate: by `data/calendar/target.csv`, and from there on by the figures of its
//! upper bound.

use super::meetings;
use crate::model::frequency::days_between;
use crate::model::{Date, Observation, table};

/// A decision that changed the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetChange {
    /// Day of the decision.
    pub day: Date,
    /// Whether it lowered the target.
    pub is_cut: bool,
    /// Whether the change before it went the other way.
    pub is_first: bool,
    /// Whether the change after it went the other way.
    pub is_last: bool,
}

/// Returns the changes since 1994, ascending, given the figures of the upper bound (`DFEDTARU`), ascending. The first that is
/// known only ends a run, and the newest may not be the last of its own.
pub fn target_changes(upper: &[Observation]) -> Vec<TargetChange> {
    let begins = upper.first().map(|row| row.date);
    let is_older = |row: &Observation| begins.is_none_or(|begins| row.date < begins);
    let mut levels: Vec<Observation> = table_rows().filter(is_older).collect();
    levels.extend_from_slice(upper);
    levels.dedup_by(|row, before| row.value == before.value);
    let moved = |[before, after]: &[Observation; 2]| {
        let is_cut = after.value < before.value;
        (decision_day(after.date), is_cut)
    };
    let moves: Vec<(Date, bool)> = levels.array_windows().map(moved).collect();
    let is_other = |other: Option<&(Date, bool)>, is_cut| other.is_some_and(|one| one.1 != is_cut);
    let changes = moves.iter().enumerate().map(|(at, (day, is_cut))| {
        let before = at.checked_sub(1).and_then(|at| moves.get(at));
        TargetChange {
            day: *day,
            is_cut: *is_cut,
            is_first: is_other(before, *is_cut),
            is_last: is_other(moves.get(at + 1), *is_cut),
        }
    });
    changes.collect()
}

/// The embedded table; a test reads every row.
fn table_rows() -> impl Iterator<Item = Observation> {
    let rows = table::embedded(include_str!("../../../data/calendar/target.csv"));
    rows.filter_map(|[day, target, _]| {
        Some(Observation::new(day.parse().ok()?, target.parse().ok()?))
    })
}

/// Returns the day of the meeting whose decision is in effect from `day`: that day, or the one before.
fn decision_day(day: Date) -> Date {
    let mut meetings = meetings().iter().map(|meeting| meeting.day).rev();
    let near = meetings.find(|meeting| (0..=1).contains(&days_between(*meeting, day)));
    near.unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn stored(id: &str) -> Vec<Observation> {
        let text = std::fs::read_to_string(format!("../../data/series/{id}.csv")).unwrap();
        let row =
            |row: [&str; 3]| Observation::new(row[1].parse().unwrap(), row[2].parse().unwrap());
        let lines = text.lines().skip(1);
        lines
            .map(|line| row(line.split(',').collect::<Vec<_>>().try_into().unwrap()))
            .collect()
    }

    /// The effective rate lay at the target, or an eighth below the upper bound, but for the autumn of 2008.
    #[test]
    fn every_target_of_the_table_is_where_the_effective_rate_was() {
        let rows: Vec<Observation> = table_rows().collect();
        let text = include_str!("../../../data/calendar/target.csv");
        assert_eq!(rows.len(), text.lines().count() - 1);
        let effective = stored("DFF");
        for (at, row) in rows.iter().enumerate() {
            let is_meeting = meetings().iter().any(|meeting| meeting.day == row.date);
            assert!(is_meeting || row.date.year() == 1992, "{}", row.date);
            let end = rows.get(at + 1).map_or(date(2021, 5, 23), |next| next.date);
            let days = effective
                .iter()
                .filter(|o| o.date > row.date && o.date <= end);
            let mut values: Vec<f64> = days.take(60).skip(1).map(|o| o.value).collect();
            values.sort_by(f64::total_cmp);
            let median = values[values.len() / 2];
            let is_range = row.date >= date(2008, 12, 16);
            let target = row.value - if is_range { 0.125 } else { 0.0 };
            let is_crisis = row.date.year() == 2008 && row.date.month() == 10;
            assert!(
                is_crisis || (median - target).abs() <= 0.13,
                "{}: {median}",
                row.date
            );
        }
    }

    #[test]
    fn first_changes_begin_a_run_and_new_figures_go_on() {
        let changes = target_changes(&stored("DFEDTARU"));
        let days = |is_cut: bool| {
            let first = changes.iter().filter(|c| c.is_first && c.is_cut == is_cut);
            first.map(|c| c.day.to_string()).collect::<Vec<_>>()
        };
        let cuts = [
            "1995-07-06",
            "1998-09-29",
            "2001-01-03",
            "2007-09-18",
            "2019-07-31",
            "2024-09-18",
        ];
        let hikes = [
            "1994-02-04",
            "1997-03-25",
            "1999-06-30",
            "2004-06-30",
            "2015-12-16",
            "2022-03-16",
        ];
        assert_eq!(
            (days(true), days(false)),
            (
                cuts.map(String::from).into(),
                hikes.map(String::from).into()
            )
        );
        let last = changes.iter().rfind(|c| c.is_last && !c.is_cut);
        assert_eq!(last.map(|c| c.day), Some(date(2023, 7, 26)));
        // Without figures the table is all there is; new figures bring the next turn.
        assert_eq!(
            target_changes(&[]).last().map(|c| c.day),
            Some(date(2020, 3, 15))
        );
        let hike = [(date(2021, 1, 1), 0.25), (date(2030, 1, 1), 0.5)];
        let upper = hike.map(|(day, value)| Observation::new(day, value));
        let newest = target_changes(&upper).pop().unwrap();
        assert!(
            newest.is_first && !newest.is_cut && !newest.is_last && newest.day == upper[1].date
        );
    }
}

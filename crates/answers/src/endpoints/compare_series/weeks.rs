//! Weeks of columns that end on different days.

use super::columns::NamedColumn;
use crate::prelude::*;
use econoscope_core::indicators::expression::side_by_side;

/// Returns the days on which the weeks of the columns end, each with its columns; empty without a weekly column.
pub(super) fn weekdays(columns: &[NamedColumn]) -> Vec<(String, Vec<&str>)> {
    let mut weekdays: Vec<(String, Vec<&str>)> = Vec::new();
    let is_weekly = |c: &&NamedColumn| c.series().frequency() == Frequency::Weekly;
    for named in columns.iter().filter(is_weekly) {
        let Some(last) = named.series().observations.last() else {
            continue;
        };
        let weekday = last.date.strftime("%A").to_string();
        match weekdays.iter_mut().find(|(day, _)| *day == weekday) {
            Some((_, names)) => names.push(&named.name),
            None => weekdays.push((weekday, vec![&named.name])),
        }
    }
    weekdays
}

/// Describes the days on which weeks end; empty without a weekly column.
pub(super) fn describe_weeks(weekdays: &[(String, Vec<&str>)]) -> String {
    match weekdays {
        [] => String::new(),
        [(day, _)] => format!("weeks end on {day}"),
        several => {
            let days = several
                .iter()
                .map(|(day, names)| format!("{} on {day}", names.join(", ")));
            format!(
                "weeks end on different days ({}); each stands at the Friday of its week from Monday to Sunday",
                join(days, "; ")
            )
        }
    }
}

/// Moves weeks that end on different days to one Friday each.
pub(super) fn align_weeks(columns: &[NamedColumn]) -> Vec<NamedColumn> {
    let aligned = side_by_side(&Vec::from_iter(columns.iter().map(NamedColumn::series)));
    let pairs = columns.iter().zip(aligned);
    let moved = pairs.map(|(named, rows)| {
        let info = Arc::clone(&named.column.series.info);
        let series = Arc::new(Series::new(info, rows.into_owned()));
        named.clone().with_series(series)
    });
    moved.collect()
}

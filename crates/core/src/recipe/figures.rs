//! Cells into figures: the unit, the bounds, one figure a date.

use super::cells::Cells;
use super::shape::{Feed, Line};
use super::terms::{Is, OnePerDate, Period};
use crate::error::quote;
use crate::model::series_info::round_to;
use crate::model::{Date, Observation};

/// A figure before its series is settled.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) date: Date,
    pub(super) value: f64,
    /// What decides among several of a date.
    pub(super) rank: String,
}

pub(super) fn holds(conditions: &[Is], cells: Cells<'_>) -> bool {
    let met = |c: &Is| cells(&c.field).is_some_and(|cell| cell == c.is.as_str());
    conditions.iter().all(met)
}

/// Takes a figure of a date, or the first thing that is wrong with its series; `rank` decides among several.
pub(super) fn note(
    points: &mut Result<Vec<Point>, String>,
    (feed, line): (&Feed, &Line),
    (date, rank): (Date, String),
    cell: &str,
) {
    let Ok(all) = points else { return };
    match figure(feed, line, date, cell) {
        Ok(value) => all.extend(value.map(|value| Point { date, value, rank })),
        Err(problem) => *points = Err(problem),
    }
}

/// The figure in a cell, in the catalogue's unit; `None` when it is missing or before its time.
fn figure(feed: &Feed, line: &Line, date: Date, cell: &str) -> Result<Option<f64>, String> {
    let cell = cell.trim();
    if feed.missing.iter().any(|word| word == cell) || line.from.is_some_and(|from| date < from) {
        return Ok(None);
    }
    let plain = cell.replace(',', "");
    let read = plain.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = read.ok_or_else(|| format!("\"{}\" for {date} is not a number", quote(cell)))?;
    // A power of ten below one is no double; its inverse is.
    let value = match line.scale.abs() < 1.0 {
        true => value / (1.0 / line.scale).round(),
        false => value * line.scale,
    };
    let value = line
        .decimals
        .map_or(value, |n| round_to(value, i32::from(n)));
    let (min, max) = (line.min.unwrap_or(f64::MIN), line.max.unwrap_or(f64::MAX));
    if value < min || value > max {
        return Err(format!("{value} for {date} lies outside {min} to {max}"));
    }
    Ok(Some(value))
}

/// One figure a date, ascending.
pub(super) fn settle(feed: &Feed, points: Vec<Vec<Point>>) -> Result<Vec<Observation>, String> {
    let mut points: Vec<Point> = points.into_iter().flatten().collect();
    points.sort_by(|a, b| (a.date, &a.rank).cmp(&(b.date, &b.rank)));
    let mut rows: Vec<Observation> = Vec::with_capacity(points.len());
    for point in points {
        match (
            rows.last_mut().filter(|row| row.date == point.date),
            &feed.one_per_date,
        ) {
            (None, _) => rows.push(Observation::new(point.date, point.value)),
            // The greatest comes last.
            (Some(row), Some(OnePerDate::Greatest { .. })) => row.value = point.value,
            (Some(row), Some(OnePerDate::Sum)) => row.value += point.value,
            (Some(row), None) if row.value == point.value => {}
            (Some(row), None) => {
                let (date, a, b) = (row.date, row.value, point.value);
                return Err(format!("two values for {date}, {a} and {b}"));
            }
        }
    }
    Ok(rows)
}

/// The last figure of each period that is over, stamped with its first day.
pub(super) fn last_of(period: Option<Period>, rows: Vec<Observation>) -> Vec<Observation> {
    let Some(period) = period else {
        return rows;
    };
    let same = |a: &Observation, b: &Observation| period.stamp(a.date) == period.stamp(b.date);
    let lasts = rows.chunk_by(same).filter_map(<[Observation]>::last);
    let mut out: Vec<Observation> = lasts
        .map(|row| Observation::new(period.stamp(row.date), row.value))
        .collect();
    out.pop();
    out
}

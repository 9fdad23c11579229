//! Comparison of the figures known on a past reference day with those of today.

use super::page_request::PageRequest;
use super::text::{format_day, unit_name};
use super::{charts, view};
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_core::chart::{ChartSpec, GHOST_COLOR, Line};
use econoscope_core::error::Result;
use econoscope_core::format::Unit;
use econoscope_core::model::{AsOf, Date, Observation};
use econoscope_desk::Desk;

/// Values that differ by less are equal.
const TOLERANCE: f64 = 1e-9;

/// The figures of a past reference day compared with those of today.
#[derive(Debug)]
pub(super) struct VintageComparison {
    pub(super) summary: String,
    /// Path of today's figures in the API; empty where the two cannot share a chart.
    pub(super) latest_path: String,
}

/// Adds today's figures to a chart of a past reference day, whose line turns gray. Returns `None` for a chart of today.
///
/// # Errors
/// The error of the endpoint.
pub(super) fn add_latest(
    desk: &Desk,
    id: &str,
    request: &PageRequest,
    (then, spec): (&TimeSeriesAnswer, &mut ChartSpec),
) -> Result<Option<VintageComparison>> {
    let AsOf::Day(day) = request.as_of(desk)? else {
        return Ok(None);
    };
    // A range such as `5y` counts from the reference day.
    let start = then.start.to_string();
    let arguments = [
        ("start", start.as_str()),
        ("end", request.form_value("end")),
        ("units", view::api_units(request.form_value("units"))),
        ("frequency", request.form_value("frequency")),
    ];
    let latest = arguments.into_iter().chain([("seriesId", id)]);
    let now = time_series::read_all_rows(desk, view::endpoint_arguments(latest))?;
    let old_unit = unit_name(then);
    let new_unit = unit_name(&now);
    if old_unit != new_unit {
        let day = format_day(day);
        return Ok(Some(VintageComparison {
            summary: format!(
                "On {day} it was published in another unit: {old_unit}; now {new_unit}. The figures cannot be set against each other."
            ),
            latest_path: String::new(),
        }));
    }
    for line in &mut spec.lines {
        line.name = "Then".to_owned();
        line.color = GHOST_COLOR;
    }
    spec.lines.push(charts::line(&now, "Now"));
    let unit = Unit::parse(&then.unit, old_unit);
    let lines = (&charts::line(then, ""), &charts::line(&now, ""));
    Ok(Some(VintageComparison {
        summary: describe(("", true), lines, day, &(unit, usize::from(spec.decimals))),
        latest_path: format!("/api/public/data/{id}{}", view::query_string(arguments)),
    }))
}

/// Describes how the figures of a line differ: "On 1 June 2010 the newest figure was that of April 2010, 9.9 %; now it is
/// 9.9 %. 3 of the 112 figures …". Revisions are counted only where the lines are complete.
pub(super) fn describe(
    (name, is_complete): (&str, bool),
    (then, now): (&Line, &Line),
    day: Date,
    (unit, decimals): &(Unit, usize),
) -> String {
    let day = format_day(day);
    let decimals = *decimals;
    let of_name = match name {
        "" => String::new(),
        name => format!(" of {name}"),
    };
    let Some(newest) = then.points.last() else {
        return format!("On {day} no figure{of_name} was known in this range.");
    };
    let figure = |value: f64| unit.write(value, decimals);
    let period = |o: &Observation| then.frequency.label(o.date);
    let value_now = |o: &Observation| {
        let index = now.points.binary_search_by_key(&o.date, |now| now.date);
        Some(now.points.get(index.ok()?)?.value)
    };
    let mut text = format!(
        "On {day} the newest figure{of_name} was that of {}, {}",
        period(newest),
        figure(newest.value)
    );
    text += &match value_now(newest) {
        Some(value) => format!("; now it is {}.", figure(value)),
        None => "; there is none of that date now.".to_owned(),
    };
    if !is_complete {
        return text;
    }
    let revision = |o: &Observation| {
        let change = value_now(o)? - o.value;
        (change.abs() > TOLERANCE).then_some((*o, change))
    };
    let revisions: Vec<(Observation, f64)> = then.points.iter().filter_map(revision).collect();
    let total = then.points.len();
    let largest = revisions
        .iter()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    text += &match largest {
        None => format!(" None of the {total} figures in view has been revised since."),
        Some((revised, change)) => {
            let (count, sum) = revisions.iter().fold((0.0, 0.0), |(n, sum), (_, change)| {
                (n + 1.0, sum + change.abs())
            });
            format!(
                " {} of the {total} figures in view have been revised since, by {} on average. The largest revision is {} ({}).",
                revisions.len(),
                figure(sum / count),
                unit.format_change(*change, decimals),
                period(revised)
            )
        }
    };
    match now.points.iter().filter(|o| o.date > newest.date).count() {
        0 => text,
        1 => text + " One newer figure has been published.",
        newer => format!("{text} {newer} newer figures have been published."),
    }
}

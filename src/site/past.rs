//! A line as it was known on a past day, behind the same line of today, and what has become of it since.

use super::asked::PageRequest;
use super::text::in_words;
use super::{charts, view};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_core::chart::{ChartSpec, GHOST, Line};
use econoscope_core::error::Result;
use econoscope_core::format::Unit;
use econoscope_core::model::{AsOf, Date, Observation};
use econoscope_data::desk::Desk;

/// Values that differ by less are the same.
const DUST: f64 = 1e-9;

/// What has become of a line since a past day.
#[derive(Debug)]
pub(super) struct Past {
    /// The difference in words.
    pub(super) told: String,
    /// Where the API has the figures of today; empty where they cannot stand beside those of then.
    pub(super) now: String,
}

/// Puts today's figures before those of a past day, which become the ghost; `None` of a chart of today.
///
/// # Errors
/// What the endpoint says.
pub(super) fn beside(
    desk: &Desk,
    id: &str,
    asked: &PageRequest,
    (then, spec): (&TimeSeriesAnswer, &mut ChartSpec),
) -> Result<Option<Past>> {
    let AsOf::Day(day) = parse_as_of(desk, asked.argument("as_of"))? else {
        return Ok(None);
    };
    // A range that counts back does so from the past day.
    let start = then.start.to_string();
    let given = [
        ("start", start.as_str()),
        ("end", asked.given("end")),
        ("units", asked.given("units")),
        ("frequency", asked.given("frequency")),
    ];
    let named = given.into_iter().chain([("seriesId", id)]);
    let now = time_series::every_row(desk, view::collected(named))?;
    let (old, new) = (unit_of(then), unit_of(&now));
    if old != new {
        return Ok(Some(Past {
            told: format!(
                "On {} it was published in another unit: {old}; now {new}. The figures cannot be set against each other.",
                in_words(day)
            ),
            now: String::new(),
        }));
    }
    for line in &mut spec.lines {
        line.name = "Then".to_owned();
        line.color = GHOST;
    }
    spec.lines.push(charts::line(&now, "Now"));
    let (old, new) = (charts::line(then, ""), charts::line(&now, ""));
    let style = (
        Unit::of(&then.unit, unit_of(then)),
        usize::from(spec.decimals),
    );
    Ok(Some(Past {
        told: told(("", true), (&old, &new), day, &style),
        now: format!("/api/public/data/{id}{}", view::query(given.into_iter())),
    }))
}

fn unit_of(o: &TimeSeriesAnswer) -> &str {
    o.unit_in_words.as_deref().unwrap_or(&o.unit)
}

/// "On 1 June 2010 the newest figure was that of April 2010, 9.9 %; now it is 9.9 %. 3 of the 112 figures …": of a line
/// with a name, and of one with all its figures also how many were revised.
pub(super) fn told(
    (name, is_whole): (&str, bool),
    (then, now): (&Line, &Line),
    day: Date,
    (unit, decimals): &(Unit, usize),
) -> String {
    let (on, decimals) = (in_words(day), *decimals);
    let of = match name {
        "" => String::new(),
        name => format!(" of {name}"),
    };
    let Some(newest) = then.points.last() else {
        return format!("On {on} no figure{of} was known in this range.");
    };
    let figure = |value: f64| unit.write(value, decimals);
    let period = |o: &Observation| then.frequency.label(o.date);
    let today = |o: &Observation| {
        let at = now.points.binary_search_by_key(&o.date, |now| now.date);
        at.ok()
            .and_then(|at| now.points.get(at))
            .map(|now| now.value)
    };
    let mut text = format!(
        "On {on} the newest figure{of} was that of {}, {}",
        period(newest),
        figure(newest.value)
    );
    text += &match today(newest) {
        Some(value) => format!("; now it is {}.", figure(value)),
        None => "; there is none of that date now.".to_owned(),
    };
    if !is_whole {
        return text;
    }
    let changed = |o: &Observation| {
        let by = today(o)? - o.value;
        (by.abs() > DUST).then_some((*o, by))
    };
    let revised: Vec<(Observation, f64)> = then.points.iter().filter_map(changed).collect();
    let all = then.points.len();
    let most = revised
        .iter()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    text += &match most {
        None => format!(" None of the {all} figures in view has been revised since."),
        Some((most, by)) => {
            let (count, total) = revised
                .iter()
                .fold((0.0, 0.0), |(n, sum), (_, by)| (n + 1.0, sum + by.abs()));
            format!(
                " {} of the {all} figures in view have been revised since, by {} on average. The largest revision is {} ({}).",
                revised.len(),
                figure(total / count),
                unit.change(*by, decimals),
                period(most)
            )
        }
    };
    match now.points.iter().filter(|o| o.date > newest.date).count() {
        0 => text,
        1 => text + " One newer figure has been published.",
        newer => format!("{text} {newer} newer figures have been published."),
    }
}

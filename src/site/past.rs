//! A line as it was known on a past day, behind the same line of today, and what has become of it since.

use super::asked::PageRequest;
use super::text::in_words;
use super::{charts, view};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_core::chart::{ChartSpec, GHOST};
use econoscope_core::error::Result;
use econoscope_core::format::Unit;
use econoscope_core::model::{AsOf, Date, Observation};
use econoscope_data::desk::Desk;

/// Values that differ by less are the same.
const DUST: f64 = 1e-9;

/// What has become of a line since a past day.
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
    Ok(Some(Past {
        told: told((then, &now), day, usize::from(spec.decimals)),
        now: format!("/api/public/data/{id}{}", view::query(given.into_iter())),
    }))
}

fn unit_of(o: &TimeSeriesAnswer) -> &str {
    o.unit_in_words.as_deref().unwrap_or(&o.unit)
}

/// "On 1 June 2010 the newest figure was that of April 2010, 9.9 %; now it is 9.9 %. 3 of the 112 figures …".
fn told((then, now): (&TimeSeriesAnswer, &TimeSeriesAnswer), day: Date, decimals: usize) -> String {
    let on = in_words(day);
    let Some(newest) = then.data.last() else {
        return format!("On {on} nothing of it was known in this range.");
    };
    let frequency = charts::line(then, "").frequency;
    let unit = Unit::of(&then.unit, unit_of(then));
    let figure = |value: f64| unit.write(value, decimals);
    let today = |o: &Observation| {
        let at = now.data.binary_search_by_key(&o.date, |now| now.date);
        at.ok().and_then(|at| now.data.get(at)).map(|now| now.value)
    };
    let changed = |o: &Observation| {
        let by = today(o)? - o.value;
        (by.abs() > DUST).then_some((*o, by))
    };
    let revised: Vec<(Observation, f64)> = then.data.iter().filter_map(changed).collect();
    let label = frequency.label(newest.date);
    let mut text = format!(
        "On {on} the newest figure was that of {label}, {}",
        figure(newest.value)
    );
    text += &match today(newest) {
        Some(value) => format!("; now it is {}.", figure(value)),
        None => "; there is none of that date now.".to_owned(),
    };
    let all = then.data.len();
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
                " {} of the {all} figures in view have been revised since, by {} on average, most by {} ({}).",
                revised.len(),
                figure(total / count),
                unit.change(*by, decimals),
                frequency.label(most.date)
            )
        }
    };
    let newer = now.data.iter().filter(|o| o.date > newest.date).count();
    if newer > 0 {
        text += &format!(" {newer} newer ones have come.");
    }
    text
}

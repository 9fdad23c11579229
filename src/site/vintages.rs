//! Comparison of the figures known on a past reference day with those of today.

use super::prelude::*;
use super::text::unit_name;
use super::{charts, view};
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_answers::render::provenance::Vintage;
use econoscope_core::chart::{ChartSpec, GHOST_COLOR, Line};
use econoscope_core::format::{Unit, change_text};
use econoscope_core::indicators::statistics::average;
use econoscope_core::model::frequency::shift;
use jiff::ToSpan;

/// Years after the reference day to which today's figures are drawn.
const YEARS_AFTER: i64 = 2;

/// Values that differ by less are equal.
const TOLERANCE: f64 = 1e-9;

/// The figures of a past reference day compared with those of today.
#[derive(Debug)]
pub(super) struct VintageComparison {
    pub(super) summary: String,
    /// The vintage of the past figures: "as known on 31 December 2008".
    pub(super) vintage: String,
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
    then: &TimeSeriesAnswer,
    spec: &mut ChartSpec,
) -> Result<Option<VintageComparison>> {
    let AsOf::Day(day) = request.as_of(desk)? else {
        return Ok(None);
    };
    let vintage = then.provenance.vintage();
    let described = vintage.describe(&format_day(day));
    // A range such as `5y` counts from the reference day. What came long after it would flatten what was known on it.
    let start = then.start.to_string();
    let later = shift(day, YEARS_AFTER.years()).min(desk.today());
    let last = later.to_string();
    let arguments = [
        ("start", &*start),
        ("end", request.argument("end").unwrap_or(&last)),
        ("units", view::api_units(request.form_value("units"))),
        ("frequency", request.form_value("frequency")),
    ];
    let latest = arguments.into_iter().chain([("seriesId", id)]);
    let now = time_series::read_all_rows(desk, endpoint_arguments(latest))?;
    let old_unit = unit_name(then);
    let new_unit = unit_name(&now);
    if old_unit != new_unit {
        let day = format_day(day);
        return Ok(Some(VintageComparison {
            summary: format!(
                "On {day} it was published in another unit: {old_unit}; now {new_unit}. The figures cannot be set against each other."
            ),
            vintage: described,
            latest_path: String::new(),
        }));
    }
    for line in &mut spec.lines {
        line.name = "Then".to_owned();
        line.color = GHOST_COLOR;
    }
    spec.lines.push(charts::line(&now, "Now"));
    let vintages = Vintages {
        then: charts::line(then, ""),
        now: charts::line(&now, ""),
        day,
        vintage,
        unit: Unit::parse(&then.unit, old_unit),
        short: then.unit.clone(),
        decimals: usize::from(spec.decimals),
    };
    Ok(Some(VintageComparison {
        summary: vintages.describe_newest("") + &vintages.describe_revisions(),
        vintage: described,
        latest_path: format!("/api/public/data/{id}{}", query_string(arguments)),
    }))
}

/// A line of a chart with its figures of a past day and of today.
pub(super) struct Vintages {
    pub(super) then: Line,
    pub(super) now: Line,
    pub(super) day: Date,
    pub(super) vintage: Vintage,
    pub(super) unit: Unit,
    pub(super) short: String,
    pub(super) decimals: usize,
}

impl Vintages {
    /// Describes the newest figure of the past day: "On 1 June 2010 the newest figure of UNRATE was that of April 2010,
    /// 9.9 %; now it is 9.9 %." An empty `series` leaves out the name.
    pub(super) fn describe_newest(&self, series: &str) -> String {
        let day = format_day(self.day);
        let of_series = enclosed(" of ", series, "");
        let Some(newest) = self.then.points.last() else {
            return format!("On {day} no figure{of_series} was known in this range.");
        };
        let period = self.period(newest);
        let figure = self.figure(newest.value);
        let now = match self.now.value_on(newest.date) {
            Some(value) => format!("now it is {}", self.figure(value)),
            None => "there is none of that date now".to_owned(),
        };
        format!("On {day} the newest figure{of_series} was that of {period}, {figure}; {now}.")
    }

    /// Describes the revisions of all figures: " 3 of the 112 figures in view have been revised since, by …". Empty where no
    /// figure was known.
    pub(super) fn describe_revisions(&self) -> String {
        let Some(newest) = self.then.points.last() else {
            return String::new();
        };
        let change_since = |o: &Observation| Some((*o, self.now.value_on(o.date)? - o.value));
        let size = |(_, change): &(Observation, f64)| change.abs();
        let changes = self.then.points.iter().filter_map(change_since);
        let revisions: Vec<_> = changes.filter(|o| size(o) > TOLERANCE).collect();
        if self.vintage == Vintage::Revised {
            return " What was published then is not held: the figures of that day are as last revised."
                .to_owned();
        }
        let total = self.then.points.len();
        let largest = revisions.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        let revised = match largest.zip(average(revisions.iter().map(size))) {
            None => format!(" None of the {total} figures in view has been revised since."),
            Some(((observation, change), mean)) => format!(
                " {} of the {total} figures in view have been revised since, by {} on average. The largest revision is {} ({}).",
                revisions.len(),
                self.change(mean).trim_start_matches('+'),
                self.change(*change),
                self.period(observation)
            ),
        };
        let is_newer = |o: &&Observation| o.date > newest.date;
        match self.now.points.iter().filter(is_newer).count() {
            0 => revised,
            1 => revised + " One newer figure has been published.",
            newer => format!("{revised} {newer} newer figures have been published."),
        }
    }

    fn figure(&self, value: f64) -> String {
        self.unit.write(value, self.decimals)
    }

    fn change(&self, value: f64) -> String {
        // A mean of revisions of whole figures may be a fraction.
        change_text(&self.unit, &self.short, value, self.decimals.max(2))
    }

    fn period(&self, observation: &Observation) -> String {
        self.then.frequency.label(observation.date)
    }
}

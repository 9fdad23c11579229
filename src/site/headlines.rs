//! Headline figures of the start page, and its last and next releases.

use super::home::START;
use super::prelude::*;
use super::text::{format_dates, parse_frequency, series_unit};
use econoscope_answers::Endpoint;
use econoscope_answers::endpoints::metric::NewerMean;
use econoscope_answers::endpoints::release_calendar::{Params, ReleaseEvent, ScheduledFigure};
use econoscope_answers::endpoints::time_series::TimeSeriesAnswer;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::format::{Unit, month, period};
use econoscope_core::model::calendar::eastern;
use econoscope_core::model::{AsOf, Date};
use jiff::civil::Time;
use std::cmp::Reverse;

/// A headline figure.
pub(super) struct Headline {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// "4.2 %" and its period; `None` where there is no figure.
    pub(super) figure: Option<(String, String)>,
    pub(super) date: Option<Date>,
    /// The average of a later month, with its series: "4.99 % in September 2026" and GS10.
    pub(super) newer: Option<(String, String)>,
}

/// A release, past or coming.
pub(super) struct Release {
    /// "Fri 4 Dec".
    pub(super) day: String,
    pub(super) name: String,
    /// Its figure, or the period it is about.
    pub(super) note: String,
    /// Identifier of its series, where it has one.
    pub(super) id: Option<String>,
}

/// A headline: series, name, first day, units, and whether the figure is a change and so has a sign.
type Row = (&'static str, &'static str, &'static str, &'static str, bool);

/// Headlines that are also in a chart of the page have its arguments, so that an upstream is charged once.
const HEADLINES: [Row; 6] = [
    ("UNRATE", "Unemployment", START, "", false),
    ("PAYEMS", "Jobs on the month", "2y", "chg", true),
    ("CPIAUCSL", "Inflation (CPI)", START, "pc1", true),
    ("A191RL1Q225SBEA", "GDP growth", "2y", "", true),
    ("DFF", "Fed funds rate", "2y", "", false),
    ("DGS10", "10-year Treasury yield", "2y", "", false),
];

const MAX_RELEASES: usize = 3;
/// Days within which the next releases are.
const DAYS: u8 = 14;

/// Returns a call for the history of each headline.
pub(super) fn calls(as_of: &str) -> impl Iterator<Item = EndpointCall> {
    HEADLINES.iter().map(move |(id, _, start, units, _)| {
        let arguments = [
            ("seriesId", *id),
            ("start", start),
            ("units", units),
            ("as_of", as_of),
        ];
        EndpointCall::new("get_time_series", &arguments)
    })
}

/// Reads the newest figure of each headline. One that failed has no value.
pub(super) fn read(answers: &mut Answers) -> Vec<Headline> {
    let headline = |(id, name, _, _, is_change): &Row| {
        let answer = answers.read::<TimeSeriesAnswer>().ok();
        Headline {
            id,
            name,
            date: answer
                .as_ref()
                .and_then(|answer| Some(answer.data.last()?.date)),
            figure: answer.and_then(|answer| newest_figure(id, *is_change, &answer)),
            newer: None,
        }
    };
    HEADLINES.iter().map(headline).collect()
}

/// Adds monthly averages that are newer than the daily figures.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) fn add_newer(desk: &Desk, headlines: &mut [Headline], as_of: AsOf) -> Result<()> {
    for headline in headlines {
        let mean = NewerMean::find(desk, headline.id, headline.date, as_of)?;
        headline.newer = mean.map(|mean| {
            let value = Unit::parse("%", "").write(mean.value, 2);
            (
                format!("{value} on average in {}", month(mean.date)),
                mean.series,
            )
        });
    }
    Ok(())
}

/// Formats the newest figure of an answer and its period.
fn newest_figure(id: &str, is_change: bool, answer: &TimeSeriesAnswer) -> Option<(String, String)> {
    let newest = answer.data.last()?;
    let unit = series_unit(answer);
    let decimals = match answer.published_unit() {
        None if answer.unit.starts_with('%') => 1,
        _ => Catalogue::embedded()
            .get(id)
            .map_or(1, |info| usize::from(info.decimals)),
    };
    let (level, after) = unit.format_parts(newest.value, decimals);
    let value = if is_change {
        unit.format_change(newest.value, decimals)
    } else {
        level
    };
    // The name of the headline says what is counted.
    let after = if after == "%" { " %" } else { "" };
    let frequency = parse_frequency(answer.frequency.as_deref());
    Some((value + after, period(newest.date, frequency)))
}

/// Returns the last and the next releases by the calendar as known on a reference day.
///
/// # Errors
/// Any error of the calendar.
pub(super) fn releases(desk: &Desk, as_of: Option<&str>) -> Result<(Vec<Release>, Vec<Release>)> {
    let mut params = Params::new(DAYS, None, None);
    params.as_of = as_of.map(str::to_owned);
    let answer = Params::local(desk, &params)?;
    let mut figures: Vec<_> = answer.figures.iter().filter(|f| f.last.is_some()).collect();
    figures.sort_by_key(|f| Reverse(f.last.as_ref().map(|print| print.date)));
    let last = figures
        .into_iter()
        .take(MAX_RELEASES)
        .filter_map(last_release);
    let now = desk.now().to_zoned(eastern()).datetime();
    // A time that has passed today is no release to come.
    let is_past = |e: &ReleaseEvent| {
        let time = e.time.parse::<Time>();
        as_of.is_none() && time.is_ok_and(|time| e.date.to_datetime(time) < now)
    };
    let events = answer.events.iter();
    let events = events.filter(|e| e.held != Some(true) && !is_past(e));
    Ok((
        last.collect(),
        events.take(MAX_RELEASES).map(next_release).collect(),
    ))
}

fn last_release(figure: &ScheduledFigure) -> Option<Release> {
    let print = figure.last.as_ref()?;
    let unit = Unit::parse(figure.unit.as_deref().unwrap_or_default(), "");
    let format = |value: f64| match figure.measure.as_deref() {
        Some("level") => unit.format_parts(value, 0).0,
        Some(_) | None => unit.format_change(value, if value.abs() < 10.0 { 1 } else { 0 }),
    };
    let expected = print
        .expected
        .as_ref()
        .map(|e| format!("; {} expected", format(e.value)))
        .unwrap_or_default();
    let (value, (_, after)) = (format(print.value), unit.format_parts(print.value, 0));
    Some(Release {
        day: format_weekday(print.date),
        name: figure.name.clone(),
        note: format!("{}: {value} {after}{expected}", format_dates(&print.period)),
        id: Some(figure.series_id.clone()),
    })
}

fn next_release(event: &ReleaseEvent) -> Release {
    let day = format!("{} {}", format_weekday(event.date), event.time);
    Release {
        day: day.trim_end().to_owned(),
        name: event.name.clone(),
        note: format_dates(&event.period),
        id: event.series.first().cloned(),
    }
}

/// Formats a day with its day of the week: "Fri 4 Dec".
fn format_weekday(day: Date) -> String {
    day.strftime("%a %-d %b").to_string()
}

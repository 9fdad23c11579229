//! Headline figures of the start page, and its last and next releases.

use super::charts;
use super::home::START;
use super::prelude::*;
use super::text::{parse_frequency, series_unit};
use econoscope_answers::Endpoint;
use econoscope_answers::endpoints::metric::{self, NewerMean};
use econoscope_answers::endpoints::release_calendar::{Params, ReleaseEvent, ScheduledFigure};
use econoscope_answers::endpoints::time_series::TimeSeriesAnswer;
use econoscope_core::chart::render_sparkline;
use econoscope_core::format::{Unit, due, short_day};
use econoscope_core::indicators::prose::lowercase_first;
use econoscope_core::model::calendar::eastern;
use jiff::civil::Time;
use std::cmp::Reverse;

/// A headline figure.
#[derive(Default)]
pub(super) struct Headline {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// "4.2 %" and its period; `None` where there is no figure.
    pub(super) figure: Option<(String, String)>,
    /// The average of a later month, also as text: "4.99 %".
    pub(super) newer: Option<(String, NewerMean)>,
    /// The line of its figures; empty without them.
    pub(super) line: String,
    /// Whether a newer figure is late, and "due 6 Nov, not loaded", or "next 4 December 2026".
    pub(super) age: Option<(bool, String)>,
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
/// Points of the line of a headline.
const MAX_POINTS: usize = 90;
/// Days within which the next releases are.
const DAYS: u8 = 14;

/// Returns a call for the history of each headline.
pub(super) fn calls(as_of: &str) -> impl Iterator<Item = EndpointCall> {
    HEADLINES.iter().map(move |(id, _, start, units, _)| {
        let view = [("seriesId", *id), ("start", start), ("units", units)];
        let arguments = view.into_iter().chain([("as_of", as_of)]);
        EndpointCall::new("get_time_series", arguments)
    })
}

/// Reads the newest figure of each headline, with a monthly average that is newer and when the next figure is due. One that
/// failed has no value.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) fn read(desk: &Desk, answers: &mut Answers, as_of: AsOf) -> Result<Vec<Headline>> {
    let headline = |(id, name, _, _, is_change): &Row| {
        let mut headline = Headline {
            id,
            name,
            ..Headline::default()
        };
        if let Ok(answer) = answers.read() {
            headline.line = draw_line(&answer);
            headline.figure = newest_figure(id, *is_change, &answer);
        }
        if headline.figure.is_some() {
            add_age(desk, &mut headline, as_of)?;
        }
        Ok(headline)
    };
    HEADLINES.iter().map(headline).collect()
}

/// Draws the figures as a small line, with no more points than it is wide.
fn draw_line(answer: &TimeSeriesAnswer) -> String {
    let mut spec = charts::plot(answer);
    for line in &mut spec.lines {
        let step = line.points.len() / MAX_POINTS + 1;
        line.points = line.points.iter().rev().step_by(step).copied().collect();
        line.points.reverse();
    }
    render_sparkline(&spec)
}

fn add_age(desk: &Desk, headline: &mut Headline, as_of: AsOf) -> Result<()> {
    let info = desk.resolve("series", headline.id)?;
    let metric = metric::read(desk, &info, as_of)?;
    let unit = Unit::parse(&metric.unit, "");
    let newer = metric.newer_mean;
    headline.newer = newer.map(|mean| (unit.write(mean.value, 2), mean));
    let late = metric.provenance.late.get("value");
    let next = metric.next_release;
    let text = match late {
        Some(due_day) => Some(due(*due_day, desk.reading_day(as_of))),
        None => next.map(|day| format!("next {}", short_day(day))),
    };
    headline.age = text.map(|text| (late.is_some(), text));
    Ok(())
}

/// Says in one sentence how the economy is: "Unemployment 4.2 %, inflation (CPI) 3.4 %, …: reflation, …".
pub(super) fn describe(headlines: &[Headline], regime: &str, odds: Option<&str>) -> String {
    let wanted = ["UNRATE", "SAHMREALTIME", "CPIAUCSL", "DGS10"];
    let parts = wanted.iter().filter_map(|id| {
        let headline = headlines.iter().find(|headline| headline.id == *id)?;
        let newer = headline.newer.as_ref().map(|(value, _)| value);
        let value = newer.or(headline.figure.as_ref().map(|(value, _)| value))?;
        Some(format!(
            "{} {}",
            headline.name,
            value.trim_start_matches('+')
        ))
    });
    let figures = parts.enumerate().map(|(n, part)| match n {
        0 => part,
        _ => lowercase_first(&part),
    });
    let chance = odds.map(|odds| format!("odds of a recession within twelve months {odds}"));
    let state = [Some(regime.to_lowercase()), chance].into_iter().flatten();
    let state = enclosed(": ", &join(state, ", "), "");
    format!("{}{state}.", join(figures, ", "))
}

/// Formats the newest figure of an answer and its period.
fn newest_figure(id: &str, is_change: bool, answer: &TimeSeriesAnswer) -> Option<(String, String)> {
    let newest = answer.data.last()?;
    let unit = series_unit(answer);
    let info = Catalogue::embedded().get(id);
    let decimals = match answer.published_unit() {
        None if answer.unit.starts_with('%') => 1,
        _ => info.map_or(1, |info| usize::from(info.decimals)),
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
    let last = figures.into_iter().take(MAX_RELEASES);
    let now = desk.now().to_zoned(eastern()).datetime();
    // A time that has passed today is no release to come.
    let is_past = |e: &ReleaseEvent| {
        let time = e.time.parse::<Time>();
        as_of.is_none() && time.is_ok_and(|time| e.date.to_datetime(time) < now)
    };
    let events = answer.events.iter();
    let coming = events.filter(|e| e.held != Some(true) && !is_past(e));
    let next = coming.take(MAX_RELEASES).map(next_release);
    Ok((last.filter_map(last_release).collect(), next.collect()))
}

fn last_release(figure: &ScheduledFigure) -> Option<Release> {
    let print = figure.last.as_ref()?;
    let unit = Unit::parse(figure.unit.as_deref().unwrap_or_default(), "");
    let format = |value: f64| match figure.measure.as_deref() {
        Some("level") => unit.format_parts(value, 0).0,
        Some(_) | None => unit.format_change(value, if value.abs() < 10.0 { 1 } else { 0 }),
    };
    let forecast = print.expected.as_ref();
    let expected = forecast.map(|e| format!("; {} expected", format(e.value)));
    let (_, after) = unit.format_parts(print.value, 0);
    Some(Release {
        day: format_weekday(print.date),
        name: figure.name.clone(),
        note: format!(
            "{}: {} {after}{}",
            format_dates(&print.period),
            format(print.value),
            expected.unwrap_or_default()
        ),
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

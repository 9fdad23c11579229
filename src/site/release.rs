//! Release cards: what was expected and printed, the surprise, and what became of the months before.

use super::asked::PageRequest;
use super::calendar::{self, against, came, figure, measure, next, revised, surprise};
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::series::drawings;
use super::text::{dashed, encoded, in_words, plain, readable};
use super::widget::Widget;
use super::{charts, pictures, view};
use askama::Template;
use econoscope_answers::endpoints::release_calendar::{
    CalendarAnswer, Params, ReleaseEvent, ScheduledFigure,
};
use econoscope_answers::endpoints::revisions::{self, RevisionsAnswer, plus};
use econoscope_answers::endpoints::{Endpoint, time_series};
use econoscope_core::chart::{ChartSpec, GHOST, Line, fluid};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::period;
use econoscope_core::indicators::prose::{capitalised, joined, lowered};
use econoscope_core::model::{Frequency, Observation};
use econoscope_data::desk::Desk;

/// Days in which every release comes once.
const DAYS: u8 = 120;

/// Name of the line of first prints.
const FIRST: &str = "First";

#[derive(Template)]
#[template(path = "release.html")]
struct Page {
    frame: Frame,
    event: ReleaseEvent,
    cards: Vec<Card>,
}

/// A figure of a release.
struct Card {
    figure: ScheduledFigure,
    /// First prints and what became of them.
    prints: Option<RevisionsAnswer>,
    frequency: Frequency,
    source: String,
    /// Of the figures that are drawn, at the scale of the axis: "Thousands of claims".
    unit: String,
    drawn: (String, String),
}

/// The figures of a release, or the one of a series.
///
/// # Errors
/// [`Error::InvalidParam`] for what comes with no release of the calendar.
pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let (event, figures) = read(desk, &asked.name)?;
    let title = format!("{}: expected and printed", event.name);
    let description = format!(
        "{}: what was expected, what came, how it was revised, what is next.",
        event.name
    );
    let name = encoded(&asked.name);
    let address = format!("/release/{name}");
    let picture = match figures.is_empty() {
        true => "/chart/DGS10.png".to_owned(),
        false => format!("/chart/release/{name}.png"),
    };
    let cards = figures.into_iter().map(|figure| {
        let (spec, prints, frequency, source) = drawing(desk, &figure)?;
        Ok(Card {
            figure,
            prints,
            frequency,
            source,
            unit: spec.heading(),
            drawn: drawings((spec, Vec::new())),
        })
    });
    let page = Page {
        cards: cards.collect::<Result<_>>()?,
        frame: Frame::of(desk, &title, &description, &address)?.carded("", picture),
        event,
    };
    html(&page, "")
}

/// The first figure of a release, or the one of a series, as a widget.
///
/// # Errors
/// As [`page`]; [`Error::NoData`] of a release without figures.
pub(super) fn widget(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let (event, figure) = first(desk, &asked.name)?;
    let (spec, _, _, source) = drawing(desk, &figure)?;
    let mut widget = Widget::new(asked, figure.name.clone(), (desk.attribution(), source));
    widget.more = format!(
        "{}/release/{}",
        widget.credit.url,
        encoded(&figure.series_id)
    );
    widget.picture = fluid(&spec);
    let coming = format!("next {}", in_words(event.date));
    match &figure.last {
        Some(print) => {
            widget.title += &format!(", {}", readable(&print.period));
            let (value, unit) = calendar::parts(&figure, print.value);
            (widget.value, widget.unit) = (Some(value), unit);
            widget.date = in_words(print.date);
            widget.lines = against(&figure, print);
            widget.lines.push(coming);
        }
        None => widget.lines = vec![coming],
    }
    widget.document()
}

/// The same as a picture.
///
/// # Errors
/// As [`widget`]; [`Error::InvalidParam`] for a theme, a size or a form that there is not.
pub(super) fn picture(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let (event, figure) = first(desk, pictures::stem(asked))?;
    let (mut spec, _, _, source) = drawing(desk, &figure)?;
    let coming = format!("next {}", in_words(event.date));
    let told = figure.last.as_ref().map(|print| {
        spec.title = format!("{}, {}", figure.name, readable(&print.period));
        let printed = format!("printed {}", calendar::figure(&figure, print.value));
        joined([printed].into_iter().chain(against(&figure, print)), ", ")
    });
    let told = told.into_iter().chain([coming]);
    spec.lead = capitalised(&joined(told, "; "));
    spec.source = source;
    pictures::about(desk, asked, &figure.series_id, spec)
}

/// The figures that have a card: identifiers and names.
///
/// # Errors
/// What the calendar says.
pub(super) fn figures(desk: &Desk) -> Result<Vec<(String, String)>> {
    let answer = Params::local(desk, &Params::of(DAYS, None, None))?;
    let named = answer.figures.into_iter().map(|f| (f.series_id, f.name));
    Ok(named.collect())
}

/// The next event of a release, and the figure that its card is about: the first, or the one of a series.
///
/// # Errors
/// As [`page`]; [`Error::NoData`] of a release without figures.
pub(super) fn first(desk: &Desk, name: &str) -> Result<(ReleaseEvent, ScheduledFigure)> {
    let (event, figures) = read(desk, name)?;
    let first = figures.into_iter().next();
    let figure = first.ok_or_else(|| Error::no_data(&event.name, "no figure of it is expected"))?;
    Ok((event, figure))
}

/// The next event of a release and its figures.
fn read(desk: &Desk, name: &str) -> Result<(ReleaseEvent, Vec<ScheduledFigure>)> {
    let params = Params::of(DAYS, Some(name), None);
    let CalendarAnswer {
        events,
        mut figures,
        ..
    } = Params::local(desk, &params)?;
    let event = events.into_iter().next();
    let event = event.ok_or_else(|| Error::no_data(name, "no release of it is due"))?;
    // Of a series its own figure alone.
    let is_its = |f: &ScheduledFigure| f.series_id.eq_ignore_ascii_case(name);
    if figures.iter().any(is_its) {
        figures.retain(is_its);
    }
    Ok((event, figures))
}

/// First prints and what stands there now; without vintages the series itself.
fn drawing(
    desk: &Desk,
    figure: &ScheduledFigure,
) -> Result<(ChartSpec, Option<RevisionsAnswer>, Frequency, String)> {
    let info = desk.resolve("series", &figure.series_id)?;
    desk.permit(&info)?;
    let (frequency, source) = (info.frequency, info.source.clone());
    let prints = match info.is_composite() {
        true => None,
        false => Some(revisions::read(desk, &info, None)?).filter(|r| r.first_prints.len() > 1),
    };
    let Some(r) = prints else {
        let given = [("seriesId", &*figure.series_id), ("start", "3y")];
        let answer = time_series::every_row(desk, view::collected(given.into_iter()))?;
        return Ok((charts::plot(&answer), None, frequency, source));
    };
    let line = |name: &str, of: &dyn Fn(&revisions::PrintAnswer) -> Option<f64>| Line {
        name: name.to_owned(),
        points: r
            .first_prints
            .iter()
            .rev()
            .filter_map(|p| Some(Observation::new(p.date, of(p)?)))
            .collect(),
        frequency,
        is_right: false,
        color: if name == FIRST { GHOST } else { 0 },
    };
    let spec = ChartSpec {
        title: figure.name.clone(),
        unit: format!("{}, {}", capitalised(&r.measure), lowered(&r.unit)),
        decimals: info.decimals,
        lines: vec![line(FIRST, &|p| Some(p.first)), line("Now", &|p| p.now)],
        ..ChartSpec::default()
    };
    Ok((spec, Some(r), frequency, source))
}

/// A revision with its sign; nothing where there is none.
fn revision(of: &Option<f64>) -> String {
    of.map_or_else(String::new, |by| readable(&plus(by)))
}

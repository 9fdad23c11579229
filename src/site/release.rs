//! Release cards: what was expected and printed, the surprise, and what became of the months before.

use super::asked::PageRequest;
use super::calendar::{last, measure, next, revised};
use super::charts;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::series::drawings;
use super::text::{dashed, encoded, in_words, plain, readable};
use super::view;
use super::widget::Widget;
use askama::Template;
use econoscope_answers::endpoints::release_calendar::{
    CalendarAnswer, LastPrint, Params, ReleaseEvent, ScheduledFigure,
};
use econoscope_answers::endpoints::revisions::{self, RevisionsAnswer, plus};
use econoscope_answers::endpoints::{Endpoint, time_series};
use econoscope_core::chart::{ChartSpec, GHOST, Line, fluid};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{period, signed};
use econoscope_core::indicators::prose::capitalised;
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
    drawn: (String, String),
}

/// The figures of a release, or the one of a series.
///
/// # Errors
/// [`Error::InvalidParam`] for what comes with no release of the calendar.
pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let (event, figures) = read(desk, asked)?;
    let title = format!("{}: expected and printed", event.name);
    let description = format!(
        "{}: what was expected, what came, how it was revised, what is next.",
        event.name
    );
    let address = format!("/release/{}", encoded(&asked.name));
    let cards = figures.into_iter().map(|figure| {
        let (spec, prints, frequency, source) = drawing(desk, &figure)?;
        Ok(Card {
            figure,
            prints,
            frequency,
            source,
            drawn: drawings((spec, Vec::new())),
        })
    });
    let page = Page {
        cards: cards.collect::<Result<_>>()?,
        frame: Frame::of(desk, &title, &description, &address)?,
        event,
    };
    html(&page, "")
}

/// The first figure of a release, or the one of a series, as a widget.
///
/// # Errors
/// As [`page`]; [`Error::NoData`] of a release without figures.
pub(super) fn widget(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let (event, figures) = read(desk, asked)?;
    let named = |f: &&ScheduledFigure| f.series_id.eq_ignore_ascii_case(&asked.name);
    let figure = figures.iter().find(named).or_else(|| figures.first());
    let figure =
        figure.ok_or_else(|| Error::no_data(&event.name, "no figure of it is expected"))?;
    let (spec, _, _, source) = drawing(desk, figure)?;
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
            // The line beside the figure is for the surprise.
            let unit = figure.unit.as_deref().unwrap_or_default();
            widget.title += &format!(", {}, {unit}", readable(&print.period));
            widget.value = Some(value(figure, print.value));
            widget.date = in_words(print.date);
            widget.lines = surprise(figure, print)
                .into_iter()
                .chain([coming])
                .collect();
        }
        None => widget.lines = vec![coming],
    }
    widget.document()
}

/// The next event of a release and its figures.
fn read(desk: &Desk, asked: &PageRequest) -> Result<(ReleaseEvent, Vec<ScheduledFigure>)> {
    let params = Params::of(DAYS, Some(&asked.name), None);
    let CalendarAnswer {
        events,
        mut figures,
        ..
    } = Params::local(desk, &params)?;
    let event = events.into_iter().next();
    let event = event.ok_or_else(|| Error::no_data(&asked.name, "no release of it is due"))?;
    // Of a series its own figure alone.
    if figures
        .iter()
        .any(|f| f.series_id.eq_ignore_ascii_case(&asked.name))
    {
        figures.retain(|f| f.series_id.eq_ignore_ascii_case(&asked.name));
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
        unit: format!("{}, {}", capitalised(&r.measure), r.unit),
        decimals: info.decimals,
        lines: vec![line(FIRST, &|p| Some(p.first)), line("Now", &|p| p.now)],
        ..ChartSpec::default()
    };
    Ok((spec, Some(r), frequency, source))
}

/// A print: changes carry their sign, levels do not.
fn value(figure: &ScheduledFigure, value: f64) -> String {
    match figure.measure.as_deref() {
        Some("level") | None => plain(value),
        Some(_) => readable(&plus(value)),
    }
}

/// "expected +19", "surprise +31 (+0.3 sd)"; why there is none.
fn surprise(figure: &ScheduledFigure, print: &LastPrint) -> Vec<String> {
    match (&print.expected, print.surprise, print.deviations) {
        (Some(e), Some(surprise), Some(z)) => vec![
            format!("expected {}", value(figure, e.value)),
            format!(
                "surprise {} ({} sd)",
                readable(&plus(surprise)),
                signed(z, 1)
            ),
        ],
        _ => print.missing.iter().cloned().collect(),
    }
}

/// A revision with its sign; nothing where there is none.
fn revision(of: &Option<f64>) -> String {
    of.map_or_else(String::new, |by| readable(&plus(by)))
}

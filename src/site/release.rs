//! Release cards: the expectation for a figure, its first print, the surprise, and revisions of earlier periods.

use super::calendar::{describe_next, describe_publication, describe_revisions, describe_surprise};
use super::calendar::{format_measure, format_parts, format_surprise, format_value, is_level};
use super::figure::{self, Figure};
use super::prelude::*;
use super::strip::Strip;
use super::text::format_revision;
use super::widget_frame::Widget;
use super::{charts, pictures};
use econoscope_answers::Endpoint;
use econoscope_answers::endpoints::release_calendar::{Params, ReleaseEvent, ScheduledFigure};
use econoscope_answers::endpoints::revisions::{self, RevisionsAnswer};
use econoscope_answers::endpoints::time_series;
use econoscope_answers::render::error_bar;
use econoscope_core::chart::{ChartSpec, GHOST_COLOR, Line, render_fluid};
use econoscope_core::indicators::prose::lowercase_first;

/// Days within which every release has at least one event.
const DAYS: u8 = 120;

#[derive(Template)]
#[template(path = "release.html")]
struct Page {
    frame: Frame,
    release: ReleaseEvent,
    /// The strip is drawn on the page alone, since each surprise is computed from two past days.
    cards: Vec<(Card, Strip)>,
}

/// A figure of a release with its chart.
struct Card {
    figure: ScheduledFigure,
    spec: ChartSpec,
    /// Labels and values: the newest level, and the newest figure in the measure of the chart where no print has it.
    facts: Vec<(String, String)>,
    /// First prints and their present values.
    prints: Option<RevisionsAnswer>,
    frequency: Frequency,
    /// How far the newest print may still move; empty without a validated error bar.
    error_bar: String,
}

/// Renders the page of a release or of the release of a series.
///
/// # Errors
/// [`Error::InvalidParam`] for a name that has no release in the calendar.
pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let (release, figures) = next_release(desk, &request.name)?;
    let name = &release.name;
    let title = format!("{name}: expected and printed");
    let description =
        format!("{name}: what was expected, what came, how it was revised, what is next.");
    let name = encode_segment(&request.name);
    let frame = Frame::new(desk, &title, &description, &format!("/release/{name}"));
    let picture = (!figures.is_empty()).then(|| format!("/chart/release/{name}.png"));
    let cards = figures.into_iter().map(|figure| {
        let card = card(desk, figure)?;
        let strip = Strip::new(desk, &card.figure)?;
        Ok((card, strip))
    });
    render_page(&Page {
        cards: cards.collect::<Result<_>>()?,
        frame: frame.with_preview("", picture),
        release,
    })
}

/// Renders the widget of the first figure of a release, or of the figure of a series.
///
/// # Errors
/// As [`page`]; [`Error::NoData`] for a release without figures.
pub(super) fn widget(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let (release, figure) = first_figure(desk, &request.name)?;
    let Card { figure, spec, .. } = card(desk, figure)?;
    let picture = render_fluid(&spec);
    let mut widget = Widget::new(request, &*figure.name, desk.attribution(), spec.source);
    let id = encode_segment(&figure.series_id);
    widget.more = format!("{}/release/{id}", widget.credit.url);
    widget.picture = picture;
    if let Some(print) = &figure.last {
        widget.title += &format!(", {}", format_dates(&print.period));
        let (value, unit) = format_parts(&figure, print.value);
        (widget.value, widget.unit) = (Some(value), unit);
        widget.date = format_day(print.date);
        widget.notes = describe_surprise(&figure, print);
    }
    widget.notes.push(describe_next_day(&release));
    widget.render_document()
}

/// Renders the same as a picture.
///
/// # Errors
/// As [`widget`]; [`Error::InvalidParam`] for an unknown theme, size or format.
pub(super) fn picture(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let (release, figure) = first_figure(desk, pictures::name(request))?;
    let Card {
        figure, mut spec, ..
    } = card(desk, figure)?;
    let mut lead = Vec::new();
    if let Some(print) = &figure.last {
        spec.title = format!("{}, {}", figure.name, format_dates(&print.period));
        let printed = format!("printed {}", format_value(&figure, print.value));
        let surprise = describe_surprise(&figure, print);
        lead.push(join([printed].into_iter().chain(surprise), ", "));
    }
    lead.push(describe_next_day(&release));
    spec.lead = capitalize(&join(lead, "; "));
    pictures::render_with_citation(desk, request, &figure.series_id, spec)
}

fn describe_next_day(release: &ReleaseEvent) -> String {
    format!("next {}", format_day(release.date))
}

/// Returns identifiers and names of the figures that have a card.
///
/// # Errors
/// Any error of the calendar.
pub(super) fn figures(desk: &Desk) -> Result<Vec<(String, String)>> {
    let answer = Params::local(desk, &Params::new(DAYS, None, None))?;
    let figures = answer.figures.into_iter();
    Ok(figures.map(|f| (f.series_id, f.name)).collect())
}

/// Returns the next event of a release, and its first figure or the figure of a series.
///
/// # Errors
/// As [`page`]; [`Error::NoData`] for a release without figures.
pub(super) fn first_figure(desk: &Desk, name: &str) -> Result<(ReleaseEvent, ScheduledFigure)> {
    let (release, figures) = next_release(desk, name)?;
    let first = figures.into_iter().next().ok_or_else(|| {
        let reason = "no expectation is computed for any of its figures";
        Error::no_data(&release.name, reason)
    })?;
    Ok((release, first))
}

/// Returns the next event of a release, and all of its figures or the figure of a series.
fn next_release(desk: &Desk, name: &str) -> Result<(ReleaseEvent, Vec<ScheduledFigure>)> {
    let answer = Params::local(desk, &Params::new(DAYS, Some(name), None))?;
    let release = answer.events.into_iter().next().ok_or_else(|| {
        let reason = "the calendar has no release of it in the next 120 days";
        Error::no_data(name, reason)
    })?;
    let mut figures = answer.figures;
    let is_named = |f: &ScheduledFigure| f.series_id.eq_ignore_ascii_case(name);
    if figures.iter().any(is_named) {
        figures.retain(is_named);
    }
    if figures.is_empty() {
        figures = unexpected_figures(desk, &release, name)?;
    }
    Ok((release, figures))
}

/// Returns the figures of a release of which nothing is expected: the named series, else the first ones with figures.
fn unexpected_figures(
    desk: &Desk,
    release: &ReleaseEvent,
    name: &str,
) -> Result<Vec<ScheduledFigure>> {
    let is_named = |id: &&String| id.eq_ignore_ascii_case(name);
    let named = release.series.iter().find(is_named);
    let ids = named.map_or(release.series.as_slice(), std::slice::from_ref);
    let mut known = Vec::new();
    for id in ids {
        let info = desk.resolve("series", id)?;
        if known.len() < MAX_CARDS && desk.series(&info, AsOf::Latest)?.is_some() {
            known.push((id, info));
        }
    }
    known.retain(|(_, info)| desk.check_permitted(info).is_ok());
    let figure = |(id, info): (&String, Arc<SeriesInfo>)| ScheduledFigure {
        series_id: id.clone(),
        name: info.title.clone(),
        release: release.release.clone(),
        ..ScheduledFigure::default()
    };
    Ok(known.into_iter().map(figure).collect())
}

/// Charts first prints and present values, or the series itself where there are no vintages.
fn card(desk: &Desk, figure: ScheduledFigure) -> Result<Card> {
    let info = desk.resolve("series", &figure.series_id)?;
    desk.check_permitted(&info)?;
    let frequency = info.frequency;
    let answer = (!info.is_composite()).then(|| revisions::read(desk, &info, None));
    let prints = answer.transpose()?.filter(|r| r.first_prints.len() > 1);
    // From the first of the listed prints on, or so many years back.
    let first = prints
        .as_ref()
        .and_then(|answer| answer.first_prints.last());
    let start = first.map_or_else(|| RANGE.to_owned(), |print| print.date.to_string());
    let rows = |units: &str| newest_rows(desk, &figure.series_id, &start, units);
    let levels = rows("")?;
    let mut spec = match &prints {
        Some(answer) => {
            let now = match measured_units(answer) {
                "" => levels.clone(),
                units => rows(units)?,
            };
            plot_prints(&figure, answer, now)
        }
        None => levels.clone(),
    };
    spec.source.clone_from(&info.source);
    let mut facts = Vec::new();
    if let Some(level) = Figure::newest(&levels) {
        facts.push((format!("Newest figure, {}", level.period), level.text));
        // A print is a change, so that a change of the level would say it twice.
        let is_change = figure.last.is_some() && !is_level(&figure);
        facts.extend(level.change.filter(|_| !is_change));
    }
    if figure.last.is_none()
        && let Some(answer) = &prints
        && answer.measure != LEVEL
        && let Some(newest) = spec.lines.last().and_then(|line| line.points.last())
    {
        let measure = capitalize(&answer.measure);
        let label = format!("{measure}, {}", period(newest.date, frequency));
        facts.push((label, figure::write(&spec, newest.value)));
    }
    Ok(Card {
        figure,
        spec,
        facts,
        prints,
        frequency,
        error_bar: error_bar::describe_newest(desk, &info, AsOf::Latest)?,
    })
}

/// The measure of prints that are levels.
const LEVEL: &str = "level";
/// Figures of a release without an expectation.
const MAX_CARDS: usize = 4;
/// Range of the chart of a series without vintages.
const RANGE: &str = "3y";

/// Plots the newest rows of a series in some units.
fn newest_rows(desk: &Desk, id: &str, start: &str, units: &str) -> Result<ChartSpec> {
    let arguments = [("seriesId", id), ("start", start), ("units", units)];
    let arguments = endpoint_arguments(arguments);
    Ok(charts::plot(&time_series::read_all_rows(desk, arguments)?))
}

/// Returns the units of the API that are the measure of prints.
fn measured_units(answer: &RevisionsAnswer) -> &'static str {
    match answer.measure.as_str() {
        LEVEL => "",
        rate if rate.ends_with("annual rate") => "pca",
        percent if percent.starts_with("percent") => "pch",
        _ => "chg",
    }
}

/// Plots first prints, and in their measure the figures of today, which go on where no vintage is held.
fn plot_prints(
    figure: &ScheduledFigure,
    answer: &RevisionsAnswer,
    mut now: ChartSpec,
) -> ChartSpec {
    let prints = answer.first_prints.iter().rev();
    let first = prints.filter_map(|print| Some(Observation::new(print.date, print.first?)));
    for line in &mut now.lines {
        line.name = "Now".to_owned();
    }
    let frequency = now.lines.first().map(|line| line.frequency);
    let ghost = Line {
        name: "First".to_owned(),
        points: first.collect(),
        frequency: frequency.unwrap_or(Frequency::Monthly),
        is_right: false,
        color: GHOST_COLOR,
    };
    now.lines.insert(0, ghost);
    now.title.clone_from(&figure.name);
    let measure = capitalize(&answer.measure);
    now.unit = format!("{measure}, {}", lowercase_first(&answer.unit));
    now.shading.clear();
    now
}

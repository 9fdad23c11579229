//! Scenarios: all of them with their base rates, and one page each: how far it is, and each time that it came true.

use super::asked::PageRequest;
use super::document::Document;
use super::fault::unknown;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::series::drawings;
use super::text::{encoded, percent, plain};
use super::widget::Widget;
use super::{articles, assets};
use askama::Template;
use econoscope_answers::endpoints::recessions;
use econoscope_core::chart::{ChartSpec, Line, fluid};
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::base_rates::{Episode, Move, Transform};
use econoscope_core::indicators::prose::signed;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{Date, Frequency, Observation, quantity};
use econoscope_data::desk::Desk;
use econoscope_data::desk::scenarios::Scenario;
use econoscope_data::store::Article;
use jiff::ToSpan;

#[derive(Template)]
#[template(path = "scenarios.html")]
struct Index<'a> {
    frame: Frame,
    items: Vec<&'a Scenario>,
}

#[derive(Template)]
#[template(path = "scenario.html")]
struct Page<'a> {
    frame: Frame,
    item: &'a Scenario,
    /// How far it is, or why that is not told.
    dial: std::result::Result<Dial, String>,
    /// The chart for a wide and for a narrow screen.
    drawn: (String, String),
    articles: Vec<Article>,
}

/// How far a scenario is.
struct Dial {
    /// Identifier of the series that decides.
    series: String,
    unit: String,
    /// "July 2026: 0.13".
    now: String,
    trigger: String,
    /// "0.37 to go", or since when it is met.
    distance: String,
    /// Past times, the newest first.
    episodes: Vec<Episode>,
    spec: ChartSpec,
    source: String,
    month: Date,
}

pub(super) fn index(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let description = "Macro scenarios that figures can decide, with the share of the past in which each came true.";
    let page = Index {
        frame: Frame::of(desk, "Scenarios", description, "/scenarios")?,
        items: desk.scenarios(),
    };
    html(&page, "")
}

pub(super) fn scenario(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let item = named(desk, asked)?;
    let mut articles = articles::published(desk)?;
    articles.retain(|a| a.tags.iter().any(|tag| item.articles.contains(tag)));
    let address = format!("/scenarios/{}", item.slug);
    let dial = match dial(desk, item) {
        Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => Err(error.to_string()),
        dial => Ok(dial?),
    };
    let mut frame = Frame::of(desk, &item.title, &item.thesis, &address)?;
    frame.script = assets::path();
    let page = Page {
        frame,
        item,
        drawn: match &dial {
            Ok(dial) => drawings((dial.spec.clone(), Vec::new())),
            Err(_) => Default::default(),
        },
        dial,
        articles,
    };
    html(&page, assets::path())
}

/// The same as a widget.
pub(super) fn widget(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let item = named(desk, asked)?;
    let dial = dial(desk, item)?;
    let credit = (desk.attribution(), dial.source.clone());
    let mut widget = Widget::new(asked, item.title.clone(), credit);
    widget.more = format!("{}/scenarios/{}", widget.credit.url, item.slug);
    widget.value = Some(dial.distance);
    let past = dial.episodes.len();
    widget.lines = vec![
        dial.now,
        format!("trigger {}", dial.trigger),
        format!("{past} times before"),
    ];
    widget.date = dial.month.to_string();
    widget.picture = fluid(&dial.spec);
    widget.document()
}

fn named<'a>(desk: &'a Desk, asked: &PageRequest) -> Result<&'a Scenario> {
    let all = desk.scenarios();
    let found = all.iter().find(|s| s.slug == asked.name);
    let known = || all.iter().map(|s| (s.slug.as_str(), s.title.as_str()));
    found
        .copied()
        .ok_or_else(|| unknown("scenario", &asked.name, known()))
}

/// How far a scenario is.
///
/// # Errors
/// [`Error::NoData`] where nothing decides it or nothing is held; [`Error::NotPermitted`] where figures may not be shown.
fn dial(desk: &Desk, item: &Scenario) -> Result<Dial> {
    let without = || Error::no_data(&item.slug, "no figures are held that decide it");
    let event = item.event.as_ref().ok_or_else(without)?;
    let (series, found) = desk.standing(item)?.ok_or_else(without)?;
    let info = &series.info;
    let unit = match event.transform {
        Transform::Level => quantity::in_words(&info.units_short),
        Transform::YoyPct => "% from a year earlier".to_owned(),
    };
    let decimals = match event.transform {
        Transform::Level => info.decimals.clamp(1, 2),
        Transform::YoyPct => 2,
    };
    let figure = |value: f64| plain(round_to(value, i32::from(decimals)));
    let level = |o: &Observation| Observation::new(o.date, found.trigger);
    let line = |name: &str, points: Vec<Observation>| Line {
        name: name.to_owned(),
        points,
        frequency: Frequency::Monthly,
        is_right: false,
        color: usize::from(!name.is_empty()),
    };
    let trigger = found.figures.iter().map(level).collect();
    let away = found.trigger - found.now.value;
    Ok(Dial {
        series: desk.shown_id(&info.id),
        now: format!(
            "{}: {}",
            Frequency::Monthly.label(found.now.date),
            figure(found.now.value)
        ),
        trigger: figure(found.trigger),
        distance: match found.met {
            true => "Reached".to_owned(),
            false => format!("{} to go", signed(away, usize::from(decimals))),
        },
        month: found.now.date,
        spec: ChartSpec {
            title: item.title.clone(),
            unit: unit.clone(),
            decimals,
            lines: vec![line("", found.figures.clone()), line("Trigger", trigger)],
            shading: recessions(),
            ..ChartSpec::default()
        },
        unit,
        source: info.source.clone(),
        episodes: found.episodes.into_iter().rev().collect(),
    })
}

/// The event as a condition on the series itself, where it is one: "SAHMREALTIME >= 0.5".
pub(crate) fn condition(item: &Scenario) -> Option<String> {
    let event = item.event.as_ref()?;
    let sign = match (event.transform, event.movement) {
        (Transform::Level, Move::Starts | Move::ReachesOrAbove) => ">=",
        (Transform::Level, Move::ReachesOrBelow) => "<=",
        (Transform::YoyPct, _)
        | (_, Move::RisesBy | Move::FallsBy | Move::RisesByPct | Move::FallsByPct) => return None,
    };
    Some(format!("{} {sign} {}", event.series, event.threshold))
}

/// The chart of a past time: from a year before to a year after.
fn view(dial: &Dial, episode: &Episode) -> String {
    let (start, end) = (
        shift(episode.from, (-1).years()),
        shift(episode.met, 1.year()),
    );
    format!("/series/{}?start={start}&end={end}", encoded(&dial.series))
}

fn month(day: &Date) -> String {
    Frequency::Monthly.label(*day)
}

//! Scenarios: all of them with their base rates, and one page each: how far it is, and each time that it came true.

use super::asked::PageRequest;
use super::document::Document;
use super::fault::unknown;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::series::drawings;
use super::text::{encoded, percent};
use super::widget::Widget;
use super::{articles, assets, pictures};
use askama::Template;
use econoscope_answers::endpoints::recessions;
use econoscope_core::chart::{ChartSpec, Line, fluid};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{Unit, heading};
use econoscope_core::indicators::base_rates::{Episode, Move, Transform};
use econoscope_core::indicators::prose::joined;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, Observation};
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
    /// The unit above the chart.
    unit: String,
    /// How its figures are written, and with how many decimals.
    written: Unit,
    places: usize,
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
    let item = named(desk, &asked.name)?;
    let mut articles = articles::published(desk)?;
    articles.retain(|a| a.tags.iter().any(|tag| item.articles.contains(tag)));
    let address = format!("/scenarios/{}", item.slug);
    let dial = match dial(desk, item) {
        Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => Err(error.to_string()),
        dial => Ok(dial?),
    };
    let frame = Frame::of(desk, &item.title, &item.thesis, &address)?;
    let picture = format!("/chart/scenario/{}.png", item.slug);
    let page = Page {
        frame: match &dial {
            Ok(_) => frame.lively("", picture),
            Err(_) => frame.lively("", "/chart/DGS10.png".to_owned()),
        },
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
    let item = named(desk, &asked.name)?;
    let dial = dial(desk, item)?;
    let credit = (desk.attribution(), dial.source.clone());
    let mut widget = Widget::new(asked, item.title.clone(), credit);
    widget.more = format!("{}/scenarios/{}", widget.credit.url, item.slug);
    widget.lines = dial.in_words();
    widget.value = Some(dial.distance);
    widget.date = dial.month.to_string();
    widget.picture = fluid(&dial.spec);
    widget.document()
}

/// The same as a picture.
///
/// # Errors
/// As [`widget`]; [`Error::InvalidParam`] for a theme, a size or a form that there is not.
pub(super) fn picture(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let item = named(desk, pictures::stem(asked))?;
    let mut dial = dial(desk, item)?;
    let told = joined(dial.in_words(), "; ");
    dial.spec.lead = format!("{}. {told}", dial.distance);
    dial.spec.source = dial.source;
    pictures::about(desk, asked, &dial.series, dial.spec)
}

/// The scenario of a name.
///
/// # Errors
/// [`Error::Unknown`] with those of nearly that name.
pub(super) fn named<'a>(desk: &'a Desk, name: &str) -> Result<&'a Scenario> {
    let all = desk.scenarios();
    let found = all.iter().find(|s| s.slug == name);
    let known = || all.iter().map(|s| (s.slug.as_str(), s.title.as_str()));
    found
        .copied()
        .ok_or_else(|| unknown("scenario", name, known()))
}

impl Dial {
    /// "July 2026: −0.03 points", "trigger 0.50 points", "13 times before".
    fn in_words(&self) -> Vec<String> {
        let past = match self.episodes.len() {
            1 => "once before".to_owned(),
            times => format!("{times} times before"),
        };
        vec![self.now.clone(), format!("trigger {}", self.trigger), past]
    }
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
    let (short, long, decimals) = match event.transform {
        Transform::Level => (&*info.units_short, &*info.units, info.decimals.min(2)),
        Transform::YoyPct => ("%", "Percent from a year earlier", 2),
    };
    let (written, places) = (Unit::of(short, long), usize::from(decimals));
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
            written.write(found.now.value, places)
        ),
        trigger: written.write(found.trigger, places),
        distance: match found.met {
            true => "Reached".to_owned(),
            false => format!("{} to go", written.change(away, places)),
        },
        month: found.now.date,
        spec: ChartSpec {
            title: item.title.clone(),
            unit: long.to_owned(),
            unit_short: short.to_owned(),
            decimals,
            lines: vec![line("", found.figures.clone()), line("Trigger", trigger)],
            shading: recessions(),
            ..ChartSpec::default()
        },
        unit: heading(long, 0),
        written,
        places,
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

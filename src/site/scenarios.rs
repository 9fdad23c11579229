//! Scenarios: the list with base rates, and for each a page with its distance to the trigger and its past episodes.

use super::prelude::*;
use super::text::{format_percent, format_whole};
use super::widget_frame::Widget;
use super::{articles, charts, error_page, figure, pictures};
use econoscope_answers::endpoints::time_series::recessions;
use econoscope_core::chart::{ChartSpec, Line, render_fluid, render_sparkline};
use econoscope_core::format::{Unit, change_text, heading, number};
use econoscope_core::indicators::base_rates::{Episode, Move, Transform};
use econoscope_core::indicators::statistics::average;
use econoscope_core::model::frequency::shift;
use econoscope_data::store::Article;
use econoscope_desk::base_rates::BaseRates;
use econoscope_desk::texts::scenarios::{self, Scenario};
use jiff::ToSpan;

#[derive(Template)]
#[template(path = "scenarios.html")]
struct Index<'a> {
    frame: Frame,
    /// Each with where it stands, or why that is not known; the nearest to its trigger first.
    rows: Vec<(&'a Scenario, std::result::Result<Progress, String>)>,
    rates: Arc<BaseRates>,
}

/// Months in the line of the board.
const MONTHS: usize = 240;

#[derive(Template)]
#[template(path = "scenario.html")]
struct Page<'a> {
    frame: Frame,
    scenario: &'a Scenario,
    /// The rule of the event in words.
    rule: Option<String>,
    /// The progress, or why it is not shown.
    progress: std::result::Result<Progress, String>,
    /// The condition to subscribe to, encoded and plain.
    condition: Option<(String, String)>,
    articles: Vec<Article>,
}

/// How far a scenario is from its trigger.
struct Progress {
    /// Identifier of the series that decides.
    series: String,
    /// "July 2026: 0.13".
    now: String,
    trigger: String,
    /// "0.37 to go", or "Reached".
    distance: String,
    /// The distance in usual monthly moves: means of the monthly changes without their sign.
    moves: f64,
    /// Past episodes, the newest first.
    episodes: Vec<Episode>,
    spec: ChartSpec,
    month: Date,
}

/// Returns the names of all scenarios in the binary.
pub(super) fn names() -> Vec<&'static str> {
    scenarios::embedded().iter().map(|s| &*s.slug).collect()
}

pub(super) fn index(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let row = |scenario| Ok((scenario, progress_or_reason(desk, scenario)?));
    let scenarios = desk.scenarios().into_iter();
    let mut rows: Vec<_> = scenarios.map(row).collect::<Result<_>>()?;
    let moves = |progress: &std::result::Result<Progress, String>| {
        progress.as_ref().map_or(f64::INFINITY, |p| p.moves)
    };
    rows.sort_by(|a, b| moves(&a.1).total_cmp(&moves(&b.1)));
    render_page(&Index {
        frame: Frame::of(desk, "/scenarios"),
        rows,
        rates: desk.base_rates()?,
    })
}

/// Computes the progress of a scenario, or says why it is not shown.
///
/// # Errors
/// Any error of the store.
fn progress_or_reason(
    desk: &Desk,
    scenario: &Scenario,
) -> Result<std::result::Result<Progress, String>> {
    match progress(desk, scenario) {
        Err(Error::NoData { reason, .. }) => Ok(Err(capitalize(&reason) + ".")),
        Err(error @ Error::NotPermitted { .. }) => Ok(Err(error.to_string())),
        known => known.map(Ok),
    }
}

pub(super) fn scenario(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let scenario = find(desk, &request.name)?;
    let slug = &scenario.slug;
    let title = &scenario.title;
    let mut articles = articles::published(desk)?;
    articles.retain(|a| a.tags.iter().any(|tag| scenario.articles.contains(tag)));
    let frame = Frame::new(desk, title, &scenario.thesis, &format!("/scenarios/{slug}"));
    let progress = progress_or_reason(desk, scenario)?;
    let picture = format!("/chart/scenario/{slug}.png");
    render_page(&Page {
        frame: frame.with_preview("", progress.is_ok().then_some(picture)),
        scenario,
        rule: scenario.describe_rule(),
        progress,
        condition: scenario_condition(scenario).map(|text| (encode_segment(&text), text)),
        articles,
    })
}

/// Renders the progress as a widget.
pub(super) fn widget(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let scenario = find(desk, &request.name)?;
    let progress = progress(desk, scenario)?;
    let credit = desk.attribution();
    Widget {
        more: format!("{}/scenarios/{}", credit.url, scenario.slug),
        notes: progress.notes(),
        date: format_month(&progress.month),
        picture: render_fluid(&progress.spec),
        value: Some(progress.distance),
        ..Widget::new(request, &*scenario.title, credit, progress.spec.source)
    }
    .render_document()
}

/// Renders the progress as a picture.
///
/// # Errors
/// As [`widget`]; [`Error::InvalidParam`] for an unknown theme, size or format.
pub(super) fn picture(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let scenario = find(desk, pictures::name(request))?;
    let mut progress = progress(desk, scenario)?;
    let notes = join(progress.notes(), "; ");
    progress.spec.lead = format!("{}. {notes}", progress.distance);
    pictures::render_with_citation(desk, request, &progress.series, progress.spec)
}

/// Finds the scenario of a name.
///
/// # Errors
/// [`Error::Unknown`] with similar names.
pub(super) fn find<'a>(desk: &'a Desk, name: &str) -> Result<&'a Scenario> {
    let label = |scenario: &'a Scenario| (&*scenario.slug, &*scenario.title);
    error_page::find("scenario", name, desk.scenarios(), label)
}

impl Progress {
    /// Draws the newest figures and the trigger as a small line.
    fn sparkline(&self) -> String {
        let mut spec = self.spec.clone();
        for line in &mut spec.lines {
            let older = line.points.len().saturating_sub(MONTHS);
            line.points.drain(..older);
        }
        render_sparkline(&spec)
    }

    /// Describes the distance: "about 4 usual monthly moves".
    fn describe_moves(&self) -> String {
        if self.moves < 1.5 {
            return "less than two usual monthly moves".to_owned();
        }
        format!("about {} usual monthly moves", number(self.moves, 0))
    }

    /// Describes the progress: "July 2026: −0.03 points", "trigger 0.50 points", "13 times before".
    fn notes(&self) -> Vec<String> {
        let past = match self.episodes.len() {
            1 => "once before".to_owned(),
            times => format!("{times} times before"),
        };
        vec![self.now.clone(), format!("trigger {}", self.trigger), past]
    }
}

/// Computes the progress of a scenario.
///
/// # Errors
/// [`Error::NoData`] where no series decides it or none of its figures is stored; [`Error::NotPermitted`] where its figures
/// may not be shown.
fn progress(desk: &Desk, scenario: &Scenario) -> Result<Progress> {
    let no_data = || Error::no_data(&scenario.slug, "no figures that decide it are stored");
    let event = scenario.event.as_ref().ok_or_else(no_data)?;
    let (series, standing) = desk.event_state(scenario)?.ok_or_else(no_data)?;
    let info = &series.info;
    let (short, long, decimals) = match event.transform {
        Transform::Level => (&*info.units_short, &*info.units, info.decimals.min(2)),
        Transform::YoyPct => ("%", "Percent from a year earlier", 2),
    };
    let unit = Unit::parse(short, long);
    let format = |value| unit.write(value, usize::from(decimals));
    let at_trigger = |o: &Observation| Observation::new(o.date, standing.trigger);
    let line = |name: &str, points: Vec<Observation>| Line {
        name: name.to_owned(),
        points,
        frequency: Frequency::Monthly,
        is_right: false,
        color: usize::from(!name.is_empty()),
    };
    let trigger_line = standing.figures.iter().map(at_trigger).collect();
    let now = standing.now;
    let distance = standing.trigger - now.value;
    let pairs = standing.figures.array_windows();
    let changes = pairs.map(|[before, after]| (after.value - before.value).abs());
    let usual = average(changes).filter(|usual| *usual > 0.0);
    let moves = usual.map_or(f64::INFINITY, |usual| distance.abs() / usual);
    Ok(Progress {
        series: desk.display_id(&info.id),
        now: format!("{}: {}", format_month(&now.date), format(now.value)),
        trigger: format(standing.trigger),
        distance: if standing.is_met {
            "Reached".to_owned()
        } else {
            let change = change_text(&unit, short, distance, usize::from(decimals));
            format!("{change} to go")
        },
        moves: if standing.is_met { 0.0 } else { moves },
        month: now.date,
        spec: ChartSpec {
            title: scenario.title.clone(),
            unit: long.to_owned(),
            unit_short: short.to_owned(),
            decimals,
            lines: vec![line("", standing.figures), line("Trigger", trigger_line)],
            shading: recessions(),
            source: info.source.clone(),
            ..ChartSpec::default()
        },
        episodes: standing.episodes.into_iter().rev().collect(),
    })
}

/// Returns the event as a condition on its series: "SAHMREALTIME >= 0.5"; `None` for an event that compares two months.
pub(crate) fn scenario_condition(scenario: &Scenario) -> Option<String> {
    let event = scenario.event.as_ref()?;
    let operator = match (event.transform, event.movement) {
        (Transform::Level, Move::ReachesOrAbove) => ">=",
        (Transform::Level, Move::ReachesOrBelow) => "<=",
        (Transform::YoyPct, _)
        | (_, Move::RisesBy | Move::FallsBy | Move::RisesByPct | Move::FallsByPct) => return None,
    };
    Some(format!("{} {operator} {}", event.series, event.threshold))
}

/// Returns the path of an episode's chart, from a year before to a year after.
fn chart_path(progress: &Progress, episode: &Episode) -> String {
    let start = shift(episode.from, (-1).years());
    let end = shift(episode.event_month, 1.year());
    let series = encode_segment(&progress.series);
    format!("/series/{series}?start={start}&end={end}")
}

fn format_month(day: &Date) -> String {
    Frequency::Monthly.label(*day)
}

//! The widgets: each asks the endpoint table and puts the answer into the small frame.

use super::asked::PageRequest;
use super::document::Document;
use super::questions::{Answers, Question};
use super::text::{dated, encoded, plain};
use super::view::{INDEX, LOG, RANGES, UNITS, api_units, query};
use super::widget::Widget;
use super::{charts, compare, quadrant};
use econoscope_answers::endpoints::compare_series::ComparedColumn;
use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_answers::endpoints::{metric, regime, signals, time_series};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::fluid;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::prose::{capitalised, signed};
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::regime::Regime;
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{Frequency, quantity};
use econoscope_data::desk::Desk;

/// Titles of the widgets that are about no series.
pub(super) const REGIME: &str = "US macro regime";
pub(super) const RECESSION: &str = "US recession within 12 months";

/// What a widget about one series is told.
pub(super) const ARGUMENTS: [&str; 3] = ["theme", "range", "units"];

pub(super) fn regime_questions(_: &PageRequest) -> Vec<Question> {
    vec![Question::new("get_regime", &[])]
}

pub(super) fn regime(_: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let o: regime::RegimeAnswer = answers.read()?;
    let month = o.month.map(|m| m.strftime(" · %B %Y").to_string());
    let title = format!("{REGIME}{}", month.unwrap_or_default());
    let mut widget = Widget::new(asked, title, (o.attribution, cited(&o.provenance)));
    (widget.date, widget.old) = dated(&o.provenance);
    widget.more = format!("{}/regime", widget.credit.url);
    widget.is_side = true;
    if o.regime == "UNKNOWN" {
        let reason = o.provenance.notes.get("regime");
        let reason = reason.map_or("its inputs are missing", String::as_str);
        widget.why = Some(format!("Not known: {reason}."));
    } else {
        widget.value = Some(word(&o.regime).to_owned());
        if let (Some(growth), Some(inflation)) = (o.growth_score, o.inflation_score) {
            widget.picture = quadrant::small(growth, inflation, word(&o.regime));
        }
    }
    let trajectory = o.trajectory.to_lowercase();
    let confidence = o
        .confidence
        .map(|c| format!("Confidence {c} %, {trajectory}"));
    let target = o.transition_target.as_deref();
    let target = target.map(|target| format!("Likely alternative: {}", word(target)));
    widget.lines = confidence.into_iter().chain(target).collect();
    widget.document()
}

/// Who brought the figures, as it stands beside them: "Bureau of Labor Statistics"; of many the first two.
pub(super) fn cited(provenance: &Provenance) -> String {
    let names = provenance.sources.iter().map(|s| s.source.as_str());
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    match names.as_slice() {
        [first, second, _, ..] => format!("{first}, {second} and others"),
        few => few.join(", "),
    }
}

/// The name of a regime for reading: "Reflation".
pub(super) fn word(regime: &str) -> &str {
    let mut quadrants = Regime::QUADRANTS.iter();
    let found = quadrants.find(|r| r.name() == regime);
    found.map_or(regime, |r| r.word())
}

/// Forty years of the probability; weekly figures are enough for a widget.
const PAST: [(&str, &str); 1] = [("start", "40y")];

pub(super) fn recession_questions(_: &PageRequest) -> Vec<Question> {
    vec![
        Question::new("get_signals", &[]),
        history(CRPI.about.id, &PAST),
    ]
}

pub(super) fn recession(
    desk: &Desk,
    asked: &PageRequest,
    mut answers: Answers,
) -> Result<Document> {
    let o: signals::Signals = answers.read()?;
    let index = o
        .convex_indices
        .into_iter()
        .find(|i| i.ticker == CRPI.about.ticker());
    let (value, meaning) = index.map_or((None, None), |i| (i.value, i.interpretation));
    let id = desk.shown_id(&desk.resolve("series", CRPI.about.id)?.id);
    let mut widget = Widget::new(asked, RECESSION, (o.attribution, cited(&o.provenance)));
    (widget.date, widget.old) = dated(&o.provenance);
    widget.more = format!("{}/series/{id}", widget.credit.url);
    let Some(value) = value else {
        let unsaid = || "The source does not say why it is missing.".into();
        widget.why = Some(meaning.unwrap_or_else(unsaid));
        return widget.document();
    };
    widget.value = Some(value.to_string());
    widget.unit = "%".into();
    if let Some(past) = past(&mut answers) {
        widget.picture = fluid(&charts::plot(&past));
        widget.source = format!("/api/public/data/{id}{}", query(PAST.into_iter()));
    }
    let band = CRPI.band(value).map(capitalised);
    let legend = (!widget.picture.is_empty()).then(|| "40 years, recessions grey".to_owned());
    widget.lines = band.into_iter().chain(legend).collect();
    widget.document()
}

/// What is asked of a series' history: range, units, and a frequency at which no row is cut.
fn wanted(asked: &PageRequest) -> Vec<(&'static str, &str)> {
    let range = asked.argument("range").unwrap_or("1y");
    let units = api_units(asked.argument("units").unwrap_or_default());
    let info = Catalogue::embedded().get(&asked.name);
    let is_daily = info.is_some_and(|info| info.frequency == Frequency::Daily);
    let is_long = matches!(range, "30y" | "max");
    let frequency = if is_daily && is_long { "w" } else { "" };
    vec![("start", range), ("units", units), ("frequency", frequency)]
}

pub(super) fn metric_questions(asked: &PageRequest) -> Vec<Question> {
    vec![
        Question::new("get_metric", &[("ticker", &asked.name)]),
        history(&asked.name, &wanted(asked)),
    ]
}

pub(super) fn metric(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    known(asked)?;
    let o: metric::Metric = answers.read()?;
    let changes = changes(desk, &o);
    let id = encoded(&o.ticker);
    let mut widget = Widget::new(asked, o.display_name, (o.attribution, cited(&o.provenance)));
    widget.more = format!("{}/series/{id}", widget.credit.url);
    widget.unit = quantity::in_words(&o.unit);
    widget.lines = changes;
    widget.old = if o.stale == Some(true) { "old" } else { "" }.to_owned();
    widget.date = o.date.map(|d| d.to_string()).unwrap_or_default();
    let Some(value) = o.value else {
        let note = o.provenance.notes.get("value");
        let note = note.map_or("The source gives no value.", String::as_str);
        // The heading names the series already.
        let why = note.strip_prefix("No data for ");
        let why = why.and_then(|rest| rest.split_once("): "));
        let why = why.map_or_else(|| note.to_owned(), |(_, why)| format!("No figure: {why}."));
        widget.why = Some(why.replace('`', ""));
        return widget.document();
    };
    let own = Catalogue::embedded().get(&asked.name);
    let value = own
        .filter(|info| info.is_composite())
        .map_or(value, |info| round_to(value, i32::from(info.decimals)));
    widget.value = Some(plain(value));
    if let Some(past) = past(&mut answers) {
        let mut spec = charts::plot(&past);
        if asked.argument("units") == Some(LOG) {
            spec = spec.on_log_axes();
            widget.is_log = spec.is_log;
        }
        let newest = past.data.last();
        if let Some(newest) = newest.filter(|_| !api_units(asked.given("units")).is_empty()) {
            // In other units the figure is the newest of those.
            widget.value = Some(plain(round_to(newest.value, 2)));
            (widget.unit, widget.lines) = (String::new(), vec![past.unit.clone()]);
            widget.date = newest.date.to_string();
        }
        widget.picture = fluid(&spec);
        let query = query(wanted(asked).into_iter());
        widget.source = format!("/api/public/data/{id}{query}");
    }
    widget.document()
}

/// Refuses a range or units that are none of those on offer.
fn known(asked: &PageRequest) -> Result<()> {
    let ranges = RANGES.map(|(label, _)| label);
    let units = UNITS.map(|(word, _)| word);
    for (name, allowed) in [("range", &ranges[..]), ("units", &units[..])] {
        let allowed: Vec<&str> = allowed.iter().copied().filter(|w| *w != INDEX).collect();
        let given = asked.argument(name);
        if let Some(odd) = given.filter(|given| !allowed.contains(given)) {
            let allowed = allowed.join(" ");
            return Err(Error::invalid(name, odd, "is not on offer", allowed.trim()));
        }
    }
    Ok(())
}

/// Several series in one chart.
pub(super) fn several(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let o = compare::answer(desk, asked)?;
    let mut widget = Widget::new(
        asked,
        charts::titles(&o),
        (desk.attribution(), cited(&o.provenance)),
    );
    widget.more = format!("{}/compare{}", desk.settings().home(), compare::own(asked));
    widget.source = compare::source(desk, asked);
    let (spec, others) = charts::compared(&o, asked.given("units") == LOG);
    widget.is_log = spec.is_log;
    let panels = std::iter::once(&spec).chain(&others);
    widget.picture = panels.map(fluid).collect();
    let is_index = asked.given("units") == INDEX;
    let said = |c: &ComparedColumn| {
        let unit = if is_index { "" } else { &*c.unit };
        let said = format!("{} {} {unit}", c.series, plain(c.latest));
        said.trim_end().to_owned()
    };
    (widget.lines, widget.is_legend) = (o.columns.iter().map(said).collect(), true);
    let newest = o.columns.iter().map(|c| c.date).max();
    widget.date = newest.map(|d| d.to_string()).unwrap_or_default();
    widget.document()
}

/// "+0.02 in 7 d", "-0.10 from the month before", as far as it is known.
pub(super) fn changes(desk: &Desk, o: &metric::Metric) -> Vec<String> {
    let mut catalogue = Catalogue::embedded().iter();
    let info = catalogue.find(|info| desk.shown_id(&info.id) == o.ticker);
    let decimals = info.map_or(2, |info| usize::from(info.decimals));
    let month = match o.frequency.as_deref() {
        Some("monthly") => "from the month before",
        Some(_) | None => "in 30 d",
    };
    let changes = [(o.changes.week, "in 7 d"), (o.changes.month, month)];
    let said = changes
        .into_iter()
        .filter_map(|(change, over)| Some(format!("{} {over}", signed(change?, decimals))));
    said.collect()
}

fn history(id: &str, wanted: &[(&str, &str)]) -> Question {
    Question::new("get_time_series", &[&[("seriesId", id)], wanted].concat())
}

/// The history for a curve; none when it cannot be had, for the figure stands without it.
fn past(answers: &mut Answers) -> Option<time_series::TimeSeriesAnswer> {
    let read = answers.read::<time_series::TimeSeriesAnswer>();
    read.inspect_err(|error| tracing::debug!(%error, "a widget has no curve"))
        .ok()
}

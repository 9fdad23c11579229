//! The widgets: each asks the endpoint table and puts the answer into the small frame.

use super::asked::PageRequest;
use super::document::Document;
use super::questions::{Answers, Question};
use super::text::{self, dated, encoded, plain, readable};
use super::view::{INDEX, LOG, RANGES, UNITS, api_units, query};
use super::widget::Widget;
use super::{charts, compare, quadrant};
use econoscope_answers::endpoints::compare_series::ComparedColumn;
use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_answers::endpoints::{metric, regime, signals, time_series};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::fluid;
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{Unit, month, period, short_day};
use econoscope_core::indicators::prose::capitalised;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::regime::Regime;
use econoscope_core::model::{Date, Frequency};
use econoscope_data::desk::Desk;

/// Titles of the widgets that are about no series.
pub(super) const REGIME: &str = "US macro regime";
pub(super) const RECESSION: &str = "US recession within 12 months";

/// What a widget about one series is told.
pub(super) const ARGUMENTS: [&str; 5] = ["theme", "range", "start", "end", "units"];

pub(super) fn regime_questions(_: &PageRequest) -> Vec<Question> {
    vec![Question::new("get_regime", &[])]
}

pub(super) fn regime(_: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let o: regime::RegimeAnswer = answers.read()?;
    let month = o.month.map(|m| format!(", {}", month(m)));
    let title = format!("{REGIME}{}", month.unwrap_or_default());
    let mut widget = Widget::new(asked, title, (o.attribution, cited(&o.provenance)));
    (widget.date, widget.old) = dated(&o.provenance);
    widget.more = format!("{}/regime", widget.credit.url);
    widget.is_side = true;
    if o.regime == "UNKNOWN" {
        let reason = o.provenance.notes.get("regime");
        let reason = reason.map_or("its inputs are missing", String::as_str);
        widget.why = Some(readable(&format!("Not known: {reason}.")));
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
        widget.why = Some(readable(&meaning.unwrap_or_else(unsaid)));
        return widget.document();
    };
    widget.value = Some(plain(value));
    widget.unit = "%".into();
    if let Some(past) = past(&mut answers) {
        widget.picture = fluid(&charts::plot(&past));
        widget.source = format!("/api/public/data/{id}{}", query(PAST.into_iter()));
    }
    let band = CRPI.band(value).map(capitalised);
    let legend = (!widget.picture.is_empty()).then(|| "40 years, recessions gray".to_owned());
    widget.lines = band.into_iter().chain(legend).collect();
    widget.document()
}

/// What is asked of a series' history: range, units, and a frequency at which no row is cut.
fn wanted(asked: &PageRequest) -> Vec<(&'static str, &str)> {
    let range = asked.argument("range").unwrap_or("1y");
    let start = asked.argument("start").unwrap_or(range);
    let end = asked.given("end");
    let units = api_units(asked.argument("units").unwrap_or_default());
    let info = Catalogue::embedded().get(&asked.name);
    let is_daily = info.is_some_and(|info| info.frequency == Frequency::Daily);
    let is_long = matches!(range, "30y" | "max");
    let frequency = if is_daily && is_long { "w" } else { "" };
    vec![
        ("start", start),
        ("end", end),
        ("units", units),
        ("frequency", frequency),
    ]
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
    let credit = (o.attribution.clone(), cited(&o.provenance));
    let mut widget = Widget::new(asked, &*o.display_name, credit);
    widget.more = format!("{}/series/{id}", widget.credit.url);
    widget.lines = changes;
    widget.old = if o.stale == Some(true) { "old" } else { "" }.to_owned();
    let dated = |date| named(date, o.frequency.as_deref());
    widget.date = o.date.map(dated).unwrap_or_default();
    let Some(value) = o.value else {
        let note = o.provenance.notes.get("value");
        let note = note.map_or("The source gives no value.", String::as_str);
        // The heading names the series already.
        let why = note.strip_prefix("No data for ");
        let why = why.and_then(|rest| rest.split_once("): "));
        let why = why.map_or_else(|| note.to_owned(), |(_, why)| format!("No figure: {why}."));
        widget.why = Some(readable(&why.replace('`', "")));
        return widget.document();
    };
    let (value, unit) = text::figure(desk, &o, value);
    (widget.value, widget.unit) = (Some(value), unit);
    if let Some(past) = past(&mut answers) {
        let mut spec = charts::plot(&past);
        if asked.argument("units") == Some(LOG) {
            spec = spec.on_log_axes();
            widget.is_log = spec.is_log;
        }
        let newest = past.data.last();
        let units = Some(api_units(asked.given("units"))).filter(|units| !units.is_empty());
        let is_other = units.is_some() || asked.argument("end").is_some();
        if let Some(newest) = newest.filter(|_| is_other) {
            // In other units, or to an earlier day, the figure is the newest of the picture.
            let words = past.unit_in_words.as_deref().unwrap_or_default();
            let unit = Unit::of(&past.unit, words);
            let (value, unit) = unit.parts(newest.value, usize::from(spec.decimals));
            (widget.value, widget.unit) = (Some(value), unit);
            widget.lines = match units {
                Some(_) => vec![past.unit.clone()],
                None => Vec::new(),
            };
            widget.date = dated(newest.date);
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
    let (spec, others) = charts::compared((&o, None), asked.given("units") == LOG);
    widget.is_log = spec.is_log;
    let panels = std::iter::once(&spec).chain(&others);
    widget.picture = panels.map(fluid).collect();
    let is_index = asked.given("units") == INDEX;
    let said = |c: &ComparedColumn| {
        let unit = if is_index { "" } else { &*c.unit };
        let value = Unit::of(unit, unit).write(c.latest, 2);
        format!("{} {value}", c.series)
    };
    (widget.lines, widget.is_legend) = (o.columns.iter().map(said).collect(), true);
    let newest = o.columns.iter().map(|c| c.date).max();
    widget.date = newest.map(short_day).unwrap_or_default();
    widget.document()
}

/// "+0.02 in 7 days", "−0.10 from the month before", as far as it is known.
pub(super) fn changes(desk: &Desk, o: &metric::Metric) -> Vec<String> {
    let decimals = text::decimals(desk, &o.ticker, o.value.unwrap_or_default());
    let unit = Unit::of(o.changes.unit.as_deref().unwrap_or(&o.unit), "");
    let month = match o.frequency.as_deref() {
        Some("monthly") => "from the month before",
        Some(_) | None => "in 30 days",
    };
    let changes = [(o.changes.week, "in 7 days"), (o.changes.month, month)];
    let said = changes
        .into_iter()
        .filter_map(|(change, over)| Some(format!("{} {over}", unit.change(change?, decimals))));
    said.collect()
}

/// The period of a figure where there is little room: "24 Aug 2026", "June 2026", "Q2 2026".
fn named(date: Date, frequency: Option<&str>) -> String {
    let frequency = frequency.and_then(|word| word.parse().ok());
    match frequency.unwrap_or(Frequency::Daily) {
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => short_day(date),
        longer @ (Frequency::Monthly
        | Frequency::Quarterly
        | Frequency::Semiannual
        | Frequency::Annual) => period(date, longer),
    }
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

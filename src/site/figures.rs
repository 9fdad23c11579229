//! The widgets: each asks the endpoint table and puts the answer into the small frame.

use super::prelude::*;
use super::text::{self, dated, encoded, readable};
use super::view::{INDEX, LOG, api_units, query};
use super::widget::Widget;
use super::{charts, compare, quadrant};
use econoscope_answers::endpoints::compare_series::ComparedColumn;
use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_answers::endpoints::{metric, regime, time_series};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::fluid;
use econoscope_core::format::{Unit, month, period, short_day};
use econoscope_core::indicators::prose::capitalised;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::regime::Regime;
use econoscope_core::model::{Date, Frequency};

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
    let confidence = o.confidence;
    let confidence = confidence.map(|c| format!("Confidence {c} %, {trajectory}"));
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

/// Range of the probability.
const PAST: &str = "40y";

pub(super) fn recession_questions(asked: &PageRequest) -> Vec<Question> {
    questions(CRPI.about.id, asked, PAST)
}

/// The widget of the probability's series, with its band in place of its changes.
pub(super) fn recession(
    desk: &Desk,
    asked: &PageRequest,
    mut answers: Answers,
) -> Result<Document> {
    let (mut widget, value) = of_series(desk, (CRPI.about.id, asked, PAST), &mut answers)?;
    widget.title = RECESSION.into();
    let band = value.and_then(|value| CRPI.band(value)).map(capitalised);
    let legend = (!widget.picture.is_empty()).then(|| "40 years, recessions gray".to_owned());
    widget.lines = band.into_iter().chain(legend).collect();
    widget.document()
}

/// What is asked of a series' history: range, units, and a frequency at which no row is cut.
fn wanted<'a>(id: &str, asked: &'a PageRequest, range: &'a str) -> Vec<(&'static str, &'a str)> {
    let range = asked.argument("range").unwrap_or(range);
    let start = asked.argument("start").unwrap_or(range);
    let end = asked.given("end");
    let units = api_units(asked.argument("units").unwrap_or_default());
    let info = Catalogue::embedded().get(id);
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

/// Range of other series.
const YEAR: &str = "1y";

fn questions(id: &str, asked: &PageRequest, range: &str) -> Vec<Question> {
    let history = [&[("seriesId", id)], &*wanted(id, asked, range)].concat();
    vec![
        Question::new("get_metric", &[("ticker", id)]),
        Question::new("get_time_series", &history),
    ]
}

pub(super) fn metric_questions(asked: &PageRequest) -> Vec<Question> {
    questions(&asked.name, asked, YEAR)
}

pub(super) fn metric(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let (widget, _) = of_series(desk, (&asked.name, asked, YEAR), &mut answers)?;
    widget.document()
}

/// The widget of a series, and its newest value.
fn of_series(
    desk: &Desk,
    (name, asked, range): (&str, &PageRequest, &str),
    answers: &mut Answers,
) -> Result<(Widget, Option<f64>)> {
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
        return Ok((widget, None));
    };
    let (figure, unit) = text::figure(desk, &o, value);
    (widget.value, widget.unit) = (Some(figure), unit);
    // The figure stands without its curve, unless that is asked for in words that mean nothing.
    let past = answers.read::<time_series::TimeSeriesAnswer>();
    if let Err(error @ Error::InvalidParam { .. }) = past {
        return Err(error);
    }
    if let Ok(past) = past {
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
        let query = query(wanted(name, asked, range).into_iter());
        widget.source = format!("/api/public/data/{id}{query}");
    }
    Ok((widget, Some(value)))
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
    let changes = moved(desk, o).into_iter();
    let said = changes.map(|(over, change)| format!("{change} {over}"));
    said.collect()
}

/// The changes with the time of each: "in 7 days", "+0.02".
pub(super) fn moved(desk: &Desk, o: &metric::Metric) -> Vec<(&'static str, String)> {
    let decimals = text::decimals(desk, &o.ticker, o.value.unwrap_or_default());
    let unit = Unit::of(o.changes.unit.as_deref().unwrap_or(&o.unit), "");
    let month = match o.frequency.as_deref() {
        Some("monthly") => "from the month before",
        Some(_) | None => "in 30 days",
    };
    let changes = [("in 7 days", o.changes.week), (month, o.changes.month)];
    let changes = changes.into_iter();
    let known = changes.filter_map(|(over, c)| Some((over, unit.change(c?, decimals))));
    known.collect()
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

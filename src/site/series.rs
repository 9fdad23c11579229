//! The page of one series: facts, chart, figures, revisions, rights and related series.

use super::catalogue::subject;
use super::error_page::describe;
use super::figure::Figure;
use super::prelude::*;
use super::rights::answer_for as rights;
use super::text::{describe_data_age, format_interpretation, format_revision, late_note, words};
use super::view::{self, FREQUENCIES, INDEX, RANGES, UNITS};
use super::vintages::VintageComparison;
use super::{charts, figure, why};
use econoscope_answers::endpoints::metric::{self, Metric, NewerMean};
use econoscope_answers::endpoints::revisions::{
    self, PeriodAnswer, RecordAnswer, RevisionsAnswer, label, size,
};
use econoscope_answers::render::provenance::Provenance;
use econoscope_core::chart::{ChartSpec, Line};
use econoscope_core::format::{self, heading, number};
use econoscope_core::indicators::prose::lowercase_first;
use econoscope_desk::texts::glossary::{self, Term};
use std::cmp::Reverse;
use std::collections::BTreeSet;

#[derive(Template)]
#[template(path = "series.html")]
struct Page<'a> {
    frame: Frame,
    request: &'a PageRequest,
    id: String,
    info: Arc<SeriesInfo>,
    /// The figures, or why there are none with identifiers and titles of the nearest series that has some.
    content: std::result::Result<Content, (String, Vec<(String, String)>)>,
    /// Path of the figures in the API.
    source: String,
    terms: Vec<&'static Term>,
    /// Identifiers and titles of related series.
    related: Vec<(String, String)>,
    /// Path of the page that explains it.
    why: Option<String>,
    is_forwarded: bool,
}

/// Maximum figures that the script loads together with the page. It loads more only when a reader uses the chart, so that
/// the first load of a page stays below 100 kB.
const MAX_EAGER_FIGURES: usize = 5_000;

const MAX_RELATED: usize = 8;
const MAX_NEAREST: usize = 3;
const LATEST_ROWS: usize = 12;

/// The figures of the series.
struct Content {
    /// Labels and values.
    facts: Vec<(String, String)>,
    interpretation: String,
    /// Unit of the published figures, of a past day that of its vintage.
    published: String,
    /// When the next figure is due, of a view up to today.
    due: Option<Date>,
    /// The average of a later month than the newest figure, of a view of levels up to today.
    newer: Option<NewerMean>,
    /// The newest level, to be told of figures above it.
    level: f64,
    /// Period of the newest figure of a view that ends before today.
    cited_day: Option<Date>,
    /// Notices that the sources require.
    notices: String,
    spec: ChartSpec,
    /// For a past reference day: how the figures differ from those of today.
    comparison: Option<VintageComparison>,
    /// The period whose revisions are shown, the extent of the vintages, and the rest of the answer.
    revisions: Option<(PeriodAnswer, RecordAnswer, RevisionsAnswer)>,
}

/// Returns the names of all series in the binary.
pub(super) fn names() -> Vec<&'static str> {
    let series = Catalogue::embedded().iter();
    series.map(|info| info.id.as_str()).collect()
}

pub(super) fn calls(request: &PageRequest, _: bool) -> Vec<EndpointCall> {
    let as_of = ("as_of", request.form_value("as_of"));
    vec![
        EndpointCall::new("get_metric", [("ticker", &*request.name), as_of]),
        view::figures_call(&request.name, request),
    ]
}

pub(super) fn page(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let info = desk.resolve("series", &request.name)?;
    let id = desk.display_id(&info.id);
    let title = &info.title;
    let description = format!("{title}: latest value, chart with NBER recessions, CSV and JSON.");
    let query = query_string(request.form_values(&view::ARGUMENTS));
    let mut frame = Frame::new(desk, title, &description, &format!("/series/{id}"));
    let as_of = request.as_of(desk)?;
    let is_forwarded = answers.is_forwarded;
    let content = match load(desk, request, &info, &id, &mut answers) {
        Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => {
            Err((describe(&error), nearest_series(desk, &info, MAX_NEAREST)?))
        }
        content => {
            let (content, mut provenance) = content?;
            if !is_forwarded {
                provenance =
                    Provenance::from_data_date(&desk.reference_day([info.id.as_str()], as_of)?);
            }
            frame.data_age = describe_data_age(as_of, &provenance);
            Ok(content)
        }
    };
    let picture = format!("/chart/{id}.png{query}");
    render_page(&Page {
        frame: frame.with_preview(&query, Some(picture)),
        terms: terms_about(&info).collect(),
        source: view::figures_path(desk, &id, request),
        related: nearest_series(desk, &info, MAX_RELATED)?,
        why: why::path_of(info.id.as_str()).filter(|_| !is_forwarded),
        request,
        id,
        is_forwarded,
        content,
        info,
    })
}

impl Content {
    fn unit(&self) -> String {
        heading(&self.spec.unit, 0) + self.spec.scale_note
    }

    fn is_eager(&self) -> bool {
        let sizes = self.spec.lines.iter().map(|line| line.points.len());
        sizes.sum::<usize>() <= MAX_EAGER_FIGURES
    }

    /// Returns periods and values of the newest figures, the newest first.
    fn rows(&self) -> impl Iterator<Item = (String, String)> {
        let spec = &self.spec;
        let decimals = usize::from(self.spec.decimals);
        let points = spec.lines.first().map_or(&[][..], |line| &line.points);
        let newest = points.iter().rev().take(LATEST_ROWS);
        newest.map(move |o| (spec.format_period(o.date), number(o.value, decimals)))
    }
}

impl Page<'_> {
    /// Returns the frequencies to choose from: that of the series, and coarser ones.
    fn frequencies(&self) -> Vec<(&'static str, &'static str)> {
        let published = self.info.frequency;
        let is_coarser = |word: &str| word.parse().is_ok_and(|f: Frequency| f > published);
        let coarser = FREQUENCIES.into_iter().filter(|(word, _)| is_coarser(word));
        [("", "As published")].into_iter().chain(coarser).collect()
    }

    /// Returns the units to choose from. An index needs local figures.
    fn units(&self) -> Vec<(&'static str, &'static str)> {
        let is_available = |(units, _): &(&str, &str)| !self.is_forwarded || *units != INDEX;
        UNITS.into_iter().filter(is_available).collect()
    }

    /// Returns the first day of the view; empty for a range such as `10y`.
    fn first_day(&self) -> &str {
        let start = self.request.form_value("start");
        let is_day = start.parse::<Date>().is_ok();
        if is_day { start } else { "" }
    }

    /// Returns the path of the citation of the newest figure in view; of an index, of its level.
    fn cite(&self) -> String {
        let units = match self.request.form_value("units") {
            INDEX => "",
            units => view::api_units(units),
        };
        let day = self.content.as_ref().ok().and_then(|c| c.cited_day);
        let date = day.map_or_else(String::new, |day| day.to_string());
        let others = self.request.form_values(&["frequency", "as_of"]);
        let figure = [("units", units), ("date", &date)].into_iter();
        format!("/cite/{}{}", self.id, query_string(figure.chain(others)))
    }

    /// Returns the query of the widget with the same view. `series` names the series for the page that builds widgets.
    fn widget_query(&self, series: &str) -> String {
        let start = self.request.form_value("start");
        let is_range = RANGES.iter().any(|(range, _)| *range == start);
        let first = (if is_range { "range" } else { "start" }, start);
        let others = self.request.form_values(&["end", "units"]);
        query_string([("series", series), first].into_iter().chain(others))
    }
}

/// Writes a text as JSON inside an element of a page, which `</script>` must not end.
fn json_text(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('<', "\\u003c")
}

/// Loads the figures and their provenance.
///
/// # Errors
/// [`Error::NoData`] where there is no figure.
fn load(
    desk: &Desk,
    request: &PageRequest,
    info: &Arc<SeriesInfo>,
    id: &str,
    answers: &mut Answers,
) -> Result<(Content, Provenance)> {
    let as_of = request.as_of(desk)?;
    let is_forwarded = answers.is_forwarded;
    let metric: Metric = if is_forwarded {
        answers.read()?
    } else {
        desk.check_permitted(info)?;
        metric::read(desk, info, as_of)?
    };
    if metric.value.is_none() {
        return Err(desk.no_data_error(info, as_of));
    }
    let view = view::load(desk, id, request, answers)?;
    let spec = view.spec;
    let newest = Figure::newest(&spec);
    let revisions = if info.is_composite() || is_forwarded {
        None
    } else {
        // Of a past day, the newest figure known on it.
        let past = newest.as_ref().filter(|_| as_of != AsOf::Latest);
        let then = past.map(|newest| newest.date.to_string());
        let revised = request.argument("revised").or(then.as_deref());
        let mut answer = revisions::read(desk, info, revised)?;
        let period = answer.period.take().zip(answer.vintages.take());
        period.map(|(period, record)| (period, record, answer))
    };
    let mut facts = view_facts(desk, request, as_of, &metric, newest.as_ref());
    facts.extend(extremes(&spec, as_of));
    let units = request.form_value("units");
    let is_open = request.argument("end").is_none();
    // The view goes on to today, with the figures as they are.
    let has_today = as_of == AsOf::Latest && is_open && units != INDEX;
    let newer = metric.newer_mean.clone();
    let content = Content {
        due: metric.next_release.filter(|_| has_today),
        newer: newer.filter(|_| has_today && units.is_empty()),
        facts,
        comparison: view.comparison,
        published: if metric.unit == info.units_short {
            heading(&info.units, 0)
        } else {
            let words = metric.unit_in_words.as_deref().unwrap_or(&metric.unit);
            capitalize(words.trim_end_matches(", SA"))
        },
        level: metric.value.unwrap_or_default(),
        notices: metric.provenance.format_notices(),
        interpretation: interpretation(info, request, &metric, &view.level),
        cited_day: newest.filter(|_| !is_open).map(|newest| newest.date),
        spec,
        revisions,
    };
    Ok((content, metric.provenance))
}

/// Says what the figures mean: those of a level by their place in its history, a yearly change by its two levels.
fn interpretation(
    info: &SeriesInfo,
    request: &PageRequest,
    metric: &Metric,
    level: &str,
) -> String {
    let view = ["units", "frequency", "end"].map(|name| request.form_value(name));
    if view.map(view::api_units).concat().is_empty() {
        let text = metric.interpretation.as_deref().unwrap_or_default();
        let vintage = SeriesInfo {
            units_short: metric.unit.clone(),
            ..info.clone()
        };
        return format_interpretation(&vintage, text);
    }
    enclosed("Level: ", &format_dates(level), ".")
}

/// Returns the glossary's terms about a series.
fn terms_about(info: &SeriesInfo) -> impl Iterator<Item = &'static Term> {
    let is_about = |id: &String| id.eq_ignore_ascii_case(info.id.as_str());
    let terms = glossary::embedded().iter();
    terms.filter(move |term| term.series.iter().any(is_about))
}

/// Returns identifiers and titles of the nearest series with figures: those that share its subject, words of its title and
/// glossary terms.
fn nearest_series(desk: &Desk, info: &SeriesInfo, limit: usize) -> Result<Vec<(String, String)>> {
    let long_words = |title: &str| -> BTreeSet<String> {
        let long = words(title).filter(|word| word.len() > 2);
        long.map(str::to_lowercase).collect()
    };
    let title_words = long_words(&info.title);
    let terms: Vec<&Term> = terms_about(info).collect();
    let holdings = desk.store_summary()?;
    let score = |other: &SeriesInfo| {
        let shared_words = long_words(&other.title).intersection(&title_words).count();
        let is_about = |id: &String| id.eq_ignore_ascii_case(other.id.as_str());
        let shared_terms = terms.iter().filter(|term| term.series.iter().any(is_about));
        3 * usize::from(other.category == info.category) + 2 * shared_words + shared_terms.count()
    };
    let is_available = |other: &&Arc<SeriesInfo>| {
        other.id != info.id
            && holdings.get(&other.id).is_some()
            && desk.check_permitted(other).is_ok()
    };
    let candidates = Catalogue::embedded().iter().filter(is_available);
    let scored = candidates.map(|other| (score(other), other));
    let mut related: Vec<_> = scored.filter(|(score, _)| *score > 0).collect();
    related.sort_by_key(|(score, _)| Reverse(*score));
    let nearest = related.into_iter().take(limit);
    Ok(nearest
        .map(|(_, other)| (desk.display_id(&other.id), other.title.clone()))
        .collect())
}

/// Returns why stages of a period have no value.
fn missing_reasons(period: &PeriodAnswer) -> BTreeSet<String> {
    let reasons = period.stages.iter().filter_map(|s| s.missing.as_deref());
    let sentence = |reason| format_dates(&capitalize(reason));
    reasons.map(sentence).collect()
}

/// Returns the lowest and the highest figure in view, of a past day those known on it.
fn extremes(spec: &ChartSpec, as_of: AsOf) -> Vec<(String, String)> {
    let Some((lowest, highest)) = spec.lines.first().and_then(Line::extremes) else {
        return Vec::new();
    };
    let known = match as_of {
        AsOf::Latest => "",
        AsOf::Day(_) => ", as known then",
    };
    let fact = |(label, o): (&str, &Observation)| {
        let period = spec.format_period(o.date);
        let value = figure::write(spec, o.value);
        (format!("{label} in view{known}, {period}"), value)
    };
    [("Lowest", lowest), ("Highest", highest)].map(fact).into()
}

/// Returns the newest figure of the view, its change, and the day of the next figure.
fn view_facts(
    desk: &Desk,
    request: &PageRequest,
    as_of: AsOf,
    metric: &Metric,
    newest: Option<&Figure>,
) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let is_open = request.argument("end").is_none();
    if let Some(newest) = newest {
        let period = &newest.period;
        let label = if is_open {
            format!("Latest, {period}{}", late_note(metric))
        } else {
            format!("Newest in view, {period}")
        };
        facts.push((label, newest.text.clone()));
        facts.extend(newest.change.clone());
    }
    let today = desk.reading_day(as_of);
    let next = metric.next_release.filter(|_| is_open);
    facts.extend(next.map(|day| ("Next figure, usually".to_owned(), format::due(day, today))));
    facts
}

//! One series: its chart, its figures, where to take it from.

use super::asked::PageRequest;
use super::assets;
use super::charts::Panels;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::{aged, dashed};
use super::view::{self, FREQUENCIES, INDEX, RANGES, UNITS, options, query};
use askama::Template;
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::metric;
use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_answers::endpoints::revisions::{
    self, PeriodAnswer, RecordAnswer, RevisionsAnswer, label, plus, size,
};
use econoscope_core::chart::{ChartSpec, Line, panels};
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::prose::{capitalised, lowered, number, signed};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{AsOf, Date, Frequency, Observation, SeriesInfo};
use econoscope_data::desk::Desk;
use econoscope_data::desk::glossary::{Glossary, Term};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "series.html")]
struct Page<'a> {
    frame: Frame,
    asked: &'a PageRequest,
    id: String,
    info: Arc<SeriesInfo>,
    today: Date,
    /// What is known of it, or why nothing is shown.
    shown: std::result::Result<Shown, String>,
    /// Where the API has the figures.
    source: String,
    terms: Vec<&'static Term>,
}

/// What is known of the series.
struct Shown {
    facts: Vec<(String, String)>,
    meaning: String,
    /// What those who brought the figures ask to be said.
    notices: String,
    unit: String,
    is_log: bool,
    chart: String,
    narrow: String,
    rows: Vec<(Date, String)>,
    /// The period whose revisions are shown, how far vintages reach, and the answer that they are from.
    revised: Option<(PeriodAnswer, RecordAnswer, RevisionsAnswer)>,
}

/// What the page is told: the view, and the period whose revisions are shown.
pub(super) const ARGUMENTS: [&str; 6] = ["start", "end", "units", "frequency", "as_of", "revised"];

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let info = desk.resolve("series", &asked.name)?;
    let id = desk.shown_id(&info.id);
    let description = format!(
        "{}: latest value, chart with NBER recessions, CSV and JSON.",
        info.title
    );
    let is_about = |s: &String| s.eq_ignore_ascii_case(info.id.as_str());
    let query = query(asked.all(&view::ARGUMENTS));
    let mut frame = Frame::of(desk, &info.title, &description, &format!("/series/{id}"))?;
    frame.asof = aged(&Provenance::at(
        &desk.data_date([info.id.as_str()], AsOf::Latest)?,
    ));
    let shown = match shown(desk, asked, &info, &id) {
        // Marks of code are for readers of plain text.
        Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => {
            Err(error.to_string().replace('`', ""))
        }
        shown => Ok(shown?),
    };
    let page = Page {
        frame: frame.lively(&query, format!("/chart/{id}.png{query}")),
        terms: Glossary::embedded()?
            .iter()
            .filter(|t| t.series.iter().any(is_about))
            .collect(),
        source: view::source(desk, &id, asked),
        asked,
        id,
        today: desk.today(),
        shown,
        info: Arc::clone(&info),
    };
    html(&page, assets::path())
}

impl Page<'_> {
    /// The series' own frequency and the coarser ones.
    fn frequencies(&self) -> Vec<(&'static str, &'static str)> {
        let own = self.info.frequency;
        let is_coarser = |word: &str| word.parse().is_ok_and(|f: Frequency| f > own);
        let coarser = FREQUENCIES.into_iter().filter(|(word, _)| is_coarser(word));
        [("", "As published")].into_iter().chain(coarser).collect()
    }

    /// What is shown with another value of an argument, as the query of an address.
    fn query(&self, name: &str, value: &str) -> String {
        view::with(self.asked, name, value)
    }

    /// The same as the query of a widget, which has its own word for where it begins.
    fn widget_query(&self) -> String {
        let told = [("range", "start"), ("units", "units")];
        query(
            told.into_iter()
                .map(|(name, own)| (name, self.asked.given(own))),
        )
    }
}

/// Reads what is known of the series.
fn shown(desk: &Desk, asked: &PageRequest, info: &Arc<SeriesInfo>, id: &str) -> Result<Shown> {
    let (spec, unit) = view::read(desk, id, asked)?;
    let as_of = parse_as_of(desk, asked.argument("as_of"))?;
    let reading = metric::read(desk, info, as_of)?;
    let mut facts = facts(info, &reading);
    facts.extend(extremes(&spec, &unit));
    let points = spec.lines.first().map(|line| line.points.iter().rev());
    let newest = points.into_iter().flatten().take(12);
    let rows = newest.map(|o| (o.date, number(o.value, usize::from(spec.decimals))));
    let rows = rows.collect();
    let (unit, is_log) = (spec.unit.clone(), spec.is_log);
    let (chart, narrow) = drawings((spec, Vec::new()));
    Ok(Shown {
        is_log,
        facts,
        notices: reading.provenance.notices(),
        meaning: reading.interpretation.unwrap_or_default(),
        rows,
        unit,
        chart,
        narrow,
        revised: match info.is_composite() {
            true => None,
            false => revised(revisions::read(desk, info, asked.argument("revised"))?),
        },
    })
}

/// How a period was revised; none for a series of which no first print is on record.
fn revised(mut o: RevisionsAnswer) -> Option<(PeriodAnswer, RecordAnswer, RevisionsAnswer)> {
    Some((o.period.take()?, o.vintages.take()?, o))
}

/// Why stages of a period are absent.
fn reasons(period: &PeriodAnswer) -> BTreeSet<String> {
    let missing = period.stages.iter().filter_map(|s| s.missing.as_deref());
    missing.map(capitalised).collect()
}

/// A revision with its sign; nothing where there is none.
fn revision(of: &Option<f64>) -> String {
    of.map_or(String::new(), plus)
}

/// A chart for a wide and for a narrow screen; panels are less high, and all of them higher than one.
pub(super) fn drawings((spec, others): Panels) -> (String, String) {
    let count = u16::try_from(others.len() + 1).unwrap_or(1);
    let (wide, narrow) = match count {
        1 => (420, 280),
        count => (200 * count, 170 * count),
    };
    let wide = panels(&spec.clone().plot(1100, wide), &others);
    (wide, panels(&spec.plot(380, narrow), &others))
}

/// Highest and lowest in view.
fn extremes(spec: &ChartSpec, unit: &str) -> Vec<(String, String)> {
    let ends = spec.lines.first().and_then(Line::extremes);
    let ends = ends.map(|(low, high)| [("Lowest", low), ("Highest", high)]);
    let said = |(word, o): (&str, &Observation)| {
        let value = number(o.value, usize::from(spec.decimals));
        let value = match unit {
            "" | "index" => value,
            unit => format!("{value} {unit}"),
        };
        (format!("{word} in view, {}", o.date), value)
    };
    ends.into_iter().flatten().map(said).collect()
}

/// Latest value, changes, next figure.
fn facts(info: &SeriesInfo, reading: &metric::Metric) -> Vec<(String, String)> {
    let with_unit = |v: f64| metric::unit_value(v, &info.unit_in_words());
    let mut facts = Vec::new();
    if let (Some(value), Some(date)) = (reading.value, reading.date) {
        let old = if reading.stale == Some(true) {
            " (a newer figure should be out)"
        } else {
            ""
        };
        let value = match info.is_composite() {
            true => round_to(value, i32::from(info.decimals)),
            false => value,
        };
        facts.push((format!("Latest, {date}{old}"), with_unit(value)));
    }
    let month = if info.frequency == Frequency::Monthly {
        "Against the month before"
    } else {
        "30 days"
    };
    let changes = [
        ("7 days", reading.changes.week),
        (month, reading.changes.month),
    ];
    let decimals = usize::from(info.decimals);
    facts.extend(
        changes
            .into_iter()
            .filter_map(|(over, c)| Some((over.to_owned(), signed(c?, decimals)))),
    );
    facts.extend(
        reading
            .next_release
            .map(|d| ("Next figure, typically".to_owned(), d.to_string())),
    );
    facts
}

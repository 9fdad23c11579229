//! One series: its chart, its figures, where to take it from.

use super::asked::PageRequest;
use super::assets;
use super::catalogue::subject;
use super::charts::Panels;
use super::document::Document;
use super::fault::reader_reason;
use super::figures::moved;
use super::frame::{Frame, html};
use super::past::Past;
use super::questions::{Answers, Question};
use super::rights::of as rights;
use super::text::{dashed, known, meaning_of, overdue, plain, readable};
use super::view::{self, FREQUENCIES, INDEX, RANGES, UNITS, View, options, query};
use askama::Template;
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::metric::{self, Metric};
use econoscope_answers::endpoints::provenance::Provenance;
use econoscope_answers::endpoints::revisions::{
    self, PeriodAnswer, RecordAnswer, RevisionsAnswer, label, plus, size,
};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::{ChartSpec, Line, panels};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{self, Unit, heading, number};
use econoscope_core::indicators::prose::{capitalised, lowered};
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
    shown: std::result::Result<Shown, Missing>,
    /// Where the API has the figures.
    source: String,
    terms: Vec<&'static Term>,
    /// Other series near it: identifiers and titles.
    related: Vec<(String, String)>,
    /// Whether the figures are those of an upstream.
    is_forwarded: bool,
}

/// Why nothing is shown, and what is there instead: identifiers and titles.
struct Missing {
    reason: String,
    nearest: Vec<(String, String)>,
}

/// Most figures that the script reads before a reader turns to the chart: those of one answer. So the first load of a page
/// is less than 100 kB.
const EAGER: usize = 5_000;

/// Most series that are named beside one.
const RELATED: usize = 8;

/// What is known of the series.
struct Shown {
    facts: Vec<(String, String)>,
    meaning: String,
    /// What those who brought the figures ask to be said.
    notices: String,
    unit: String,
    /// What has become of the figures since the day as of which they are shown.
    past: Option<Past>,
    is_log: bool,
    /// Whether the script reads the figures at once.
    is_eager: bool,
    chart: String,
    narrow: String,
    /// Periods and values, the newest first.
    rows: Vec<(String, String)>,
    /// The period whose revisions are shown, how far vintages reach, and the answer that they are from.
    revised: Option<(PeriodAnswer, RecordAnswer, RevisionsAnswer)>,
}

/// What the page is told: the view, and the period whose revisions are shown.
pub(super) const ARGUMENTS: [&str; 6] = ["start", "end", "units", "frequency", "as_of", "revised"];

/// Asked where answers are forwarded, so that the page shows what the API says.
pub(super) fn questions(asked: &PageRequest) -> Vec<Question> {
    let metric = [("ticker", &*asked.name), ("as_of", asked.given("as_of"))];
    vec![
        Question::new("get_metric", &metric),
        view::question(&asked.name, asked),
    ]
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let info = desk.resolve("series", &asked.name)?;
    let id = desk.shown_id(&info.id);
    let description = format!(
        "{}: latest value, chart with NBER recessions, CSV and JSON.",
        info.title
    );
    let is_about = |s: &String| s.eq_ignore_ascii_case(info.id.as_str());
    let query = query(asked.all(&view::ARGUMENTS));
    let mut frame = Frame::of(desk, &info.title, &description, &format!("/series/{id}"))?;
    let is_forwarded = answers.is_forwarded;
    let shown = match shown(desk, asked, (&info, &id), &mut answers) {
        Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => Err(Missing {
            reason: reader_reason(&error),
            nearest: nearest(desk, &info, 3)?,
        }),
        shown => {
            let (shown, provenance) = shown?;
            let as_of = parse_as_of(desk, asked.argument("as_of"))?;
            frame.asof = match is_forwarded {
                true => known(as_of, &provenance),
                false => known(
                    as_of,
                    &Provenance::at(&desk.data_date([info.id.as_str()], as_of)?),
                ),
            };
            Ok(shown)
        }
    };
    let page = Page {
        frame: frame.lively(&query, format!("/chart/{id}.png{query}")),
        terms: Glossary::embedded()
            .iter()
            .filter(|t| t.series.iter().any(is_about))
            .collect(),
        source: view::source(desk, &id, asked),
        related: nearest(desk, &info, RELATED)?,
        asked,
        id,
        today: desk.today(),
        is_forwarded,
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

    /// The units on offer; an index is made here, and not of what an upstream says.
    fn units(&self) -> Vec<(&'static str, &'static str)> {
        let is_offered = |(word, _): &(&str, &str)| !(self.is_forwarded && *word == INDEX);
        UNITS.into_iter().filter(is_offered).collect()
    }

    /// What is shown with another value of an argument, as the query of an address.
    fn query(&self, name: &str, value: &str) -> String {
        view::with(self.asked, name, value)
    }

    /// Where the newest figure in these units is to be cited.
    fn cite(&self) -> String {
        let units = match self.asked.given("units") {
            INDEX => "",
            units => units,
        };
        let given = ["frequency", "as_of"].map(|name| (name, self.asked.given(name)));
        let query = query([("units", units)].into_iter().chain(given));
        format!("/cite/{}{query}", self.id)
    }

    /// The same as the query of a widget, which has its own word for a usual range; of the page that shows its code,
    /// with the series.
    fn widget_query(&self, series: &str) -> String {
        let start = self.asked.given("start");
        let is_usual = RANGES.iter().any(|(name, _)| *name == start);
        let begin = if is_usual { "range" } else { "start" };
        let others = ["end", "units"].map(|name| (name, self.asked.given(name)));
        query(
            [("series", series), (begin, start)]
                .into_iter()
                .chain(others),
        )
    }
}

/// Reads what is known of the series, and how old that is.
///
/// # Errors
/// [`Error::NoData`] where there is no figure.
fn shown(
    desk: &Desk,
    asked: &PageRequest,
    (info, id): (&Arc<SeriesInfo>, &str),
    answers: &mut Answers,
) -> Result<(Shown, Provenance)> {
    let as_of = parse_as_of(desk, asked.argument("as_of"))?;
    let is_forwarded = answers.is_forwarded;
    let reading: Metric = match is_forwarded {
        true => answers.read()?,
        false => {
            desk.permit(info)?;
            metric::read(desk, info, as_of)?
        }
    };
    if reading.value.is_none() {
        return Err(desk.no_data(info, as_of));
    }
    let View { spec, past, .. } = view::read(desk, id, asked, answers)?;
    let day = match as_of {
        AsOf::Day(day) => day,
        AsOf::Latest => desk.today(),
    };
    let mut facts = facts(desk, info, &reading, day);
    facts.extend(extremes(&spec));
    let points = spec.lines.first().map(|line| line.points.iter().rev());
    let newest = points.into_iter().flatten().take(12);
    let decimals = usize::from(spec.decimals);
    let rows = newest.map(|o| (spec.period(o.date), number(o.value, decimals)));
    let rows = rows.collect();
    let (unit, is_log) = (heading(&spec.unit, 0) + spec.about_scale, spec.is_log);
    let figures: usize = spec.lines.iter().map(|line| line.points.len()).sum();
    let (chart, narrow) = drawings((spec, Vec::new()));
    let shown = Shown {
        is_log,
        is_eager: figures <= EAGER,
        facts,
        past,
        notices: reading.provenance.notices(),
        meaning: meaning_of(info, &reading.interpretation.unwrap_or_default()),
        rows,
        unit,
        chart,
        narrow,
        revised: match info.is_composite() || is_forwarded {
            true => None,
            false => revised(revisions::read(desk, info, asked.argument("revised"))?),
        },
    };
    Ok((shown, reading.provenance))
}

/// Series with figures that come nearest: of the same subject, with the same words in the title, under the same terms of
/// the glossary.
fn nearest(desk: &Desk, info: &SeriesInfo, most: usize) -> Result<Vec<(String, String)>> {
    let words = |title: &str| -> BTreeSet<String> {
        let words = title.split(|c: char| !c.is_alphanumeric());
        let long = words.filter(|word| word.len() > 2);
        long.map(str::to_lowercase).collect()
    };
    let own = words(&info.title);
    let is_of = |term: &&Term, id: &str| term.series.iter().any(|s| s.eq_ignore_ascii_case(id));
    let terms = Glossary::embedded().iter();
    let terms: Vec<&Term> = terms.filter(|t| is_of(t, info.id.as_str())).collect();
    let holdings = desk.holdings()?;
    let nearness = |other: &SeriesInfo| {
        let shared = words(&other.title).intersection(&own).count();
        let terms = terms.iter().filter(|t| is_of(t, other.id.as_str())).count();
        3 * usize::from(other.category == info.category) + 2 * shared + terms
    };
    let is_there = |other: &&Arc<SeriesInfo>| {
        other.id != info.id && holdings.get(&other.id).is_some() && desk.permit(other).is_ok()
    };
    let all = Catalogue::embedded().iter().filter(is_there);
    let mut near: Vec<_> = all.map(|other| (nearness(other), other)).collect();
    near.retain(|(nearness, _)| *nearness > 0);
    near.sort_by_key(|(nearness, _)| std::cmp::Reverse(*nearness));
    let named = near.into_iter().take(most);
    let named = named.map(|(_, other)| (desk.shown_id(&other.id), other.title.clone()));
    Ok(named.collect())
}

/// How a period was revised; none for a series of which no first print is on record.
fn revised(mut o: RevisionsAnswer) -> Option<(PeriodAnswer, RecordAnswer, RevisionsAnswer)> {
    Some((o.period.take()?, o.vintages.take()?, o))
}

/// Why stages of a period are absent.
fn reasons(period: &PeriodAnswer) -> BTreeSet<String> {
    let missing = period.stages.iter().filter_map(|s| s.missing.as_deref());
    missing
        .map(|reason| readable(&capitalised(reason)))
        .collect()
}

/// A figure of the table of revisions.
fn or_dash(of: &Option<f64>) -> String {
    dashed(*of, plain)
}

/// A revision with its sign; nothing where there is none.
fn revision(of: &Option<f64>) -> String {
    of.map_or(String::new(), |revision| readable(&plus(revision)))
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
fn extremes(spec: &ChartSpec) -> Vec<(String, String)> {
    let unit = Unit::of(&spec.unit_short, &spec.unit);
    let ends = spec.lines.first().and_then(Line::extremes);
    let ends = ends.map(|(low, high)| [("Lowest", low), ("Highest", high)]);
    let said = |(word, o): (&str, &Observation)| {
        let value = unit.write(o.value, usize::from(spec.decimals));
        (format!("{word} in view, {}", spec.period(o.date)), value)
    };
    ends.into_iter().flatten().map(said).collect()
}

/// Latest value, changes, next figure.
fn facts(desk: &Desk, info: &SeriesInfo, reading: &Metric, today: Date) -> Vec<(String, String)> {
    let unit = Unit::of(&info.units_short, &info.units);
    let decimals = usize::from(info.decimals);
    let mut facts = Vec::new();
    if let (Some(value), Some(date)) = (reading.value, reading.date) {
        let old = overdue(reading);
        let period = format::period(date, info.frequency);
        let latest = format!("Latest, {period}{old}");
        facts.push((latest, unit.write(value, decimals)));
    }
    let moved = moved(desk, reading).into_iter();
    facts.extend(moved.map(|(over, change)| (capitalised(over), change)));
    let next = reading.next_release;
    facts.extend(next.map(|day| ("Next figure, usually".to_owned(), format::due(day, today))));
    facts
}

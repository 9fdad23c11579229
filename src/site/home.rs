//! The start page: headline figures, the last and next releases, the regime, the gauges, six charts, and how to use all
//! this elsewhere.

use super::articles;
use super::figures::{changes, word};
use super::headlines::{self, Headline, Release};
use super::prelude::*;
use super::text::{self, known, plain, readable};
use super::{assets, charts, fault, quadrant, view};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::{ENDPOINTS, metric, regime, time_series};
use econoscope_core::chart::{spark, svg};
use econoscope_core::format::{heading, month, period, signed};
use econoscope_core::indicators::prose::capitalised;
use econoscope_core::indicators::{Composite, established};
use econoscope_core::model::{AsOf, Date, Frequency};
use econoscope_data::store::Article;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame,
    /// The day as of which all is shown, as it was asked for; empty for today.
    as_of: &'a str,
    today: Date,
    is_old: bool,
    headlines: Vec<Headline>,
    /// What came last, and what comes next.
    last: Vec<Release>,
    next: Vec<Release>,
    regime: regime::RegimeAnswer,
    /// Why there is no regime.
    reason: Option<String>,
    quadrant: String,
    gauges: Vec<Gauge>,
    charts: Vec<Figure>,
    articles: Vec<Article>,
}

#[derive(Default)]
struct Gauge {
    id: String,
    name: String,
    value: Option<String>,
    unit: String,
    note: String,
    spark: String,
}

struct Figure {
    chart: &'static Chart,
    subtitle: String,
    svg: String,
    foot: String,
}

/// Months of the regime's way.
const MONTHS: usize = 12;

/// Size of a chart: read at about its own width on a wide and on a narrow screen alike.
const SIZE: (u16, u16) = (380, 220);

/// Widgets to embed: what they show, address, width and height.
const EMBEDS: [(&str, &str, u16, u16); 3] = [
    ("Regime", "/widget/regime", 300, 140),
    ("Recession probability", "/widget/recession", 300, 140),
    ("Any metric", "/widget/metric/DGS10", 300, 140),
];

/// A chart of the page.
///
/// Its title; its series, each with its name beside the line; a coarser frequency where more rows than an answer holds
/// would be needed otherwise; FRED's word for a transformation.
type Chart = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static str,
);

/// What stands side by side covers the same years.
pub(super) const START: &str = "20y";

const CHARTS: [Chart; 6] = [
    (
        "Treasury yields",
        &[("DGS10", "10y"), ("DGS2", "2y")],
        "w",
        "",
    ),
    ("Yield curve, 10 less 2 years", &[("T10Y2Y", "")], "w", ""),
    (
        "Consumer prices, year on year",
        &[("CPIAUCSL", "all"), ("CPILFESL", "core")],
        "",
        "pc1",
    ),
    ("Unemployment", &[("UNRATE", "")], "", ""),
    (
        "Recession probability, 12 months",
        &[("SERVICE_CRPI", "")],
        "",
        "",
    ),
    ("Net liquidity", &[("SERVICE_CNLI", "")], "", ""),
];

/// The regime, the headline figures, then a figure and its history for each gauge, then the lines of the charts.
pub(super) fn questions(asked: &PageRequest) -> Vec<Question> {
    let as_of = ("as_of", asked.given("as_of"));
    let mut questions = vec![Question::new("get_regime", &[as_of])];
    questions.extend(headlines::questions(as_of));
    let series = |arguments: &[(&str, &str)]| Question::new("get_time_series", arguments);
    for composite in established() {
        let id = composite.about.id;
        questions.push(Question::new("get_metric", &[("ticker", id), as_of]));
        questions.push(series(&[("seriesId", id), ("start", "10y"), as_of]));
    }
    for chart @ (_, lines, ..) in &CHARTS {
        let [start, frequency, units] = arguments(chart);
        let lines = lines.iter();
        questions.extend(
            lines.map(|(id, _)| series(&[("seriesId", id), start, frequency, units, as_of])),
        );
    }
    questions
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let as_of = parse_as_of(desk, asked.argument("as_of"))?;
    let description = "US macroeconomic data for assistants, programs and web pages: regime, recession probability, \
        net liquidity, stress, rates, inflation, labor.";
    let frame = Frame::of(desk, "the US economy in figures", description, "/")?;
    let mut frame = frame.lively("", "/chart/regime.png".into());
    let regime: regime::RegimeAnswer = answers.read()?;
    frame.asof = known(as_of, &regime.provenance);
    let is_unknown = regime.regime == "UNKNOWN";
    let reason = is_unknown.then(|| {
        let reason = regime.provenance.notes.get("regime").cloned();
        reason.unwrap_or_else(|| "its inputs are missing".into())
    });
    let figures = headlines::read(&mut answers);
    let (last, next) = headlines::releases(desk, asked.argument("as_of"))?;
    let home = Home {
        as_of: asked.given("as_of"),
        today: desk.today(),
        headlines: figures,
        last,
        next,
        is_old: as_of == AsOf::Latest && regime.provenance.age_days.is_some_and(|days| days > 7),
        reason,
        quadrant: quadrant::large(&way(desk, as_of, &regime, MONTHS)?, word(&regime.regime)),
        gauges: established()
            .map(|composite| gauge(desk, composite, &mut answers))
            .collect(),
        charts: CHARTS.iter().map(|c| figure(c, &mut answers)).collect(),
        articles: articles::published(desk)?.into_iter().take(5).collect(),
        frame,
        regime,
    };
    html(&home, assets::path())
}

/// The scores of the last months and of now. What an upstream says of now is not continued from what is held here.
pub(super) fn way(
    desk: &Desk,
    as_of: AsOf,
    regime: &regime::RegimeAnswer,
    months: usize,
) -> Result<Vec<(f64, f64)>> {
    let Some(now) = regime.growth_score.zip(regime.inflation_score) else {
        return Ok(Vec::new());
    };
    let path = desk.regimes(as_of)?;
    let is_ours = path.now.state.as_ref().map(|s| s.month) == regime.month;
    let skip = path.months.len().saturating_sub(months);
    let months = path.months.iter().skip(skip).filter(|_| is_ours);
    let mut way: Vec<_> = months.map(|s| (s.growth, s.inflation)).collect();
    way.extend((way.last() != Some(&now)).then_some(now));
    Ok(way)
}

fn gauge(desk: &Desk, composite: &Composite, answers: &mut Answers) -> Gauge {
    let metric = answers.read::<metric::Metric>();
    let history = answers.read::<time_series::TimeSeriesAnswer>();
    let mut gauge = Gauge {
        id: composite.about.id.to_owned(),
        name: composite.about.title.to_owned(),
        ..Gauge::default()
    };
    let o = match metric {
        Ok(o) => o,
        Err(error) => {
            gauge.note = reason(&error);
            return gauge;
        }
    };
    gauge.id.clone_from(&o.ticker);
    let Some(value) = o.value else {
        gauge.note = readable(&o.interpretation.unwrap_or_default());
        return gauge;
    };
    let (figure, unit) = text::figure(desk, &o, value);
    (gauge.value, gauge.unit) = (Some(figure), unit);
    let band = composite.band(value).map(capitalised);
    let moved = Some(changes(desk, &o).join(" · ")).filter(|text| !text.is_empty());
    let frequency = o.frequency.as_deref().and_then(|word| word.parse().ok());
    let dated = |date| period(date, frequency.unwrap_or(Frequency::Daily));
    let parts = [band, moved, o.date.map(dated)];
    gauge.note = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    gauge.spark = history.map_or_else(|_| String::new(), |o| spark(&charts::plot(&o)));
    gauge
}

/// A chart; one whose series cannot be had says so in its foot and has no drawing.
fn figure(chart: &'static Chart, answers: &mut Answers) -> Figure {
    let (title, lines, _, units) = chart;
    let (mut held, mut foot, mut subtitle) = (Vec::new(), String::new(), String::new());
    for (_, name) in *lines {
        match answers.read::<time_series::TimeSeriesAnswer>() {
            Ok(o) => held.push((o, *name)),
            Err(error) => foot.push_str(&reason(&error)),
        }
    }
    let mut drawn = String::new();
    if let Some((first, _)) = held.first() {
        let mut spec = charts::plot(first);
        spec.title = (*title).to_owned();
        spec.lines = held.iter().map(|(o, name)| charts::line(o, name)).collect();
        for (color, line) in spec.lines.iter_mut().enumerate() {
            line.color = color;
        }
        if *units == "pc1" {
            (spec.unit, spec.unit_short, spec.decimals) = ("Percent".into(), "%".into(), 1);
        }
        subtitle = heading(&spec.unit, 0);
        if let Some((start, end)) = spec.dates() {
            subtitle = format!("{subtitle}, {} to {}", month(start), month(end));
            let source = first.source.as_deref().unwrap_or("the upstream");
            let newest = spec.period(end);
            foot = format!("Source: {source}. Newest figure: {newest}. {foot}");
        }
        drawn = svg(&spec.plot(SIZE.0, SIZE.1));
    }
    Figure {
        chart,
        subtitle,
        svg: drawn,
        foot,
    }
}

/// What is asked of the lines of a chart.
fn arguments((_, _, frequency, units): &Chart) -> [(&'static str, &'static str); 3] {
    [("start", START), ("frequency", frequency), ("units", units)]
}

/// Where the API has the lines of a chart, as the module reads them.
fn sources(chart: &Chart, as_of: &str) -> String {
    let known = [("as_of", as_of)];
    let query = view::query(arguments(chart).into_iter().chain(known));
    let lines = chart.1.iter();
    let lines = lines.map(|(id, _)| format!("/api/public/data/{id}{query}"));
    lines.collect::<Vec<_>>().join(" ")
}

/// Why something is not shown; more may follow.
fn reason(error: &Error) -> String {
    readable(&fault::reason(error)) + " "
}

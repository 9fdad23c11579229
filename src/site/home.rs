//! The start page: headline figures, releases, the regime, gauges, charts, and how to use the service elsewhere.

use super::articles;
use super::error_page::describe_gap;
use super::headlines::{self, Headline, Release};
use super::prelude::*;
use super::text::{describe_data_age, format_metric, parse_frequency};
use super::widgets::{format_changes, regime_label};
use super::{charts, quadrant};
use econoscope_answers::ENDPOINTS;
use econoscope_answers::endpoints::metric;
use econoscope_answers::endpoints::regime::RegimeAnswer;
use econoscope_answers::endpoints::time_series::TimeSeriesAnswer;
use econoscope_core::chart::{Line, render_sparkline, render_svg};
use econoscope_core::format::{heading, month, signed};
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::{Composite, established};
use econoscope_data::store::Article;

mod forwarded;

#[derive(Template)]
#[template(path = "home.html")]
struct Page<'a> {
    frame: Frame,
    /// The reference day of the request; empty for today.
    as_of: &'a str,
    is_old: bool,
    /// How the economy is, in one sentence.
    sentence: String,
    headlines: Vec<Headline>,
    last_releases: Vec<Release>,
    next_releases: Vec<Release>,
    regime: RegimeAnswer,
    /// Why there is no regime.
    gap: Option<String>,
    quadrant: String,
    gauges: Vec<Gauge>,
    charts: Vec<Chart>,
    articles: Vec<Article>,
    is_forwarded: bool,
}

/// A composite with its latest value.
#[derive(Default)]
struct Gauge {
    id: String,
    name: String,
    value: Option<String>,
    unit: String,
    note: String,
    sparkline: String,
}

/// A chart of the page.
struct Chart {
    lines: &'static Lines,
    subtitle: String,
    svg: String,
    footnote: String,
}

/// Months in the path of the regime.
const MONTHS: usize = 12;

/// Age in days above which the figures count as old.
const MAX_FRESH_DAYS: i64 = 7;

/// Size of a chart, which is about its width on wide and on narrow screens.
const CHART_SIZE: (u16, u16) = (380, 220);

const MAX_ARTICLES: usize = 5;

/// The lines of a chart.
struct Lines {
    title: &'static str,
    /// Identifiers of the series, with the names beside their lines.
    series: &'static [(&'static str, &'static str)],
    frequency: &'static str,
    units: &'static str,
}

impl Lines {
    const fn of(title: &'static str, series: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            title,
            series,
            frequency: "",
            units: "",
        }
    }

    fn first_id(&self) -> &'static str {
        self.series.first().map_or("", |(id, _)| id)
    }

    /// Returns the names beside the lines as the script reads them.
    fn names(&self) -> String {
        join(self.series.iter().map(|(_, name)| name), "|")
    }
}

/// First day of all charts, so that neighbors cover the same years.
pub(super) const START: &str = "20y";

/// Daily series are weekly here, since an answer has a maximum of rows.
const CHARTS: [Lines; 6] = [
    Lines {
        frequency: "w",
        ..Lines::of("Treasury yields", &[("DGS10", "10y"), ("DGS2", "2y")])
    },
    Lines {
        frequency: "w",
        ..Lines::of("Yield curve, 10 less 2 years", &[("T10Y2Y", "")])
    },
    Lines {
        units: "pc1",
        ..Lines::of(
            "Consumer prices, year on year",
            &[("CPIAUCSL", "all"), ("CPILFESL", "core")],
        )
    },
    Lines::of("Unemployment", &[("UNRATE", "")]),
    Lines::of("Recession probability, 12 months", &[("SERVICE_CRPI", "")]),
    Lines::of("Net liquidity", &[("SERVICE_CNLI", "")]),
];

/// Returns the calls in the order in which [`page`] reads their answers: regime, headlines, gauges, charts.
pub(super) fn calls(request: &PageRequest, is_forwarding: bool) -> Vec<EndpointCall> {
    let as_of = ("as_of", request.form_value("as_of"));
    if is_forwarding {
        let tools = ["get_regime", "get_macro_summary", "get_signals"];
        return tools.map(|tool| EndpointCall::new(tool, [as_of])).into();
    }
    let mut calls = vec![EndpointCall::new("get_regime", [as_of])];
    calls.extend(headlines::calls(request.form_value("as_of")));
    for composite in established() {
        let id = composite.indicator.id;
        let history = [("seriesId", id), ("start", "10y"), as_of];
        calls.push(EndpointCall::new("get_metric", [("ticker", id), as_of]));
        calls.push(EndpointCall::new("get_time_series", history));
    }
    for chart in &CHARTS {
        let [start, frequency, units] = arguments(chart);
        let call = |(id, _): &(&'static str, _)| {
            let line = [("seriesId", *id), start, frequency, units, as_of];
            EndpointCall::new("get_time_series", line)
        };
        calls.extend(chart.series.iter().map(call));
    }
    calls
}

pub(super) fn page(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let as_of = request.as_of(desk)?;
    let mut frame = Frame::of(desk, "/").with_preview("", Some("/chart/regime.png".into()));
    let regime: RegimeAnswer = answers.read()?;
    let provenance = &regime.provenance;
    frame.data_age = describe_data_age(as_of, provenance);
    let is_forwarded = answers.is_forwarded;
    let (headlines, gauges) = if is_forwarded {
        let (headlines, gauges, age) = forwarded::read(&mut answers);
        frame.data_age = age;
        (headlines, gauges)
    } else {
        let headlines = headlines::read(desk, &mut answers, as_of)?;
        let gauges = established().map(|composite| gauge(desk, composite, &mut answers));
        (headlines, gauges.collect())
    };
    let charts = CHARTS.iter().filter(|_| !is_forwarded);
    let releases = (!is_forwarded).then(|| headlines::releases(desk, request.argument("as_of")));
    let (last_releases, next_releases) = releases.transpose()?.unwrap_or_default();
    let path = regime_path(desk, as_of, &regime, MONTHS)?;
    let label = match regime.regime.as_str() {
        "UNKNOWN" => "",
        regime => regime_label(regime),
    };
    let odds = recession_odds(&gauges);
    let articles = articles::published(desk)?;
    render_page(&Page {
        sentence: headlines::describe(&headlines, label, odds.as_deref()),
        as_of: request.form_value("as_of"),
        headlines,
        last_releases,
        next_releases,
        is_old: as_of == AsOf::Latest && provenance.age_days.is_some_and(|d| d > MAX_FRESH_DAYS),
        gap: (regime.regime == "UNKNOWN").then(|| {
            let reason = provenance.notes.get("regime").cloned();
            reason.unwrap_or_else(|| "its inputs are missing".into())
        }),
        quadrant: quadrant::draw_large(&path, regime_label(&regime.regime))?,
        gauges,
        charts: charts.map(|c| chart(c, &mut answers)).collect(),
        articles: articles.into_iter().take(MAX_ARTICLES).collect(),
        frame,
        regime,
        is_forwarded,
    })
}

/// Returns the probability of a recession among the gauges: "10.9 %".
fn recession_odds(gauges: &[Gauge]) -> Option<String> {
    let title = &CRPI.indicator.definition().title;
    let odds = gauges.iter().find(|gauge| gauge.name == *title)?;
    Some(format!("{} %", odds.value.as_ref()?))
}

/// Returns the growth and inflation scores of the last months and of now. The scores of an upstream stand alone, since
/// they do not continue those computed here.
pub(super) fn regime_path(
    desk: &Desk,
    as_of: AsOf,
    regime: &RegimeAnswer,
    months: usize,
) -> Result<Vec<(f64, f64)>> {
    let Some(now) = regime.growth_score.zip(regime.inflation_score) else {
        return Ok(Vec::new());
    };
    let history = desk.regimes(as_of)?;
    let is_local = history.now.state.as_ref().map(|s| s.month) == regime.month;
    let skip = history.months.len().saturating_sub(months);
    let months = history.months.iter().skip(skip).filter(|_| is_local);
    let mut path: Vec<_> = months.map(|s| (s.growth, s.inflation)).collect();
    if path.last() != Some(&now) {
        path.push(now);
    }
    Ok(path)
}

fn gauge(desk: &Desk, composite: &Composite, answers: &mut Answers) -> Gauge {
    let metric = answers.read::<metric::Metric>();
    let history = answers.read::<TimeSeriesAnswer>();
    let mut gauge = Gauge {
        id: composite.indicator.id.to_owned(),
        name: composite.indicator.definition().title.to_owned(),
        ..Gauge::default()
    };
    let metric = match metric {
        Ok(metric) => metric,
        Err(error) => {
            gauge.note = gap_note(&error);
            return gauge;
        }
    };
    gauge.id.clone_from(&metric.ticker);
    let Some(value) = metric.value else {
        gauge.note = format_dates(&metric.interpretation.unwrap_or_default());
        return gauge;
    };
    let (number, unit) = format_metric(desk, &metric, value);
    (gauge.value, gauge.unit) = (Some(number), unit);
    let band = composite.band(value).map(capitalize);
    let frequency = parse_frequency(metric.frequency.as_deref());
    let date = metric.date.map(|date| period(date, frequency));
    let changes = format_changes(desk, &metric);
    gauge.note = join(band.into_iter().chain(changes).chain(date), " · ");
    if let Ok(history) = history {
        gauge.sparkline = render_sparkline(&charts::plot(&history));
    }
    gauge
}

/// Draws a chart. The footnote says which series are missing; without any series there is no drawing.
fn chart(lines: &'static Lines, answers: &mut Answers) -> Chart {
    let mut subtitle = String::new();
    let mut drawing = String::new();
    let mut footnote = String::new();
    let mut loaded: Vec<(TimeSeriesAnswer, Line)> = Vec::new();
    for (_, name) in lines.series {
        match answers.read() {
            Ok(answer) => {
                let line = charts::line(&answer, name);
                let color = loaded.len();
                loaded.push((answer, Line { color, ..line }));
            }
            Err(error) => footnote += &gap_note(&error),
        }
    }
    if let Some((first, _)) = loaded.first() {
        let mut spec = charts::plot(first);
        let source = first.source.clone();
        spec.title = lines.title.to_owned();
        spec.lines = loaded.into_iter().map(|(_, line)| line).collect();
        if lines.units == "pc1" {
            (spec.unit, spec.unit_short, spec.decimals) = ("Percent".into(), "%".into(), 1);
        }
        subtitle = heading(&spec.unit, 0);
        if let Some((start, end)) = spec.dates() {
            subtitle = format!("{subtitle}, {} to {}", month(start), month(end));
            let publisher = source.as_deref().unwrap_or("the upstream");
            let newest = spec.format_period(end);
            footnote = format!("Source: {publisher}. Newest figure: {newest}. {footnote}");
        }
        drawing = render_svg(&spec.into_plot(CHART_SIZE.0, CHART_SIZE.1));
    }
    Chart {
        lines,
        subtitle,
        svg: drawing,
        footnote,
    }
}

/// Returns the arguments that all lines of a chart share.
fn arguments(lines: &Lines) -> [(&'static str, &'static str); 3] {
    [
        ("start", START),
        ("frequency", lines.frequency),
        ("units", lines.units),
    ]
}

/// Returns the paths of a chart's figures in the API, as the script reads them.
fn sources(lines: &Lines, as_of: &str) -> String {
    let arguments = arguments(lines).into_iter().chain([("as_of", as_of)]);
    let query = query_string(arguments);
    let path = |(id, _): &(&str, _)| format!("/api/public/data/{id}{query}");
    join(lines.series.iter().map(path), " ")
}

/// Describes a gap, with a space behind it.
fn gap_note(error: &Error) -> String {
    format_dates(&describe_gap(error)) + " "
}

//! The start page: where the economy stands, the gauges, six charts, and how to use all this elsewhere.

use super::articles::{self, Entry};
use super::manual::{self, Embed, Snippet};
use super::{Asked, COPY, Frame, html, plain, quadrant};
use crate::chart::{ChartSpec, Line, spark, svg};
use crate::desk::Desk;
use crate::endpoints::recessions;
use crate::endpoints::{Endpoint, regime};
use crate::error::{Error, Result};
use crate::http::document::Document;
use crate::indicators::prose::{capitalised, signed};
use crate::indicators::transform::Units;
use crate::indicators::{COMPOSITES, Composite};
use crate::model::catalogue::round_to;
use crate::model::frequency::shift;
use crate::model::{AsOf, Series};
use askama::Template;
use jiff::ToSpan;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
    aged: bool,
    regime: Regime,
    narrative: String,
    quadrant: String,
    gauges: Vec<Gauge>,
    charts: Vec<Figure>,
    tools: usize,
    connect: Vec<Snippet>,
    endpoints: Vec<manual::Entry>,
    embeds: Vec<Embed>,
    articles: Vec<Entry>,
}

struct Regime {
    month: Option<String>,
    word: &'static str,
    reason: Option<String>,
    confidence: String,
    trajectory: String,
    target: Option<&'static str>,
    growth: String,
    inflation: String,
}

struct Gauge {
    id: String,
    name: &'static str,
    value: Option<String>,
    unit: &'static str,
    note: String,
    spark: String,
}

struct Figure {
    href: String,
    title: String,
    subtitle: String,
    svg: String,
    foot: String,
}

/// Size of a chart: read at about its own width on a wide and on a narrow screen alike.
const SIZE: (u16, u16) = (380, 220);

pub(super) fn page(desk: &Desk, _: &Asked) -> Result<Document> {
    let description = "US macroeconomic data for assistants, programs and web pages: regime, recession probability, \
        net liquidity, stress, rates, inflation, labor.";
    let mut frame = Frame::of(desk, "the US economy in figures", description, "/")?;
    frame.script = COPY;
    let day = desk.data_date(AsOf::Latest)?;
    let path = desk.regimes(AsOf::Latest)?;
    let answer = desk_regime(desk)?;
    let way: Vec<(f64, f64)> = {
        let skip = path.months.len().saturating_sub(12);
        let before = path
            .months
            .iter()
            .skip(skip)
            .map(|s| (s.growth, s.inflation));
        let now = path.now.state.as_ref().map(|s| (s.growth, s.inflation));
        let mut way: Vec<_> = before.collect();
        way.extend(now.filter(|n| way.last() != Some(n)));
        way
    };
    let home = Home {
        aged: day.age_days > 7,
        regime: regime_of(&path.now),
        narrative: answer,
        quadrant: quadrant::large(&way, path.now.regime.word()),
        gauges: COMPOSITES
            .iter()
            .map(|c| gauge(desk, c))
            .collect::<Result<_>>()?,
        charts: charts(desk)?,
        tools: crate::endpoints::ENDPOINTS.len(),
        connect: manual::connect(desk),
        endpoints: manual::endpoints(),
        embeds: manual::embeds(desk),
        articles: articles::entries(desk)?.into_iter().take(5).collect(),
        frame,
    };
    html(&home, COPY)
}

/// The paragraph that `get_regime` gives.
fn desk_regime(desk: &Desk) -> Result<String> {
    let params =
        serde_json::from_str("{}").map_err(|e| Error::internal("asking for the regime", e))?;
    Ok(regime::GetRegime::local(desk, &params)?.narrative)
}

fn regime_of(now: &crate::indicators::regime::Outlook) -> Regime {
    let state = now.state.as_ref().filter(|_| now.reason.is_none());
    Regime {
        month: state.map(|s| s.month.strftime("%B %Y").to_string()),
        word: now.regime.word(),
        reason: now.reason.clone(),
        confidence: now
            .confidence
            .map(|c| format!("{} %", plain(c)))
            .unwrap_or_default(),
        trajectory: now.trajectory.name().to_lowercase(),
        target: now.target.map(|t| t.word()),
        growth: state.map(|s| signed(s.growth, 2)).unwrap_or_default(),
        inflation: state.map(|s| signed(s.inflation, 2)).unwrap_or_default(),
    }
}

fn gauge(desk: &Desk, composite: &'static Composite) -> Result<Gauge> {
    let reading = desk.reading(composite, AsOf::Latest)?;
    let info = desk.resolve("series", composite.id)?;
    let (unit, decimals) = match composite.id {
        "SERVICE_CRPI" => ("%", 1),
        "SERVICE_CNLI" => ("$ trillion", 2),
        _ => ("of 100", 1),
    };
    let meaning = (composite.interpret)(&reading);
    let note = match (reading.value, reading.trend.as_ref()) {
        (Some(value), trend) => {
            let band = composite.band(value).map(capitalised);
            let moved =
                trend.map(|t| format!("{} over {}", signed(t.change, 1.max(decimals)), t.over));
            let parts: Vec<String> = band
                .into_iter()
                .chain(moved)
                .chain([reading.date.to_string()])
                .collect();
            parts.join(" · ")
        }
        (None, _) => meaning,
    };
    let spark = match desk.series(&info, AsOf::Latest)? {
        Some(series) if reading.value.is_some() => {
            let start = shift(reading.date, (-10).years());
            spark(
                &ChartSpec::of(&series, start, reading.date)
                    .shaded(recessions())
                    .plot(220, 46),
            )
        }
        _ => String::new(),
    };
    Ok(Gauge {
        id: desk.shown_id(&info.id),
        name: composite.name,
        value: reading
            .value
            .map(|v| plain(round_to(v, i32::try_from(decimals).unwrap_or(1)))),
        unit,
        note,
        spark,
    })
}

/// The six charts; one whose series is not held says so in its foot and has no drawing.
fn charts(desk: &Desk) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let rates = [("DGS10", "10y"), ("DGS2", "2y")];
    figures.push(figure(desk, "Treasury yields", &rates, Units::Level, 10)?);
    figures.push(figure(
        desk,
        "Yield curve, 10 less 2 years",
        &[("T10Y2Y", "")],
        Units::Level,
        40,
    )?);
    let prices = [("CPIAUCSL", "all"), ("CPILFESL", "core")];
    figures.push(figure(
        desk,
        "Consumer prices, year on year",
        &prices,
        Units::PercentYear,
        20,
    )?);
    figures.push(figure(
        desk,
        "Unemployment",
        &[("UNRATE", "")],
        Units::Level,
        40,
    )?);
    figures.push(figure(
        desk,
        "Recession probability, 12 months",
        &[("SERVICE_CRPI", "")],
        Units::Level,
        40,
    )?);
    figures.push(figure(
        desk,
        "Net liquidity",
        &[("SERVICE_CNLI", "")],
        Units::Level,
        20,
    )?);
    Ok(figures)
}

fn figure(
    desk: &Desk,
    title: &str,
    lines: &[(&str, &str)],
    units: Units,
    years: i64,
) -> Result<Figure> {
    let (held, missing) = held(desk, lines)?;
    let href = format!("/series/{}", lines.first().map(|l| l.0).unwrap_or_default());
    let Some((first, _)) = held.first() else {
        return Ok(Figure {
            href,
            title: title.into(),
            subtitle: String::new(),
            svg: String::new(),
            foot: missing,
        });
    };
    let newest = held
        .iter()
        .filter_map(|(s, _)| s.observations.last())
        .map(|o| o.date)
        .max()
        .unwrap_or_default();
    let start = shift(newest, (-years).years());
    let mut spec = ChartSpec::of(first, start, newest)
        .shaded(recessions())
        .plot(SIZE.0, SIZE.1);
    spec.title = title.to_owned();
    spec.lines = held
        .iter()
        .map(|(series, name)| line(series, name, units, start))
        .collect();
    if units == Units::PercentYear {
        (spec.unit, spec.unit_short, spec.decimals) = ("Percent".into(), "%".into(), 1);
    }
    let span = spec
        .dates()
        .map(|(a, b)| format!("{} to {}", a.strftime("%B %Y"), b.strftime("%B %Y")));
    let foot = format!(
        "Source: {}; newest figure {newest}. {missing}",
        first.info.source
    );
    Ok(Figure {
        href,
        title: title.to_owned(),
        subtitle: [Some(spec.unit.clone()), span]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
        svg: svg(&spec),
        foot: foot.trim().to_owned(),
    })
}

/// A series with its name in the chart.
type Named<'a> = (Arc<Series>, &'a str);

/// The series of a chart that can be shown, and why the others cannot.
fn held<'a>(desk: &Desk, lines: &[(&str, &'a str)]) -> Result<(Vec<Named<'a>>, String)> {
    let mut held = Vec::new();
    let mut missing = Vec::new();
    for (id, name) in lines {
        let info = desk.resolve("series", id)?;
        match desk.series_or_reason(&info, AsOf::Latest) {
            Ok(series) => held.push((series, *name)),
            Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => {
                missing.push(error.to_string())
            }
            Err(error) => return Err(error),
        }
    }
    Ok((held, missing.join(" ")))
}

fn line(series: &Series, name: &str, units: Units, start: crate::model::Date) -> Line {
    let points = if units == Units::Level {
        series.between(start, crate::model::Date::MAX).to_vec()
    } else {
        units
            .apply(series)
            .into_iter()
            .filter(|o| o.date >= start)
            .collect()
    };
    Line {
        name: name.to_owned(),
        points,
        frequency: series.frequency(),
    }
}

//! What the three widgets show: each asks the endpoint table and puts the answer into the small frame.

use super::Widget;
use crate::chart::{ChartSpec, Extent, Line, Theme, spark};
use crate::endpoints::{Arguments, Backend, Route, metric, regime, signals, time_series};
use crate::error::{Error, Result};
use crate::http::pages::{self, quadrant};
use crate::model::{Frequency, Observation};
use serde::de::DeserializeOwned;

/// Calls an endpoint and reads its answer.
async fn ask<T: DeserializeOwned>(
    backend: &Backend,
    tool: &'static str,
    arguments: &[(&str, &str)],
) -> Result<T> {
    let route = Route::find(tool).ok_or_else(|| Error::internal("looking up an endpoint", tool))?;
    let arguments: Arguments = arguments
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect();
    let answer = route.call(backend, arguments).await?;
    serde_json::from_slice(&answer.json).map_err(|e| Error::internal("reading an answer back", e))
}

pub(super) async fn regime(backend: &Backend) -> Result<Widget> {
    let o: regime::Output = ask(backend, "get_regime", &[]).await?;
    let month = o
        .month
        .map(|m| m.strftime(" · %B %Y").to_string())
        .unwrap_or_default();
    let unknown = o.regime == "UNKNOWN";
    let confidence = o
        .confidence
        .map(|c| format!("Confidence {c} %, {}", o.trajectory.to_lowercase()));
    let other = o
        .transition_target
        .as_ref()
        .map(|t| format!("Likely alternative: {}", word(t)));
    let picture = match (o.growth_score, o.inflation_score) {
        (Some(growth), Some(inflation)) if !unknown => {
            quadrant::small(growth, inflation, word(&o.regime))
        }
        _ => String::new(),
    };
    Ok(Widget {
        shape: "side",
        title: format!("US macro regime{month}"),
        value: (!unknown).then(|| word(&o.regime).to_owned()),
        lines: confidence.into_iter().chain(other).collect(),
        why: unknown.then(|| {
            let reason = o
                .provenance
                .notes
                .get("regime")
                .map_or("its inputs are missing", String::as_str);
            format!("Not known: {reason}.")
        }),
        picture,
        date: pages::dated(&o.provenance),
        credit: o.attribution.into(),
        ..Widget::default()
    })
}

/// The name for reading: "Reflation".
fn word(regime: &str) -> &str {
    use crate::indicators::regime::Regime;
    Regime::QUADRANTS
        .iter()
        .find(|r| r.name() == regime)
        .map_or(regime, |r| r.word())
}

pub(super) async fn recession(backend: &Backend) -> Result<Widget> {
    let o: signals::Output = ask(backend, "get_signals", &[]).await?;
    let composite = &crate::indicators::recession::CRPI;
    let index = o.convex_indices.into_iter().find(|i| i.ticker == "CRPI");
    let (value, meaning) = index.map_or((None, None), |i| (i.value, i.interpretation));
    let title = "US recession within 12 months".to_owned();
    let date = pages::dated(&o.provenance);
    let credit = o.attribution.into();
    let Some(value) = value else {
        let why =
            Some(meaning.unwrap_or_else(|| "The source does not say why it is missing.".into()));
        return Ok(Widget {
            shape: "say",
            title,
            why,
            date,
            credit,
            ..Widget::default()
        });
    };
    let history = history(backend, "SERVICE_CRPI", "40y", (128, 62)).await;
    let legend = (!history.is_empty()).then(|| "40 years, recessions grey".to_owned());
    let band = composite
        .band(value)
        .map(crate::indicators::prose::capitalised);
    Ok(Widget {
        shape: "under",
        title,
        value: Some(value.to_string()),
        unit: "%".into(),
        lines: vec![
            band.into_iter()
                .chain(legend)
                .collect::<Vec<_>>()
                .join("; "),
        ],
        picture: history,
        date,
        credit,
        ..Widget::default()
    })
}

pub(super) async fn metric(backend: &Backend, ticker: &str) -> Result<Widget> {
    let o: metric::Output = ask(backend, "get_metric", &[("ticker", ticker)]).await?;
    let decimals = crate::model::Catalogue::embedded()
        .iter()
        .find(|i| backend.desk().shown_id(&i.id) == o.ticker)
        .map_or(2, |i| usize::from(i.decimals));
    let change = |value: Option<f64>, over: &str| {
        value.map(|v| {
            format!(
                "{} in {over}",
                crate::indicators::prose::signed(v, decimals)
            )
        })
    };
    let month = if o.frequency.as_deref() == Some("monthly") {
        "a month"
    } else {
        "30 d"
    };
    let changes: Vec<String> = [
        change(o.changes.week, "7 d"),
        change(o.changes.month, month),
    ]
    .into_iter()
    .flatten()
    .collect();
    let picture = match o.value {
        Some(_) => history(backend, &o.ticker, "1y", (84, 38)).await,
        None => String::new(),
    };
    let dated = o
        .date
        .map(|d| format!("{d}{}", if o.stale == Some(true) { ", old" } else { "" }));
    Ok(Widget {
        shape: "under",
        title: o.display_name,
        value: o.value.map(pages::plain),
        unit: o.unit,
        lines: (!changes.is_empty())
            .then(|| changes.join(" · "))
            .into_iter()
            .collect(),
        why: o.value.is_none().then(|| {
            let notes = &o.provenance.notes;
            let note = notes
                .get("value")
                .map_or("The source gives no value.", String::as_str);
            // The heading names the series already.
            note.strip_prefix("No data for ")
                .and_then(|rest| rest.split_once("): "))
                .map_or_else(|| note.to_owned(), |(_, why)| format!("No figure: {why}."))
                .replace('`', "")
        }),
        picture,
        date: dated.unwrap_or_default(),
        credit: o.attribution.into(),
        ..Widget::default()
    })
}

/// A small curve of a series; none when its history cannot be had, for the figure stands without it.
async fn history(backend: &Backend, id: &str, start: &str, size: (u16, u16)) -> String {
    let asked = ask::<time_series::Output>(
        backend,
        "get_time_series",
        &[("seriesId", id), ("start", start)],
    )
    .await;
    let o = match asked {
        Ok(o) => o,
        Err(error) => {
            tracing::debug!(%error, id, "a widget has no curve");
            return String::new();
        }
    };
    let points: Vec<Observation> = o
        .data
        .iter()
        .map(|r| Observation::new(r.date, r.value))
        .collect();
    let frequency = [
        Frequency::Weekly,
        Frequency::Monthly,
        Frequency::Quarterly,
        Frequency::Annual,
    ]
    .into_iter()
    .find(|f| o.frequency.as_deref() == Some(f.word()))
    .unwrap_or(Frequency::Daily);
    let spec = ChartSpec {
        title: o.display_name,
        unit: o.unit.clone(),
        unit_short: o.unit,
        decimals: 2,
        lines: vec![Line {
            name: String::new(),
            points,
            frequency,
        }],
        shading: crate::endpoints::recessions(),
        source: String::new(),
        credit: String::new(),
        extent: Extent::Plot,
        theme: Theme::Page,
        size,
    };
    spark(&spec)
}

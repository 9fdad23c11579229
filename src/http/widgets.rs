//! Widgets for other people's pages: a figure, its date, the credit line; no script, three small sizes.
//!
//! They ask the endpoint table like every other client, so they also work in front of an upstream.

use super::Shared;
use super::document::{Document, Frames, Kept};
use super::pages::{self, quadrant};
use crate::chart::{ChartSpec, Extent, Line, Theme, spark};
use crate::endpoints::{Arguments, Backend, Route, metric, regime, signals, time_series};
use crate::error::{Error, Result};
use crate::model::{Attribution, Frequency, Observation};
use askama::Template;
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use serde::de::DeserializeOwned;
use std::sync::{Arc, LazyLock};

/// Colours, then what all surfaces share, then the widgets' own.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    [
        crate::chart::STYLE,
        include_str!("../../templates/base.css"),
        include_str!("../../templates/widget.css"),
    ]
    .concat()
});

/// A widget: a heading, a figure or the reason why there is none, a picture, a foot.
#[derive(Template, Default)]
#[template(path = "widget.html")]
struct Widget {
    theme: &'static str,
    /// Where lines stand: `side` by the picture, `under` it, or `say` without one.
    shape: &'static str,
    title: String,
    style: &'static str,
    value: Option<String>,
    unit: String,
    lines: Vec<String>,
    why: Option<String>,
    suggestions: Vec<(String, String)>,
    picture: String,
    date: String,
    credit: Credit,
}

#[derive(Default)]
struct Credit {
    text: String,
    url: String,
}

impl From<Attribution> for Credit {
    fn from(a: Attribution) -> Self {
        Self {
            text: a.text,
            url: a.url,
        }
    }
}

/// Which widget was asked for.
#[derive(Debug)]
enum Which {
    Regime,
    Recession,
    Metric(String),
}

/// The three widgets as routes.
pub(super) fn routes() -> Router<Shared> {
    let kept = Kept::new();
    let (one, two) = (kept.clone(), kept.clone());
    Router::new()
        .route(
            "/widget/regime",
            get(
                move |shared: State<Shared>, query: RawQuery, headers: HeaderMap| async move {
                    serve(&one, &shared.0, Which::Regime, query, &headers).await
                },
            ),
        )
        .route(
            "/widget/recession",
            get(
                move |shared: State<Shared>, query: RawQuery, headers: HeaderMap| async move {
                    serve(&two, &shared.0, Which::Recession, query, &headers).await
                },
            ),
        )
        .route(
            "/widget/metric/{ticker}",
            get(
                move |shared: State<Shared>,
                      ticker: Path<String>,
                      query: RawQuery,
                      headers: HeaderMap| async move {
                    serve(&kept, &shared.0, Which::Metric(ticker.0), query, &headers).await
                },
            ),
        )
}

/// `light` or `dark` where the embedding page fixes it; else the reader's setting counts.
fn theme(query: Option<&str>) -> &'static str {
    match pages::argument(query, "theme").as_deref() {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "",
    }
}

async fn serve(
    kept: &Kept,
    shared: &Shared,
    which: Which,
    query: RawQuery,
    headers: &HeaderMap,
) -> Response {
    let backend = &*shared.backend;
    let theme = theme(query.0.as_deref());
    let key = format!("{theme} {which:?}");
    let make = async {
        let widget = match &which {
            Which::Regime => regime_widget(backend).await,
            Which::Recession => recession_widget(backend).await,
            Which::Metric(ticker) => metric_widget(backend, ticker).await,
        };
        render(Widget { theme, ..widget? })
    };
    let refuse = |error: &Error| {
        crate::error::log(error, "widget");
        Ok(Arc::new(
            render(Widget {
                theme,
                ..refusal(backend, error)
            })?
            .failed(error),
        ))
    };
    let document = kept
        .get(backend.desk(), key, make)
        .await
        .or_else(|error| refuse(&error));
    let response = match document {
        Ok(document) => document.respond(headers).await,
        Err(error) => Err(error),
    };
    response.unwrap_or_else(|error| super::error::respond(&error, "widget", None))
}

fn render(widget: Widget) -> Result<Document> {
    let widget = Widget {
        style: &STYLE,
        ..widget
    };
    let html = widget
        .render()
        .map_err(|e| Error::internal("rendering a widget", e))?;
    Ok(Document::html(html, &STYLE, "", Frames::Everyone))
}

/// A widget that says why there is no figure and what could be asked instead.
fn refusal(backend: &Backend, error: &Error) -> Widget {
    let title = match error.code() {
        "unknown_name" | "ambiguous_name" => "No such metric",
        "not_permitted" => "Not served here",
        "no_data" => "No data",
        "invalid_param" => "Not understood",
        _ => "Not available now",
    };
    let suggestions: Vec<(String, String)> = error
        .suggestions()
        .iter()
        .take(3)
        .map(|s| {
            (
                format!("/widget/metric/{}", pages::encoded(&s.id)),
                s.id.clone(),
            )
        })
        .collect();
    let why = if let Error::Unknown { name, .. } = error
        && !suggestions.is_empty()
    {
        format!("“{name}” is no metric here. Did you mean:")
    } else if let Error::Ambiguous { name, .. } = error {
        format!("Several metrics answer to “{name}”:")
    } else {
        error.to_string()
    };
    Widget {
        shape: "say",
        title: title.into(),
        why: Some(why),
        suggestions,
        credit: backend.desk().attribution().into(),
        ..Widget::default()
    }
}

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

async fn regime_widget(backend: &Backend) -> Result<Widget> {
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

async fn recession_widget(backend: &Backend) -> Result<Widget> {
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

async fn metric_widget(backend: &Backend, ticker: &str) -> Result<Widget> {
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
        Some(_) => history(backend, &o.ticker, "1y", (84, 44)).await,
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

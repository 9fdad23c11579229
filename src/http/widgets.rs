//! Widgets for other people's pages: a figure, its date, the credit line; no script, three small sizes.
//!
//! They ask the endpoint table like every other client, so they also work in front of an upstream.

mod figures;

use super::Shared;
use super::document::{Document, Frames, Kept};
use super::pages;
use crate::endpoints::Backend;
use crate::error::{Error, Result};
use crate::model::Attribution;
use askama::Template;
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
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
            Which::Regime => figures::regime(backend).await,
            Which::Recession => figures::recession(backend).await,
            Which::Metric(ticker) => figures::metric(backend, ticker).await,
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

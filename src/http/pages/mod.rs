//! The pages for people: what the figures say today, one page per series, term, scenario and article, and
//! the methods. Each is rendered once per state of the data.

mod articles;
mod catalogue;
mod glossary;
mod home;
mod manual;
mod methods;
mod pictures;
pub(super) mod quadrant;
mod scenarios;
mod series;

use super::Shared;
use super::document::{Document, Frames, Kept};
use crate::desk::Desk;
use crate::endpoints::provenance::Provenance;
use crate::error::{Error, Result};
use crate::model::AsOf;
use askama::Template;
use axum::Router;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use std::sync::{Arc, LazyLock};

/// What a page was asked for.
struct Asked {
    /// Path as it came.
    path: String,
    /// The part of the path that names something.
    name: String,
    /// Query string.
    query: Option<String>,
}

type Page = fn(&Desk, &Asked) -> Result<Document>;

/// Every page with the function that makes it.
const PAGES: [(&str, Page); 12] = [
    ("/", home::page),
    ("/series", catalogue::page),
    ("/series/{name}", series::page),
    ("/methods", methods::page),
    ("/glossary", glossary::index),
    ("/glossary/{name}", glossary::term),
    ("/scenarios", scenarios::index),
    ("/scenarios/{name}", scenarios::one),
    ("/articles", articles::index),
    ("/articles/{name}", articles::one),
    ("/chart/{name}", pictures::page),
    ("/favicon.ico", pictures::icon),
];

/// Colours, then what all surfaces share, then the pages' own.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    [
        crate::chart::STYLE,
        include_str!("../../../templates/base.css"),
        include_str!("../../../templates/page.css"),
    ]
    .concat()
});

/// The one script: copy buttons. Without it the snippets can be selected.
const COPY: &str = include_str!("../../../templates/copy.js");

/// The pages as routes.
pub(super) fn routes() -> Router<Shared> {
    let kept = Kept::new();
    PAGES
        .into_iter()
        .fold(Router::new(), |router, (path, page)| {
            let kept = kept.clone();
            let handler = move |State(shared): State<Shared>,
                                names: RawPathParams,
                                RawQuery(query): RawQuery,
                                uri: Uri,
                                headers: HeaderMap| async move {
                let name = names
                    .iter()
                    .next()
                    .map(|(_, value)| value.to_owned())
                    .unwrap_or_default();
                let asked = Asked {
                    path: uri.path().to_owned(),
                    name,
                    query,
                };
                serve(&kept, &shared, page, asked, &headers).await
            };
            router.route(path, get(handler))
        })
}

async fn serve(
    kept: &Kept,
    shared: &Shared,
    page: Page,
    asked: Asked,
    headers: &HeaderMap,
) -> Response {
    let desk = Arc::clone(shared.backend.desk());
    let asked = Arc::new(asked);
    let key = format!(
        "{}?{}",
        asked.path,
        asked.query.as_deref().unwrap_or_default()
    );
    let (at, wanted) = (Arc::clone(&desk), Arc::clone(&asked));
    let make = async move {
        tokio::task::spawn_blocking(move || page(&at, &wanted))
            .await
            .map_err(|e| Error::internal("a page failed", e))?
    };
    let refuse = |error: &Error| {
        crate::error::log(error, "page");
        Ok(Arc::new(fault(&desk, &asked, error)?.failed(error)))
    };
    let document = kept
        .get(&desk, key, make)
        .await
        .or_else(|error| refuse(&error));
    let response = match document {
        Ok(document) => document.respond(headers).await,
        Err(error) => Err(error),
    };
    response.unwrap_or_else(|error| super::error::respond(&error, "page", None))
}

/// What surrounds every page.
struct Frame {
    title: String,
    description: String,
    path: String,
    base: String,
    service: String,
    asof: String,
    picture: String,
    style: &'static str,
    script: &'static str,
}

impl Frame {
    fn of(desk: &Desk, title: &str, description: &str, path: &str) -> Result<Self> {
        let service = desk.settings().service.clone();
        Ok(Self {
            title: if path == "/" {
                format!("{service}: {title}")
            } else {
                format!("{title} – {service}")
            },
            description: description.to_owned(),
            path: path.to_owned(),
            base: desk.settings().base_url.clone(),
            asof: aged(&Provenance::of(desk, AsOf::Latest)?),
            service,
            picture: "/chart/DGS10.png".into(),
            style: &STYLE,
            script: "",
        })
    }

    /// Sections in the head of every page.
    fn nav(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("/series", "Series"),
            ("/scenarios", "Scenarios"),
            ("/methods", "Methods"),
            ("/glossary", "Glossary"),
            ("/articles", "Articles"),
            ("/#connect", "Connect"),
            ("/#api", "API"),
        ]
    }
}

fn html(template: &impl Template, script: &str) -> Result<Document> {
    let text = template
        .render()
        .map_err(|e| Error::internal("rendering a page", e))?;
    Ok(Document::html(text, &STYLE, script, Frames::Nobody))
}

#[derive(Template)]
#[template(path = "fault.html")]
struct Fault {
    frame: Frame,
    heading: &'static str,
    message: String,
    suggestions: Vec<(String, String)>,
}

/// The page for what could not be answered.
fn fault(desk: &Desk, asked: &Asked, error: &Error) -> Result<Document> {
    let section = asked.path.split('/').nth(1).unwrap_or_default();
    let room = if section == "chart" {
        "series"
    } else {
        section
    };
    let page = Fault {
        frame: Frame::of(desk, "Not found", "This page could not be shown.", "")?,
        heading: match error.code() {
            "not_permitted" => "Not served here",
            "unknown_name" | "ambiguous_name" => "Not found",
            "no_data" => "No data",
            "invalid_param" => "Not understood",
            _ => "Not available now",
        },
        message: said(error),
        suggestions: error
            .suggestions()
            .iter()
            .map(|s| {
                (
                    format!("/{room}/{}", encoded(&s.id)),
                    format!("{} ({})", s.title, s.id),
                )
            })
            .collect(),
    };
    html(&page, "")
}

/// An error for a reader; its own words tell a program to call again.
fn said(error: &Error) -> String {
    if let Error::Unknown { kind, name, .. } = error {
        format!("There is no {kind} “{name}” here.")
    } else if let Error::Ambiguous { name, .. } = error {
        format!("“{name}” may mean several things.")
    } else {
        error.to_string()
    }
}

/// A value of the query string.
pub(super) fn argument(query: Option<&str>, name: &str) -> Option<String> {
    url::form_urlencoded::parse(query?.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
}

/// A name as a part of a path.
pub(super) fn encoded(name: &str) -> String {
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// A number as a person writes it: commas between thousands, a true minus.
pub(super) fn plain(value: f64) -> String {
    let text = value.abs().to_string();
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), ""), |(w, f)| (w, f));
    let mut out = String::from(if value < 0.0 { "−" } else { "" });
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// "2026-08-21, 92 days old" for a narrow place.
pub(super) fn dated(p: &Provenance) -> String {
    match (p.as_of, p.age_days) {
        (Some(day), Some(age)) if age > 2 => format!("{day}, {age} d old"),
        (Some(day), _) => day.to_string(),
        (None, _) => String::new(),
    }
}

/// "Data as of 21 August 2026, 92 days old: a snapshot, no sync since."
fn aged(p: &Provenance) -> String {
    let Some(day) = p.as_of else {
        return String::new();
    };
    let long = day.strftime("%-d %B %Y");
    match p.age_days.unwrap_or_default() {
        0 => format!("Data as of {long}."),
        1 => format!("Data as of {long}, one day old."),
        age if p.freshness.as_deref() == Some("live") => {
            format!("Data as of {long}, {age} days old.")
        }
        age => format!("Data as of {long}, {age} days old: a snapshot, not synced since."),
    }
}

//! Scenarios: all of them with their base rates, and one page each.

use super::articles::{self, Entry};
use super::{Asked, Frame, html};
use crate::desk::Desk;
use crate::desk::scenarios::{Scenario, embedded};
use crate::error::{Error, Result, Suggestion};
use crate::http::document::Document;
use crate::indicators::prose::number;
use askama::Template;

#[derive(Template)]
#[template(path = "scenarios.html")]
struct Index {
    frame: Frame,
    items: Vec<Item>,
}

struct Item {
    slug: &'static str,
    title: &'static str,
    status: &'static str,
    polarity: &'static str,
    rate: String,
}

#[derive(Template)]
#[template(path = "scenario.html")]
struct One {
    frame: Frame,
    item: &'static Scenario,
    rate: String,
    interval: Option<String>,
    own: Option<String>,
    articles: Vec<Entry>,
}

fn percent(share: f64) -> String {
    format!("{} %", number(100.0 * share, 0))
}

pub(super) fn index(desk: &Desk, _: &Asked) -> Result<Document> {
    let items = embedded()?
        .iter()
        .map(|s| Item {
            slug: &s.slug,
            title: &s.title,
            status: s.status.word(),
            polarity: &s.polarity,
            rate: percent(s.base_rate),
        })
        .collect();
    let description = "Macro scenarios that figures can decide, with the share of the past in which each came true.";
    html(
        &Index {
            frame: Frame::of(desk, "Scenarios", description, "/scenarios")?,
            items,
        },
        "",
    )
}

pub(super) fn one(desk: &Desk, asked: &Asked) -> Result<Document> {
    let list = embedded()?;
    let Some(item) = list.iter().find(|s| s.slug == asked.name) else {
        let likeness = |s: &Scenario| strsim::jaro_winkler(&s.slug, &asked.name);
        let mut near: Vec<&Scenario> = list.iter().filter(|s| likeness(s) > 0.7).collect();
        near.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
        return Err(Error::Unknown {
            kind: "scenario",
            name: crate::error::quote(&asked.name),
            suggestions: near
                .into_iter()
                .take(3)
                .map(|s| Suggestion {
                    id: s.slug.clone(),
                    title: s.title.clone(),
                })
                .collect(),
        });
    };
    let articles = articles::entries(desk)?
        .into_iter()
        .filter(|a| a.tags.iter().any(|t| item.articles.contains(t)))
        .collect();
    let page = One {
        frame: Frame::of(
            desk,
            &item.title,
            &item.thesis,
            &format!("/scenarios/{}", item.slug),
        )?,
        rate: percent(item.base_rate),
        interval: item
            .base_rate_interval
            .map(|[low, high]| format!("{} to {}", percent(low), percent(high))),
        own: item.probability_override.map(percent),
        item,
        articles,
    };
    html(&page, "")
}

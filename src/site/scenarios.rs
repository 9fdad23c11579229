//! Scenarios: all of them with their base rates, and one page each.

use super::articles;
use super::asked::PageRequest;
use super::document::Document;
use super::fault::unknown;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::percent;
use askama::Template;
use econoscope_core::error::Result;
use econoscope_data::desk::Desk;
use econoscope_data::desk::scenarios::Scenario;
use econoscope_data::store::Article;

#[derive(Template)]
#[template(path = "scenarios.html")]
struct Index<'a> {
    frame: Frame,
    items: Vec<&'a Scenario>,
}

#[derive(Template)]
#[template(path = "scenario.html")]
struct Page<'a> {
    frame: Frame,
    item: &'a Scenario,
    articles: Vec<Article>,
}

pub(super) fn index(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let description = "Macro scenarios that figures can decide, with the share of the past in which each came true.";
    let page = Index {
        frame: Frame::of(desk, "Scenarios", description, "/scenarios")?,
        items: desk.scenarios()?,
    };
    html(&page, "")
}

pub(super) fn scenario(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let all = desk.scenarios()?;
    let Some(item) = all.iter().find(|s| s.slug == asked.name) else {
        let known = all.iter().map(|s| (s.slug.as_str(), s.title.as_str()));
        return Err(unknown("scenario", &asked.name, known));
    };
    let mut articles = articles::published(desk)?;
    articles.retain(|a| a.tags.iter().any(|tag| item.articles.contains(tag)));
    let address = format!("/scenarios/{}", item.slug);
    let page = Page {
        frame: Frame::of(desk, &item.title, &item.thesis, &address)?,
        item,
        articles,
    };
    html(&page, "")
}

//! The glossary: its index, its search, one page per term.

use super::{Asked, Frame, argument, html};
use crate::desk::Desk;
use crate::desk::glossary::{Glossary, Term};
use crate::error::{Error, Result, Suggestion};
use crate::http::document::Document;
use crate::model::Catalogue;
use askama::Template;

#[derive(Template)]
#[template(path = "glossary.html")]
struct Index {
    frame: Frame,
    query: String,
    count: usize,
    found: Vec<&'static Term>,
    groups: Vec<(String, Vec<&'static Term>)>,
}

#[derive(Template)]
#[template(path = "term.html")]
struct One {
    frame: Frame,
    term: &'static Term,
    category: String,
    series: Vec<(String, String)>,
    related: Vec<&'static Term>,
}

pub(super) fn index(desk: &Desk, asked: &Asked) -> Result<Document> {
    let glossary = Glossary::embedded()?;
    let query: String = argument(asked.query.as_deref(), "q")
        .unwrap_or_default()
        .chars()
        .take(80)
        .collect();
    let found = if query.is_empty() {
        Vec::new()
    } else {
        glossary.search(&query)
    };
    let mut groups: Vec<(String, Vec<&'static Term>)> = Vec::new();
    for term in glossary.iter() {
        let name = super::catalogue::subject(&term.category);
        match groups.iter_mut().find(|g| g.0 == name) {
            Some(group) => group.1.push(term),
            None => groups.push((name, vec![term])),
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    let description = "Macroeconomic terms in plain words, linked to the series they are about.";
    let page = Index {
        frame: Frame::of(desk, "Glossary", description, "/glossary")?,
        query,
        count: glossary.iter().len(),
        found: found.into_iter().take(50).collect(),
        groups,
    };
    html(&page, "")
}

pub(super) fn term(desk: &Desk, asked: &Asked) -> Result<Document> {
    let glossary = Glossary::embedded()?;
    let Some(term) = glossary.get(&asked.name) else {
        return Err(Error::Unknown {
            kind: "term",
            name: crate::error::quote(&asked.name),
            suggestions: glossary
                .search(&asked.name.replace('-', " "))
                .into_iter()
                .take(3)
                .map(|t| Suggestion {
                    id: t.slug.clone(),
                    title: t.term.clone(),
                })
                .collect(),
        });
    };
    let series = term
        .series
        .iter()
        .filter_map(|id| Catalogue::embedded().get(&id.to_uppercase()))
        .map(|info| (desk.shown_id(&info.id), info.title.clone()))
        .collect();
    let page = One {
        frame: Frame::of(
            desk,
            &term.term,
            &term.summary,
            &format!("/glossary/{}", term.slug),
        )?,
        term,
        category: super::catalogue::subject(&term.category),
        series,
        related: term
            .related
            .iter()
            .filter_map(|slug| glossary.get(slug))
            .collect(),
    };
    html(&page, "")
}

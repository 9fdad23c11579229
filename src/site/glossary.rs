//! The glossary: its index, its search, one page per term.

use super::catalogue::{by_subject, subject};
use super::fault::unknown;
use super::prelude::*;
use econoscope_core::catalogue::Catalogue;
use econoscope_data::desk::glossary::{Glossary, Term};

/// Most terms that a search shows.
const MAX_FOUND: usize = 50;

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
struct Page {
    frame: Frame,
    term: &'static Term,
    series: Vec<(String, &'static str)>,
    related: Vec<&'static Term>,
}

pub(super) fn index(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let glossary = Glossary::embedded();
    let query = asked.argument("q").unwrap_or_default().to_owned();
    let mut found = match query.as_str() {
        "" => Vec::new(),
        query => glossary.search(query),
    };
    found.truncate(MAX_FOUND);
    let mut groups = by_subject(glossary.iter().map(|term| (term.category.as_str(), term)));
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    let description = "Macroeconomic terms in plain words, linked to the series they are about.";
    let page = Index {
        frame: Frame::of(desk, "Glossary", description, "/glossary")?,
        query,
        count: glossary.iter().len(),
        found,
        groups,
    };
    html(&page, "")
}

pub(super) fn term(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let glossary = Glossary::embedded();
    let Some(term) = glossary.get(&asked.name) else {
        let known = glossary.iter().map(|t| (t.slug.as_str(), t.term.as_str()));
        return Err(unknown("term", &asked.name, known));
    };
    let about = term.series.iter();
    let about = about.filter_map(|id| Catalogue::embedded().get(&id.to_uppercase()));
    let related = term.related.iter();
    let address = format!("/glossary/{}", term.slug);
    let page = Page {
        frame: Frame::of(desk, &term.term, &term.summary, &address)?,
        term,
        series: about
            .map(|info| (desk.shown_id(&info.id), info.title.as_str()))
            .collect(),
        related: related.filter_map(|slug| glossary.get(slug)).collect(),
    };
    html(&page, "")
}

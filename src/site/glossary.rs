//! The glossary: its index with a search, and a page for each term.

use super::catalogue::{group_by_subject, subject};
use super::error_page::find;
use super::prelude::*;
use econoscope_desk::texts::glossary::{self, Term};

/// Maximum number of terms that a search shows.
const MAX_MATCHES: usize = 50;

#[derive(Template)]
#[template(path = "glossary.html")]
struct Index {
    frame: Frame,
    query: String,
    count: usize,
    matches: Vec<&'static Term>,
    groups: Vec<(String, Vec<&'static Term>)>,
}

#[derive(Template)]
#[template(path = "term.html")]
struct Page {
    frame: Frame,
    term: &'static Term,
    /// Identifiers and titles.
    series: Vec<(String, &'static str)>,
    related: Vec<&'static Term>,
}

/// Returns the names of all terms in the binary.
pub(super) fn names() -> Vec<&'static str> {
    let terms = glossary::embedded().iter();
    terms.map(|term| &*term.slug).collect()
}

pub(super) fn index(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let found = request.argument("q").map(glossary::search);
    let mut matches = found.unwrap_or_default();
    matches.truncate(MAX_MATCHES);
    let terms = glossary::embedded().iter();
    let mut groups = group_by_subject(terms.map(|term| (&*term.category, term)));
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    render_page(&Index {
        frame: Frame::of(desk, "/glossary"),
        query: request.form_value("q").to_owned(),
        count: glossary::embedded().len(),
        matches,
        groups,
    })
}

pub(super) fn term(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let label = |term: &'static Term| (&*term.slug, &*term.term);
    let term = find("term", &request.name, glossary::embedded().iter(), label)?;
    let ids = term.series.iter();
    let series = ids.filter_map(|id| Catalogue::embedded().get(&id.to_uppercase()));
    let item = |info: &'static Arc<SeriesInfo>| (desk.display_id(&info.id), &*info.title);
    let related = term.related.iter();
    let path = format!("/glossary/{}", term.slug);
    render_page(&Page {
        frame: Frame::new(desk, &term.term, &term.summary, &path),
        term,
        series: series.map(item).collect(),
        related: related.filter_map(|slug| glossary::get(slug)).collect(),
    })
}

//! One search over series, terms, methods, scenarios and articles, for the box in the header of every page.

use super::fault;
use super::prelude::*;
use super::text::{self, encoded};
use econoscope_answers::endpoints::metric;
use econoscope_core::format::period;
use econoscope_core::indicators::prose::joined;
use econoscope_core::indicators::{Composite, established};
use econoscope_core::model::{AsOf, SeriesId, untrusted};
use econoscope_data::desk::IMPORTED;
use econoscope_data::desk::search::{Document as Found, Kind};

/// Most results of a search, and most series of an operator's own among them.
const MAX_FOUND: usize = 30;
const MAX_IMPORTED: usize = 10;
/// Most characters of what is searched for and of a title.
const MAX_WORDS: usize = 80;
const MAX_TITLE: usize = 200;

/// A page that speaks of the words.
pub(super) struct Hit {
    /// What it is: "Series".
    pub(super) kind: &'static str,
    pub(super) href: String,
    pub(super) title: String,
    /// Its identifier or what else tells it apart.
    pub(super) note: String,
}

/// The best answer, with its figure.
struct Lead {
    hit: Hit,
    /// "19.7"; none where there is no figure or it may not be shown.
    value: Option<String>,
    /// "%, September 2026".
    unit: String,
    /// What it means, or why there is no figure.
    meaning: String,
}

#[derive(Template)]
#[template(path = "search.html")]
struct Page {
    frame: Frame,
    words: String,
    lead: Option<Lead>,
    hits: Vec<Hit>,
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, answers: Answers) -> Result<Document> {
    let words: String = asked.given("q").trim().chars().take(MAX_WORDS).collect();
    let title = match words.as_str() {
        "" => "Search".to_owned(),
        words => format!("Search: {words}"),
    };
    let description = "Search series, terms, methods, scenarios and articles.";
    let mut frame = Frame::of(desk, &title, description, "/search")?;
    frame.words.clone_from(&words);
    let mut found = find(desk, &words, MAX_FOUND)?;
    let lead = lead(desk, &words, &mut found, answers.is_forwarded)?;
    let page = Page {
        frame,
        hits: found.iter().filter_map(|found| hit(desk, found)).collect(),
        lead,
        words,
    };
    html(&page, "")
}

/// Pages that speak of the words, best first.
pub(super) fn hits(desk: &Desk, words: &str, limit: usize) -> Result<Vec<Hit>> {
    let found = find(desk, words, limit)?;
    Ok(found.iter().filter_map(|found| hit(desk, found)).collect())
}

fn find(desk: &Desk, words: &str, limit: usize) -> Result<Vec<Found>> {
    let words: String = words.chars().take(MAX_WORDS).collect();
    if words.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut found = desk.find(&words, limit)?;
    let (own, _) = desk.find_series(&words, Some(IMPORTED), MAX_IMPORTED)?;
    let own = own.iter().map(|info| {
        let title = untrusted::name(&info.title, MAX_TITLE);
        Found::new(Kind::Series, info.id.as_str(), &title)
    });
    found.extend(own);
    found.truncate(limit);
    Ok(found)
}

/// The best answer, taken out of what was found: the series that the words mean, else the first of our composites that
/// was found, else the first series. Where figures are forwarded, its page has the figure.
fn lead(
    desk: &Desk,
    words: &str,
    found: &mut Vec<Found>,
    is_forwarded: bool,
) -> Result<Option<Lead>> {
    let info = match desk.resolve("series", words) {
        Ok(info) => info,
        Err(Error::Unknown { .. } | Error::Ambiguous { .. } | Error::InvalidParam { .. }) => {
            let is_found = |c: &Composite| {
                found.iter().any(|f| match f.kind {
                    Kind::Series => f.name == c.about.id,
                    Kind::Method => f.name == c.about.slug(),
                    Kind::Term | Kind::Scenario | Kind::Article => false,
                })
            };
            let ours = established().find(|c| is_found(c)).map(|c| c.about.id);
            let mut series = found.iter().filter(|f| f.kind == Kind::Series);
            let Some(id) = ours.or_else(|| series.next().map(|f| f.name.as_str())) else {
                return Ok(None);
            };
            desk.resolve("series", id)?
        }
        // It has ended, and no other series stands for it.
        Err(Error::NoData { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    found.retain(|f| f.kind != Kind::Series || f.name != info.id.as_str());
    let mut lead = Lead {
        hit: series(desk, info.id.as_str(), &info.title),
        value: None,
        unit: String::new(),
        meaning: String::new(),
    };
    match desk.permit(&info) {
        Ok(()) if is_forwarded => return Ok(Some(lead)),
        Ok(()) => {}
        Err(error @ Error::NotPermitted { .. }) => {
            lead.meaning = fault::reader_reason(&error);
            return Ok(Some(lead));
        }
        Err(error) => return Err(error),
    }
    let o = metric::read(desk, &info, AsOf::Latest)?;
    let (value, unit) = o.value.map(|v| text::figure(desk, &o, v)).unzip();
    let basis = o.unit_in_words.as_deref().unwrap_or_default();
    let basis = basis.split_once(", ").map(|(_, basis)| basis.to_owned());
    let period = o.date.map(|date| period(date, info.frequency));
    let parts = [unit, basis, period].into_iter().flatten();
    lead.unit = joined(parts.filter(|part| !part.is_empty()), ", ") + text::overdue(&o);
    lead.value = value;
    lead.meaning = text::meaning_of(&info, &o.interpretation.unwrap_or_default());
    Ok(Some(lead))
}

fn series(desk: &Desk, name: &str, title: &str) -> Hit {
    let id = match SeriesId::new(name) {
        Ok(id) => desk.shown_id(&id),
        Err(_) => name.to_owned(),
    };
    Hit {
        kind: "Series",
        href: format!("/series/{}", encoded(&id)),
        title: title.to_owned(),
        note: id,
    }
}

/// A document as a reader is led to it; none for one whose address cannot be followed.
fn hit(desk: &Desk, found: &Found) -> Option<Hit> {
    let name = encoded(&found.name);
    let (kind, href) = match found.kind {
        Kind::Series => return Some(series(desk, &found.name, &found.title)),
        Kind::Term => ("Term", format!("/glossary/{name}")),
        Kind::Method => ("Method", "/methods".to_owned()),
        Kind::Scenario => ("Scenario", format!("/scenarios/{name}")),
        Kind::Article => {
            let mut own = desk.own_articles();
            let href = match own.any(|text| text.article.slug == found.name) {
                true => format!("/articles/{name}"),
                false => untrusted::link(found.url.as_deref()?)?.to_owned(),
            };
            ("Article", href)
        }
    };
    Some(Hit {
        kind,
        href,
        title: match found.kind == Kind::Article {
            true => untrusted::name(&found.title, MAX_TITLE),
            false => found.title.clone(),
        },
        note: String::new(),
    })
}

/// Series by the words typed so far. Held and paid for as pages are, since a reader types many of them.
pub(super) fn suggestions(_: &Desk, _: &PageRequest, mut answers: Answers) -> Result<Document> {
    Ok(Document::json(&answers.read()?))
}

/// What the suggestions are asked of.
pub(super) fn suggested(asked: &PageRequest) -> Vec<Question> {
    let arguments = [("query", asked.given("q")), ("limit", "8")];
    vec![Question::new("search_series", &arguments)]
}

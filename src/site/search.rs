//! One search over series, terms, methods, scenarios and articles, for the box in the header of every page.

use super::asked::PageRequest;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::encoded;
use askama::Template;
use econoscope_answers::endpoints::metric;
use econoscope_core::error::Result;
use econoscope_core::format;
use econoscope_core::indicators::{composite, established};
use econoscope_core::model::{AsOf, SeriesId, SeriesInfo, untrusted};
use econoscope_data::desk::search::{Document as Found, Kind};
use econoscope_data::desk::{Desk, IMPORTED};
use std::sync::Arc;

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
    /// "19.7 %, 24 September 2026"; empty where there is none.
    value: String,
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

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let words = asked.given("q").trim().to_owned();
    let title = match words.as_str() {
        "" => "Search".to_owned(),
        words => format!("Search: {words}"),
    };
    let description = "Search series, terms, methods, scenarios and articles.";
    let mut frame = Frame::of(desk, &title, description, "/search")?;
    frame.words.clone_from(&words);
    let mut found = find(desk, &words, MAX_FOUND)?;
    let lead = lead(desk, &words, &mut found)?;
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
    let own = own.iter().map(|info| Found {
        kind: Kind::Series,
        name: info.id.to_string(),
        title: untrusted::name(&info.title, MAX_TITLE),
        url: None,
    });
    found.extend(own);
    found.truncate(limit);
    Ok(found)
}

/// Takes the best answer out of what was found: the series that bears the words as its name, else our own indicator
/// that speaks of them, else the first series.
fn lead(desk: &Desk, words: &str, found: &mut Vec<Found>) -> Result<Option<Lead>> {
    // An index on trial leads only where its identifier is typed.
    let is_on_trial = |id: &str| composite(id).is_some_and(|c| c.experimental);
    let named = desk.known(words)?.map(|id| id.to_string());
    let named = named.filter(|id| !is_on_trial(id) || id.eq_ignore_ascii_case(words));
    let is_named = |f: &Found| f.kind == Kind::Series && Some(&f.name) == named.as_ref();
    let is_ours = |f: &Found| {
        let mut ours = established();
        let name = f.name.as_str();
        match f.kind {
            Kind::Series => ours.any(|c| c.about.id == name),
            Kind::Method => ours.any(|c| c.about.slug() == name),
            Kind::Term | Kind::Scenario | Kind::Article => false,
        }
    };
    let place = found.iter().position(is_named);
    let place = place.or_else(|| found.iter().position(is_ours));
    let place = place.or_else(|| found.iter().position(|f| f.kind == Kind::Series));
    let Some(best) = place.map(|place| found.remove(place)) else {
        return Ok(None);
    };
    let mut ours = established().filter(|_| best.kind == Kind::Method);
    let id = ours.find(|c| c.about.slug() == best.name);
    let id = id.map_or(best.name.as_str(), |c| c.about.id);
    let info = desk.resolve("series", id)?;
    found.retain(|f| f.kind != Kind::Series || f.name != info.id.as_str());
    let (value, meaning) = match desk.permit(&info) {
        Ok(()) => figure(desk, &info)?,
        Err(_) => Default::default(),
    };
    Ok(Some(Lead {
        hit: series(desk, &info.id.to_string(), &info.title),
        value,
        meaning,
    }))
}

/// The newest figure of a series with its period, and what it means.
fn figure(desk: &Desk, info: &Arc<SeriesInfo>) -> Result<(String, String)> {
    let reading = metric::read(desk, info, AsOf::Latest)?;
    let value = reading.value.zip(reading.date);
    let value = value.map(|(value, date)| {
        let value = format::quantity(value, info);
        format!("{value}, {}", format::period(date, info.frequency))
    });
    Ok((
        value.unwrap_or_default(),
        reading.interpretation.unwrap_or_default(),
    ))
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
            let mut own = desk.own_articles().ok()?;
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

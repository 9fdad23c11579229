//! Search over series, terms, methods, scenarios and articles, for the box in the header of all pages.

use super::error_page::describe;
use super::prelude::*;
use super::text::{format_interpretation, format_metric, late_note};
use super::{catalogue, text};
use econoscope_answers::endpoints::metric;
use econoscope_core::indicators::{Composite, established};
use econoscope_core::model::{SeriesId, table, untrusted};
use econoscope_desk::IMPORTED;
use econoscope_desk::names::search::{Document as Match, Kind};

const MAX_MATCHES: usize = 30;
/// Maximum number of imported series among the matches.
const MAX_IMPORTED: usize = 10;
/// Maximum characters of a query and of a title.
const MAX_QUERY: usize = 80;
const MAX_TITLE: usize = 200;

/// A search result.
#[derive(Default)]
pub(super) struct Hit {
    /// The kind of page: "Series".
    pub(super) kind: &'static str,
    pub(super) href: String,
    pub(super) title: String,
    /// Identifier of a series.
    pub(super) note: String,
    /// Whether this server has no figures of it.
    pub(super) is_empty: bool,
}

/// Pages of this site with the words that find them.
const PAGES: &str = include_str!("../../data/pages.csv");
/// Words of a question that say nothing of a page.
const FILLERS: [&str; 14] = [
    "how", "do", "does", "i", "to", "a", "an", "the", "my", "can", "is", "in", "of", "with",
];
const MAX_PAGES: usize = 3;

/// Returns the pages of this site that have every word of a query.
fn site_pages(query: &str) -> Vec<Hit> {
    let lower = query.to_lowercase();
    let all = text::words(&lower);
    let words: Vec<&str> = all.filter(|word| !FILLERS.contains(word)).collect();
    if words.is_empty() {
        return Vec::new();
    }
    // A test reads every row.
    let rows = table::rows::<3>(PAGES).filter_map(|(_, row)| row.ok());
    let has = |text: &str, word: &str| text.split(' ').any(|own| own == word);
    let has_all = |text: &str| words.iter().all(|word| has(text, word));
    let found = rows.filter(|[title, _, own]| has_all(own) || has_all(&title.to_lowercase()));
    let hit = |[title, href, _]: [&str; 3]| Hit {
        kind: "Page",
        href: href.to_owned(),
        title: title.to_owned(),
        ..Hit::default()
    };
    found.take(MAX_PAGES).map(hit).collect()
}

/// The best result, with its figure.
#[derive(Default)]
struct Lead {
    hit: Hit,
    /// "19.7"; `None` where there is no figure or it may not be shown.
    value: Option<String>,
    /// "%, September 2026".
    unit: String,
    /// The interpretation of the figure, or why there is none.
    text: String,
}

#[derive(Template)]
#[template(path = "search.html")]
struct Page {
    frame: Frame,
    query: String,
    /// Pages of this site.
    pages: Vec<Hit>,
    lead: Option<Lead>,
    hits: Vec<Hit>,
}

pub(super) fn page(desk: &Desk, request: &PageRequest, answers: Answers) -> Result<Document> {
    let query = request.form_value("q").trim().to_owned();
    let title = format!("Search{}", enclosed(": ", &query, ""));
    let description = "Search series, terms, methods, scenarios and articles.";
    let mut frame = Frame::new(desk, &title, description, "/search");
    frame.search_text.clone_from(&query);
    let mut matches = find(desk, &query, MAX_MATCHES)?;
    let lead = lead(desk, &query, &mut matches, answers.is_forwarded)?;
    let mut hits: Vec<Hit> = matches.iter().filter_map(|m| hit(desk, m)).collect();
    if !answers.is_forwarded {
        for hit in hits.iter_mut().filter(|hit| hit.kind == SERIES) {
            let info = desk.resolve("series", &hit.note)?;
            hit.is_empty = !catalogue::is_available(desk, &info)?;
        }
        hits.sort_by_key(|hit| hit.is_empty);
    }
    render_page(&Page {
        frame,
        pages: site_pages(&query),
        hits,
        lead,
        query,
    })
}

/// The kind of a result that is a series.
const SERIES: &str = "Series";

/// Returns the results for a query, the best first.
pub(super) fn hits(desk: &Desk, query: &str, limit: usize) -> Result<Vec<Hit>> {
    let matches = find(desk, query, limit)?;
    Ok(matches.iter().filter_map(|m| hit(desk, m)).collect())
}

fn find(desk: &Desk, query: &str, limit: usize) -> Result<Vec<Match>> {
    let text: String = query.chars().take(MAX_QUERY).collect();
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut matches = desk.find(&text, limit)?;
    let (imported, _) = desk.find_series(&text, Some(IMPORTED), MAX_IMPORTED)?;
    matches.extend(imported.iter().map(|info| {
        let title = untrusted::clean_name(&info.title, MAX_TITLE);
        Match::new(Kind::Series, info.id.as_str(), &title)
    }));
    matches.truncate(limit);
    Ok(matches)
}

/// Takes the best result out of the matches: the series that the query names, else the first composite among the matches,
/// else the first series. On a server that forwards it has no figure here, only on its page.
fn lead(
    desk: &Desk,
    query: &str,
    matches: &mut Vec<Match>,
    is_forwarded: bool,
) -> Result<Option<Lead>> {
    let info = match desk.resolve("series", query) {
        Ok(info) => info,
        Err(Error::Unknown { .. } | Error::Ambiguous { .. } | Error::InvalidParam { .. }) => {
            let is_match = |c: &&Composite| {
                let [id, slug] = [c.indicator.id, &*c.indicator.slug()];
                let own = [(Kind::Series, id), (Kind::Method, slug)];
                matches.iter().any(|m| own.contains(&(m.kind, &*m.name)))
            };
            let composite = established().find(is_match).map(|c| c.indicator.id);
            let mut series = matches.iter().filter(|m| m.kind == Kind::Series);
            let Some(id) = composite.or_else(|| series.next().map(|m| m.name.as_str())) else {
                return Ok(None);
            };
            desk.resolve("series", id)?
        }
        // A discontinued series without a successor.
        Err(Error::NoData { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(info) = lead_series(desk, info, matches, is_forwarded)? else {
        return Ok(None);
    };
    matches.retain(|m| m.kind != Kind::Series || m.name != info.id.as_str());
    let mut lead = Lead {
        hit: series_hit(desk, info.id.as_str(), &info.title),
        ..Lead::default()
    };
    match desk.check_permitted(&info) {
        Ok(()) if is_forwarded => return Ok(Some(lead)),
        Ok(()) => {}
        Err(error @ Error::NotPermitted { .. }) => {
            lead.text = describe(&error);
            return Ok(Some(lead));
        }
        Err(error) => return Err(error),
    }
    let metric = metric::read(desk, &info, AsOf::Latest)?;
    let parts = |value| format_metric(desk, &metric, value);
    let (value, unit) = metric.value.map(parts).unzip();
    let long = metric.unit_in_words.as_deref().unwrap_or_default();
    let basis = long.split_once(", ").map(|(_, basis)| basis.to_owned());
    let period = metric.date.map(|date| period(date, info.frequency));
    let parts = [unit, basis, period].into_iter().flatten();
    lead.unit = join(parts.filter(|part| !part.is_empty()), ", ") + &late_note(&metric);
    lead.value = value;
    lead.text = format_interpretation(&info, &metric.interpretation.unwrap_or_default());
    Ok(Some(lead))
}

/// Returns the series to lead with: the named one, or where it has no figures another with some. It stays among the results.
fn lead_series(
    desk: &Desk,
    named: Arc<SeriesInfo>,
    matches: &mut Vec<Match>,
    is_forwarded: bool,
) -> Result<Option<Arc<SeriesInfo>>> {
    if is_forwarded || catalogue::is_available(desk, &named)? {
        return Ok(Some(named));
    }
    let name = named.id.as_str();
    if !matches.iter().any(|m| m.name == name) {
        matches.push(Match::new(Kind::Series, name, &named.title));
    }
    for other in matches.iter().filter(|m| m.kind == Kind::Series) {
        let info = desk.resolve("series", &other.name)?;
        if catalogue::is_available(desk, &info)? {
            return Ok(Some(info));
        }
    }
    Ok(None)
}

fn series_hit(desk: &Desk, name: &str, title: &str) -> Hit {
    let id = SeriesId::new(name).map_or_else(|_| name.to_owned(), |id| desk.display_id(&id));
    Hit {
        kind: SERIES,
        href: format!("/series/{}", encode_segment(&id)),
        title: title.to_owned(),
        note: id,
        ..Hit::default()
    }
}

/// Converts a match; `None` for an article with an unsafe address.
fn hit(desk: &Desk, found: &Match) -> Option<Hit> {
    let name = encode_segment(&found.name);
    let mut title = found.title.clone();
    let (kind, href) = match found.kind {
        Kind::Series => return Some(series_hit(desk, &found.name, &found.title)),
        Kind::Term => ("Term", format!("/glossary/{name}")),
        Kind::Method => ("Method", "/methods".to_owned()),
        Kind::Scenario => ("Scenario", format!("/scenarios/{name}")),
        Kind::Article => {
            title = untrusted::clean_name(&title, MAX_TITLE);
            let mut articles = desk.own_articles();
            let href = if articles.any(|text| text.article.slug == found.name) {
                format!("/articles/{name}")
            } else {
                untrusted::safe_url(found.url.as_deref()?)?.to_owned()
            };
            ("Article", href)
        }
    };
    Some(Hit {
        kind,
        href,
        title,
        ..Hit::default()
    })
}

/// Renders suggestions for the characters typed so far, as JSON. They are cached and charged like pages.
pub(super) fn suggestions(_: &Desk, _: &PageRequest, mut answers: Answers) -> Result<Document> {
    Ok(Document::json(&answers.read()?))
}

pub(super) fn suggestion_calls(request: &PageRequest, _: bool) -> Vec<EndpointCall> {
    let arguments = [("query", request.form_value("q")), ("limit", "8")];
    vec![EndpointCall::new("search_series", arguments)]
}

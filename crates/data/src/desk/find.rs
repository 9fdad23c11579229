//! Finding what is spoken of: series, documents of every kind, and articles, with an operator's own among them.
//!
//! Series of the catalogue are found by the one search. What the catalogue does not know but the store has a title of is
//! found by the store's own index; what an operator imported without any title, by its identifier.

use super::articles::{MAX_ARTICLES, Text, embedded};
use super::holdings::guess_frequency;
use super::local::Desk;
use super::resolve;
use super::scenarios::Scenario;
use super::search::{Document, Kind, Library, article, scenario};
use crate::store::{Article, Description};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::words::{fold, spelled_words};
use econoscope_core::model::{Frequency, Rights, SeriesId, SeriesInfo, untrusted};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// Most series that one search takes out of the store's index; more words find the others.
const MAX_DESCRIBED: usize = 200;

/// Longest title, and longest unit and source, of a series outside the catalogue, in characters.
const MAX_TITLE: usize = 300;
const MAX_WORDS: usize = 120;

/// The category of everything that the catalogue does not know.
pub const IMPORTED: &str = "imported";

/// A series that matches; of one without a title, what it is, is only read when it is shown.
type Match = (SeriesId, Option<Arc<SeriesInfo>>);

impl Desk {
    /// Documents that speak of the words, best first, at most `limit`; a series that is named so comes first.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn find(&self, query: &str, limit: usize) -> Result<Vec<Document>> {
        let library = self.library()?;
        let mut hits: Vec<&Document> = library.find(query, None).collect();
        if let Some(info) = resolve::find(query) {
            hits.sort_by_key(|d| d.kind != Kind::Series || d.name != info.id.as_str());
        }
        Ok(hits.into_iter().take(limit).cloned().collect())
    }

    /// The scenario of that slug, or else those that speak of the words, best first; of several by commas, those of
    /// each, once.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn find_scenarios(&self, words: &str) -> Result<Vec<&Scenario>> {
        let (all, library) = (self.scenarios(), self.library()?);
        let mut found: Vec<&Scenario> = Vec::new();
        for part in words.split(',') {
            let named = all.iter().find(|s| fold(&s.slug) == fold(part));
            let like = library.find(part, Some(Kind::Scenario));
            let like = like.filter_map(|d| all.iter().find(|s| s.slug == d.name));
            match named {
                Some(named) => found.push(named),
                None => found.extend(like),
            }
        }
        let mut seen = HashSet::new();
        found.retain(|scenario| seen.insert(&scenario.slug));
        Ok(found)
    }

    /// Everything that can be found, with an operator's scenarios and all articles.
    fn library(&self) -> Result<Arc<Library>> {
        self.library.or_make(self.state()?, |before| {
            let mut own: Vec<_> = self.scenarios().into_iter().map(scenario).collect();
            own.extend(self.articles(MAX_ARTICLES)?.iter().map(article));
            // New figures are no new texts, and an index costs as much as some thirty searches.
            match before.filter(|library| library.has_own(&own)) {
                Some(library) => Ok(library),
                None => Ok(Arc::new(Library::of(own))),
            }
        })
    }

    /// The articles that are ours or an operator's, whole, published up to now; of a feed's there is no body.
    pub fn own_articles(&self) -> impl Iterator<Item = &Text> + Clone {
        let now = self.now();
        let own = embedded().iter().chain(&self.settings().articles);
        own.filter(move |text| text.article.published_at <= now)
    }

    /// The newest articles of all sources published up to now, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn articles(&self, limit: usize) -> Result<Vec<Article>> {
        let mut list = self.store().articles(self.now(), limit)?;
        list.extend(self.own_articles().map(|text| {
            let mut article = text.article.clone();
            let resource = format!("article/{}", article.slug);
            article.url = self.settings().address(&article.url, &resource);
            article
        }));
        list.sort_by(|a, b| {
            b.published_at
                .cmp(&a.published_at)
                .then_with(|| a.id.cmp(&b.id))
        });
        list.truncate(limit);
        Ok(list)
    }

    /// Series that match, best first, at most `limit`, and how many match; those that the catalogue does not know
    /// come last. An empty query lists the category: tracked metrics first, then by identifier.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn find_series(
        &self,
        query: &str,
        category: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Arc<SeriesInfo>>, usize)> {
        let is_wanted = |name: &str| category.is_none_or(|c| c.eq_ignore_ascii_case(name));
        let known = in_catalogue(query).into_iter();
        let known = known.filter(|info| is_wanted(&info.category));
        let mut found: Vec<Match> = known.map(|info| (info.id.clone(), Some(info))).collect();
        if is_wanted(IMPORTED) {
            let mut outside = self.outside(query)?.into_iter().peekable();
            // Whoever writes a whole name means that series, not one spelled nearly so.
            let named = outside.next_if(|(id, _)| fold(id.as_str()) == fold(query));
            found.splice(0..0, named);
            found.extend(outside);
        }
        let total = found.len();
        let shown = found.into_iter().take(limit);
        let shown = shown.map(|(id, info)| info.map_or_else(|| self.outside_catalogue(&id), Ok));
        Ok((shown.collect::<Result<_>>()?, total))
    }

    /// Series outside the catalogue, best first: the one of that very name, then short titles, which say little
    /// else than what was asked, then those that have no title.
    fn outside(&self, query: &str) -> Result<Vec<Match>> {
        let name = fold(query);
        let words: Vec<String> = spelled_words(query).collect();
        let mut found = self.store().find_descriptions(&words, MAX_DESCRIBED)?;
        if let Ok(id) = SeriesId::new(query)
            && !found.iter().any(|d| d.id == id)
        {
            found.extend(self.store().description(&id)?);
        }
        found.retain(|d| Catalogue::embedded().get(d.id.as_str()).is_none());
        found.sort_by_cached_key(|d| (fold(d.id.as_str()) != name, d.title.chars().count()));
        let ids: HashSet<SeriesId> = found.iter().map(|d| d.id.clone()).collect();
        let holdings = self.holdings()?;
        let held = holdings.others.iter();
        let held = held.filter(|(folded, id)| folded.contains(&name) && !ids.contains(id));
        let held = held.map(|(_, id)| (id.clone(), None));
        let described = found.into_iter().map(|d| (d.id.clone(), Some(supposed(d))));
        Ok(described.chain(held).collect())
    }

    /// Description of a series that the catalogue does not know: as the store has it, or else from its rows.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn outside_catalogue(&self, id: &SeriesId) -> Result<Arc<SeriesInfo>> {
        if let Some(description) = self.store().description(id)? {
            return Ok(supposed(description));
        }
        let rows = self.store().read(id)?.map(|v| v.latest());
        Ok(supposed(Description {
            id: id.clone(),
            title: id.to_string(),
            units: String::new(),
            frequency: guess_frequency(&rows.unwrap_or_default()),
            seasonally_adjusted: false,
            source: String::new(),
        }))
    }
}

/// Words of a query that none of the series has which it found; none where one is outside the catalogue, since such a
/// one has them all.
pub fn unmatched_words(query: &str, found: &[Arc<SeriesInfo>]) -> Vec<String> {
    if found.is_empty() || found.iter().any(|info| info.category == IMPORTED) {
        return Vec::new();
    }
    let names = found.iter().map(|info| info.id.as_str()).collect();
    Library::embedded().unmatched(query, Kind::Series, &names)
}

/// Series of the catalogue that match; for an empty query all of them.
fn in_catalogue(query: &str) -> Vec<Arc<SeriesInfo>> {
    let catalogue = Catalogue::embedded();
    if spelled_words(query).next().is_none() {
        let mut all: Vec<_> = catalogue.iter().cloned().collect();
        all.sort_by_key(|info| (Reverse(info.metric), info.id.clone()));
        return all;
    }
    let found = Library::embedded().find(query, Some(Kind::Series));
    let found = found.filter_map(|document| catalogue.get(&document.name));
    found.cloned().collect()
}

/// A series outside the catalogue under what is known of it; the rest is supposed.
fn supposed(description: Description) -> Arc<SeriesInfo> {
    let or = |text: &str, supposed: &str| match untrusted::name(text, MAX_WORDS) {
        text if text.is_empty() => supposed.to_owned(),
        text => text,
    };
    let is_bare = description.title == description.id.as_str()
        && description.units.is_empty()
        && description.source.is_empty();
    Arc::new(SeriesInfo {
        id: description.id,
        title: untrusted::name(&description.title, MAX_TITLE),
        units: or(&description.units, "unit not stated"),
        units_short: String::new(),
        frequency: description.frequency,
        seasonally_adjusted: description.seasonally_adjusted,
        category: IMPORTED.into(),
        source: or(&description.source, "imported by the operator"),
        publication_lag_days: match description.frequency == Frequency::Daily {
            true => 1,
            false => 30,
        },
        metric: false,
        rights: Rights::Ok,
        decimals: 4,
        by_others: !is_bare,
    })
}

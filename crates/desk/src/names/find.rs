//! Searches with the operator's own documents and the store's series.
//!
//! The search index finds series of the catalogue. The store's own index finds other series by their titles; series
//! without a title are found by identifier.

use super::resolve;
use super::search::{Document, Kind, SearchIndex};
use crate::Desk;
use crate::texts::articles::{ArticleText, MAX_ARTICLES, embedded};
use crate::texts::scenarios::Scenario;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::expression::UNSTATED;
use econoscope_core::model::observation::guess_frequency;
use econoscope_core::model::words::{fold_name, keywords_as_spelled};
use econoscope_core::model::{Frequency, Rights, SeriesId, SeriesInfo, untrusted};
use econoscope_data::store::{Article, Description};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// Most results from the store's index; a query with more words finds the others.
const MAX_DESCRIBED: usize = 200;

/// Longest title of a series outside the catalogue, and longest unit and source, in characters.
const MAX_TITLE: usize = 300;
const MAX_LABEL: usize = 120;

/// The category of series outside the catalogue.
pub const IMPORTED: &str = "imported";

/// A matching series. The description of one without a title is read only when it is returned.
type Match = (SeriesId, Option<Arc<SeriesInfo>>);

impl Desk {
    /// Returns at most `limit` documents that match a query, best first. A series with that name comes first.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn find(&self, query: &str, limit: usize) -> Result<Vec<Document>> {
        let index = self.search_index()?;
        let found = index.find(query, None).into_iter();
        Ok(found.take(limit).cloned().collect())
    }

    /// Returns the scenario with a slug, or else those that match the words, best first. Several queries are separated by
    /// commas; each scenario appears once.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn find_scenarios(&self, words: &str) -> Result<Vec<&Scenario>> {
        let all = self.scenarios();
        let index = self.search_index()?;
        let mut matches: Vec<&Scenario> = Vec::new();
        for part in words.split(',') {
            let named = all.iter().find(|s| fold_name(&s.slug) == fold_name(part));
            let documents = index.find(part, Some(Kind::Scenario)).into_iter();
            let similar = documents.filter_map(|d| all.iter().find(|s| s.slug == d.name));
            match named {
                Some(named) => matches.push(named),
                None => matches.extend(similar),
            }
        }
        let mut seen = HashSet::new();
        matches.retain(|scenario| seen.insert(&scenario.slug));
        Ok(matches)
    }

    /// Returns the index of all documents, with scenarios and articles.
    fn search_index(&self) -> Result<Arc<SearchIndex>> {
        self.search_index.get_or_compute(self.state()?, |former| {
            let scenarios = self.scenarios().into_iter().map(Document::scenario);
            let mut own: Vec<_> = scenarios.collect();
            own.extend(self.articles(MAX_ARTICLES)?.iter().map(Document::article));
            // New figures do not change the texts, and building an index costs as much as some thirty searches.
            let former = former.filter(|index| index.has_own(&own));
            Ok(former.unwrap_or_else(|| Arc::new(SearchIndex::with_own(own))))
        })
    }

    /// Returns the embedded and the operator's articles with their bodies, published up to now.
    pub fn own_articles(&self) -> impl Iterator<Item = &ArticleText> + Clone {
        let now = self.now();
        let own = embedded().iter().chain(&self.settings().articles);
        own.filter(move |text| text.article.published_at <= now)
    }

    /// Returns at most `limit` articles of all sources published up to now, newest first.
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
        list.sort_by(|a, b| (b.published_at, &a.id).cmp(&(a.published_at, &b.id)));
        list.truncate(limit);
        Ok(list)
    }

    /// Returns at most `limit` series that match a query, best first, and the number of all matches. Series outside the
    /// catalogue come last. An empty query lists the category: tracked metrics first, then by identifier.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn find_series(
        &self,
        query: &str,
        category: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Arc<SeriesInfo>>, usize)> {
        let is_included = |name: &str| category.is_none_or(|c| c.eq_ignore_ascii_case(name));
        let mut matches: Vec<Match> = Vec::new();
        for info in find_in_catalogue(query) {
            if is_included(&info.category) && self.is_listed(&info)? {
                matches.push((info.id.clone(), Some(info)));
            }
        }
        if is_included(IMPORTED) {
            let mut outside = self.find_outside(query)?.into_iter().peekable();
            // A whole name means that series and not one with a similar name.
            let named = outside.next_if(|(id, _)| fold_name(id.as_str()) == fold_name(query));
            matches.splice(0..0, named);
            matches.extend(outside);
        }
        let total = matches.len();
        matches.truncate(limit);
        let info = |(id, info): Match| info.map_or_else(|| self.outside_catalogue(&id), Ok);
        let infos = matches.into_iter().map(info);
        Ok((infos.collect::<Result<_>>()?, total))
    }

    /// Returns why what a query names is not carried, unless the store has series with its words.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn absence_note(&self, query: &str) -> Result<Option<String>> {
        let absence = resolve::absence(query);
        if absence.is_some() && self.find_series(query, Some(IMPORTED), 1)?.1 > 0 {
            return Ok(None);
        }
        Ok(absence)
    }

    /// Returns series outside the catalogue, best first: the one with this name, then those with the shortest titles,
    /// then those without a title.
    fn find_outside(&self, query: &str) -> Result<Vec<Match>> {
        let name = fold_name(query);
        let words: Vec<String> = keywords_as_spelled(query).collect();
        let mut described = self.store().find_descriptions(&words, MAX_DESCRIBED)?;
        if let Ok(id) = SeriesId::new(query)
            && !described.iter().any(|d| d.id == id)
        {
            described.extend(self.store().description(&id)?);
        }
        described.retain(|d| Catalogue::embedded().get(d.id.as_str()).is_none());
        described
            .sort_by_cached_key(|d| (fold_name(d.id.as_str()) != name, d.title.chars().count()));
        let ids: HashSet<SeriesId> = described.iter().map(|d| d.id.clone()).collect();
        let summary = self.store_summary()?;
        let is_other =
            |(folded, id): &&(String, SeriesId)| folded.contains(&name) && !ids.contains(id);
        let others = summary.others.iter().filter(is_other);
        let unnamed = others.map(|(_, id)| Ok((id.clone(), None)));
        let info = |d: Description| Ok((d.id.clone(), Some(self.imported_info(d)?)));
        described.into_iter().map(info).chain(unnamed).collect()
    }

    /// Returns the description of a series outside the catalogue, from the store or from its rows.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(crate) fn outside_catalogue(&self, id: &SeriesId) -> Result<Arc<SeriesInfo>> {
        let fetched = self.memory().get(id);
        let description = match &fetched {
            Some(fetched) => fetched.description.clone(),
            None => self.store().description(id)?,
        };
        if let Some(description) = description {
            return self.imported_info(description);
        }
        let rows = match fetched {
            Some(fetched) => Some(fetched.rows.clone()),
            None => self.store().read(id)?.map(|v| v.latest()),
        };
        self.imported_info(Description {
            id: id.clone(),
            title: id.to_string(),
            units: String::new(),
            frequency: guess_frequency(&rows.unwrap_or_default()),
            seasonally_adjusted: false,
            source: String::new(),
        })
    }

    /// Completes the description of a series outside the catalogue with defaults. Source and rights are those of the recipe
    /// that brought it; nobody has said that an operator's file may be passed on.
    fn imported_info(&self, description: Description) -> Result<Arc<SeriesInfo>> {
        let status = self.series_status(&description.id)?;
        let recipes = self.settings().recipes();
        let recipe = status.and_then(|status| recipes.source(&status.origin));
        let source = recipe.map_or("imported by the operator", |recipe| &recipe.name);
        // FRED passes on figures of others, whose rights nobody has looked up for a series outside the catalogue.
        let known = recipe.filter(|recipe| recipe.id != "fred");
        let rights = known.map_or(Rights::FetchOnly, |recipe| recipe.rights);
        let or = |text: &str, default: &str| match untrusted::clean_name(text, MAX_LABEL) {
            text if text.is_empty() => default.to_owned(),
            text => text,
        };
        let has_text = !description.units.is_empty() || !description.source.is_empty();
        let is_daily = description.frequency == Frequency::Daily;
        Ok(Arc::new(SeriesInfo {
            is_untrusted: has_text || description.title != description.id.as_str(),
            title: untrusted::clean_name(&description.title, MAX_TITLE),
            id: description.id,
            units: or(&description.units, UNSTATED),
            units_short: String::new(),
            frequency: description.frequency,
            seasonally_adjusted: description.seasonally_adjusted,
            category: IMPORTED.into(),
            source: or(&description.source, source),
            publication_lag_days: if is_daily { 1 } else { 30 },
            is_metric: false,
            rights,
            decimals: 4,
        }))
    }
}

/// Returns the words of a query that none of its `results` has. Empty when a result is outside the catalogue, since such a
/// series has all words.
pub fn unmatched_words(query: &str, results: &[Arc<SeriesInfo>]) -> Vec<String> {
    if results.is_empty() || results.iter().any(|info| info.category == IMPORTED) {
        return Vec::new();
    }
    let ids = results.iter().map(|info| info.id.as_str()).collect();
    SearchIndex::embedded().unmatched_words(query, &ids)
}

/// Returns series of the catalogue that match; all for an empty query.
fn find_in_catalogue(query: &str) -> Vec<Arc<SeriesInfo>> {
    let catalogue = Catalogue::embedded();
    if keywords_as_spelled(query).next().is_none() {
        let mut all: Vec<_> = catalogue.iter().cloned().collect();
        all.sort_by_key(|info| (Reverse(info.is_metric), info.id.clone()));
        return all;
    }
    let found = SearchIndex::embedded().find(query, Some(Kind::Series));
    let infos = found.into_iter().filter_map(|d| catalogue.get(&d.name));
    infos.cloned().collect()
}

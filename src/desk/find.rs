//! Finding what is spoken of, and articles, with an operator's own among them.

use super::articles::{MAX_ARTICLES, embedded};
use super::local::Desk;
use super::resolve;
use super::scenarios::Scenario;
use super::search::{Document, Kind, Library, article, scenario};
use crate::error::Result;
use crate::model::words::fold;
use crate::store::Article;
use std::sync::{Arc, PoisonError};

impl Desk {
    /// Documents that speak of the words, best first, at most `limit`; a series that is named so comes first.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read, [`crate::Error::BadFile`] for an embedded file
    /// that cannot be read, which tests rule out.
    pub fn find(&self, query: &str, limit: usize) -> Result<Vec<Document>> {
        let library = self.library()?;
        let mut hits: Vec<&Document> = library.find(query, None).collect();
        if let Some(info) = resolve::find(query) {
            hits.sort_by_key(|d| d.kind != Kind::Series || d.name != info.id.as_str());
        }
        Ok(hits.into_iter().take(limit).cloned().collect())
    }

    /// The scenario of that slug, or else those that speak of the words, best first.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn find_scenarios(&self, words: &str) -> Result<Vec<&Scenario>> {
        let all = self.scenarios()?;
        let named = all.iter().find(|s| fold(&s.slug) == fold(words));
        if let Some(named) = named {
            return Ok(vec![named]);
        }
        let library = self.library()?;
        let found = library.find(words, Some(Kind::Scenario));
        let found = found.filter_map(|d| all.iter().find(|s| s.slug == d.name));
        Ok(found.copied().collect())
    }

    /// Everything that can be found, with an operator's scenarios and all articles.
    fn library(&self) -> Result<Arc<Library>> {
        let state = self.state()?;
        let mut kept = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, library)) = kept.as_ref().filter(|(of, _)| *of == state) {
            return Ok(Arc::clone(library));
        }
        let mut own: Vec<_> = self.scenarios()?.into_iter().map(scenario).collect();
        own.extend(self.articles(MAX_ARTICLES)?.iter().map(article));
        // New figures are no new texts, and an index costs as much as some thirty searches.
        let library = match kept.take() {
            Some((_, library)) if library.own == own => library,
            _ => Arc::new(Library::of(own)?),
        };
        *kept = Some((state, Arc::clone(&library)));
        Ok(library)
    }

    /// The whole text of an article that is ours or an operator's; a feed gives only what it says about one.
    ///
    /// # Errors
    /// [`crate::Error::BadFile`] for an embedded file that cannot be read, which a test rules out.
    pub fn article_body(&self, id: &str) -> Result<Option<&str>> {
        let mut own = embedded()?.iter().chain(&self.settings().articles);
        Ok(own.find(|t| t.article.id == id).map(|t| t.body.as_str()))
    }

    /// The newest articles of all sources published up to now, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn articles(&self, limit: usize) -> Result<Vec<Article>> {
        let now = self.now();
        let mut list = self.store().articles(now, limit)?;
        list.extend(
            embedded()?
                .iter()
                .chain(&self.settings().articles)
                .filter(|t| t.article.published_at <= now)
                .map(|t| {
                    let mut article = t.article.clone();
                    let resource = format!("article/{}", article.slug);
                    article.url = self.settings().address(&article.url, &resource);
                    article
                }),
        );
        list.sort_by(|a, b| {
            b.published_at
                .cmp(&a.published_at)
                .then_with(|| a.id.cmp(&b.id))
        });
        list.truncate(limit);
        Ok(list)
    }
}

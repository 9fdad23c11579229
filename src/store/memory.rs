//! A store that lives as long as the process: for tests, for answers over the bundled history alone, for a trial run.

use super::change::{self, Change, kept};
use super::seam::{Article, Status, Store, Write, Written};
use crate::error::Result;
use crate::model::{Known, SeriesId, Vintages};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Observations, articles and notes in memory.
#[derive(Debug, Default)]
pub struct Memory {
    held: RwLock<Held>,
}

#[derive(Debug, Default)]
struct Held {
    version: u64,
    series: BTreeMap<SeriesId, HeldSeries>,
    articles: HashMap<String, Article>,
    notes: HashMap<String, String>,
}

#[derive(Debug)]
struct HeldSeries {
    vintages: Vintages,
    fetched_at: Timestamp,
    origin: String,
}

impl Memory {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    // A writer that panicked left nothing half done: every change below is a single insertion.
    fn held(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn held_mut(&self) -> RwLockWriteGuard<'_, Held> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn version(&self) -> Result<u64> {
        Ok(self.held().version)
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        Ok(self.held().series.get(id).map(|s| s.vintages.clone()))
    }

    fn write(&self, write: Write<'_>) -> Result<Written> {
        change::check(&write)?;
        let fetched_at = kept(write.fetched_at);
        let mut held = self.held_mut();
        let Some(series) = held.series.get_mut(write.id) else {
            let change = Change::of(&Vintages::default(), &write);
            if change.rows.is_empty() {
                return Ok(Written::default());
            }
            let series = HeldSeries {
                vintages: Vintages::new(change.rows),
                fetched_at,
                origin: write.origin.to_owned(),
            };
            held.series.insert(write.id.clone(), series);
            held.version += 1;
            return Ok(change.written);
        };
        series.fetched_at = series.fetched_at.max(fetched_at);
        let change = Change::of(&series.vintages, &write);
        if change.rows.is_empty() {
            return Ok(change.written);
        }
        let mut rows = series.vintages.rows().to_vec();
        rows.extend(change.rows);
        series.vintages = Vintages::new(rows);
        write.origin.clone_into(&mut series.origin);
        held.version += 1;
        Ok(change.written)
    }

    fn status(&self) -> Result<Vec<Status>> {
        let held = self.held();
        let status = held.series.iter().filter_map(|(id, series)| {
            let rows = series.vintages.rows();
            Some(Status {
                id: id.clone(),
                rows: rows.len() as u64,
                first: rows.first()?.date,
                last: rows.last()?.date,
                fetched_at: series.fetched_at,
                origin: series.origin.clone(),
            })
        });
        Ok(status.collect())
    }

    fn replace_computed(
        &self,
        id: &SeriesId,
        rows: &[Known],
        fetched_at: Timestamp,
        origin: &str,
    ) -> Result<()> {
        let mut held = self.held_mut();
        if let Some(series) = held.series.get(id)
            && !change::is_computed(&series.origin)
        {
            return Err(change::not_computed(id, &series.origin));
        }
        if rows.is_empty() {
            held.version += u64::from(held.series.remove(id).is_some());
            return Ok(());
        }
        let series = HeldSeries {
            vintages: Vintages::new(rows.to_vec()),
            fetched_at: kept(fetched_at),
            origin: origin.to_owned(),
        };
        held.series.insert(id.clone(), series);
        held.version += 1;
        Ok(())
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        let mut held = self.held_mut();
        let mut added = 0;
        let mut changed = false;
        for article in articles {
            let article = Article {
                published_at: kept(article.published_at),
                ..article.clone()
            };
            if held.articles.get(&article.id) == Some(&article) {
                continue;
            }
            changed = true;
            let before = held.articles.insert(article.id.clone(), article);
            added += usize::from(before.is_none());
        }
        held.version += u64::from(changed);
        Ok(added)
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        let held = self.held();
        let until = kept(until);
        let mut articles: Vec<&Article> = held
            .articles
            .values()
            .filter(|a| a.published_at <= until)
            .collect();
        articles.sort_by(|a, b| (b.published_at, &a.id).cmp(&(a.published_at, &b.id)));
        Ok(articles.into_iter().take(limit).cloned().collect())
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        Ok(self.held().notes.get(key).cloned())
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        let mut held = self.held_mut();
        if held.notes.get(key).map(String::as_str) != Some(value) {
            held.notes.insert(key.to_owned(), value.to_owned());
            held.version += 1;
        }
        Ok(())
    }
}

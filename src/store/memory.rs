//! A store that lives as long as the process: for tests, for answers over the bundled history alone, for a trial run.

use super::change::{self, Change, kept};
use super::seam::{Article, Description, Status, Store, Write, Written};
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
    /// In the order in which they came.
    descriptions: Vec<Description>,
}

#[derive(Debug)]
struct HeldSeries {
    vintages: Vintages,
    fetched_at: Timestamp,
    origin: String,
}

impl HeldSeries {
    fn status(&self, id: &SeriesId) -> Option<Status> {
        let rows = self.vintages.rows();
        Some(Status {
            id: id.clone(),
            rows: rows.len() as u64,
            first: rows.first()?.date,
            last: rows.last()?.date,
            fetched_at: self.fetched_at,
            origin: self.origin.clone(),
        })
    }
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
        let status = held.series.iter().filter_map(|(id, s)| s.status(id));
        Ok(status.collect())
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        let held = self.held();
        Ok(held.series.get(id).and_then(|s| s.status(id)))
    }

    fn count(&self) -> Result<u64> {
        Ok(self.held().series.len() as u64)
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        let mut held = self.held_mut();
        let (mut added, mut changed) = (0, false);
        for new in descriptions {
            match held.descriptions.iter_mut().find(|d| d.id == new.id) {
                Some(old) if old == new => {}
                Some(old) => {
                    new.clone_into(old);
                    changed = true;
                }
                None => {
                    held.descriptions.push(new.clone());
                    added += 1;
                }
            }
        }
        held.version += u64::from(changed || added > 0);
        Ok(added)
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        let held = self.held();
        Ok(held.descriptions.iter().find(|d| d.id == *id).cloned())
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        let Some((last, others)) = words.split_last() else {
            return Ok(Vec::new());
        };
        let held = self.held();
        let (mut whole, mut begun) = (Vec::new(), Vec::new());
        for description in &held.descriptions {
            let text = format!("{} {}", description.id, description.title).to_lowercase();
            let has =
                |fits: &dyn Fn(&str) -> bool| text.split(|c: char| !c.is_alphanumeric()).any(fits);
            if !others.iter().all(|word| has(&|w| w == word)) {
                continue;
            }
            if has(&|w| w == last) {
                whole.push(description);
            } else if has(&|w| w.starts_with(last.as_str())) {
                begun.push(description);
            }
        }
        Ok(whole
            .into_iter()
            .chain(begun)
            .take(limit)
            .cloned()
            .collect())
    }

    fn replace_computed(
        &self,
        id: &SeriesId,
        rows: &[Known],
        fetched_at: Timestamp,
        origin: &str,
    ) -> Result<()> {
        let vintages = change::computed(id, rows, origin)?;
        let fetched_at = kept(fetched_at);
        let mut held = self.held_mut();
        if let Some(series) = held.series.get_mut(id) {
            change::may_replace(id, &series.origin)?;
            if series.vintages == vintages && series.origin == origin {
                series.fetched_at = series.fetched_at.max(fetched_at);
                return Ok(());
            }
        }
        if vintages.rows().is_empty() {
            held.version += u64::from(held.series.remove(id).is_some());
            return Ok(());
        }
        let series = HeldSeries {
            vintages,
            fetched_at,
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

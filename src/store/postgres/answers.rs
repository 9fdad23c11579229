//! The contract of a store, kept by a database.

use super::handle::Postgres;
use super::work::Wanted;
use crate::error::Result;
use crate::model::{Date, Known, SeriesId, Vintages};
use crate::store::change::{self, kept};
use crate::store::seam::{Article, Description, Status, Store, WriteVintages, Written};
use jiff::Timestamp;

impl Store for Postgres {
    fn version(&self) -> Result<u64> {
        Ok(self.mark()?.version.unsigned_abs())
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        let id = id.clone();
        self.look(Wanted::Series(id.as_str().to_owned()), move |store| {
            store.read(&id)
        })
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<Written> {
        change::check(&write)?;
        let (id, rows) = (write.id.clone(), write.rows.to_vec());
        let (fetched_at, origin) = (write.fetched_at, write.origin.to_owned());
        self.change(Wanted::Series(id.as_str().to_owned()), move |store| {
            store.write_vintages(WriteVintages {
                id: &id,
                rows: &rows,
                fetched_at,
                origin: &origin,
            })
        })
    }

    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()> {
        let (id, origin) = (id.clone(), origin.to_owned());
        self.change(Wanted::Entry(id.as_str().to_owned()), move |store| {
            store.attribute(&id, &origin, days)
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.look(Wanted::Entries, Store::status)
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        let id = id.clone();
        self.look(Wanted::Entry(id.as_str().to_owned()), move |store| {
            store.status_of(&id)
        })
    }

    fn count(&self) -> Result<u64> {
        Ok(self.mark()?.series.unsigned_abs())
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        let names = descriptions.iter().map(|d| d.id.as_str().to_owned());
        let (names, all) = (names.collect(), descriptions.to_vec());
        self.change(Wanted::Descriptions(names), move |store| {
            store.describe(&all)
        })
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        let id = id.clone();
        let wanted = Wanted::Descriptions(vec![id.as_str().to_owned()]);
        self.look(wanted, move |store| store.description(&id))
    }

    /// Walks all titles; servers search their own copies.
    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        let words = words.to_vec();
        self.look(Wanted::Worded(words.clone()), move |store| {
            store.find_descriptions(&words, limit)
        })
    }

    fn replace_computed(
        &self,
        id: &SeriesId,
        rows: &[Known],
        fetched_at: Timestamp,
        origin: &str,
    ) -> Result<()> {
        let (id, rows, origin) = (id.clone(), rows.to_vec(), origin.to_owned());
        self.change(Wanted::Anew(id.as_str().to_owned()), move |store| {
            store.replace_computed(&id, &rows, fetched_at, &origin)
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        let ids = articles.iter().map(|article| article.id.clone());
        let (ids, all) = (ids.collect(), articles.to_vec());
        self.change(Wanted::Articles(ids), move |store| {
            store.write_articles(&all)
        })
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let wanted = Wanted::Newest(kept(until).as_microsecond(), most);
        self.look(wanted, move |store| store.articles(until, limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        let key = key.to_owned();
        self.look(Wanted::Note(key.clone()), move |store| store.note(&key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        let (key, value) = (key.to_owned(), value.to_owned());
        self.change(Wanted::Note(key.clone()), move |store| {
            store.set_note(&key, &value)
        })
    }
}

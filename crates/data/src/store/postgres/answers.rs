//! The contract of a store, kept by a database.

use super::handle::Postgres;
use super::work::WantedRows;
use crate::store::change::{self, kept};
use crate::store::{
    Article, BatchWork, Description, Leadership, ReplicaStatus, Status, Store, WriteOutcome,
    WriteVintages,
};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, SeriesId, Vintages};
use jiff::Timestamp;

impl Store for Postgres {
    fn version(&self) -> Result<u64> {
        match &self.copy {
            Some(copy) => copy.file.version(),
            None => Ok(self.watermark()?.version.unsigned_abs()),
        }
    }

    fn current_version(&self) -> Result<u64> {
        match &self.copy {
            Some(copy) => copy.file.current_version(),
            None => self.version(),
        }
    }

    fn incarnation(&self) -> u64 {
        let copy = self.copy.as_ref();
        copy.map_or(0, |copy| copy.file.incarnation())
    }

    fn leadership(&self) -> Option<&dyn Leadership> {
        self.copy.is_some().then_some(self)
    }

    fn replica(&self) -> Option<ReplicaStatus> {
        self.copy.as_ref().map(|copy| copy.now())
    }

    fn probe(&self) -> Result<()> {
        match &self.copy {
            Some(copy) => copy.file.probe(),
            None => self.version().map(drop),
        }
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.look(WantedRows::Series(id), |store| store.read(id))
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome> {
        change::check(&write)?;
        self.change(WantedRows::Series(write.id), |store| {
            store.write_vintages(write)
        })
    }

    fn write_batch(&self, ids: &[SeriesId], notes: &[&str], work: BatchWork<'_>) -> Result<()> {
        self.change_batch(ids, notes, work)
    }

    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()> {
        self.change(WantedRows::Entry(id), |store| {
            store.attribute(id, origin, days)
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.look(WantedRows::Entries, Store::status)
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.look(WantedRows::Entry(id), |store| store.status_of(id))
    }

    fn count(&self) -> Result<u64> {
        match &self.copy {
            Some(copy) => copy.file.count(),
            None => Ok(self.watermark()?.series.unsigned_abs()),
        }
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        let names = descriptions.iter().map(|d| d.id.as_str()).collect();
        self.change(WantedRows::Descriptions(names), |store| {
            store.describe(descriptions)
        })
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        let wanted = WantedRows::Descriptions(vec![id.as_str()]);
        self.look(wanted, |store| store.description(id))
    }

    /// Walks all titles; servers search their own copies.
    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.look(WantedRows::Worded(words), |store| {
            store.find_descriptions(words, limit)
        })
    }

    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()> {
        self.change(WantedRows::Anew(write.id), |store| {
            store.replace_computed(write)
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        let ids = articles.iter().map(|article| article.id.as_str()).collect();
        self.change(WantedRows::Articles(ids), |store| {
            store.write_articles(articles)
        })
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let wanted = WantedRows::Newest(kept(until).as_microsecond(), most);
        self.look(wanted, |store| store.articles(until, limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.look(WantedRows::Note(key), |store| store.note(key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.change(WantedRows::Note(key), |store| store.set_note(key, value))
    }
}

//! The implementation of [`Store`] by a database: reads from the replica, writes through [`Postgres::write_with`].

use super::handle::Postgres;
use crate::postgres::TransactionMode;
use crate::store::{
    Article, BatchWork, Description, Leadership, ReplicaStatus, Status, Store, WriteOutcome,
    WriteVintages,
};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, SeriesId, Vintages};
use jiff::Timestamp;

impl Store for Postgres {
    fn version(&self) -> Result<u64> {
        self.reader()?.version()
    }

    fn current_version(&self) -> Result<u64> {
        self.reader()?.current_version()
    }

    fn incarnation(&self) -> u64 {
        self.replica.file.incarnation()
    }

    fn leadership(&self) -> Option<&dyn Leadership> {
        self.is_live.then_some(self)
    }

    fn replica(&self) -> Option<ReplicaStatus> {
        self.is_live.then(|| self.replica.status())
    }

    fn probe(&self) -> Result<()> {
        self.reader()?.probe()
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.reader()?.read(id)
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome> {
        self.write_with(TransactionMode::SHORT, |store| store.write_vintages(write))
    }

    fn write_batch(&self, work: BatchWork<'_>) -> Result<()> {
        self.write_with(TransactionMode::BULK, |store| work(store))
    }

    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()> {
        self.write_with(TransactionMode::SHORT, |store| {
            store.attribute(id, origin, days)
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.reader()?.status()
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.reader()?.status_of(id)
    }

    fn count(&self) -> Result<u64> {
        self.reader()?.count()
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.write_with(TransactionMode::SHORT, |store| store.describe(descriptions))
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.reader()?.description(id)
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.reader()?.find_descriptions(words, limit)
    }

    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()> {
        self.write_with(TransactionMode::SHORT, |store| {
            store.replace_computed(write)
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.write_with(TransactionMode::SHORT, |store| {
            store.write_articles(articles)
        })
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.reader()?.articles(until, limit)
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.reader()?.note(key)
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.write_with(TransactionMode::SHORT, |store| store.set_note(key, value))
    }
}

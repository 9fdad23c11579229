//! The contract of a store, kept by a database: reads by its copy, writes by [`Postgres::change`].

use super::handle::Postgres;
use crate::postgres::Bounds;
use crate::store::{
    Article, BatchWork, Description, Leadership, ReplicaStatus, Status, Store, WriteOutcome,
    WriteVintages,
};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, SeriesId, Vintages};
use jiff::Timestamp;

impl Store for Postgres {
    fn version(&self) -> Result<u64> {
        self.file()?.version()
    }

    fn current_version(&self) -> Result<u64> {
        self.file()?.current_version()
    }

    fn incarnation(&self) -> u64 {
        self.copy.file.incarnation()
    }

    fn leadership(&self) -> Option<&dyn Leadership> {
        self.is_followed.then_some(self)
    }

    fn replica(&self) -> Option<ReplicaStatus> {
        self.is_followed.then(|| self.copy.now())
    }

    fn probe(&self) -> Result<()> {
        self.file()?.probe()
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.file()?.read(id)
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome> {
        self.change(Bounds::SHORT, |store| store.write_vintages(write))
    }

    fn write_batch(&self, work: BatchWork<'_>) -> Result<()> {
        self.change(Bounds::WHOLE, |store| work(store))
    }

    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()> {
        self.change(Bounds::SHORT, |store| store.attribute(id, origin, days))
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.file()?.status()
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.file()?.status_of(id)
    }

    fn count(&self) -> Result<u64> {
        self.file()?.count()
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.change(Bounds::SHORT, |store| store.describe(descriptions))
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.file()?.description(id)
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.file()?.find_descriptions(words, limit)
    }

    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()> {
        self.change(Bounds::SHORT, |store| store.replace_computed(write))
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.change(Bounds::SHORT, |store| store.write_articles(articles))
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.file()?.articles(until, limit)
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.file()?.note(key)
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.change(Bounds::SHORT, |store| store.set_note(key, value))
    }
}

//! The contract of a store, kept by a file.

use super::file::{Sqlite, snapshot};
use super::series;
use super::{descriptions, state, texts, upkeep};
use crate::store::change::{self, Change, kept};
use crate::store::{Article, BatchWork, Description, Status, Store, WriteOutcome, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, SeriesId, Vintages};
use jiff::Timestamp;
use rusqlite::Connection;

impl Store for Sqlite {
    fn version(&self) -> Result<u64> {
        Self::version(self)
    }

    fn current_version(&self) -> Result<u64> {
        self.forget_version();
        Self::version(self)
    }

    fn probe(&self) -> Result<()> {
        self.afresh(upkeep::probe)
    }

    fn incarnation(&self) -> u64 {
        Self::incarnation(self)
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.reading(|db| {
            let found = self.sure(db, series::read(db, id)?)?;
            Ok(found.map(|held| held.vintages))
        })
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome> {
        change::check(&write)?;
        self.writing(|db| {
            let Some(held) = self.sure(db, series::read(db, write.id)?)? else {
                let change = Change::of(&Vintages::default(), write.fetched_at, &write);
                if !change.rows.is_empty() {
                    series::create(db, &write, &change.rows)?;
                    state::changed(db, 1)?;
                }
                return Ok(change.written);
            };
            let change = Change::of(&held.vintages, held.line.read_at(), &write);
            if change.rows.is_empty() {
                series::note_reading(db, held.line, write.fetched_at)?;
            } else {
                series::append(db, held, &write, &change)?;
                state::changed(db, 0)?;
            }
            Ok(change.written)
        })
    }

    fn write_batch(&self, work: BatchWork<'_>) -> Result<()> {
        self.in_one_transaction("COMMIT", |store| work(store))
    }

    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()> {
        self.writing(|db| match self.sure(db, series::line(db, id)?)? {
            Some(line) => match series::attribute(db, line, origin, days)? {
                true => state::changed(db, 0),
                false => Ok(()),
            },
            None => Ok(()),
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.reading(|db| snapshot(db, series::status))
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.reading(|db| {
            let line = self.sure(db, series::line(db, id)?)?;
            line.map(|line| line.status()).transpose()
        })
    }

    fn count(&self) -> Result<u64> {
        self.reading(|db| Ok(state::state(db)?.series.unsigned_abs()))
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.changing(|db| descriptions::describe(db, descriptions))
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.reading(|db| descriptions::description(db, id))
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.reading(|db| snapshot(db, |db| descriptions::find(db, words, limit)))
    }

    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()> {
        let vintages = change::computed(&write)?;
        let (id, rows) = (write.id, vintages.rows());
        self.writing(|db| {
            let held = self.sure(db, series::line(db, id)?)?;
            if let Some(held) = &held {
                change::may_replace(id, &held.origin)?;
                // Damaged rows are no hindrance: they are what is replaced.
                let rows = series::read(db, id).ok().flatten();
                if held.origin == write.origin && rows.is_some_and(|held| held.vintages == vintages)
                {
                    return series::note_reading(db, held.clone(), write.fetched_at);
                }
                series::remove(db, held.id)?;
            }
            if !rows.is_empty() {
                series::create(db, &write, rows)?;
            }
            match (held.is_some(), rows.is_empty()) {
                (false, true) => Ok(()),
                (true, true) => state::changed(db, -1),
                (true, false) => state::changed(db, 0),
                (false, false) => state::changed(db, 1),
            }
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.changing(|db| texts::write_articles(db, articles))
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.reading(|db| texts::articles(db, kept(until), limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.reading(|db| texts::note(db, key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.changing(|db| Ok(((), texts::set_note(db, key, value)?)))
    }
}

impl Sqlite {
    /// Runs a write that also tells whether it changed anything a reader could see.
    fn changing<T>(&self, write: impl FnOnce(&Connection) -> Result<(T, bool)>) -> Result<T> {
        self.writing(|db| {
            let (answer, changed) = write(db)?;
            if changed {
                state::changed(db, 0)?;
            }
            Ok(answer)
        })
    }

    /// Passes on what was found. Before a series is called absent for the first time, the list of series is
    /// checked: a damaged index would hide one that is held.
    fn sure<T>(&self, db: &Connection, found: Option<T>) -> Result<Option<T>> {
        if found.is_none() {
            self.check_once(|| snapshot(db, series::check_list))?;
        }
        Ok(found)
    }
}

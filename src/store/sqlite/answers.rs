//! The contract of a store, kept by a file.

use super::file::{Sqlite, snapshot};
use super::series;
use super::{append, descriptions, state, texts};
use crate::error::Result;
use crate::model::{Known, SeriesId, Vintages};
use crate::store::change::{self, Change, kept};
use crate::store::seam::{Article, Description, Status, Store, Write, Written};
use jiff::Timestamp;
use rusqlite::Connection;
use std::sync::atomic::Ordering;

impl Store for Sqlite {
    fn version(&self) -> Result<u64> {
        self.watch.version()
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.reading(|db| {
            let found = self.sure(db, series::read(db, id)?)?;
            Ok(found.map(|(_, vintages, _)| vintages))
        })
    }

    fn write(&self, write: Write<'_>) -> Result<Written> {
        change::check(&write)?;
        let fetched_at = kept(write.fetched_at);
        self.writing(|db| {
            let Some((held, vintages, segments)) = self.sure(db, series::read(db, write.id)?)?
            else {
                let change = Change::of(&Vintages::default(), &write);
                if !change.rows.is_empty() {
                    append::create(db, &write, &change.rows)?;
                    state::changed(db, 1)?;
                }
                return Ok(change.written);
            };
            let change = Change::of(&vintages, &write);
            if change.rows.is_empty() {
                append::note_reading(db, held, fetched_at)?;
            } else {
                let held = held.written(&write, &change.rows);
                append::append(db, held, &vintages, segments, change.rows)?;
                state::changed(db, 0)?;
            }
            Ok(change.written)
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.reading(|db| snapshot(db, series::status))
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.reading(|db| {
            let line = self.sure(db, series::line(db, id)?)?;
            line.map(|line| line.told()).transpose()
        })
    }

    fn count(&self) -> Result<u64> {
        self.reading(|db| Ok(state::state(db)?.series.unsigned_abs()))
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.writing(|db| {
            let (added, changed) = descriptions::describe(db, descriptions)?;
            if changed {
                state::changed(db, 0)?;
            }
            Ok(added)
        })
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.reading(|db| descriptions::description(db, id))
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.reading(|db| snapshot(db, |db| descriptions::find(db, words, limit)))
    }

    fn replace_computed(
        &self,
        id: &SeriesId,
        rows: &[Known],
        fetched_at: Timestamp,
        origin: &str,
    ) -> Result<()> {
        let vintages = change::computed(id, rows, origin)?;
        let rows = vintages.rows();
        self.writing(|db| {
            let held = self.sure(db, series::line(db, id)?)?;
            if let Some(held) = &held {
                change::may_replace(id, &held.origin)?;
                // Damaged rows are no hindrance: they are what is replaced.
                let same = series::read_line(db, held).is_ok_and(|rows| rows == vintages);
                if same && held.origin == origin {
                    return append::note_reading(db, held.clone(), kept(fetched_at));
                }
                append::remove(db, held)?;
            }
            let write = Write {
                id,
                observations: &[],
                known_from: None,
                fetched_at,
                origin,
            };
            if !rows.is_empty() {
                append::create(db, &write, rows)?;
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
        self.writing(|db| {
            let (added, changed) = texts::write_articles(db, articles)?;
            if changed {
                state::changed(db, 0)?;
            }
            Ok(added)
        })
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.reading(|db| texts::articles(db, kept(until), limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.reading(|db| texts::note(db, key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.writing(|db| {
            if texts::set_note(db, key, value)? {
                state::changed(db, 0)?;
            }
            Ok(())
        })
    }
}

impl Sqlite {
    /// Passes on what was found. Before a series is called absent for the first time, the list of series is
    /// checked: a damaged index would hide one that is held.
    fn sure<T>(&self, db: &Connection, found: Option<T>) -> Result<Option<T>> {
        if found.is_none() && !self.list_checked.load(Ordering::Relaxed) {
            snapshot(db, series::check_list)?;
            self.list_checked.store(true, Ordering::Relaxed);
        }
        Ok(found)
    }
}

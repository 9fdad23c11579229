//! The implementation of [`Store`] by a file, which may be the replica of a database.

use super::handle::{Sqlite, snapshot};
use super::series::StoredSeries;
use super::series_row::SeriesRow;
use super::{descriptions, maintenance, series, state, texts};
use crate::store::change::{self, Change, to_microseconds};
use crate::store::postgres::{Postgres, has_ended};
use crate::store::{
    Article, BatchWork, Description, ReplicaStatus, Status, Store, WriteOutcome, WriteVintages,
};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, SeriesId, Vintages};
use jiff::Timestamp;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a version that was read stays valid: asking for changes of another process takes some microseconds.
const VERSION_LIFETIME: Duration = Duration::from_millis(5);

/// Name of the note with the lease on syncing: when it ends, in seconds since 1970, and its holder.
const LEASE: &str = "sync_lease";
/// The longest lease, in seconds.
const MAX_LEASE: i64 = 60;

/// What a store consists of: a file by itself, or a database with a replica in a file.
pub trait Backing: Send + Sync {
    /// Returns the file in its present state.
    fn file(&self) -> &Sqlite;

    /// Returns the database of which the file is a replica.
    fn database(&self) -> Option<&Postgres>;

    /// Returns the file for reading, up to date.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the database cannot be reached.
    fn reader(&self) -> Result<&Sqlite>;

    /// Runs work that writes, on the file. `is_batch` makes it one change of any size.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written, or the error of the work.
    fn write_with<T: Clone + Send>(
        &self,
        is_batch: bool,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T>;

    /// Reads from the file, up to date.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when either cannot be read.
    fn query<T>(&self, read: impl FnOnce(&Sqlite, &Connection) -> Result<T>) -> Result<T> {
        let file = self.reader()?;
        file.with_reader(|db| read(file, db))
    }

    /// Runs a write that also returns the number of series it added, negative if it removed any; `None` when no reader
    /// can see a change. A visible change raises the version.
    ///
    /// # Errors
    /// As [`Self::write_with`].
    fn change<T: Clone + Send>(
        &self,
        write: impl Fn(&Sqlite, &Connection) -> Result<(T, Option<i64>)> + Sync,
    ) -> Result<T> {
        self.write_with(false, |file| {
            file.transact(|db| {
                let (value, added) = write(file, db)?;
                if let Some(added) = added {
                    state::record_change(db, added)?;
                }
                Ok(value)
            })
        })
    }
}

impl Backing for Sqlite {
    fn file(&self) -> &Self {
        self
    }

    fn database(&self) -> Option<&Postgres> {
        None
    }

    fn reader(&self) -> Result<&Self> {
        Ok(self)
    }

    fn write_with<T>(&self, is_batch: bool, work: impl Fn(&Self) -> Result<T>) -> Result<T> {
        if is_batch {
            self.with_transaction_store("COMMIT", work)
        } else {
            work(self)
        }
    }
}

impl<B: Backing> Store for B {
    fn version(&self) -> Result<u64> {
        self.reader()?.read_version()
    }

    fn current_version(&self) -> Result<u64> {
        let file = self.reader()?;
        file.expire_version();
        file.read_version()
    }

    fn is_in_memory(&self) -> bool {
        let file = self.file().current_file(false);
        self.database().is_none() && file.is_ok_and(|file| file.path.is_none())
    }

    fn leadership(&self) -> Option<&Postgres> {
        self.database().filter(|database| database.is_live)
    }

    fn replica(&self) -> Option<ReplicaStatus> {
        Some(self.leadership()?.replica.status())
    }

    fn lease(&self, holder: &str, duration: Duration) -> Result<Option<String>> {
        if self.database().is_some() {
            return Ok(None);
        }
        let now = econoscope_core::clock::wall_time().as_second();
        let until = now.saturating_add(duration.as_secs().try_into().unwrap_or(i64::MAX));
        let other = |db: &Connection| -> Result<Option<String>> {
            // A lease that ends later than any was taken under a wrong clock. A damaged one is replaced.
            let note = texts::note(db, LEASE).ok().flatten().unwrap_or_default();
            let lease = note.split_once(' ');
            let is_valid = |end: &str| {
                end.parse()
                    .is_ok_and(|end| now < end && end <= now + MAX_LEASE)
            };
            let other =
                lease.filter(|(end, name)| *name != holder && is_valid(end) && !has_ended(name));
            Ok(other.map(|(_, name)| name.to_owned()))
        };
        match self.file().with_reader(other)? {
            Some(other) => Ok(Some(other)),
            // No visible change, so the version stays.
            None => self.file().transact(|db| match other(db)? {
                Some(other) => Ok(Some(other)),
                None => texts::set_note(db, LEASE, &format!("{until} {holder}")).map(|_| None),
            }),
        }
    }

    fn snapshot(&self) -> Result<Option<Arc<dyn Store>>> {
        self.reader()?.read_transaction_store()
    }

    fn probe(&self) -> Result<()> {
        self.reader()?.with_new_reader(maintenance::probe)
    }

    fn incarnation(&self) -> u64 {
        self.file().replacements.load(Ordering::Acquire)
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.query(|file, db| {
            let stored = file.verify_absence(db, series::read(db, id)?)?;
            Ok(stored.map(|series| series.vintages))
        })
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome> {
        change::check(&write)?;
        self.change(|file, db| {
            let Some(stored) = file.verify_absence(db, series::read(db, write.id)?)? else {
                let change = Change::compare(&Vintages::default(), write.fetched_at, &write);
                if change.rows.is_empty() {
                    return Ok((change.outcome, None));
                }
                series::create(db, &write, &change.rows)?;
                return Ok((change.outcome, Some(1)));
            };
            let StoredSeries { row, vintages } = stored;
            let stored_at = Timestamp::from_microsecond(row.fetched_at).unwrap_or(Timestamp::MIN);
            let change = Change::compare(&vintages, stored_at, &write);
            if change.rows.is_empty() {
                series::record_fetch(db, row, write.fetched_at)?;
                return Ok((change.outcome, None));
            }
            let new_row = row.with_added_rows(&write, &change.rows);
            series::write_rows(db, new_row, change.apply_to(&vintages).rows())?;
            Ok((change.outcome, Some(0)))
        })
    }

    fn write_batch(&self, work: BatchWork<'_>) -> Result<()> {
        self.write_with(true, |store| work(store))
    }

    fn attribute(&self, id: &SeriesId, origin: &str, first: Date, last: Date) -> Result<()> {
        self.change(|file, db| {
            let Some(row) = file.verify_absence(db, series::read_row(db, id)?)? else {
                return Ok(((), None));
            };
            let assigned = row.assign_origin(origin, first, last);
            if assigned == row.origin {
                return Ok(((), None));
            }
            let new_row = SeriesRow {
                origin: assigned,
                ..row
            };
            series::write_row(db, &new_row)?;
            Ok(((), Some(0)))
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.query(|_, db| snapshot(db, series::status))
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.query(|file, db| {
            let row = file.verify_absence(db, series::read_row(db, id)?)?;
            row.map(|row| row.to_status()).transpose()
        })
    }

    fn count(&self) -> Result<u64> {
        self.query(|_, db| Ok(state::read(db)?.series.unsigned_abs()))
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.change(|_, db| {
            let (added, is_changed) = descriptions::write(db, descriptions)?;
            Ok((added, is_changed.then_some(0)))
        })
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.query(|_, db| descriptions::description(db, id))
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.query(|_, db| snapshot(db, |db| descriptions::find(db, words, limit)))
    }

    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()> {
        let id = write.id;
        change::check_replaceable(id, write.origin)?;
        change::check_finite(&write)?;
        let vintages = Vintages::new(write.rows.to_vec());
        let rows = vintages.rows();
        self.change(|file, db| {
            let stored = file.verify_absence(db, series::read_row(db, id)?)?;
            if stored.is_none() && rows.is_empty() {
                return Ok(((), None));
            }
            let mut added = i64::from(!rows.is_empty());
            if let Some(row) = stored {
                change::check_replaceable(id, &row.origin)?;
                // Damaged rows do not matter here: they are replaced.
                let stored = series::read(db, id).ok().flatten();
                if row.origin == write.origin && stored.is_some_and(|s| s.vintages == vintages) {
                    series::record_fetch(db, row, write.fetched_at)?;
                    return Ok(((), None));
                }
                series::delete(db, row.id)?;
                added -= 1;
            }
            if !rows.is_empty() {
                series::create(db, &write, rows)?;
            }
            Ok(((), Some(added)))
        })
    }

    fn forget(&self, id: &SeriesId) -> Result<()> {
        self.change(|_, db| {
            let Some(row) = series::read_row(db, id)? else {
                return Ok(((), None));
            };
            series::delete(db, row.id)?;
            Ok(((), Some(-1)))
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.change(|_, db| {
            let (added, is_changed) = texts::write_articles(db, articles)?;
            Ok((added, is_changed.then_some(0)))
        })
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.query(|_, db| texts::articles(db, to_microseconds(until), limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.query(|_, db| texts::note(db, key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.change(|_, db| {
            let is_changed = texts::set_note(db, key, value)?;
            Ok(((), is_changed.then_some(0)))
        })
    }
}

impl Sqlite {
    /// Reads the version, unless that was done just now.
    fn read_version(&self) -> Result<u64> {
        let mut cached = self.cached_version.lock();
        let now = Instant::now();
        if cached.valid_until.is_some_and(|until| now < until) {
            return Ok(cached.version);
        }
        let (incarnation, count) = loop {
            self.current_file(false)?;
            let incarnation = self.incarnation();
            let count = self.with_reader(state::read)?.version.unsigned_abs();
            // If the file was replaced meanwhile, it is unknown whose count this is.
            if self.incarnation() == incarnation {
                break (incarnation, count);
            }
        };
        if cached.incarnation != incarnation {
            cached.incarnation = incarnation;
            cached.base = cached.version.saturating_add(1);
        }
        cached.version = cached.base.saturating_add(count);
        cached.valid_until = now.checked_add(VERSION_LIFETIME);
        Ok(cached.version)
    }

    /// Returns `result`. Before the first series is reported absent, the list of series is checked: a damaged index
    /// would hide a stored one.
    fn verify_absence<T>(&self, db: &Connection, result: Option<T>) -> Result<Option<T>> {
        if result.is_none() && !self.is_list_checked.load(Ordering::Relaxed) {
            snapshot(db, series::check_list)?;
            self.is_list_checked.store(true, Ordering::Relaxed);
        }
        Ok(result)
    }
}

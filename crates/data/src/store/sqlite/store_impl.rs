//! The implementation of [`Store`] by a file.

use super::handle::{Sqlite, snapshot};
use super::{descriptions, maintenance, series, state, texts};
use crate::store::change::{self, Change, to_microseconds};
use crate::store::postgres::has_ended;
use crate::store::{Article, BatchWork, Description, Status, Store, WriteOutcome, WriteVintages};
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

impl Store for Sqlite {
    fn version(&self) -> Result<u64> {
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

    fn current_version(&self) -> Result<u64> {
        self.expire_version();
        self.version()
    }

    fn is_in_memory(&self) -> bool {
        self.current_file(false)
            .is_ok_and(|file| file.path.is_none())
    }

    fn lease(&self, holder: &str, duration: Duration) -> Result<Option<String>> {
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
        match self.with_reader(other)? {
            Some(other) => Ok(Some(other)),
            // No visible change, so the version stays.
            None => self.transact(|db| match other(db)? {
                Some(other) => Ok(Some(other)),
                None => texts::set_note(db, LEASE, &format!("{until} {holder}")).map(|_| None),
            }),
        }
    }

    fn snapshot(&self) -> Result<Option<Arc<dyn Store>>> {
        let store = self.read_transaction_store()?;
        Ok(store.map(|store| Arc::new(store) as _))
    }

    fn probe(&self) -> Result<()> {
        self.with_new_reader(maintenance::probe)
    }

    fn incarnation(&self) -> u64 {
        self.replacements.load(Ordering::Acquire)
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.with_reader(|db| {
            let stored = self.verify_absence(db, series::read(db, id)?)?;
            Ok(stored.map(|series| series.vintages))
        })
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome> {
        change::check(&write)?;
        self.transact(|db| {
            let Some(stored) = self.verify_absence(db, series::read(db, write.id)?)? else {
                let change = Change::compare(&Vintages::default(), write.fetched_at, &write);
                if !change.rows.is_empty() {
                    series::create(db, &write, &change.rows)?;
                    state::record_change(db, 1)?;
                }
                return Ok(change.outcome);
            };
            let change = Change::compare(&stored.vintages, stored.row.fetched_at(), &write);
            if change.rows.is_empty() {
                series::record_fetch(db, stored.row, write.fetched_at)?;
            } else {
                series::append(db, stored, &write, &change)?;
                state::record_change(db, 0)?;
            }
            Ok(change.outcome)
        })
    }

    fn write_batch(&self, work: BatchWork<'_>) -> Result<()> {
        self.with_transaction_store("COMMIT", |store| work(store))
    }

    fn attribute(&self, id: &SeriesId, origin: &str, first: Date, last: Date) -> Result<()> {
        self.change(|db| {
            let row = self.verify_absence(db, series::read_row(db, id)?)?;
            let is_changed = row.map(|row| series::attribute(db, row, origin, first, last));
            Ok(((), is_changed.transpose()?.unwrap_or_default()))
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.with_reader(|db| snapshot(db, series::status))
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.with_reader(|db| {
            let row = self.verify_absence(db, series::read_row(db, id)?)?;
            row.map(|row| row.to_status()).transpose()
        })
    }

    fn count(&self) -> Result<u64> {
        self.with_reader(|db| Ok(state::read(db)?.series.unsigned_abs()))
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.change(|db| descriptions::write(db, descriptions))
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.with_reader(|db| descriptions::description(db, id))
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.with_reader(|db| snapshot(db, |db| descriptions::find(db, words, limit)))
    }

    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()> {
        let vintages = change::check_computed(&write)?;
        let id = write.id;
        let rows = vintages.rows();
        self.transact(|db| {
            let stored = self.verify_absence(db, series::read_row(db, id)?)?;
            if stored.is_none() && rows.is_empty() {
                return Ok(());
            }
            let mut added = i64::from(!rows.is_empty());
            if let Some(row) = stored {
                change::check_replaceable(id, &row.origin)?;
                // Damaged rows do not matter here: they are replaced.
                let stored = series::read(db, id).ok().flatten();
                if row.origin == write.origin && stored.is_some_and(|s| s.vintages == vintages) {
                    return series::record_fetch(db, row, write.fetched_at);
                }
                series::delete(db, row.id)?;
                added -= 1;
            }
            if !rows.is_empty() {
                series::create(db, &write, rows)?;
            }
            state::record_change(db, added)
        })
    }

    fn forget(&self, id: &SeriesId) -> Result<()> {
        self.transact(|db| {
            let Some(row) = series::read_row(db, id)? else {
                return Ok(());
            };
            series::delete(db, row.id)?;
            state::record_change(db, -1)
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.change(|db| texts::write_articles(db, articles))
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.with_reader(|db| texts::articles(db, to_microseconds(until), limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.with_reader(|db| texts::note(db, key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.change(|db| Ok(((), texts::set_note(db, key, value)?)))
    }
}

impl Sqlite {
    /// Runs a write that also returns whether it changed anything visible, which raises the version.
    fn change<T>(&self, write: impl FnOnce(&Connection) -> Result<(T, bool)>) -> Result<T> {
        self.transact(|db| {
            let (value, is_changed) = write(db)?;
            if is_changed {
                state::record_change(db, 0)?;
            }
            Ok(value)
        })
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

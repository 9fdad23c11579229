//! A store while it is open: its connections, who may use which, and whether the file still lies where it lay.

use super::home::Home;
use super::query::failed;
use super::{connect, state};
use econoscope_core::error::{Error, Result};
use parking_lot::{Mutex, RwLock};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Readers kept open between calls; more are opened when more threads read at once.
const MAX_IDLE_READERS: usize = 8;
/// How old an answer to "did another process write?" may be. Asking costs some microseconds.
const FRESH: Duration = Duration::from_millis(5);

/// A store in SQLite. A file may be open in other processes too, and they may put another file in its place: the
/// next call finds that one.
#[derive(Debug)]
pub struct Sqlite {
    home: RwLock<Arc<Home>>,
    /// How often another file took the place.
    replaced: AtomicU64,
    told: Mutex<LastVersion>,
    /// Whether the list of series was compared with its index since the file was opened.
    list_checked: AtomicBool,
}

/// The version that was told last.
#[derive(Debug, Default)]
struct LastVersion {
    version: u64,
    /// Until when it may be told unasked.
    fresh_until: Option<Instant>,
    /// Which file counted it.
    incarnation: u64,
    /// What is added to that file's count, so that the version grows from one file to the next.
    base: u64,
}

impl Sqlite {
    /// Opens a store; creates file and folders where there are none.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] that names the path and the way out: a foreign file, one of a newer version, damage,
    /// missing rights. The file is then as it was.
    pub fn open(path: &Path) -> Result<Self> {
        Home::create(path).map(Self::over)
    }

    /// Opens a store that must be there already.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] as for [`Self::open`], and when there is no file.
    pub fn open_existing(path: &Path) -> Result<Self> {
        Home::open(path).map(Self::over)
    }

    /// An empty store that lives as long as the process: for tests, and where no place can be written to.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when there is not enough memory.
    pub fn in_memory() -> Result<Self> {
        Home::unnamed(None).map(Self::over)
    }

    /// An empty store in a file without a name, which goes with it.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when there is no room for it.
    pub(in crate::store) fn temporary() -> Result<Self> {
        Home::unnamed(Some(Path::new(""))).map(Self::over)
    }

    fn over(home: Home) -> Self {
        Self {
            home: RwLock::new(Arc::new(home)),
            replaced: AtomicU64::new(0),
            told: Mutex::default(),
            list_checked: AtomicBool::new(false),
        }
    }

    /// How often another file took the place of the one that was opened.
    pub(super) fn incarnation(&self) -> u64 {
        self.replaced.load(Ordering::Acquire)
    }

    /// The version now. This process sees its own changes at once, those of another one after [`FRESH`], as it does
    /// another file in the place of the first: then the version goes on from where it was, whatever that file has
    /// counted.
    pub(super) fn version(&self) -> Result<u64> {
        let mut told = self.told.lock();
        let now = Instant::now();
        if told.fresh_until.is_some_and(|until| now < until) {
            return Ok(told.version);
        }
        let (incarnation, count) = loop {
            self.home(false)?;
            let incarnation = self.incarnation();
            let count = self.reading(state::state)?.version.unsigned_abs();
            // Else the file was replaced meanwhile, and whose count it is is not known.
            if self.incarnation() == incarnation {
                break (incarnation, count);
            }
        };
        if told.incarnation != incarnation {
            (told.incarnation, told.base) = (incarnation, told.version.saturating_add(1));
        }
        told.version = told.base.saturating_add(count);
        told.fresh_until = now.checked_add(FRESH);
        Ok(told.version)
    }

    /// Runs `check` unless it ran for this file already. Takes no lock, for a writer holds one.
    pub(super) fn check_once(&self, check: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.list_checked.load(Ordering::Relaxed) {
            check()?;
            self.list_checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The file that lies at the path now; a new one where it was deleted, if one is to be made.
    pub(super) fn home(&self, make: bool) -> Result<Arc<Home>> {
        let home = Arc::clone(&self.home.read());
        if home.lost().is_none() {
            return Ok(home);
        }
        drop(home);
        let mut slot = self.home.write();
        if let Some(path) = slot.lost() {
            let file = crate::disk::shown(path);
            *slot = Arc::new(slot.successor(path, make)?);
            self.replaced.fetch_add(1, Ordering::Release);
            self.list_checked.store(false, Ordering::Relaxed);
            tracing::warn!(
                file,
                "another file is in the store's place; it is read from now on"
            );
        }
        Ok(Arc::clone(&slot))
    }

    /// Runs `read` on a connection of its own; one that failed is closed.
    pub(super) fn reading<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let home = self.home(false)?;
        let Some(path) = &home.path else {
            return read(&home.writer.lock());
        };
        let idle = home.readers.lock().pop();
        let reader = match idle {
            Some(reader) => reader,
            None => connect::reader(path)?,
        };
        // What a connection keeps in memory may be what was wrong: the next one reads the file again.
        let answer = read(&reader).inspect_err(|_| home.forget())?;
        let mut idle = home.readers.lock();
        if idle.len() < MAX_IDLE_READERS {
            idle.push(reader);
        }
        Ok(answer)
    }

    /// Runs `read` on a new connection. When it fails the idle ones are closed: what they keep in memory is no longer
    /// in the file.
    pub(super) fn afresh<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let home = self.home(false)?;
        let Some(path) = &home.path else {
            return self.reading(read);
        };
        let reader = connect::reader(path)?;
        read(&reader).inspect_err(|_| home.forget())
    }

    /// Runs `write` in a transaction: all or nothing.
    pub(super) fn writing<T>(&self, write: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.with_writer(|writer| transaction(writer, write))
    }

    /// Hands `work` a store that reads and writes inside of one transaction, which ends by `end` (`COMMIT` or `ROLLBACK`)
    /// unless the work fails. Readers of this one go on reading what was there before.
    pub(super) fn in_one_transaction<T>(
        &self,
        end: &str,
        work: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        self.with_writer(|writer| {
            let run = |db: &Connection, sql| db.execute_batch(sql).map_err(|e| failed("write", e));
            run(writer, "BEGIN IMMEDIATE")?;
            let spare = Connection::open_in_memory().map_err(|e| failed("write", e))?;
            let inner = Self {
                list_checked: self.list_checked.load(Ordering::Relaxed).into(),
                ..Self::over(Home::on(std::mem::replace(writer, spare)))
            };
            let done = work(&inner);
            let home = Arc::into_inner(inner.home.into_inner());
            let home = home.ok_or_else(|| Error::internal("one transaction", "it is in use"))?;
            *writer = home.writer.into_inner();
            match done {
                Ok(answer) => run(writer, end).map(|()| answer),
                // A full disk has ended the transaction already.
                Err(error) if writer.is_autocommit() => Err(error),
                Err(error) => run(writer, "ROLLBACK").and(Err(error)),
            }
        })
    }

    /// Asks the file for the version the next time.
    pub(super) fn forget_version(&self) {
        self.told.lock().fresh_until = None;
    }

    /// Hands the writing connection to `write`.
    pub(super) fn with_writer<T, E: From<Error>>(
        &self,
        write: impl FnOnce(&mut Connection) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let home = self.home(true)?;
        let mut writer = home.writer.lock();
        let written = write(&mut writer);
        let is_lost = home.lost().is_some();
        // What the connection keeps in memory may be what was wrong.
        if let (Some(path), Err(_), false) = (&home.path, &written, is_lost)
            && let Ok(fresh) = connect::open(path)
        {
            *writer = fresh;
        }
        drop(writer);
        self.forget_version();
        if is_lost && written.is_ok() {
            let what = "the file was replaced while it was written to. Write again.";
            return Err(Error::of_store(what).into());
        }
        written
    }
}

/// Runs `write` in a transaction, or in a part of the one that is open: all or nothing.
pub(super) fn transaction<T, E: From<Error>>(
    writer: &mut Connection,
    write: impl FnOnce(&Connection) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    if !writer.is_autocommit() {
        let part = writer.savepoint().map_err(|e| failed("write", e))?;
        let answer = write(&part)?;
        part.commit().map_err(|e| failed("write", e))?;
        return Ok(answer);
    }
    let transaction = writer
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|e| failed("write", e))?;
    let answer = write(&transaction)?;
    transaction.commit().map_err(|e| failed("write", e))?;
    Ok(answer)
}

/// Runs several statements on one moment of the file, whatever others write meanwhile.
pub(super) fn snapshot<T>(
    db: &Connection,
    read: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    if !db.is_autocommit() {
        return read(db);
    }
    let moment = db.unchecked_transaction().map_err(|e| failed("read", e))?;
    let answer = read(&moment)?;
    moment.finish().map_err(|e| failed("read", e))?;
    Ok(answer)
}

//! The open store: its connections, transactions, and the switch to a file that replaced the first.

use super::connect;
use super::database_file::DatabaseFile;
use super::query::{operation_error, write_error};
use super::state;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use parking_lot::{Mutex, RwLock};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Readers kept open between calls; more are opened when more threads read at once.
const MAX_IDLE_READERS: usize = 8;

/// A store in SQLite. Other processes may have the file open, too. When one replaces the file, the next call opens the
/// new one.
#[derive(Debug)]
pub struct Sqlite {
    file: RwLock<Arc<DatabaseFile>>,
    /// How often another file replaced the open one.
    pub(super) replacements: AtomicU64,
    pub(super) cached_version: Mutex<CachedVersion>,
    /// Whether the list of series was checked since the file was opened.
    pub(super) is_list_checked: AtomicBool,
}

/// The version that was read last.
#[derive(Debug, Default)]
pub(super) struct CachedVersion {
    pub(super) version: u64,
    pub(super) valid_until: Option<Instant>,
    /// The file it was read from.
    pub(super) incarnation: u64,
    /// Offset to that file's own count, so that the version grows from one file to the next.
    pub(super) base: u64,
}

impl Sqlite {
    /// Opens a store. Creates file and folders where there are none.
    ///
    /// # Errors
    /// [`Error::Store`] with the path and what to do about it: a file of another program, one of a newer version, damage, missing rights.
    /// The file is not changed then.
    pub fn open(path: &Path) -> Result<Self> {
        DatabaseFile::create(path).map(Self::from_file)
    }

    /// Opens a store that must exist.
    ///
    /// # Errors
    /// [`Error::Store`] as for [`Self::open`], and when there is no file.
    pub fn open_existing(path: &Path) -> Result<Self> {
        DatabaseFile::open(path).map(Self::from_file)
    }

    /// Creates an empty store in memory, for tests and where nothing can be written.
    ///
    /// # Errors
    /// [`Error::Store`] when there is not enough memory.
    pub fn in_memory() -> Result<Self> {
        connect::unnamed(crate::sqlite::IN_MEMORY).map(Self::from_connection)
    }

    /// Creates an empty store in a temporary file without a name.
    ///
    /// # Errors
    /// [`Error::Store`] when there is no space for it.
    pub(in crate::store) fn temporary() -> Result<Self> {
        connect::unnamed("").map(Self::from_connection)
    }

    fn from_connection(connection: Connection) -> Self {
        Self::from_file(DatabaseFile::new(connection, None))
    }

    fn from_file(file: DatabaseFile) -> Self {
        Self {
            file: RwLock::new(Arc::new(file)),
            replacements: AtomicU64::new(0),
            cached_version: Mutex::default(),
            is_list_checked: AtomicBool::new(false),
        }
    }

    /// Returns the file that is at the path now. A writer creates one where it was deleted.
    pub(super) fn current_file(&self, for_writing: bool) -> Result<Arc<DatabaseFile>> {
        let file = Arc::clone(&self.file.read());
        if file.replaced_path().is_none() {
            return Ok(file);
        }
        drop(file);
        let mut slot = self.file.write();
        if let Some(path) = slot.replaced_path() {
            let file = crate::disk::format_path(path);
            *slot = Arc::new(slot.reopen(path, for_writing)?);
            self.replacements.fetch_add(1, Ordering::Release);
            self.is_list_checked.store(false, Ordering::Relaxed);
            tracing::warn!(
                file,
                "another file is in the store's place; it is read from now on"
            );
        }
        Ok(Arc::clone(&slot))
    }

    /// Runs `read` on an idle or new connection. A connection on which it failed is closed.
    pub(super) fn with_reader<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let file = self.current_file(false)?;
        let Some(path) = &file.path else {
            return read(&file.writer.lock());
        };
        let idle = file.readers.lock().pop();
        let reader = idle.map_or_else(|| connect::reader(path), Ok)?;
        // The page cache of a connection may have caused the error, so the next one reads the file again.
        let value = read(&reader).inspect_err(|_| file.close_readers())?;
        let mut idle = file.readers.lock();
        if idle.len() < MAX_IDLE_READERS {
            idle.push(reader);
        }
        Ok(value)
    }

    /// Runs `read` on a new connection. If it fails, the idle ones are closed: their page caches are outdated.
    pub(super) fn with_new_reader<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let file = self.current_file(false)?;
        let Some(path) = &file.path else {
            return self.with_reader(read);
        };
        let reader = connect::reader(path)?;
        read(&reader).inspect_err(|_| file.close_readers())
    }

    /// Returns a store whose reads are all in one transaction; `None` for a store in memory. Its version is that of `self` at
    /// the same state.
    pub(super) fn read_transaction_store(&self) -> Result<Option<Arc<dyn Store>>> {
        let file = self.current_file(false)?;
        let Some(path) = &file.path else {
            return Ok(None);
        };
        let reader = connect::reader(path)?;
        // The first read starts the transaction.
        let begin = reader.execute_batch("BEGIN");
        begin.map_err(|e| operation_error("read", e))?;
        state::read(&reader)?;
        // Reading the version afterwards makes it as new as the snapshot for all later readers of `self`.
        self.expire_version();
        self.version()?;
        let cached = self.cached_version.lock();
        let is_same_file =
            file.replaced_path().is_none() && cached.incarnation == self.incarnation();
        let store = || Self {
            replacements: AtomicU64::new(cached.incarnation),
            cached_version: Mutex::new(CachedVersion {
                incarnation: cached.incarnation,
                base: cached.base,
                ..CachedVersion::default()
            }),
            is_list_checked: self.is_list_checked.load(Ordering::Relaxed).into(),
            ..Self::from_connection(reader)
        };
        Ok(is_same_file.then(|| Arc::new(store()) as _))
    }

    /// Runs `write` in a transaction.
    pub(super) fn transact<T>(&self, write: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.with_writer(|writer| transaction(writer, write))
    }

    /// Runs `work` on a store whose reads and writes are all in one transaction. The transaction ends with `end`
    /// (`COMMIT` or `ROLLBACK`) unless the work fails. Readers of `self` see the former state meanwhile.
    pub(super) fn with_transaction_store<T>(
        &self,
        end: &str,
        work: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        self.with_writer(|writer| {
            let run = |db: &Connection, sql| db.execute_batch(sql).map_err(write_error);
            run(writer, "BEGIN IMMEDIATE")?;
            let placeholder = Connection::open_in_memory().map_err(write_error)?;
            let inner = Self {
                is_list_checked: self.is_list_checked.load(Ordering::Relaxed).into(),
                ..Self::from_connection(std::mem::replace(writer, placeholder))
            };
            let result = work(&inner);
            let file = Arc::into_inner(inner.file.into_inner())
                .ok_or_else(|| Error::internal("one transaction", "it is in use"))?;
            *writer = file.writer.into_inner();
            match result {
                Ok(value) => run(writer, end).map(|()| value),
                // A full disk has ended the transaction already.
                Err(error) if writer.is_autocommit() => Err(error),
                Err(error) => run(writer, "ROLLBACK").and(Err(error)),
            }
        })
    }

    /// Makes the next call read the version from the file.
    pub(super) fn expire_version(&self) {
        self.cached_version.lock().valid_until = None;
    }

    /// Runs `write` on the writing connection.
    pub(super) fn with_writer<T, E: From<Error>>(
        &self,
        write: impl FnOnce(&mut Connection) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let file = self.current_file(true)?;
        let mut writer = file.writer.lock();
        let result = write(&mut writer);
        let is_replaced = file.replaced_path().is_some();
        // The page cache of the connection may have caused the error.
        if let (Some(path), Err(_), false) = (&file.path, &result, is_replaced)
            && let Ok(fresh) = connect::open(path)
        {
            *writer = fresh;
        }
        drop(writer);
        self.expire_version();
        if is_replaced && result.is_ok() {
            let message = "the file was replaced while it was written to. Write again.";
            return Err(Error::store_without_cause(message).into());
        }
        result
    }
}

/// Runs `write` in a transaction, or in a savepoint of the open one.
pub(super) fn transaction<T, E: From<Error>>(
    writer: &mut Connection,
    write: impl FnOnce(&Connection) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    if !writer.is_autocommit() {
        let savepoint = writer.savepoint().map_err(write_error)?;
        let value = write(&savepoint)?;
        savepoint.commit().map_err(write_error)?;
        return Ok(value);
    }
    let transaction = writer
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(write_error)?;
    let value = write(&transaction)?;
    transaction.commit().map_err(write_error)?;
    Ok(value)
}

/// Runs several reads on one snapshot of the file, whatever others write meanwhile.
pub(super) fn snapshot<T>(
    db: &Connection,
    read: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    if !db.is_autocommit() {
        return read(db);
    }
    let read_error = |e| operation_error("read", e);
    let transaction = db.unchecked_transaction().map_err(read_error)?;
    let value = read(&transaction)?;
    transaction.finish().map_err(read_error)?;
    Ok(value)
}

//! Opening a database with its replica, and commands on a whole database.

use super::primary::{POLL_INTERVAL, Primary};
use super::runtime::{block_on, spawn};
use super::transfer::update_replica as copy_new_rows;
use super::{layout, lease};
use crate::disk::format_path;
use crate::postgres::Address;
use crate::store::Store;
use crate::store::sqlite::Sqlite;
use econoscope_core::error::{Error, NOTICE_TARGET, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Creates or upgrades the tables. Returns the old and the new layout number.
///
/// # Errors
/// [`Error::Store`] when the layout is newer than this program, or the database cannot be reached.
pub fn migrate(address: &Address) -> Result<(i64, i64)> {
    block_on(layout::migrate(&Primary::new(address)?.db))
}

/// Opens a database whose tables exist, with a replica that lasts as long as the store. Only its own writes update the
/// replica.
///
/// # Errors
/// [`Error::Store`] when it cannot be reached, or its layout is not this program's.
pub fn open(address: &Address) -> Result<Sqlite> {
    let store = Sqlite::temporary()?.with_primary(Primary::new(address)?);
    update(&store)?;
    Ok(store)
}

/// Opens a database as [`open`] does. One without series starts as a copy of the bundled history.
///
/// # Errors
/// As [`open`].
pub fn open_with_history(address: &Address) -> Result<Sqlite> {
    let store = open(address)?;
    store.start_from_bundle()?;
    Ok(store)
}

/// Opens a database with a replica at `path`, which follows it by itself. Only the holder of the lease writes. A new
/// replica is complete before this returns. An existing one also opens while the database cannot be reached.
///
/// # Errors
/// [`Error::Store`] when the file is no replica, there is none and the database cannot be reached, or its layout is
/// not this program's.
pub fn open_replica(address: &Address, path: &Path) -> Result<Arc<Sqlite>> {
    let mut store = open_updated(address, path)?;
    if let Some(primary) = &mut store.primary {
        primary.needs_lease = true;
    }
    let store = Arc::new(store);
    let (follower, candidate) = (Arc::clone(&store), Arc::clone(&store));
    // For the life of the process.
    spawn(async move {
        while let Some(primary) = &follower.primary {
            tokio::time::sleep(POLL_INTERVAL).await;
            primary.record_poll(copy_new_rows(&primary.impatient(), &follower).await);
        }
    })?;
    spawn(async move {
        if let Some(primary) = &candidate.primary {
            primary.compete().await;
        }
    })?;
    Ok(store)
}

/// Creates or updates the replica at `path` and closes it.
///
/// # Errors
/// As [`open_replica`].
pub fn update_replica(address: &Address, path: &Path) -> Result<()> {
    open_updated(address, path).map(drop)
}

/// Opens the replica at `path` and updates it.
///
/// # Errors
/// As [`open_replica`].
fn open_updated(address: &Address, path: &Path) -> Result<Sqlite> {
    let file = open_file(path)?;
    let is_new = file.watermark()?.is_none();
    let path = format_path(path);
    if is_new && file.count()? > 0 {
        return Err(Error::store_without_cause(format!(
            "{path} is a store of its own and no copy of a database. Choose another file with --replica, or \
             move what it holds by `econoscope copy --from {path} --to {address}`."
        )));
    }
    if is_new {
        tracing::info!(target: NOTICE_TARGET, "copying {address} into {path}");
    }
    let store = file.with_primary(Primary::new(address)?);
    match update(&store).and_then(|()| store.start_from_bundle()) {
        Err(error) if is_new || !is_outage(&error) => return Err(error),
        result => {
            if let Some(primary) = &store.primary {
                primary.record_poll(result);
            }
        }
    }
    Ok(store)
}

/// Checks the layout of the database and updates the replica.
fn update(store: &Sqlite) -> Result<()> {
    let Some(primary) = &store.primary else {
        return Ok(());
    };
    let patience = Duration::from_secs(5);
    block_on(layout::check(&primary.db.clone().with_patience(patience)))?;
    block_on(copy_new_rows(&primary.db, store))
}

/// Returns whether the database could not be reached, as opposed to a refusal.
fn is_outage(error: &Error) -> bool {
    matches!(
        error,
        Error::Store {
            source: Some(_),
            ..
        }
    )
}

/// Opens the file. A damaged one is moved aside and created anew, since the database has all its content.
fn open_file(path: &Path) -> Result<Sqlite> {
    match Sqlite::open(path) {
        Err(error) if Sqlite::is_damage(&error) => {
            let aside = format_path(&Sqlite::quarantine(path)?);
            tracing::error!(target: NOTICE_TARGET, "the copy was damaged and is now {aside}; it is made anew");
            Sqlite::open(path)
        }
        result => result,
    }
}

/// Copies the database into a new store file.
///
/// # Errors
/// [`Error::Store`] when there is a file already, or either fails.
pub fn copy_to(address: &Address, path: &Path) -> Result<()> {
    if path.exists() {
        let path = format_path(path);
        return Err(Error::store_without_cause(format!(
            "there is a file {path} already. Choose another name."
        )));
    }
    let file = Sqlite::open(path)?.with_primary(Primary::new(address)?);
    update(&file)?;
    file.drop_watermark()
}

/// Returns the number of series, and a phrase on who holds the lease.
///
/// # Errors
/// [`Error::Store`] when the database cannot be reached, or its layout is not this program's.
pub fn lease_status(address: &Address) -> Result<(i64, String)> {
    let db = Primary::new(address)?.impatient();
    block_on(layout::check(&db))?;
    block_on(lease::status(&db))
}

/// The lease on writing, released when this is dropped.
#[derive(Debug)]
pub struct LeaseGuard {
    store: Arc<Sqlite>,
    heartbeat: tokio::task::JoinHandle<()>,
}

impl LeaseGuard {
    /// Opens a database with the bundled history, takes the lease on writing if it is free, and renews it while the guard
    /// lives. Returns the holder if it is not.
    ///
    /// # Errors
    /// As [`open_with_history`].
    pub fn take(address: &Address) -> Result<std::result::Result<Self, String>> {
        let mut store = open_with_history(address)?;
        let Some(primary) = &mut store.primary else {
            return Err(Error::internal("the lease", "there is no database"));
        };
        primary.needs_lease = true;
        let (db, name) = (primary.db.clone(), primary.name.clone());
        if let Err(holder) = block_on(lease::take(&db, &name))? {
            return Ok(Err(holder));
        }
        let heartbeat = spawn(async move {
            while !matches!(lease::renew(&db, &name).await, Ok(false)) {
                tokio::time::sleep(lease::HEARTBEAT).await;
            }
        })?;
        let store = Arc::new(store);
        Ok(Ok(Self { store, heartbeat }))
    }

    /// Returns the store for writing under this lease. It refuses writes once another process has taken the lease.
    pub fn store(&self) -> Arc<Sqlite> {
        Arc::clone(&self.store)
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.heartbeat.abort();
        if let Some(primary) = &self.store.primary {
            lease::release(&primary.db, &primary.name);
        }
    }
}

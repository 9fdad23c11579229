//! Commands that copy a store, and commands for a shared database.

use super::output::report;
use crate::app;
use crate::config::{self, Config};
use anyhow::{Result, anyhow, bail};
use econoscope_data::disk;
use econoscope_data::store::{LeaseGuard, Postgres, Sqlite, Store, SyncLease};
use econoscope_desk::Desk;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Creates the tables of the database, or migrates them to this version.
pub(super) fn migrate(config: &Config) -> Result<()> {
    let Some(address) = config.database()? else {
        bail!(
            "--store is not a shared database; write --store postgres://USER@HOST/DATABASE, and set the password in \
             the environment variable PGPASSWORD"
        );
    };
    let (from, to) = Postgres::migrate(&address)?;
    report(&if from == to {
        format!("the tables of {address} already have layout {to}")
    } else {
        format!("migrated the tables of {address} from layout {from} to {to}")
    });
    Ok(())
}

/// Copies a store from a file into a database, or from a database into a file.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    match (config::database(from)?, config::database(to)?) {
        (None, Some(address)) => {
            let file = Sqlite::open_existing(from)?;
            if !Postgres::open(&address)?.fill_from(&file)? {
                bail!(
                    "--to {address}: the database contains series already; copy into an empty one, right after \
                     `econoscope migrate`"
                );
            }
            let from = disk::format_path(from);
            report(&format!("copied {from} into {address}"));
        }
        (Some(address), None) => {
            Postgres::open(&address)?.copy_to(to)?;
            if let Some(damage) = Sqlite::open_existing(to)?.check_integrity()?.first() {
                bail!("the copy is damaged, and so is the original: {damage}");
            }
            let to = disk::format_path(to);
            report(&format!(
                "copied {address} into {to} and verified every row"
            ));
        }
        (None, None) => bail!("both are files; `econoscope backup` copies a file into another"),
        (Some(_), Some(_)) => bail!(
            "both are databases; copy into a file first and from there, or use pg_dump --schema=econoscope and psql"
        ),
    }
    Ok(())
}

/// Acquires the lease to write into a shared database; `None` where the store is a file.
pub(super) fn acquire_lease(config: &Config) -> Result<Option<LeaseGuard>> {
    let Some(address) = app::migrated_database(config)? else {
        return Ok(None);
    };
    let lease = Postgres::open_with_history(&address)?.acquire_lease()?;
    lease.map(Some).map_err(|holder| {
        anyhow!("{holder} writes into {address} and syncs by itself. Wait for it, or stop it; its lease ends 15 s later")
    })
}

/// Takes the lease on syncing of a store file.
pub(super) fn take_sync_lease(
    store: &Arc<dyn Store>,
    stop: &CancellationToken,
) -> Result<SyncLease> {
    SyncLease::take(store, stop.clone())?.map_err(|other| {
        anyhow!(
            "{other} syncs this store at the moment: an assistant or a server does so by itself. Wait for it, or stop \
             it; its lease ends 15 s later"
        )
    })
}

/// Copies the store into a new file and verifies it. In a folder, the name of the file has the time.
pub(super) fn backup(config: &Config, to: &Path) -> Result<()> {
    if let Some(address) = config.database()? {
        bail!(
            "a database is backed up by its own tools: pg_dump --format=custom --schema=econoscope, and pg_restore. \
             For a file that any econoscope reads: econoscope copy --from {address} --to FILE"
        );
    }
    let now = app::format_file_time(Desk::system_clock()());
    let to = if to.is_dir() {
        to.join(format!("econoscope-{now}.db"))
    } else {
        to.to_owned()
    };
    Sqlite::open_existing(&config.local_file())?.backup(&to)?;
    let to = disk::format_path(&to);
    report(&format!("wrote {to} and verified every row"));
    Ok(())
}

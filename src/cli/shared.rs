//! Commands for a store that many servers share.

use super::print::tell;
use crate::config::{self, Config};
use anyhow::{Result, bail};
use econoscope_data::postgres::Address;
use econoscope_data::store::{LeaseGuard, Postgres, Sqlite};
use std::path::Path;

const NO_DATABASE: &str = "--store names no database that servers share: write --store postgres://USER@HOST/DATABASE, \
     with the password in the environment variable PGPASSWORD";

/// Lays out the tables, or brings them up to this version.
pub(super) fn migrate(config: &Config) -> Result<()> {
    let Some(address) = config.database()? else {
        bail!(NO_DATABASE);
    };
    let (from, to) = Postgres::unchecked(&address)?.migrate()?;
    tell(&match from == to {
        true => format!("the tables of {address} have layout {to} already"),
        false => format!("the tables of {address} have layout {to} now, {from} before"),
    });
    Ok(())
}

/// Copies a whole store between a file and a database.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    match (config::database(from)?, config::database(to)?) {
        (None, Some(address)) => {
            let file = Sqlite::open_existing(from)?;
            if !Postgres::open(&address)?.fill_from(&file)? {
                bail!(
                    "--to {address}: it holds series already, and nothing is mixed. Give a database that holds \
                     nothing, right after `econoscope migrate`"
                );
            }
            tell(&format!(
                "copied {} into {address}",
                econoscope_data::disk::shown(from)
            ));
        }
        (Some(address), None) => {
            Postgres::open(&address)?.copy_to(to)?;
            if let Some(damage) = Sqlite::open_existing(to)?.integrity()?.first() {
                bail!(
                    "the copy is damaged, and so is what was copied: {}",
                    damage.what
                );
            }
            let to = econoscope_data::disk::shown(to);
            tell(&format!(
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

/// The turn to write into a shared database, until it is dropped; `None` where the store is a file.
pub(super) fn turn(config: &Config) -> Result<Option<LeaseGuard>> {
    let Some(address) = config.database()? else {
        return Ok(None);
    };
    if config.shared.migrate {
        Postgres::unchecked(&address)?.migrate()?;
    }
    let store = Postgres::open_with_history(&address)?;
    match store.take_lease()? {
        Ok(turn) => Ok(Some(turn)),
        Err(holder) => bail!(
            "{holder} writes into {address} and syncs by itself. Wait for it, or stop it; its turn ends 15 s later"
        ),
    }
}

/// Refuses what is done with a file.
pub(super) fn must_be_file(config: &Config) -> Result<()> {
    if let Some(address) = config.database()? {
        bail!(
            "a database is backed up by its own tools: pg_dump --format=custom --schema=econoscope, and pg_restore. \
             For a file that any econoscope reads: econoscope copy --from {address} --to FILE"
        );
    }
    Ok(())
}

/// What is to be said of a database: whether it answers, and who writes.
pub(super) fn look(address: &Address) -> econoscope_core::Result<String> {
    let store = Postgres::open(address)?;
    let (series, holder) = store.standing()?;
    Ok(format!("{address} answers: {series} series; {holder}"))
}

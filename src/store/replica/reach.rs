//! The first moments of a copy: opened or made, and brought up to date.

use super::following::Followed;
use crate::error::{Error, NOTICE, Result};
use crate::postgres::Address;
use crate::store::postgres::{Postgres, fill_file};
use crate::store::seam::Store;
use crate::store::sqlite::Sqlite;
use std::path::Path;
use std::sync::Arc;

/// Opens the copy and brings it up to date, or makes it.
///
/// # Errors
/// As [`super::Replica::open`].
pub(super) fn open(
    address: &Address,
    path: &Path,
    told: impl Fn((u64, u64)) + Send + Sync,
) -> Result<Arc<Followed>> {
    let file = Arc::new(file(path)?);
    let mark = file.mark()?;
    if mark.is_none() && file.count()? > 0 {
        let path = crate::disk::shown(path);
        return Err(Error::of_store(format!(
            "{path} is a store of its own and no copy of a database. Choose another file with --replica, or \
             move what it holds by `econoscope copy --from {path} --to {address}`."
        )));
    }
    let primary = match Postgres::open_with_history(address) {
        Ok(primary) => primary,
        Err(error) if mark.is_some() && may_return(&error) => {
            let error = error.for_operator();
            tracing::warn!(target: NOTICE, "the database is away, answers go on from the copy: {error}");
            let primary = Postgres::unchecked(address)?;
            return Ok(Arc::new(Followed::new(file, primary, mark, true)));
        }
        Err(error) => return Err(error),
    };
    let brought = fill_file(primary.shared(), &file, mark.clone(), told);
    let (mark, away) = match brought {
        Ok(Some(now)) => (Some(now), false),
        Ok(None) => (file.mark()?, false),
        Err(error) if mark.is_some() && may_return(&error) => (mark, true),
        Err(error) => return Err(error),
    };
    Ok(Arc::new(Followed::new(file, primary, mark, away)))
}

/// Whether it is the way to the database, and no refusal.
fn may_return(error: &Error) -> bool {
    matches!(
        error,
        Error::Store {
            source: Some(_),
            ..
        }
    )
}

/// The file, made anew where it is damaged: all in it is in the database.
fn file(path: &Path) -> Result<Sqlite> {
    match Sqlite::open(path) {
        Err(error) if Sqlite::is_damage(&error) => {
            let aside = Sqlite::quarantine(path)?;
            let aside = crate::disk::shown(&aside);
            tracing::error!(target: NOTICE, "the copy was damaged and is now {aside}; it is made anew");
            Sqlite::open(path)
        }
        opened => opened,
    }
}

//! A copy of a shared database in a file of one's own, which all reading is answered from.
//!
//! It follows the database beside all requests: the state is asked for every second, a word of a writer makes that
//! sooner, and then only the lines that changed are fetched. With the database gone everything is answered as before.
//! Writes go to the database, in the term of whoever has the turn, and return when the file has them, too.

mod following;

use super::postgres::Postgres;
use super::seam::{Article, Description, Following, Status, Store, Turns, WriteVintages, Written};
use super::sqlite::Sqlite;
use crate::error::{Error, NOTICE, Result};
use crate::model::{Date, Known, SeriesId, Vintages};
use crate::postgres::Address;
use following::Followed;
use jiff::Timestamp;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// A copy that follows a database.
#[derive(Debug, Clone)]
pub struct Replica {
    followed: Arc<Followed>,
    /// In whose term is written; nobody writes without one.
    term: Option<i64>,
}

impl Replica {
    /// Opens the copy at `path`, or makes it: all of it is there before this returns; `told` hears how many row
    /// groups came, of how many. A copy that is there answers also while the database cannot be reached.
    ///
    /// # Errors
    /// [`Error::Store`] when the file is no copy, there is none and the database cannot be reached, or its layout
    /// is not this program's.
    pub(crate) fn open(
        address: &Address,
        path: &Path,
        told: impl Fn((u64, u64)) + Send + Sync,
    ) -> Result<Self> {
        let followed = opened(address, path, told)?;
        followed.follow();
        Ok(Self {
            followed,
            term: None,
        })
    }

    /// Brings the copy at `path` up to date, or makes it, and closes it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn make_whole(
        address: &Address,
        path: &Path,
        told: impl Fn((u64, u64)) + Send + Sync,
    ) -> Result<()> {
        opened(address, path, told).map(drop)
    }

    fn file(&self) -> &Sqlite {
        &self.followed.file
    }

    /// Writes to the database and waits until the file has what changed.
    fn put<T>(&self, work: impl FnOnce(&Postgres) -> Result<T>) -> Result<T> {
        let term = self.term.ok_or_else(|| {
            Error::of_store(
                "this server answers from its copy of the database; only the one whose turn it is writes. \
                 Nothing was written.",
            )
        })?;
        let primary = self.followed.primary.in_term(term);
        let answer = work(&primary)?;
        let change = primary.last_change();
        if change > 0 {
            self.followed.wait_for(change);
        }
        Ok(answer)
    }
}

impl Turns for Replica {
    fn terms(&self) -> watch::Receiver<Option<i64>> {
        self.followed.terms()
    }

    fn in_term(&self, term: i64) -> Arc<dyn Store> {
        Arc::new(Self {
            followed: Arc::clone(&self.followed),
            term: Some(term),
        })
    }

    fn resign(&self) {
        self.followed.resign();
    }
}

impl Store for Replica {
    fn version(&self) -> Result<u64> {
        self.file().version()
    }

    fn incarnation(&self) -> u64 {
        self.file().incarnation()
    }

    fn probe(&self) -> Result<()> {
        self.file().probe()
    }

    fn turns(&self) -> Option<&dyn Turns> {
        Some(self)
    }

    fn following(&self) -> Option<Following> {
        Some(self.followed.now())
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.file().read(id)
    }

    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<Written> {
        self.put(|primary| primary.write_vintages(write))
    }

    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()> {
        self.put(|primary| primary.attribute(id, origin, days))
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.file().status()
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        self.file().status_of(id)
    }

    fn count(&self) -> Result<u64> {
        self.file().count()
    }

    fn describe(&self, descriptions: &[Description]) -> Result<usize> {
        self.put(|primary| primary.describe(descriptions))
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        self.file().description(id)
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        self.file().find_descriptions(words, limit)
    }

    fn replace_computed(
        &self,
        id: &SeriesId,
        rows: &[Known],
        fetched_at: Timestamp,
        origin: &str,
    ) -> Result<()> {
        self.put(|primary| primary.replace_computed(id, rows, fetched_at, origin))
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.put(|primary| primary.write_articles(articles))
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.file().articles(until, limit)
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.file().note(key)
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.put(|primary| primary.set_note(key, value))
    }
}

/// Opens the copy and brings it up to date, or makes it.
///
/// # Errors
/// As [`Replica::open`].
fn opened(
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
    let brought = primary.bring_into(&file, mark.clone(), told);
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

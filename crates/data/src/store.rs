//! What is known, and since when: one trait, kept by SQLite in a file or in memory, or by PostgreSQL for many servers.
//!
//! The store is bitemporal: every row is `(series, date, value, known_from)`. A write appends a row only
//! when a value is new or differs from the newest one known; nothing is overwritten. All calls are
//! synchronous and safe from several threads; callers keep them off the async executor where they are slow.

mod change;
#[cfg(test)]
mod contract;
mod postgres;
mod segment;
mod sqlite;

pub use postgres::{LeaseGuard, Postgres};
pub use sqlite::{Damage, Sqlite};

use econoscope_core::error::Result;
use econoscope_core::model::{Date, Frequency, Known, Observation, SeriesId, Vintages};
use jiff::Timestamp;
use std::sync::Arc;
use tokio::sync::watch;

/// Who wrote and what for: decides how `known_from` is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Write<'a> {
    /// Series written to.
    pub id: &'a SeriesId,
    /// Ascending unique dates, finite values.
    pub observations: &'a [Observation],
    /// Day the values became known. `None` = nobody knows: a first load or a plain import.
    ///
    /// With a day, every new date and every changed value gets that day, and the write is compared with
    /// what was known on it: an old vintage may come late.
    /// Without one, dates the store did not have are kept without a day (estimated from the lag when asked
    /// for), and a changed value of a stored date gets the UTC day of `fetched_at`, the first day that is sure.
    pub known_from: Option<Date>,
    /// When they were read from their source. Kept to the microsecond.
    pub fetched_at: Timestamp,
    /// Where they came from, in few words: `import`, `fred`, `bundled from cpi 2.1.0`, `computed crpi-v1`.
    pub origin: &'a str,
}

/// What was known of a series and when: the past of its figures out of an archive, or rows of one day as well.
#[derive(Debug, Clone, Copy)]
pub struct WriteVintages<'a> {
    /// Series written to.
    pub id: &'a SeriesId,
    /// Finite values in the order of date, then of `known_from`, each pair once. Each row is taken as [`Write`] has it
    /// for its day. Rows of several days are an archive: where it saw a date appear (not in its first vintage),
    /// what is held of that date without a day gives way to it, and a figure held that the archive does not have
    /// keeps its place as of the day it was read.
    pub rows: &'a [Known],
    /// When they were read from their source. Kept to the microsecond.
    pub fetched_at: Timestamp,
    /// Where they came from, in few words.
    pub origin: &'a str,
}

/// What a write changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOutcome {
    /// Dates the store did not have.
    pub added: usize,
    /// Stored dates that got another value, or were withdrawn.
    pub revised: usize,
}

/// What the store holds of a series, without its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Series.
    pub id: SeriesId,
    /// Rows of all vintages.
    pub rows: u64,
    /// Oldest date.
    pub first: Date,
    /// Newest date, withdrawn ones counted.
    pub last: Date,
    /// Last time its source was read with success, changed or not.
    pub fetched_at: Timestamp,
    /// Where the newest rows came from.
    pub origin: String,
    /// Where older ones did, oldest first, and the date at which theirs end and the next ones begin.
    pub before: Vec<(String, Date)>,
}

impl Status {
    /// Whether all that is held of it came with the program.
    pub fn is_bundled(&self) -> bool {
        self.origin.starts_with("bundled")
    }

    /// Where the rows from one day to another came from, oldest first, and from which date on where others go before.
    pub fn origins(&self, from: Date, to: Date) -> Vec<(&str, Option<Date>)> {
        let starts = [None].into_iter();
        let starts = starts.chain(self.before.iter().map(|(_, end)| Some(*end)));
        let names = self.before.iter().map(|(name, _)| name.as_str());
        let names = names.chain([self.origin.as_str()]);
        let ends = self.before.iter().map(|(_, end)| *end).chain([Date::MAX]);
        let all = names.zip(starts).zip(ends);
        let shown = all.filter(|((_, start), end)| *end > from && start.is_none_or(|s| s <= to));
        shown.map(|(who, _)| who).collect()
    }
}

/// What is known of a series that the built-in catalogue does not know: from its source, or an operator's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Series. There may be rows of it or not.
    pub id: SeriesId,
    /// Full name, sanitised.
    pub title: String,
    /// Unit in words; empty when nobody said.
    pub units: String,
    /// Period length.
    pub frequency: Frequency,
    /// Whether the figures are seasonally adjusted.
    pub seasonally_adjusted: bool,
    /// Who measures it; empty when nobody said.
    pub source: String,
}

/// A text that is served: an article of a feed or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Unique and stable: the feed's own id or a hash of the link.
    pub id: String,
    /// For a URL.
    pub slug: String,
    /// Title, sanitised.
    pub title: String,
    /// Second line.
    pub subtitle: Option<String>,
    /// One word: inflation, labor, policy …
    pub topic: Option<String>,
    /// At most 600 characters, sanitised.
    pub summary: Option<String>,
    /// Lower-case words. A line break parts a tag in two, an empty one is left out.
    pub tags: Vec<String>,
    /// Publication instant, kept to the microsecond.
    pub published_at: Timestamp,
    /// Where it is to be read, http(s).
    pub url: String,
    /// Name of the feed or folder it came from.
    pub source: String,
}

/// How a copy stands to the database it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// Since when the database cannot be reached; `None` while it can.
    pub away_since: Option<Timestamp>,
    /// When it was last seen to hold nothing that the copy lacks; `None` when it was not seen since the start.
    pub seen_at: Option<Timestamp>,
    /// In which term this process writes; `None` when another one has the turn.
    pub term: Option<i64>,
}

/// Who may write, where several processes share a store.
pub trait Leadership: Send + Sync {
    /// The term this process writes in while it has the turn. The first call begins to look for it.
    fn terms(&self) -> watch::Receiver<Option<i64>>;

    /// The store for one who has the turn: its writes are refused once another term has begun.
    fn in_term(&self, term: i64) -> Arc<dyn Store>;

    /// Gives the turn back.
    fn resign(&self);
}

/// What [`Store::write_batch`] runs.
pub type BatchWork<'a> = &'a (dyn Fn(&dyn Store) -> Result<()> + Sync);

/// Where observations, vintages and texts live.
pub trait Store: Send + Sync {
    /// Grows with every change that a reader could see, also when another process wrote; the key of every cache above.
    /// The time of reading ([`Status::fetched_at`]) alone is no such change: a sync that finds nothing new
    /// leaves every rendered answer good.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn version(&self) -> Result<u64>;

    /// The version now, where [`Self::version`] may be some milliseconds old.
    ///
    /// # Errors
    /// As [`Self::version`].
    fn current_version(&self) -> Result<u64> {
        self.version()
    }

    /// Grows when another store took the place of the one that was opened: nothing kept of that one holds any more.
    fn incarnation(&self) -> u64 {
        0
    }

    /// Who may write, where several processes share a store; `None` where it is this one's own.
    fn leadership(&self) -> Option<&dyn Leadership> {
        None
    }

    /// How it stands to the database it is a copy of; `None` where it is none.
    fn replica(&self) -> Option<ReplicaStatus> {
        None
    }

    /// Reads what readers read, past all that is kept in memory: whether they could read anything now.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read, or the rows of no series can.
    fn probe(&self) -> Result<()> {
        self.version().map(|_| ())
    }

    /// Every value ever seen of a series; `None` when it holds none.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read or the series' rows are damaged.
    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>>;

    /// Appends what is new or changed, all or nothing, and notes the time of reading in any case.
    /// A changed value on the same day of knowledge is appended too; the later one counts.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written: the store failed, dates do not ascend, a value is not finite,
    /// or the rows held are damaged.
    fn write(&self, write: Write<'_>) -> Result<WriteOutcome> {
        let known = |o| Known::new(o, write.known_from);
        let rows: Vec<Known> = write.observations.iter().map(known).collect();
        self.write_vintages(WriteVintages {
            id: write.id,
            rows: &rows,
            fetched_at: write.fetched_at,
            origin: write.origin,
        })
    }

    /// As [`Self::write`], of any number of days of knowledge at once; dates may be withdrawn.
    ///
    /// # Errors
    /// As [`Self::write`].
    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome>;

    /// Runs work that writes as one change: readers see all of it or nothing, and a failure leaves the store as it was.
    /// The work gets a store, which alone may be used. When a database has to try again, the work runs again.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written, or what the work says.
    fn write_batch(&self, work: BatchWork<'_>) -> Result<()>;

    /// Notes that a source says the same of the rows from one day to another: they are its own from now on.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn attribute(&self, id: &SeriesId, origin: &str, days: (Date, Date)) -> Result<()>;

    /// What is held, by identifier.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn status(&self) -> Result<Vec<Status>>;

    /// What is held of one series, without its rows; `None` when it holds none.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        Ok(self.status()?.into_iter().find(|s| s.id == *id))
    }

    /// How many series are held.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn count(&self) -> Result<u64>;

    /// Adds or replaces descriptions by identifier, all or nothing; returns how many were new.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn describe(&self, descriptions: &[Description]) -> Result<usize>;

    /// The description of a series, if there is one.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn description(&self, id: &SeriesId) -> Result<Option<Description>>;

    /// At most `limit` descriptions whose identifier or title holds all the words (lower case, letters and
    /// digits): those that hold the last one whole, then those where it begins a word; of each kind those
    /// described first. Bounded work: how many series are described hardly matters.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>>;

    /// Puts these rows in the place of all rows of a computed series, in one transaction. The caller sees
    /// to it that rows which were served stay among them; no rows at all drop the series, the very rows that
    /// are held change nothing. Rows may come in any order. Refused where the origin, or that of the rows held,
    /// is not `computed …`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when refused or not written.
    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()>;

    /// Adds or replaces articles by `id`; returns how many were new.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn write_articles(&self, articles: &[Article]) -> Result<usize>;

    /// Articles published before or at `until`, newest first (then by `id`), at most `limit`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>>;

    /// A small named value (time of the last sync, base rates, method versions), if set.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn note(&self, key: &str) -> Result<Option<String>>;

    /// Sets a small named value.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn set_note(&self, key: &str, value: &str) -> Result<()>;
}

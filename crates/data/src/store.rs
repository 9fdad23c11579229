//! Storage of series, vintages and texts: one trait, implemented on SQLite and on PostgreSQL.
//!
//! The store is bitemporal: every row is `(series, date, value, known_from)`. A write appends a row only
//! when a value is new or differs from the newest one known; nothing is overwritten. All calls are
//! synchronous and thread-safe. Callers keep slow ones off the async executor.

mod change;
#[cfg(test)]
mod contract;
mod lease;
mod postgres;
mod row_group;
mod sqlite;

pub use lease::SyncLease;
pub use postgres::{LeaseGuard, Postgres};
pub use sqlite::Sqlite;

use econoscope_core::error::Result;
use econoscope_core::model::{
    Date, Frequency, Observation, SeriesId, VintageObservation, Vintages,
};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Observations to write to a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Write<'a> {
    /// Series written to.
    pub id: &'a SeriesId,
    /// Ascending unique dates, finite values.
    pub observations: &'a [Observation],
    /// Day on which the values became known; `None` for a first load or a plain import.
    ///
    /// With a day, every new date and every changed value gets that day, and the write is compared with
    /// what was known on it, so an old vintage may arrive late.
    /// Without a day, new dates are stored without one (readers estimate it from the publication lag), and a
    /// changed value of a stored date gets the UTC day of `fetched_at`.
    pub known_from: Option<Date>,
    /// When the values were read from their source, to the microsecond.
    pub fetched_at: Timestamp,
    /// Short name of the origin: `import`, `fred`, `bundled from cpi 2.1.0`, `computed crpi-v1`.
    pub origin: &'a str,
}

/// Values of a series with the days on which each became known: one vintage or a whole archive.
#[derive(Debug, Clone, Copy)]
pub struct WriteVintages<'a> {
    /// Series written to.
    pub id: &'a SeriesId,
    /// Finite values, ordered by date and then `known_from`, each pair once. Each row is treated as in [`Write`].
    ///
    /// Rows of several days are an archive. Where the archive shows a date appearing (after its first vintage),
    /// it replaces the stored row of that date that has no day. A stored value that the archive lacks stays, known
    /// from the day on which it was read.
    pub rows: &'a [VintageObservation],
    /// The day from which changed values without a day count, except where a later one is stored; `None` = that of the
    /// reading.
    pub revised_from: Option<Date>,
    /// Stored days that are estimates, ascending: an archive also replaces what is stored as known from one of them, after
    /// its first day and until its last.
    pub estimated_days: &'a [Date],
    /// When the values were read from their source, to the microsecond.
    pub fetched_at: Timestamp,
    /// Short name of the origin.
    pub origin: &'a str,
}

impl<'a> WriteVintages<'a> {
    /// Returns a write without estimated days.
    pub const fn new(
        id: &'a SeriesId,
        rows: &'a [VintageObservation],
        fetched_at: Timestamp,
        origin: &'a str,
    ) -> Self {
        Self {
            id,
            rows,
            revised_from: None,
            estimated_days: &[],
            fetched_at,
            origin,
        }
    }
}

/// Counts of what a write changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOutcome {
    /// New dates.
    pub added: usize,
    /// Stored dates that got another value or were withdrawn.
    pub revised: usize,
}

/// Summary of a stored series.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Series.
    pub id: SeriesId,
    /// Number of rows over all vintages.
    pub rows: u64,
    /// Checksum of all rows, which changes with them.
    pub checksum: u32,
    /// Oldest date.
    pub first: Date,
    /// Newest date, including withdrawn ones.
    pub last: Date,
    /// Time of the last successful read of its source, whether or not anything changed.
    pub fetched_at: Timestamp,
    /// Origin of the newest rows.
    pub origin: String,
    /// Origins of older rows, oldest first, each with the first date that is no longer its own.
    pub earlier_origins: Vec<(String, Date)>,
}

impl Status {
    /// Returns whether all rows ship with the program.
    pub fn is_bundled(&self) -> bool {
        self.origin.starts_with("bundled")
    }

    /// Returns the origins of the rows from `from` to `to`, oldest first, each with its first date; the oldest origin
    /// of the series has none.
    pub fn origins(&self, from: Date, to: Date) -> Vec<(&str, Option<Date>)> {
        let mut origins = Vec::new();
        let mut start = None;
        let newest = (&self.origin, Date::MAX);
        let earlier = self.earlier_origins.iter().map(|(name, end)| (name, *end));
        for (name, end) in earlier.chain([newest]) {
            if end > from && start.is_none_or(|start| start <= to) {
                origins.push((name.as_str(), start));
            }
            start = Some(end);
        }
        origins
    }
}

/// Description of a series outside the built-in catalogue, from its source or an operator's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Series, with or without stored rows.
    pub id: SeriesId,
    /// Full name, sanitised.
    pub title: String,
    /// Unit in words; empty if unknown.
    pub units: String,
    /// Period length.
    pub frequency: Frequency,
    /// Whether the figures are seasonally adjusted.
    pub seasonally_adjusted: bool,
    /// Publisher; empty if unknown.
    pub source: String,
}

/// An article of a feed or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Unique and stable: the feed's own id or a hash of the link.
    pub id: String,
    /// Last part of its address.
    pub slug: String,
    /// Title, sanitised.
    pub title: String,
    /// Subtitle.
    pub subtitle: Option<String>,
    /// One word: inflation, labor, policy …
    pub topic: Option<String>,
    /// At most 600 characters, sanitised.
    pub summary: Option<String>,
    /// Lower-case words. A tag with a line break is stored as two, an empty one is dropped.
    pub tags: Vec<String>,
    /// Time of publication, to the microsecond.
    pub published_at: Timestamp,
    /// HTTP(S) address of the article.
    pub url: String,
    /// Name of its feed or folder.
    pub source: String,
}

/// State of a replica.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// Start of the current outage of the database; `None` while it is reachable.
    pub away_since: Option<Timestamp>,
    /// Last time the replica was up to date; `None` if that did not happen since the start.
    pub seen_at: Option<Timestamp>,
    /// Term in which this process writes; `None` when another one holds the lease.
    pub term: Option<i64>,
}

/// Work for [`Store::write_batch`].
pub type BatchWork<'a> = &'a (dyn Fn(&dyn Store) -> Result<()> + Sync);

/// Storage of observations, vintages and texts.
pub trait Store: Send + Sync {
    /// Returns a number that grows with every visible change, by this or another process. Caches use it as their key.
    /// A new [`Status::fetched_at`] alone is no visible change: a sync that finds nothing new keeps all caches valid.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn version(&self) -> Result<u64>;

    /// Returns the version as of now; [`Self::version`] may be some milliseconds old.
    ///
    /// # Errors
    /// As [`Self::version`].
    fn current_version(&self) -> Result<u64>;

    /// Returns a number that grows when another store replaced the one that was opened, which invalidates every cache.
    fn incarnation(&self) -> u64;

    /// Returns a store that shows the present state, whatever is written meanwhile, and refuses writes; `None` for a store in
    /// memory, which has one connection.
    ///
    /// # Errors
    /// As [`Self::version`].
    fn snapshot(&self) -> Result<Option<Arc<dyn Store>>>;

    /// Whether the store ends with this process.
    fn is_in_memory(&self) -> bool {
        false
    }

    /// Returns the database whose replica this is, for the election of its writer; `None` where this process is the only
    /// one.
    fn leadership(&self) -> Option<&Postgres> {
        None
    }

    /// Takes or renews the lease on syncing for `holder`; a duration of zero ends it. Returns the other process that holds
    /// it. A store whose writer is elected ([`Self::leadership`]) needs none.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing can be written.
    fn lease(&self, holder: &str, duration: Duration) -> Result<Option<String>> {
        let _ = (holder, duration);
        Ok(None)
    }

    /// Returns the state of the replica; `None` for a store that is none.
    fn replica(&self) -> Option<ReplicaStatus> {
        None
    }

    /// Checks that rows can be read, bypassing all caches.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read, or the rows of no series can.
    fn probe(&self) -> Result<()>;

    /// Returns every stored value of a series with all vintages; `None` when it has none.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read or the series' rows are damaged.
    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>>;

    /// Appends new and changed values, all or nothing, and always records the time of reading.
    /// A second value on the same day of knowledge is appended, too; the later one counts.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written: the store failed, dates do not ascend, a value is not finite,
    /// or the stored rows are damaged.
    fn write(&self, write: Write<'_>) -> Result<WriteOutcome> {
        let known = |o| VintageObservation::new(o, write.known_from);
        let rows: Vec<VintageObservation> = write.observations.iter().map(known).collect();
        self.write_vintages(WriteVintages::new(
            write.id,
            &rows,
            write.fetched_at,
            write.origin,
        ))
    }

    /// Like [`Self::write`], for any number of days of knowledge at once. Dates may be withdrawn.
    ///
    /// # Errors
    /// As [`Self::write`].
    fn write_vintages(&self, write: WriteVintages<'_>) -> Result<WriteOutcome>;

    /// Runs several writes as one change: readers see all or none of them, and a failure undoes them all.
    /// The work must use the store it receives and no other. It runs again when a database has to retry.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written, or the error of the work.
    fn write_batch(&self, work: BatchWork<'_>) -> Result<()>;

    /// Attributes the rows from `first` to `last` to `origin`, which reports the same values.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn attribute(&self, id: &SeriesId, origin: &str, first: Date, last: Date) -> Result<()>;

    /// Returns the summaries of all series, ordered by identifier.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn status(&self) -> Result<Vec<Status>>;

    /// Returns the summary of one series; `None` when it has no rows.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>>;

    /// Returns the number of series.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn count(&self) -> Result<u64>;

    /// Adds or replaces descriptions by identifier, all or nothing; returns the number of new ones.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn describe(&self, descriptions: &[Description]) -> Result<usize>;

    /// Returns the description of a series, if there is one.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn description(&self, id: &SeriesId) -> Result<Option<Description>>;

    /// Returns at most `limit` descriptions whose identifier or title has all `words` (lower case, letters and digits).
    /// The last word may be a prefix; whole matches come first, then those stored first. The work is bounded: it hardly
    /// depends on the number of descriptions.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>>;

    /// Replaces all rows of a computed series in one transaction. Rows may come in any order; no rows delete the
    /// series; the same rows change nothing. The caller keeps rows that were already served. Refused unless the new
    /// and the stored origin are `computed …`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when refused or not written.
    fn replace_computed(&self, write: WriteVintages<'_>) -> Result<()>;

    /// Removes a series with all its rows, which questions alone had brought.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was removed.
    fn forget(&self, id: &SeriesId) -> Result<()>;

    /// Adds or replaces articles by `id`; returns the number of new ones.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when nothing was written.
    fn write_articles(&self, articles: &[Article]) -> Result<usize>;

    /// Returns at most `limit` articles published at or before `until`, newest first, then by `id`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>>;

    /// Returns a small named value (time of the last sync, base rates, method versions), if set.
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

//! Cache of responses: in memory by weight, on disk across restarts.
//!
//! Memory holds recently requested responses. The disk holds all up to a size; the oldest are removed first. A damaged
//! row counts as absent, with a warning: a lost response costs one call, a damaged one would be wrong.

use super::freshness::Policy;
use super::request::Key;
use super::state::StateFile;
use bytes::Bytes;
use econoscope_core::clock::{Moment, from_millis, to_millis};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

/// The content of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// A body that passed the request's check.
    Found(Bytes),
    /// 404: the upstream does not know the name, which is sanitised here.
    Unknown(String),
    /// 400: the upstream refuses such a request.
    Refused,
}

impl Content {
    /// Returns whether it was found, and its bytes, for storage. A refusal is not stored, because another version of
    /// this program may send a better request.
    fn to_stored(&self) -> Option<(bool, &[u8])> {
        match self {
            Self::Found(body) => Some((true, body)),
            Self::Unknown(name) => Some((false, name.as_bytes())),
            Self::Refused => None,
        }
    }
}

/// A cached response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The content.
    pub(super) content: Content,
    /// When it was fetched or last validated.
    pub(super) fetched: Moment,
    /// What its headers allow.
    pub(super) policy: Policy,
}

impl Entry {
    /// Returns the age of the content.
    pub(super) fn age(&self, now: &Moment) -> Duration {
        now.duration_since(&self.fetched)
            .saturating_add(self.policy.initial_age)
    }

    /// Returns by how much it is past its lifetime; `None` while it is fresh.
    pub(super) fn staleness(&self, now: &Moment) -> Option<Duration> {
        self.age(now).checked_sub(self.policy.lifetime)
    }

    /// Whether the response says that it is fresh. It may be older than a very short lifetime.
    pub(super) fn is_fresh(&self, now: &Moment) -> bool {
        self.age(now) < self.policy.lifetime.max(Duration::from_secs(60))
    }

    /// Whether it answers a request that allows `max_stale`: fresh, or not too stale. Otherwise it serves only for a
    /// conditional request.
    pub(super) fn is_usable(&self, now: &Moment, max_stale: Duration) -> bool {
        let may_be_stale =
            matches!(self.content, Content::Found(_)) && !self.policy.must_revalidate;
        self.staleness(now)
            .is_none_or(|staleness| may_be_stale && staleness <= max_stale)
    }

    fn weight(&self) -> usize {
        const OVERHEAD: usize = 256;
        OVERHEAD + self.content.to_stored().map_or(0, |(_, body)| body.len())
    }
}

/// The cache of one upstream, in memory and on disk.
pub(super) struct Cache {
    pub(super) memory: econoscope_core::cache::Cache<Key, Arc<Entry>>,
    disk: Arc<StateFile>,
    disk_bytes: u64,
    origin: String,
}

impl Cache {
    /// Creates a cache of the upstream `origin`.
    pub(super) fn new(
        disk: Arc<StateFile>,
        origin: &str,
        memory_bytes: u64,
        disk_bytes: u64,
    ) -> Self {
        Self {
            memory: econoscope_core::cache::Cache::with_max_weight(memory_bytes, |key, entry| {
                (key.len() + entry.weight()) as u64
            }),
            disk,
            disk_bytes,
            origin: origin.to_owned(),
        }
    }

    /// Removes an entry from memory and disk. Blocks.
    pub(super) fn remove(&self, key: &str) {
        self.memory.remove(key);
        let result = self.disk.write(|disk| {
            disk.prepare_cached("DELETE FROM answers WHERE origin = ?1 AND key = ?2")?
                .execute([self.origin.as_str(), key])
        });
        log_error(result, "delete a response");
    }

    /// Loads an entry from disk, where another process may have stored it. Blocks.
    pub(super) fn load(&self, key: &str) -> Option<Entry> {
        let row = self.disk.read(|disk| {
            disk.prepare_cached(SELECT)?
                .query_row([self.origin.as_str(), key], |row| {
                    let entry = parse_row(row).unwrap_or_default();
                    if entry.is_none() {
                        tracing::warn!("a damaged response in the upstream cache is ignored");
                    }
                    Ok(entry)
                })
                .optional()
        });
        log_error(row, "read a response")?.flatten()
    }

    /// Returns when the newest stored entry was fetched. Blocks.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        let newest = self.disk.read(|disk| {
            let sql = "SELECT max(wall) FROM answers WHERE origin = ?1";
            disk.query_row(sql, [&self.origin], |row| row.get(0))
        });
        let wall: Option<i64> = log_error(newest, "read a time")?;
        Timestamp::from_millisecond(wall?).ok()
    }

    /// Stores an entry on disk, and removes the oldest ones above the size limit. Blocks.
    pub(super) fn save(&self, key: &str, entry: &Entry) {
        let Some((is_found, body)) = entry.content.to_stored() else {
            return;
        };
        let policy = &entry.policy;
        let [wall, uptime, boot] = entry.fetched.to_fields();
        let result = self.disk.write(|disk| {
            disk.prepare_cached(
                "INSERT OR REPLACE INTO answers (origin, key, found, body, sum, wall, uptime, boot, lifetime, born, strict, etag, modified)
                VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
            )?
            .execute(params![
                self.origin,
                key,
                is_found,
                body,
                checksum(body),
                wall,
                uptime,
                boot,
                to_millis(policy.lifetime),
                to_millis(policy.initial_age),
                // Bits, so that a file of an older version can be read.
                i64::from(policy.must_revalidate) | i64::from(policy.is_private) << 1,
                policy.etag,
                policy.last_modified,
            ])?;
            self.evict(disk)
        });
        log_error(result, "store a response");
    }

    fn evict(&self, disk: &Connection) -> rusqlite::Result<()> {
        let size = "SELECT coalesce(sum(length(body) + 512), 0) FROM answers";
        let delete_oldest =
            "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers ORDER BY wall LIMIT 16)";
        loop {
            let bytes: i64 = disk.query_row(size, [], |row| row.get(0))?;
            if bytes.cast_unsigned() <= self.disk_bytes || disk.execute(delete_oldest, [])? == 0 {
                return Ok(());
            }
        }
    }
}

/// Returns the value of a disk operation; logs its error, which costs one cached response.
fn log_error<T, E: Display>(result: Result<T, E>, what: &str) -> Option<T> {
    result
        .inspect_err(|error| tracing::warn!(%error, "the upstream cache could not {what}"))
        .ok()
}

const SELECT: &str = "SELECT found, body, sum, wall, uptime, boot, lifetime, born, strict, etag, modified FROM answers WHERE origin = ?1 AND key = ?2";

/// Parses a row; `None` when it is damaged.
fn parse_row(row: &Row<'_>) -> rusqlite::Result<Option<Entry>> {
    let is_found: bool = row.get(0)?;
    let body: Vec<u8> = row.get(1)?;
    let sum: i64 = row.get(2)?;
    let content = if checksum(&body) != sum {
        None
    } else if is_found {
        Some(Content::Found(body.into()))
    } else {
        String::from_utf8(body).ok().map(Content::Unknown)
    };
    let fetched = Moment::from_fields([row.get(3)?, row.get(4)?, row.get(5)?]);
    let Some((content, fetched)) = content.zip(fetched) else {
        return Ok(None);
    };
    let strict: i64 = row.get(8)?;
    let policy = Policy {
        is_storable: true,
        is_explicit: true,
        lifetime: from_millis(row.get(6)?),
        initial_age: from_millis(row.get(7)?),
        must_revalidate: strict & 1 != 0,
        is_private: strict & 2 != 0,
        etag: row.get(9)?,
        last_modified: row.get(10)?,
    };
    Ok(Some(Entry {
        content,
        fetched,
        policy,
    }))
}

/// Returns a checksum against accidental damage.
fn checksum(body: &[u8]) -> i64 {
    i64::from(crc32fast::hash(body))
}

#[cfg(test)]
mod tests;

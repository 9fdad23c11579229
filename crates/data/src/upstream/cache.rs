//! Answers already paid for: in memory by weight, on disk across restarts.
//!
//! Memory holds what is asked for; a hit costs a hash and a reference count. The disk holds everything up
//! to a size, oldest out first. What cannot be read back whole is treated as absent, with a warning: losing
//! an answer costs one call, trusting a damaged one costs more.

use super::freshness::Policy;
use super::request::Key;
use super::state::StateFile;
use bytes::Bytes;
use econoscope_core::clock::{Moment, duration, millis};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

/// What the upstream said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// A body, proved by the request's check.
    Found(Bytes),
    /// 404: it knows no such name; holds the name it repeated, made safe.
    Unknown(String),
    /// 400: it does not take such a question.
    Refused,
}

impl Content {
    /// What is kept of it: whether it was found, and its bytes. Nothing of a refusal, for another version of this
    /// program may ask better.
    pub(super) fn kept(&self) -> Option<(bool, &[u8])> {
        match self {
            Self::Found(body) => Some((true, body)),
            Self::Unknown(name) => Some((false, name.as_bytes())),
            Self::Refused => None,
        }
    }

    /// What was kept, with its checksum; `None` when it is not whole.
    pub(super) fn read(is_found: bool, body: Vec<u8>, sum: i64) -> Option<Self> {
        if checksum(&body) != sum {
            return None;
        }
        match is_found {
            true => Some(Self::Found(body.into())),
            false => String::from_utf8(body).ok().map(Self::Unknown),
        }
    }
}

/// An answer with its age and what may be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The answer.
    pub(super) content: Content,
    /// When it came or was last confirmed.
    pub(super) fetched: Moment,
    /// What its headers allow.
    pub(super) policy: Policy,
}

/// What an entry is good for at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryFreshness {
    /// Within its lifetime.
    Fresh,
    /// Past its lifetime by so much, but within what the request bears.
    Stale(Duration),
    /// Only good for being validated.
    Spent,
}

impl Entry {
    /// How old the content is.
    pub(super) fn age(&self, now: &Moment) -> Duration {
        now.since(&self.fetched).saturating_add(self.policy.born)
    }

    /// What it is good for.
    pub(super) fn standing(&self, now: &Moment, max_stale: Duration) -> EntryFreshness {
        let age = self.age(now);
        if age < self.policy.lifetime {
            return EntryFreshness::Fresh;
        }
        let past = age.saturating_sub(self.policy.lifetime);
        if self.policy.is_strict || past > max_stale || !matches!(self.content, Content::Found(_)) {
            EntryFreshness::Spent
        } else {
            EntryFreshness::Stale(past)
        }
    }

    fn weight(&self) -> usize {
        const FRAME: usize = 256;
        FRAME + self.content.kept().map_or(0, |(_, body)| body.len())
    }
}

/// Both homes of answers.
pub(super) struct Cache {
    memory: econoscope_core::cache::Cache<Key, Arc<Entry>>,
    disk: Arc<StateFile>,
    disk_bytes: u64,
    origin: String,
}

impl Cache {
    /// A cache of the upstream `origin`.
    pub(super) fn new(
        disk: Arc<StateFile>,
        origin: &str,
        memory_bytes: u64,
        disk_bytes: u64,
    ) -> Self {
        Self {
            memory: econoscope_core::cache::Cache::weighed(memory_bytes, |key, entry| {
                (key.len() + entry.weight()) as u64
            }),
            disk,
            disk_bytes,
            origin: origin.to_owned(),
        }
    }

    /// From memory only.
    pub(super) fn recall(&self, key: &str) -> Option<Arc<Entry>> {
        self.memory.get(key)
    }

    /// Into memory only.
    pub(super) fn remember(&self, key: &str, entry: Arc<Entry>) {
        self.memory.insert(key.to_owned(), entry);
    }

    /// Out of both homes. Blocks.
    pub(super) fn forget(&self, key: &str) {
        self.memory.remove(key);
        let gone = self.disk.write(|disk| {
            disk.prepare_cached("DELETE FROM answers WHERE origin = ?1 AND key = ?2")?
                .execute([self.origin.as_str(), key])
        });
        told(gone, "forget an answer");
    }

    /// From disk, also what another process put there. Blocks.
    pub(super) fn load(&self, key: &str) -> Option<Entry> {
        let found = self.disk.read(|disk| {
            disk.prepare_cached(SELECT)?
                .query_row([self.origin.as_str(), key], read)
                .optional()
        });
        told(found, "read an answer")?.flatten()
    }

    /// Onto disk, and the oldest out when there is too much. Blocks.
    pub(super) fn save(&self, key: &str, entry: &Entry) {
        let Some((found, body)) = entry.content.kept() else {
            return;
        };
        let policy = &entry.policy;
        let [wall, uptime, boot] = entry.fetched.written();
        let kept = self.disk.write(|disk| {
            disk.prepare_cached(
                "INSERT OR REPLACE INTO answers (origin, key, found, body, sum, wall, uptime, boot, lifetime, born, strict, etag, modified)
                VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
            )?
            .execute(params![
                self.origin,
                key,
                found,
                body,
                checksum(body),
                wall,
                uptime,
                boot,
                millis(policy.lifetime),
                millis(policy.born),
                policy.is_strict,
                policy.etag,
                policy.modified,
            ])?;
            self.make_room(disk)
        });
        told(kept, "keep an answer");
    }

    fn make_room(&self, disk: &Connection) -> rusqlite::Result<()> {
        let sum = "SELECT coalesce(sum(length(body) + 512), 0) FROM answers";
        let oldest =
            "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers ORDER BY wall LIMIT 16)";
        loop {
            let held: i64 = disk.query_row(sum, [], |row| row.get(0))?;
            if held.cast_unsigned() <= self.disk_bytes || disk.execute(oldest, [])? == 0 {
                return Ok(());
            }
        }
    }
}

/// What was done on the disk; a failure is told to the operator and costs an answer.
fn told<T, E: Display>(done: Result<T, E>, what: &str) -> Option<T> {
    done.inspect_err(|error| tracing::warn!(%error, "the upstream cache could not {what}"))
        .ok()
}

const SELECT: &str = "SELECT found, body, sum, wall, uptime, boot, lifetime, born, strict, etag, modified FROM answers WHERE origin = ?1 AND key = ?2";

/// A row as an entry; `None`, with a warning, when it is not whole.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<Entry>> {
    let entry = parse(row);
    if !matches!(entry, Ok(Some(_))) {
        tracing::warn!("a damaged answer in the upstream cache is ignored");
    }
    Ok(entry.unwrap_or_default())
}

fn parse(row: &Row<'_>) -> rusqlite::Result<Option<Entry>> {
    let content = Content::read(row.get(0)?, row.get(1)?, row.get(2)?);
    let fetched = Moment::read([row.get(3)?, row.get(4)?, row.get(5)?]);
    let Some((content, fetched)) = content.zip(fetched) else {
        return Ok(None);
    };
    let policy = Policy {
        is_storable: true,
        is_stated: true,
        lifetime: duration(row.get(6)?),
        born: duration(row.get(7)?),
        is_strict: row.get(8)?,
        etag: row.get(9)?,
        modified: row.get(10)?,
    };
    Ok(Some(Entry {
        content,
        fetched,
        policy,
    }))
}

/// Finds accidental damage.
pub(super) fn checksum(body: &[u8]) -> i64 {
    i64::from(crc32fast::hash(body))
}

#[cfg(test)]
mod tests;

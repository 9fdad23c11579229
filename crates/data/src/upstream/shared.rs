//! What many machines share of an upstream, in PostgreSQL: the calls that were paid for, the answers, and who asks.
//!
//! Times are the database's, in milliseconds since 1970. What cannot be written is not paid for. Answers are as few as
//! paid calls, so a month of them is kept.

use super::book::{Book, Shares, WINDOW};
use super::cache::{Content, Entry, checksum};
use super::freshness::Policy;
use super::request::{Key, Request, Slice};
use crate::postgres::{Address, Database, Session, Tried};
use econoscope_core::clock::{Moment, duration, millis, random};
use econoscope_core::error::Result;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// Connections: few calls are made at once.
const CONNECTIONS: usize = 4;
/// How long what collided is tried again: callers wait.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long one replica may ask a question alone; a call has ended by then, unless who made it died.
const LEASE: Duration = Duration::from_secs(20);
/// How long answers are kept.
const KEPT: Duration = Duration::from_secs(31 * 24 * 3600);

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS upstream_ledger (origin TEXT PRIMARY KEY, held_until BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS upstream_calls (
    id BIGINT PRIMARY KEY, origin TEXT NOT NULL, at BIGINT NOT NULL, pool BIGINT NOT NULL);
CREATE INDEX IF NOT EXISTS upstream_calls_by_time ON upstream_calls (origin, at);
CREATE TABLE IF NOT EXISTS upstream_leases (
    origin TEXT NOT NULL, key TEXT NOT NULL, holder BIGINT NOT NULL, until BIGINT NOT NULL, PRIMARY KEY (origin, key));
CREATE TABLE IF NOT EXISTS upstream_answers (
    origin TEXT NOT NULL, key TEXT NOT NULL, found BOOLEAN NOT NULL, body BYTEA NOT NULL, sum BIGINT NOT NULL,
    at BIGINT NOT NULL, lifetime BIGINT NOT NULL, born BIGINT NOT NULL, strict BOOLEAN NOT NULL, etag TEXT,
    modified TEXT, series TEXT, first TEXT, last TEXT, PRIMARY KEY (origin, key));
CREATE INDEX IF NOT EXISTS upstream_answers_by_series ON upstream_answers (origin, series);
CREATE INDEX IF NOT EXISTS upstream_answers_by_age ON upstream_answers (at);
";

const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";

const BEGIN: &str = "INSERT INTO upstream_ledger VALUES ($1, 0) ON CONFLICT (origin) DO NOTHING";
const HELD: &str = "SELECT held_until FROM upstream_ledger WHERE origin = $1 FOR UPDATE";
const UNDO: &str = "DELETE FROM upstream_calls WHERE id = $1";
const CALLS: &str =
    "SELECT at, pool FROM upstream_calls WHERE origin = $1 AND at > $2 ORDER BY at DESC";
const PAY: &str = "INSERT INTO upstream_calls VALUES ($1, $2, $3, $4)";
const PAST: &str = "DELETE FROM upstream_calls WHERE origin = $1 AND at <= $2";
const HOLD: &str = "UPDATE upstream_ledger SET held_until = $2 WHERE origin = $1";

/// The database of one upstream.
#[derive(Debug)]
pub(super) struct SharedState {
    database: Database,
    /// The address that answers belong to.
    origin: String,
    /// This process, among those that ask.
    holder: i64,
    are_tables_there: OnceCell<()>,
}

impl SharedState {
    /// Reaches for nothing yet.
    pub(super) fn at(address: &Address, origin: &str) -> Result<Self> {
        Ok(Self {
            database: Database::at(address, CONNECTIONS, PATIENCE)?,
            origin: origin.to_owned(),
            holder: random().cast_signed(),
            are_tables_there: OnceCell::new(),
        })
    }

    async fn database(&self) -> Result<&Database> {
        let make = || {
            self.database.transaction("lay out", |page| async move {
                Ok(page.batch_execute(TABLES).await?)
            })
        };
        self.are_tables_there.get_or_try_init(make).await?;
        Ok(&self.database)
    }

    /// Works on the ledger of `host`, alone of all replicas. A payment whose commit was not heard of is found done.
    pub(super) async fn transact<T>(
        &self,
        host: &str,
        shares: Shares,
        clock: Moment,
        work: impl Fn(&mut Book) -> T,
    ) -> Result<T> {
        let (id, work) = (random().cast_signed(), &work);
        let database = self.database().await?;
        let done = database.transaction("write the upstream ledger in", |page| async move {
            page.execute(BEGIN, &[&host]).await?;
            let held_until: i64 = page.query_one(HELD, &[&host]).await?.try_get(0)?;
            // One that was done already stands no more in its own way.
            page.execute(UNDO, &[&id]).await?;
            let shown: i64 = page.query_one(NOW, &[]).await?.try_get(0)?;
            let since = shown.saturating_sub(millis(WINDOW));
            let mut calls: Vec<(i64, i64)> = Vec::new();
            for row in page.query(CALLS, &[&host, &since]).await? {
                calls.push((row.try_get(0)?, row.try_get(1)?));
            }
            // A clock that was set back must not let calls seem to come in the future.
            let at = calls
                .first()
                .map_or(shown, |(newest, _)| shown.max(*newest));
            let mut book = Book {
                shares,
                clock,
                at,
                held_until,
                same_boot: true,
                calls,
                charged: None,
                is_anchored: false,
            };
            let result = work(&mut book);
            if let Some(pool) = book.charged {
                page.execute(PAY, &[&id, &host, &at, &pool]).await?;
                page.execute(PAST, &[&host, &since]).await?;
            }
            if book.is_anchored {
                page.execute(HOLD, &[&host, &book.held_until]).await?;
            }
            Ok(result)
        });
        done.await
    }

    /// Whether this replica may ask a question now; another one asks it if not.
    pub(super) async fn claim(&self, key: &str) -> Result<bool> {
        const CLAIM: &str = "
            INSERT INTO upstream_leases VALUES ($1, $2, $3, $4::BIGINT + $5::BIGINT)
            ON CONFLICT (origin, key) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE upstream_leases.until <= $4 OR upstream_leases.holder = excluded.holder";
        let (origin, holder) = (&self.origin, self.holder);
        let database = self.database().await?;
        let claimed = database.transaction("ask who asks of", |page| async move {
            let now: i64 = page.query_one(NOW, &[]).await?.try_get(0)?;
            let lease = millis(LEASE);
            let claimed = page
                .execute(CLAIM, &[&origin, &key, &holder, &now, &lease])
                .await?;
            Ok(claimed == 1)
        });
        claimed.await
    }

    /// Keeps what came of a question, and lets others ask it.
    pub(super) async fn conclude(
        &self,
        key: &str,
        series: Option<Key>,
        entry: Option<Arc<Entry>>,
        now: Moment,
    ) -> Result<()> {
        const RELEASE: &str =
            "DELETE FROM upstream_leases WHERE origin = $1 AND key = $2 AND holder = $3";
        let entry = entry.filter(|entry| entry.policy.is_storable);
        let (origin, holder) = (self.origin.as_str(), self.holder);
        let (series, entry) = (series.as_deref(), &entry);
        let database = self.database().await?;
        let concluded = database.transaction("keep an upstream's answer in", |page| async move {
            if let Some(entry) = entry {
                let age = millis(now.since(&entry.fetched));
                keep(&page, (origin, key, series), entry, age).await?;
            }
            page.execute(RELEASE, &[&origin, &key, &holder]).await?;
            Ok(())
        });
        concluded.await
    }

    /// What is kept for a question, or for a wider range of it, newest first; each with what it is known by.
    pub(super) async fn kept(
        &self,
        request: &Request,
        key: &str,
        now: Moment,
    ) -> Result<Vec<Kept>> {
        const KEPT: &str = "
            SELECT key, found, body, sum, $6::BIGINT - at, lifetime, born, strict, etag, modified, series, first, last
            FROM upstream_answers
            WHERE origin = $1 AND (key = $2 OR series = $3 AND first <= $4 AND last >= $5)
            ORDER BY at DESC LIMIT 4";
        let series = request.slice.and_then(|_| request.series_key().ok());
        let ends = request
            .slice
            .map(|slice| (slice.start.to_string(), slice.end.to_string()));
        let (first, last) = ends.unzip();
        let origin = &self.origin;
        let (series, first, last) = (&series, &first, &last);
        let database = self.database().await?;
        let rows = database.transaction("read an upstream's answers in", |page| async move {
            let now: i64 = page.query_one(NOW, &[]).await?.try_get(0)?;
            let asked: [&(dyn ToSql + Sync); 6] = [origin, &key, series, first, last, &now];
            Ok(page.query(KEPT, &asked).await?)
        });
        let rows = rows.await?;
        let kept = rows.iter().map(|row| read(row, &now));
        let kept = kept.filter_map(|kept| {
            kept.inspect_err(|error| tracing::warn!(%error, "an answer in the database is ignored"))
                .ok()
        });
        Ok(kept.flatten().collect())
    }
}

/// An answer with the key that it is kept under, and that of its series.
pub(super) struct Kept {
    pub(super) key: Key,
    pub(super) series: Option<Key>,
    pub(super) entry: Entry,
}

/// Keeps an answer that is so old, and drops those that are too old.
async fn keep(
    page: &Session,
    (origin, key, series): (&str, &str, Option<&str>),
    entry: &Entry,
    age: i64,
) -> Tried<()> {
    const KEEP: &str = "
        INSERT INTO upstream_answers VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        ON CONFLICT (origin, key) DO UPDATE SET found = excluded.found, body = excluded.body, sum = excluded.sum,
        at = excluded.at, lifetime = excluded.lifetime, born = excluded.born, strict = excluded.strict,
        etag = excluded.etag, modified = excluded.modified, series = excluded.series, first = excluded.first,
        last = excluded.last";
    let Some((found, body)) = entry.content.kept() else {
        return Ok(());
    };
    let now: i64 = page.query_one(NOW, &[]).await?.try_get(0)?;
    let (at, past) = (now.saturating_sub(age), now.saturating_sub(millis(KEPT)));
    let (lifetime, born) = (millis(entry.policy.lifetime), millis(entry.policy.born));
    let range = entry.slice.zip(series);
    page.execute(
        KEEP,
        &[
            &origin,
            &key,
            &found,
            &body,
            &checksum(body),
            &at,
            &lifetime,
            &born,
            &entry.policy.is_strict,
            &entry.policy.etag,
            &entry.policy.modified,
            &range.map(|(_, series)| series),
            &range.map(|(slice, _)| slice.start.to_string()),
            &range.map(|(slice, _)| slice.end.to_string()),
        ],
    )
    .await?;
    page.execute("DELETE FROM upstream_answers WHERE at < $1", &[&past])
        .await?;
    Ok(())
}

/// A row as an answer; nothing when it is not whole.
fn read(row: &Row, now: &Moment) -> std::result::Result<Option<Kept>, tokio_postgres::Error> {
    let Some(content) = Content::read(row.try_get(1)?, row.try_get(2)?, row.try_get(3)?) else {
        tracing::warn!("a damaged answer in the database is ignored");
        return Ok(None);
    };
    let policy = Policy {
        is_storable: true,
        is_stated: true,
        lifetime: duration(row.try_get(5)?),
        born: duration(row.try_get(6)?),
        is_strict: row.try_get(7)?,
        etag: row.try_get(8)?,
        modified: row.try_get(9)?,
    };
    let entry = Entry {
        content,
        fetched: ago(now, duration(row.try_get(4)?)),
        policy,
        slice: Slice::kept(row.try_get(11)?, row.try_get(12)?),
    };
    Ok(Some(Kept {
        key: row.try_get(0)?,
        series: row.try_get(10)?,
        entry,
    }))
}

/// A moment some time ago; before this machine was started only the wall tells it.
fn ago(now: &Moment, age: Duration) -> Moment {
    let wall = now.wall.saturating_sub(age).unwrap_or(now.wall);
    match now.uptime.checked_sub(age) {
        Some(uptime) => Moment {
            wall,
            uptime,
            ..*now
        },
        None => Moment {
            wall,
            uptime: Duration::ZERO,
            boot: now.boot.wrapping_add(1),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::clock::{Clock, ManualClock};

    #[test]
    fn what_is_kept_elsewhere_is_as_old_here() {
        let clock = ManualClock::at("2026-11-21T23:30:00Z".parse().unwrap());
        let now = clock.now();
        for seconds in [0, 1, 999, 1_000, 1_001, 86_400] {
            let age = Duration::from_secs(seconds);
            assert_eq!(now.since(&ago(&now, age)), age);
        }
    }
}

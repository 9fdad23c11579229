//! The calls that many machines paid for together, in PostgreSQL.
//!
//! Times are the database's, in milliseconds since 1970. What cannot be written is not paid for.

use super::ledger_state::{LedgerState, PoolSizes, WINDOW};
use crate::postgres::{Address, Database};
use econoscope_core::clock::{Moment, millis, random};
use econoscope_core::error::Result;
use std::time::Duration;
use tokio::sync::OnceCell;

/// Connections: few calls are made at once.
const CONNECTIONS: usize = 4;
/// How long what collided is tried again: callers wait.
const PATIENCE: Duration = Duration::from_secs(2);

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS upstream_ledger (origin TEXT PRIMARY KEY, held_until BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS upstream_calls (
    id BIGINT PRIMARY KEY, origin TEXT NOT NULL, at BIGINT NOT NULL, pool BIGINT NOT NULL);
CREATE INDEX IF NOT EXISTS upstream_calls_by_time ON upstream_calls (origin, at);
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
    are_tables_there: OnceCell<()>,
}

impl SharedState {
    /// Reaches for nothing yet.
    pub(super) fn at(address: &Address) -> Result<Self> {
        Ok(Self {
            database: Database::at(address, CONNECTIONS, PATIENCE)?,
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
        shares: PoolSizes,
        clock: Moment,
        work: impl Fn(&mut LedgerState) -> T,
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
            let mut state = LedgerState::new(shares, clock, at, held_until, calls);
            let result = work(&mut state);
            if let Some(pool) = state.charged {
                page.execute(PAY, &[&id, &host, &at, &pool]).await?;
                page.execute(PAST, &[&host, &since]).await?;
            }
            if state.is_changed {
                page.execute(HOLD, &[&host, &state.held_until]).await?;
            }
            Ok(result)
        });
        done.await
    }
}

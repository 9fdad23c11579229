//! A ledger in PostgreSQL, which many machines share.
//!
//! Times are the database's, in milliseconds since 1970. A payment that cannot be written is not made.

use super::budget::{LedgerState, WINDOW};
use crate::postgres::{Address, Database};
use econoscope_core::clock::{Moment, random, to_millis};
use econoscope_core::error::Result;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a conflicting transaction is retried, while callers wait.
const PATIENCE: Duration = Duration::from_secs(2);

const TABLES: &str = include_str!("shared.sql");

const SELECT_TIME: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";

const INSERT_LEDGER: &str =
    "INSERT INTO upstream_ledger VALUES ($1, 0) ON CONFLICT (origin) DO NOTHING";
const LOCK_LEDGER: &str = "SELECT held_until FROM upstream_ledger WHERE origin = $1 FOR UPDATE";
const DELETE_CALL: &str = "DELETE FROM upstream_calls WHERE id = $1";
const SELECT_CALLS: &str =
    "SELECT at FROM upstream_calls WHERE origin = $1 AND at > $2 ORDER BY at";
// Earlier versions divided the calls into pools.
const INSERT_CALL: &str = "INSERT INTO upstream_calls VALUES ($1, $2, $3, 0)";
const DELETE_OLD_CALLS: &str = "DELETE FROM upstream_calls WHERE origin = $1 AND at <= $2";
const UPDATE_PAUSE: &str = "UPDATE upstream_ledger SET held_until = $2 WHERE origin = $1";

/// The ledger of one upstream in a database.
#[derive(Debug)]
pub(super) struct SharedLedger {
    database: Database,
    /// Set when the tables exist.
    tables: OnceCell<()>,
}

impl SharedLedger {
    /// Creates a ledger; does not connect yet.
    pub(super) fn new(address: &Address) -> Result<Self> {
        Ok(Self {
            database: Database::new(address, PATIENCE)?,
            tables: OnceCell::new(),
        })
    }

    /// Runs `work` on the ledger of `host`, while no other machine does. A payment is recorded under a random number,
    /// so that a retry after an unconfirmed commit does not pay twice.
    pub(super) async fn transact<T>(
        &self,
        host: &str,
        limit: u32,
        clock: Moment,
        work: impl Fn(&mut LedgerState) -> T,
    ) -> Result<T> {
        let id = random().cast_signed();
        let run = &work;
        let database = &self.database;
        let create = || {
            database.transaction("lay out", |tx| async move {
                Ok(tx.batch_execute(TABLES).await?)
            })
        };
        self.tables.get_or_try_init(create).await?;
        let result = database.transaction("write the upstream ledger in", |tx| async move {
            tx.execute(INSERT_LEDGER, &[&host]).await?;
            let paused_until: i64 = tx.query_one_scalar(LOCK_LEDGER, &[&host]).await?;
            // The payment of an earlier attempt must not count against this one.
            tx.execute(DELETE_CALL, &[&id]).await?;
            let time: i64 = tx.query_one_scalar(SELECT_TIME, &[]).await?;
            let since = time.saturating_sub(to_millis(WINDOW));
            let calls: Vec<i64> = tx.query_scalar(SELECT_CALLS, &[&host, &since]).await?;
            // After the database's clock was set back, time stands still until it has caught up.
            let now = calls.last().map_or(time, |newest| time.max(*newest));
            let mut state = LedgerState {
                limit,
                clock,
                now,
                paused_until,
                calls,
                is_paid: false,
            };
            let value = run(&mut state);
            if state.is_paid {
                tx.execute(INSERT_CALL, &[&id, &host, &now]).await?;
                tx.execute(DELETE_OLD_CALLS, &[&host, &since]).await?;
            }
            tx.execute(UPDATE_PAUSE, &[&host, &state.paused_until])
                .await?;
            Ok(value)
        });
        result.await
    }
}

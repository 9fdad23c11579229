//! PostgreSQL: addresses, a connection pool, transactions with retries.
//!
//! Every call is asynchronous and has a time limit.

mod address;

pub use address::Address;

use crate::net::causes;
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod,
    Runtime,
};
use econoscope_core::clock::jitter;
use econoscope_core::error::{Error, Result};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_postgres::error::SqlState;

/// Most connections of one pool; few writes and calls run at once.
const CONNECTIONS: usize = 4;
/// Pause before the first retry, and the longest pause.
const PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// Time limit of one attempt, which detects connections that are dead on the other side.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Advice on a certificate that is not trusted.
const TRUST_ADVICE: &str = "Name the authority's certificate in the address: sslrootcert=FILE";
/// Settings of every session. The database enforces them, so that a stopped process does not hold locks.
const SESSION_SETTINGS: &str = "SET idle_in_transaction_session_timeout = '8s'; SET lock_timeout = '8s'; \
     SET statement_timeout = '60s'";

/// A connection pool of one database.
#[derive(Debug, Clone)]
pub struct Database {
    /// The address, which prints without the password.
    pub(crate) address: Address,
    pool: Pool,
    patience: Duration,
}

/// How a transaction starts and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransactionMode {
    /// The statements that start it.
    begin: &'static str,
    /// Time limit of one attempt.
    timeout: Duration,
}

impl TransactionMode {
    /// For short transactions. Each statement sees what was committed before it.
    pub(crate) const SHORT: Self = Self {
        begin: "START TRANSACTION ISOLATION LEVEL READ COMMITTED",
        timeout: ATTEMPT_TIMEOUT,
    };
    /// For many rows: like [`Self::SHORT`] without a time limit, with pauses of up to a minute.
    pub(crate) const BULK: Self = Self {
        begin: "START TRANSACTION ISOLATION LEVEL READ COMMITTED; \
         SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '60s'",
        timeout: Duration::MAX,
    };
    /// For whole copies: all statements see one snapshot, without a time limit. The caller limits the pauses. No lock is
    /// held that others wait for.
    pub(crate) const SNAPSHOT: Self = Self {
        begin: "START TRANSACTION ISOLATION LEVEL REPEATABLE READ; \
         SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '60s'",
        timeout: Duration::MAX,
    };
}

/// A connection with an open transaction.
pub(crate) type Session = Arc<Client>;

/// The result of work in a transaction.
pub(crate) type AttemptResult<T> = std::result::Result<T, Failure>;

/// The cause of a failed transaction.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The database or the connection failed.
    #[error(transparent)]
    Database(#[from] tokio_postgres::Error),
    /// No response in time, or no connection.
    #[error("no answer")]
    Timeout,
    /// The work refused. It is never retried.
    #[error(transparent)]
    Refused(#[from] Error),
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        if let PoolError::Backend(error) = error {
            return Self::Database(error);
        }
        Self::Timeout
    }
}

impl Database {
    /// Creates a pool without connecting. A transaction is retried for up to `patience`.
    ///
    /// # Errors
    /// [`Error::Store`] when the trusted certificates cannot be read.
    pub fn new(address: &Address, patience: Duration) -> Result<Self> {
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(address.config.clone(), address.tls()?, config);
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(ATTEMPT_TIMEOUT))
            .create_timeout(Some(ATTEMPT_TIMEOUT))
            .recycle_timeout(Some(ATTEMPT_TIMEOUT))
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move {
                    let set = client.batch_execute(SESSION_SETTINGS).await;
                    set.map_err(HookError::Backend)
                })
            }))
            .build()
            .map_err(|e| Error::internal("connections to the database", e))?;
        Ok(Self {
            address: address.clone(),
            pool,
            patience,
        })
    }

    /// Returns the same pool with another patience. [`Duration::ZERO`] means one attempt.
    pub(crate) fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Runs `work` in a short transaction. Retries it after a conflict with another transaction or a lost connection.
    /// If the response to a commit was lost, the commit may have happened, so the work must notice its earlier effects.
    ///
    /// # Errors
    /// [`Error::Store`] with the failed action and the cause, or the error of the work.
    pub async fn transaction<T, F: Future<Output = AttemptResult<T>>>(
        &self,
        action: &str,
        work: impl FnMut(Session) -> F,
    ) -> Result<T> {
        self.transaction_with(action, TransactionMode::SHORT, work)
            .await
    }

    /// Like [`Self::transaction`] in another mode.
    ///
    /// # Errors
    /// As [`Self::transaction`].
    pub(crate) async fn transaction_with<T, F: Future<Output = AttemptResult<T>>>(
        &self,
        action: &str,
        mode: TransactionMode,
        mut work: impl FnMut(Session) -> F,
    ) -> Result<T> {
        let start = Instant::now();
        let mut pause = PAUSE;
        loop {
            let failure = match self.attempt(mode, &mut work).await {
                Ok(value) => return Ok(value),
                Err(Failure::Refused(error)) => return Err(error),
                Err(failure) => failure,
            };
            if !failure.is_transient() || start.elapsed() + pause > self.patience {
                return Err(self.error(action, &failure));
            }
            tracing::debug!(?failure, action, "tried again");
            tokio::time::sleep(pause / 2 + jitter(pause)).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    async fn attempt<T, F: Future<Output = AttemptResult<T>>>(
        &self,
        mode: TransactionMode,
        work: &mut impl FnMut(Session) -> F,
    ) -> AttemptResult<T> {
        let session = Arc::new(self.pool.get().await?);
        let mut guard = SessionGuard(Some(Arc::clone(&session)));
        let transaction = async move {
            session.batch_execute(mode.begin).await?;
            let value = work(Arc::clone(&session)).await?;
            session.batch_execute("COMMIT").await?;
            Ok(value)
        };
        let value = tokio::time::timeout(mode.timeout, transaction)
            .await
            .unwrap_or(Err(Failure::Timeout))?;
        // Returns the connection to the pool.
        guard.0 = None;
        Ok(value)
    }

    /// Builds the error of a failed transaction, with advice.
    fn error(&self, action: &str, failure: &Failure) -> Error {
        let address = &self.address;
        let (reason, cause) = match failure {
            Failure::Refused(error) => return error.clone(),
            Failure::Timeout => ("it does not answer".to_owned(), "no answer".to_owned()),
            Failure::Database(error) => (
                explain(error),
                econoscope_core::error::format_causes(causes(error)),
            ),
        };
        Error::store(
            format!("cannot {action} the database {address}: {reason}."),
            cause,
        )
    }
}

/// Closes a connection whose transaction failed or was cancelled, so that it does not go back to the pool. The work must
/// not keep its own [`Session`] beyond its end: that would pass the open transaction to the next caller.
struct SessionGuard(Option<Session>);

impl Drop for SessionGuard {
    fn drop(&mut self) {
        if let Some(client) = self.0.take().and_then(Arc::into_inner) {
            drop(Object::take(client));
        }
    }
}

impl Failure {
    /// Returns whether a retry may succeed.
    fn is_transient(&self) -> bool {
        let error = match self {
            Self::Refused(_) => return false,
            Self::Timeout => return true,
            Self::Database(error) => error,
        };
        if crate::tls::describe_error(error, TRUST_ADVICE).is_some() {
            return false;
        }
        let Some(code) = error.code() else {
            // The connection failed and not the database: closed, cut, refused.
            return error.is_closed()
                || causes(error).any(|cause| cause.downcast_ref::<std::io::Error>().is_some());
        };
        let conflicts = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            // Two transactions created the same thing: the second one finds it next time.
            SqlState::UNIQUE_VIOLATION,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            SqlState::TOO_MANY_CONNECTIONS,
        ];
        // 57P: the server shuts down or starts. 08: the connection.
        conflicts.contains(code) || code.code().starts_with("57P") || code.code().starts_with("08")
    }
}

/// Explains an error, with advice.
fn explain(error: &tokio_postgres::Error) -> String {
    let Some(db_error) = error.as_db_error() else {
        return crate::tls::describe_error(error, TRUST_ADVICE).unwrap_or_else(|| {
            // The library has no code for this.
            if causes(error).any(|cause| cause.to_string() == "server does not support TLS") { "it does not offer TLS. Turn on ssl there; sslmode=disable sends everything unencrypted" } else { "it cannot be reached. Check that it runs, its address and the network" }
            .to_owned()
        });
    };
    let code = db_error.code();
    let message = db_error.message();
    let credentials = [
        SqlState::INVALID_PASSWORD,
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
    ];
    let advice = if message.ends_with("no encryption") {
        "The database wants TLS: write sslmode=require into the address"
    } else if credentials.contains(code) {
        "Check the user in the address and the password in PGPASSWORD"
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        "Give the user of the address this right"
    } else {
        "Nothing was written"
    };
    format!("{message} ({}). {advice}", code.code())
}

//! PostgreSQL as this program speaks to it: addresses, connections kept, transactions that are tried again.
//!
//! Every call is asynchronous and bounded in time; none blocks the thread it runs on.

mod address;

pub use address::Address;

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

/// First pause before a second attempt, and the longest one.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long one attempt may take: a connection that is dead on the other side shows in nothing else.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How to trust the certificate authority of a database.
const TRUST: &str = "Name the authority's certificate in the address: sslrootcert=FILE";
/// What every session keeps to, by the database's clock: a process that stands still must not hold locks.
const MANNERS: &str = "SET idle_in_transaction_session_timeout = '8s'; SET lock_timeout = '8s'; \
     SET statement_timeout = '60s'";

/// Connections to one database, made when they are needed.
#[derive(Debug, Clone)]
pub struct Database {
    address: Address,
    pool: Pool,
    patience: Duration,
}

/// What a transaction sees, by the statement that begins it, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds(&'static str, Duration);

impl Bounds {
    /// Each statement sees what was committed before it.
    pub const SHORT: Self = Self("START TRANSACTION ISOLATION LEVEL READ COMMITTED", ATTEMPT);
    /// The same for as long as it takes, with pauses of a minute: for many rows at once.
    pub const WHOLE: Self = Self(
        "START TRANSACTION ISOLATION LEVEL READ COMMITTED; \
         SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '60s'",
        Duration::MAX,
    );
    /// All statements see one moment, for as long as it takes: for whole copies, whose pauses are bounded by whoever
    /// makes them. No lock is held that anybody waits for.
    pub const LONG: Self = Self(
        "START TRANSACTION ISOLATION LEVEL REPEATABLE READ; \
         SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '60s'",
        Duration::MAX,
    );
}

/// A connection while a transaction is open on it.
pub type Session = Arc<Client>;

/// What part of a transaction gives, or why it does not come about.
pub type AttemptResult<T> = std::result::Result<T, Failure>;

/// Why a transaction did not come about.
#[derive(Debug)]
pub enum Failure {
    /// The database, or the way to it.
    Database(tokio_postgres::Error),
    /// No answer in time, or no connection.
    Silent,
    /// What the work itself found: never tried again.
    Refused(Error),
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        if let PoolError::Backend(error) = error {
            return Self::Database(error);
        }
        Self::Silent
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl Database {
    /// At most `connections` to a database; none is made yet. A transaction is tried for as long as `patience`.
    ///
    /// # Errors
    /// [`Error::Store`] when the certificates to trust cannot be read.
    pub fn at(address: &Address, connections: usize, patience: Duration) -> Result<Self> {
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(address.config().clone(), address.tls()?, config);
        let pool = Pool::builder(manager)
            .max_size(connections)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(ATTEMPT))
            .create_timeout(Some(ATTEMPT))
            .recycle_timeout(Some(ATTEMPT))
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move {
                    let set = client.batch_execute(MANNERS).await;
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

    /// Where it is, without the password.
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// The same connections, with another patience; none is one attempt.
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Runs `work` in a transaction, again where the database says that it collided with another one or the
    /// connection was lost. A commit may have been done when its answer was lost, so the work must find what it did.
    ///
    /// # Errors
    /// [`Error::Store`] with what could not be done and why, or what the work itself refused.
    pub async fn transaction<T, F: Future<Output = AttemptResult<T>>>(
        &self,
        action: &str,
        work: impl FnMut(Session) -> F,
    ) -> Result<T> {
        self.bounded(action, Bounds::SHORT, work).await
    }

    /// As [`Self::transaction`], with other bounds.
    ///
    /// # Errors
    /// As [`Self::transaction`].
    pub async fn bounded<T, F: Future<Output = AttemptResult<T>>>(
        &self,
        action: &str,
        bounds: Bounds,
        mut work: impl FnMut(Session) -> F,
    ) -> Result<T> {
        let (began, mut pause) = (Instant::now(), PAUSE);
        loop {
            let failure = match self.attempt(bounds, &mut work).await {
                Ok(done) => return Ok(done),
                Err(Failure::Refused(error)) => return Err(error),
                Err(failure) => failure,
            };
            if !failure.may_pass() || began.elapsed() + pause > self.patience {
                return Err(self.told(action, &failure));
            }
            tracing::debug!(?failure, action, "tried again");
            tokio::time::sleep(pause / 2 + jitter(pause)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn attempt<T, F: Future<Output = AttemptResult<T>>>(
        &self,
        Bounds(begin, most): Bounds,
        work: &mut impl FnMut(Session) -> F,
    ) -> AttemptResult<T> {
        let session = Arc::new(self.pool.get().await?);
        let mut open = Open(Some(Arc::clone(&session)));
        let all = async move {
            session.batch_execute(begin).await?;
            let done = work(Arc::clone(&session)).await?;
            session.batch_execute("COMMIT").await?;
            Ok(done)
        };
        let done = tokio::time::timeout(most, all).await;
        let done = done.unwrap_or(Err(Failure::Silent))?;
        // Back to those that are kept.
        open.0 = None;
        Ok(done)
    }

    /// A failure in words to act on.
    pub fn told(&self, action: &str, failure: &Failure) -> Error {
        let address = &self.address;
        let (why, cause) = match failure {
            Failure::Refused(error) => return error.clone(),
            Failure::Silent => ("it does not answer".to_owned(), "no answer".to_owned()),
            Failure::Database(error) => (
                explained(error),
                econoscope_core::error::causes(chain(error)),
            ),
        };
        Error::store(
            format!("cannot {action} the database {address}: {why}."),
            cause,
        )
    }
}

/// A connection that is closed, not kept for the next one, when its transaction hangs, fails or is given up. Work gives
/// its share of the session back by ending: one kept elsewhere would bring an open transaction to the next caller.
struct Open(Option<Session>);

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(client) = self.0.take().and_then(Arc::into_inner) {
            drop(Object::take(client));
        }
    }
}

impl Failure {
    /// Whether it may go well the next time.
    fn may_pass(&self) -> bool {
        let error = match self {
            Self::Refused(_) => return false,
            Self::Silent => return true,
            Self::Database(error) => error,
        };
        if crate::tls::problem(error, TRUST).is_some() {
            return false;
        }
        let Some(code) = error.code() else {
            // Not the database's word but the way to it: closed, cut, refused.
            return error.is_closed()
                || chain(error).any(|cause| cause.downcast_ref::<std::io::Error>().is_some());
        };
        let collided = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            // Two made the same thing at once: the second finds it.
            SqlState::UNIQUE_VIOLATION,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            SqlState::TOO_MANY_CONNECTIONS,
        ];
        // 57P: the server goes down or comes up. 08: the connection.
        collided.contains(code)
            || ["57P", "08"]
                .iter()
                .any(|kind| code.code().starts_with(kind))
    }
}

fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

fn explained(error: &tokio_postgres::Error) -> String {
    let Some(told) = error.as_db_error() else {
        return crate::tls::problem(error, TRUST).unwrap_or_else(|| {
            // The library tells this in words alone.
            match chain(error).any(|cause| cause.to_string() == "server does not support TLS") {
                true => "it does not offer TLS. Turn on ssl there; sslmode=disable sends everything unencrypted",
                false => "it cannot be reached. Check that it runs, its address and the network",
            }
            .to_owned()
        });
    };
    let code = told.code();
    let what = told.message();
    let advice = if what.ends_with("no encryption") {
        "The database wants TLS: write sslmode=require into the address"
    } else if *code == SqlState::INVALID_PASSWORD
        || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION
    {
        "Check the user in the address and the password in PGPASSWORD"
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        "Give the user of the address this right"
    } else {
        "Nothing was written"
    };
    format!("{what} ({}). {advice}", code.code())
}

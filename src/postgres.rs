//! PostgreSQL as this program speaks to it: addresses, connections kept, transactions that are tried again.
//!
//! Every call is asynchronous and bounded in time; none blocks the thread it runs on.

mod address;

pub(crate) use address::Address;

use crate::clock::jitter;
use crate::error::{Error, Result};
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod,
    Runtime, Transaction,
};
use futures_util::future::BoxFuture;
use std::time::{Duration, Instant};
use tokio_postgres::IsolationLevel;
use tokio_postgres::error::SqlState;

/// First pause before a second attempt, and the longest one.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long one attempt may take: a connection that is dead on the other side shows in nothing else.
const ATTEMPT: Duration = Duration::from_secs(10);
/// What every session keeps to, by the database's clock: a process that stands still must not hold locks.
const MANNERS: &str = "SET idle_in_transaction_session_timeout = '8s'; SET lock_timeout = '8s'; \
     SET statement_timeout = '60s'";

/// Connections to one database, made when they are needed.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    address: Address,
    pool: Pool,
    patience: Duration,
}

/// What a transaction does: again from the beginning when the database asks for it, or the connection was lost.
pub(crate) type Work<'a, T> = BoxFuture<'a, std::result::Result<T, Failure>>;

/// Why a transaction did not come about.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The database, or the way to it.
    Database(tokio_postgres::Error),
    /// No connection.
    Unreachable(PoolError),
    /// No answer in time.
    Silent,
    /// What the work itself found: never tried again.
    Refused(Error),
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
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
    pub(crate) fn at(address: &Address, connections: usize, patience: Duration) -> Result<Self> {
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
    pub(crate) const fn address(&self) -> &Address {
        &self.address
    }

    /// A connection of one's own, outside of those that are kept: for listening.
    ///
    /// # Errors
    /// What the way to the database says.
    pub(crate) async fn alone(
        &self,
    ) -> Result<(
        tokio_postgres::Client,
        tokio_postgres::Connection<tokio_postgres::Socket, TlsStream>,
    )> {
        let tls = self.address.tls()?;
        let made = self.address.config().connect(tls).await;
        made.map_err(|e| self.told("reach", &Failure::Database(e)))
    }

    /// Runs `work` in a transaction, again where the database says that it collided with another one or the
    /// connection was lost. A commit may have been done when its answer was lost, so the work must find what it did.
    ///
    /// # Errors
    /// [`Error::Store`] with what could not be done and why, or what the work itself refused.
    pub(crate) async fn transaction<T>(
        &self,
        action: &str,
        work: impl for<'a> FnMut(&'a Transaction<'a>) -> Work<'a, T>,
    ) -> Result<T> {
        self.attempts(action, IsolationLevel::ReadCommitted, work)
            .await
    }

    /// As [`Self::transaction`], but all of one moment and without a write.
    ///
    /// # Errors
    /// As [`Self::transaction`].
    pub(crate) async fn snapshot<T>(
        &self,
        action: &str,
        work: impl for<'a> FnMut(&'a Transaction<'a>) -> Work<'a, T>,
    ) -> Result<T> {
        self.attempts(action, IsolationLevel::RepeatableRead, work)
            .await
    }

    async fn attempts<T>(
        &self,
        action: &str,
        level: IsolationLevel,
        mut work: impl for<'a> FnMut(&'a Transaction<'a>) -> Work<'a, T>,
    ) -> Result<T> {
        let (began, mut pause) = (Instant::now(), PAUSE);
        loop {
            let failure = match self.attempt(level, &mut work).await {
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

    async fn attempt<T>(
        &self,
        level: IsolationLevel,
        work: &mut impl for<'a> FnMut(&'a Transaction<'a>) -> Work<'a, T>,
    ) -> std::result::Result<T, Failure> {
        let mut client = self.pool.get().await.map_err(Failure::Unreachable)?;
        // Reading a whole store may take its time, and has bounds of its own.
        let is_long = matches!(level, IsolationLevel::RepeatableRead);
        let most = if is_long { Duration::MAX } else { ATTEMPT };
        match tokio::time::timeout(most, within(&mut client, level, work)).await {
            Ok(done) => {
                if done.is_err() {
                    drop(Object::take(client));
                }
                done
            }
            Err(_) => {
                // What hangs is closed, not kept for the next one.
                drop(Object::take(client));
                Err(Failure::Silent)
            }
        }
    }

    /// A failure in words to act on.
    fn told(&self, action: &str, failure: &Failure) -> Error {
        let address = &self.address;
        let (why, cause) = match failure {
            Failure::Refused(error) => return error.clone(),
            Failure::Silent => ("it does not answer".to_owned(), "no answer".to_owned()),
            Failure::Unreachable(PoolError::Backend(error)) | Failure::Database(error) => {
                (explained(error), crate::error::causes(chain(error)))
            }
            Failure::Unreachable(error) => (
                "no connection could be had in time".to_owned(),
                error.to_string(),
            ),
        };
        Error::store(
            format!("cannot {action} the database {address}: {why}."),
            cause,
        )
    }
}

/// What encrypts a connection.
pub(crate) type TlsStream =
    <tokio_postgres_rustls::MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<
        tokio_postgres::Socket,
    >>::Stream;

async fn within<T>(
    client: &mut Client,
    level: IsolationLevel,
    work: &mut impl for<'a> FnMut(&'a Transaction<'a>) -> Work<'a, T>,
) -> std::result::Result<T, Failure> {
    let begun = client.build_transaction().isolation_level(level);
    let transaction = begun.start().await?;
    let done = work(&transaction).await?;
    transaction.commit().await?;
    Ok(done)
}

impl Failure {
    /// Whether it may go well the next time.
    fn may_pass(&self) -> bool {
        let error = match self {
            Self::Refused(_) => return false,
            Self::Silent => return true,
            Self::Unreachable(PoolError::Backend(error)) | Self::Database(error) => error,
            Self::Unreachable(_) => return true,
        };
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
        return "it cannot be reached. Check that it runs, its address and the network".to_owned();
    };
    let code = told.code();
    let what = told.message();
    let advice = if *code == SqlState::INVALID_PASSWORD
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

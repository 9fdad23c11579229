//! Counters in Redis or Valkey that many machines share: one script, one round trip per request.
//!
//! A request waits at most 40 ms for the server. During an outage each machine counts alone, from zero; these counts are not
//! merged afterwards.

use super::counters::{Counters, fresh_salt, hex};
use super::policy::{Charge, LimitExceeded, Policy, Quota};
use econoscope_core::clock::Clock;
use econoscope_core::error::NOTICE_TARGET;
use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};
use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// How long a request waits for the server.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(40);
/// Time limit for connecting, and the pause between two attempts.
const RETRY: Duration = Duration::from_secs(1);
const TOO_SLOW: &str = "does not answer in time";
/// How to trust the certificate authority of the server.
const TRUST: &str = "Add the authority's certificate to those of this machine, or name a file with it in SSL_CERT_FILE";
/// The prefix of all keys. As a hash tag it makes a cluster store them on one node.
const PREFIX: &str = "{econoscope}";

/// The status of the shared counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedCountersStatus {
    /// Whether there is a connection.
    pub is_connected: bool,
    /// Number of outages.
    pub outages: u64,
    /// Requests that were counted on this machine alone.
    pub counted_locally: u64,
    /// Longest time that a request waited for the server.
    pub longest_wait: Duration,
    /// Whether the current outage is in the log.
    is_reported: bool,
}

/// The client of the shared counters.
pub(super) struct SharedCounters {
    client: Client,
    script: Script,
    /// The address without its secrets.
    address: String,
    /// What the salt of a day is made from, where this server is the day's first.
    secret: String,
    clock: Arc<dyn Clock>,
    local: Arc<Mutex<Counters>>,
    connection: Mutex<Option<MultiplexedConnection>>,
    status: Mutex<SharedCountersStatus>,
}

impl SharedCounters {
    /// Starts to connect in the background, on the current runtime. Returns `None` for an invalid address
    /// ([`RedisAddress::check`]).
    pub(super) fn connect(
        address: &RedisAddress,
        clock: Arc<dyn Clock>,
        local: Arc<Mutex<Counters>>,
    ) -> Option<Arc<Self>> {
        econoscope_data::net::install_tls_provider();
        let shared = Arc::new(Self {
            client: address.check().ok()?.clone(),
            script: Script::new(include_str!("charge.lua")),
            address: address.to_string(),
            secret: hex(&fresh_salt()),
            clock,
            local,
            connection: Mutex::default(),
            status: Mutex::default(),
        });
        shared.reconnect();
        Some(shared)
    }

    /// Charges a request on the server, or on this machine if the server does not answer.
    ///
    /// # Errors
    /// [`LimitExceeded`], without a charge.
    pub(super) async fn charge(
        self: &Arc<Self>,
        address: IpAddr,
        charge: &Charge,
    ) -> Result<Option<Quota>, LimitExceeded> {
        let connection = self.connection.lock().clone();
        if let Some(connection) = connection {
            let start = Instant::now();
            let call = self.run_script(connection, address, *charge, 1);
            let outcome = timeout(REQUEST_TIMEOUT, call).await;
            let mut status = self.status.lock();
            status.longest_wait = status.longest_wait.max(start.elapsed());
            drop(status);
            match outcome {
                Ok(Ok(decision)) => return decision,
                Ok(Err(error)) => self.disconnect(&describe(&error)),
                Err(_) => self.disconnect(TOO_SLOW),
            }
        }
        self.status.lock().counted_locally += 1;
        let now = self.clock.now();
        self.local.lock().charge(address, charge, &now)
    }

    /// Gives one request back, in the background.
    pub(super) fn refund(self: &Arc<Self>, address: IpAddr, policy: Policy) {
        let Some(connection) = self.connection.lock().clone() else {
            let now = self.clock.now();
            return self.local.lock().refund(address, policy, &now);
        };
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            let daily = Some((policy, 0));
            let charge = Charge { burst: None, daily };
            if let Err(error) = shared.run_script(connection, address, charge, -1).await {
                shared.disconnect(&describe(&error));
            }
        });
    }

    /// Returns the status.
    pub(super) fn status(&self) -> SharedCountersStatus {
        let is_connected = self.connection.lock().is_some();
        SharedCountersStatus {
            is_connected,
            ..*self.status.lock()
        }
    }

    /// Tries to connect in the background until it succeeds or the counters are dropped.
    fn reconnect(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(shared) = weak.upgrade() {
                match timeout(RETRY, shared.open_connection()).await {
                    Ok(Ok(connection)) => {
                        *shared.connection.lock() = Some(connection);
                        let address = &shared.address;
                        tracing::info!(target: NOTICE_TARGET, "limits are shared through {address}");
                        return;
                    }
                    Ok(Err(error)) => shared.report(&describe(&error)),
                    Err(_) => shared.report(TOO_SLOW),
                }
                drop(shared);
                tokio::time::sleep(RETRY).await;
            }
        });
    }

    /// Logs a warning, once per outage.
    fn report(&self, problem: &str) {
        let is_reported = std::mem::replace(&mut self.status.lock().is_reported, true);
        if !is_reported {
            let address = &self.address;
            tracing::warn!(
                "the server of shared limits {address} {problem}; this server counts alone until it is reachable"
            );
        }
    }

    /// Connects, and runs the script without a charge, since a server may accept connections and still refuse it.
    async fn open_connection(&self) -> redis::RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RETRY))
            .set_response_timeout(Some(RETRY));
        let connection = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let address = Ipv4Addr::UNSPECIFIED.into();
        let call = self.run_script(connection.clone(), address, Charge::default(), 1);
        call.await.map(|_| connection)
    }

    /// Runs the script. `amount` is 1 to charge the allowance, and -1 to give one request back.
    async fn run_script(
        &self,
        mut connection: MultiplexedConnection,
        address: IpAddr,
        charge: Charge,
        amount: i32,
    ) -> redis::RedisResult<Result<Option<Quota>, LimitExceeded>> {
        let (name, limit) = charge
            .daily
            .map_or(("", 0), |(policy, limit)| (policy.name(), limit));
        let (cost, max) = charge.burst.map_or((0, 0), |burst| (burst.cost, burst.max));
        let mut call = self.script.key(PREFIX);
        call.arg(&self.secret).arg(address.to_string());
        call.arg(name).arg(limit).arg(amount).arg(cost).arg(max);
        let (decision, now, count, wait): (u8, i64, u32, u64) =
            call.invoke_async(&mut connection).await?;
        let moment = self.clock.now();
        let quota = charge.daily.map(|(policy, limit)| {
            let remaining = limit.saturating_sub(count);
            Quota::new(policy, limit, remaining, now, &moment)
        });
        Ok(match (decision, quota) {
            (1, _) => Err(LimitExceeded::burst(Duration::from_millis(wait))),
            (2, Some(quota)) => Err(LimitExceeded::daily(quota)),
            _ => Ok(quota),
        })
    }

    /// Drops the connection and starts to reconnect, unless that has happened already.
    fn disconnect(self: &Arc<Self>, problem: &str) {
        if self.connection.lock().take().is_none() {
            return;
        }
        let mut status = self.status.lock();
        (status.outages, status.is_reported) = (status.outages + 1, false);
        drop(status);
        self.report(problem);
        self.reconnect();
    }
}

/// Describes an error, as the continuation of a sentence that starts with the server's name. It has nothing of the request.
fn describe(error: &RedisError) -> String {
    if let Some(code) = error.code() {
        return format!("answers {code}");
    }
    if let Some(about_tls) = econoscope_data::tls::describe_error(error, TRUST) {
        return format!("cannot be used: {about_tls}");
    }
    if error.is_timeout() {
        return TOO_SLOW.to_owned();
    }
    if error.is_connection_dropped() && !error.is_connection_refusal() {
        return "closes the connection. If it requires TLS, write rediss:// instead of redis://"
            .to_owned();
    }
    format!("cannot be used: {}", error.category())
}

/// Address of a Redis or Valkey server, as `redis://user:password@host:6379/0`, or `rediss://` for TLS.
///
/// `None` if the argument is invalid. Formatting omits user and password.
#[derive(Clone)]
pub struct RedisAddress(Option<Client>);

impl RedisAddress {
    /// Parses an argument, and accepts an invalid one: the command line's parser repeats what it rejects, and it must not
    /// repeat a password. [`Self::check`] reports an invalid address.
    ///
    /// # Errors
    /// None.
    pub fn from_argument(text: &str) -> Result<Self, Infallible> {
        let address = text.trim();
        // The client would also accept sockets of this machine, and TLS without a check of certificates (`#insecure`).
        let has_scheme = address.starts_with("redis://") || address.starts_with("rediss://");
        let client = Client::open(address).ok();
        Ok(Self(
            client.filter(|_| has_scheme && !address.contains('#')),
        ))
    }

    /// Returns the client of the server.
    ///
    /// # Errors
    /// An explanation without the text of the address.
    pub fn check(&self) -> Result<&Client, &'static str> {
        self.0.as_ref().ok_or(
            "is not the address of a Redis server; write redis://host:6379/0, or rediss:// for TLS",
        )
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(client) => client.get_connection_info().addr().fmt(f),
            None => f.write_str("(no address)"),
        }
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_printed_without_secrets() {
        let address = RedisAddress::from_argument("redis://me:s3cret@cache.example/2").unwrap();
        assert_eq!(address.to_string(), "cache.example:6379");
        assert!(!format!("{address:?}").contains("s3cret"));
        for text in [
            "redis://10.0.0.1",
            "rediss://:p%40ss@[::1]:6380/0",
            "redis://u:p@h:1/15",
        ] {
            let address = RedisAddress::from_argument(text).unwrap();
            assert!(address.check().is_ok(), "{text}");
        }
        for text in [
            "",
            "s3cret",
            "http://h/0",
            "redis:///0",
            "redis://h/s3cret",
            "rediss://h/0#insecure",
        ] {
            let address = RedisAddress::from_argument(text).unwrap();
            let error = address.check().unwrap_err();
            assert!(!error.contains("s3cret"), "{text}");
        }
    }
}

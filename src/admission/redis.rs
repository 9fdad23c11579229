//! Counters in Redis or Valkey that many machines share: one script, one round trip per request.
//!
//! A request waits at most 40 ms for the server. During an outage each machine counts alone, starting from the counts it saw
//! last; these counts are not merged afterwards.

use super::counters::{Counters, Key, fresh_salt, hash, hex};
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
use url::Url;

/// How long a request waits for the server.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(40);
/// Time limit for connecting, and the pause between two attempts.
const RETRY: Duration = Duration::from_secs(1);
const TOO_SLOW: &str = "does not answer in time";
/// How to trust the certificate authority of the server.
const TRUST: &str = "Add the authority's certificate to those of this machine, or name a file with it in SSL_CERT_FILE";
/// The key with the number of the day and the salt of its hashes. The first machine of a day sets it. All keys have one hash
/// tag, so that a cluster stores them on one node.
const DAY_KEY: &str = "{econoscope}:day";

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
    clock: Arc<dyn Clock>,
    local: Arc<Mutex<Counters>>,
    session: Mutex<Option<Session>>,
    status: Mutex<SharedCountersStatus>,
}

/// A connection with the server's day, as the value of [`DAY_KEY`]; empty until it is known.
type Session = (MultiplexedConnection, Arc<str>);

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
            clock,
            local,
            session: Mutex::default(),
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
        if let Some((connection, day)) = self.session() {
            let start = Instant::now();
            let call = self.run_script(connection, day, address, charge);
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
        let now = self.clock.now();
        self.local.lock().refund(address, policy, &now);
        if let Some((mut connection, day)) = self.session() {
            let shared = Arc::clone(self);
            tokio::spawn(async move {
                let mut command = redis::cmd("HINCRBY");
                command.arg(usage_key(&day, &hash(day.as_bytes(), address)));
                command.arg(policy.name()).arg(-1);
                if let Err(error) = command.exec_async(&mut connection).await {
                    shared.disconnect(&describe(&error));
                }
            });
        }
    }

    /// Returns the status.
    pub(super) fn status(&self) -> SharedCountersStatus {
        let is_connected = self.session.lock().is_some();
        SharedCountersStatus {
            is_connected,
            ..*self.status.lock()
        }
    }

    fn session(&self) -> Option<Session> {
        self.session.lock().clone()
    }

    /// Tries to connect in the background until it succeeds or the counters are dropped.
    fn reconnect(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(shared) = weak.upgrade() {
                match timeout(RETRY, shared.open_session()).await {
                    Ok(Ok(())) => {
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

    /// Connects, and reads the server's day by a call that charges nothing.
    async fn open_session(&self) -> redis::RedisResult<()> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RETRY))
            .set_response_timeout(Some(RETRY));
        let connection = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        let (connection, address) = (connection.await?, Ipv4Addr::UNSPECIFIED.into());
        let no_charge = Charge::default();
        let call = self.run_script(connection, Arc::default(), address, &no_charge);
        call.await.map(drop)
    }

    /// Runs the script, and runs it again if the server has another day. The first call of a day passes a salt.
    async fn run_script(
        &self,
        mut connection: MultiplexedConnection,
        mut day: Arc<str>,
        address: IpAddr,
        charge: &Charge,
    ) -> redis::RedisResult<Result<Option<Quota>, LimitExceeded>> {
        let (name, limit) = charge
            .daily
            .map_or(("", 0), |(policy, limit)| (policy.name(), limit));
        let (cost, max) = charge.burst.map_or((0, 0), |burst| (burst.cost, burst.max));
        for _ in 0..3 {
            let hash = hash(day.as_bytes(), address);
            let salt = day.is_empty().then(|| hex(&fresh_salt()));
            let mut script = self.script.key(usage_key(&day, &hash));
            script.key(DAY_KEY).arg(&*day).arg(salt.unwrap_or_default());
            script.arg(name).arg(limit).arg(cost).arg(max);
            let (decision, now, count, wait, server_day): (u8, i64, u32, u64, String) =
                script.invoke_async(&mut connection).await?;
            let moment = self.clock.now();
            let quota = charge.daily.map(|(policy, limit)| {
                let remaining = limit.saturating_sub(count);
                Quota::new((now, &moment), (policy, limit), remaining)
            });
            if let (0 | 2, Some((policy, _))) = (decision, charge.daily) {
                let mut local = self.local.lock();
                local.raise(address, policy, count, &moment);
            }
            match (decision, quota) {
                (0, quota) => return Ok(Ok(quota)),
                (1, _) => return Ok(Err(LimitExceeded::burst(Duration::from_millis(wait)))),
                (2, Some(quota)) => return Ok(Err(LimitExceeded::daily(quota, &hash))),
                _ => {
                    day = server_day.into();
                    *self.session.lock() = Some((connection.clone(), Arc::clone(&day)));
                }
            }
        }
        Err((redis::ErrorKind::Client, "changes its day at every call").into())
    }

    /// Drops the connection and starts to reconnect, unless that has happened already.
    fn disconnect(self: &Arc<Self>, problem: &str) {
        if self.session.lock().take().is_none() {
            return;
        }
        let mut status = self.status.lock();
        (status.outages, status.is_reported) = (status.outages + 1, false);
        drop(status);
        self.report(problem);
        self.reconnect();
    }
}

/// Returns the key for the usage of a hashed address.
fn usage_key(day: &str, hash: &Key) -> String {
    let number = day.split(' ').next().unwrap_or_default();
    format!("{{econoscope}}:{number}:{}", hex(hash))
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
pub struct RedisAddress(Option<(Url, Client)>);

impl RedisAddress {
    /// Parses an argument, and accepts an invalid one: the command line's parser repeats what it rejects, and it must not
    /// repeat a password. [`Self::check`] reports an invalid address.
    ///
    /// # Errors
    /// None.
    pub fn from_argument(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        let is_supported = |url: &Url| {
            let is_plain = url.query().is_none() && url.fragment().is_none();
            is_plain && url.has_host() && matches!(url.scheme(), "redis" | "rediss")
        };
        let url = Url::parse(text).ok().filter(is_supported);
        // The client's parser checks the rest, such as database numbers and percent signs in passwords.
        Ok(Self(url.zip(Client::open(text).ok())))
    }

    /// Returns the client of the server.
    ///
    /// # Errors
    /// An explanation without the text of the address.
    pub fn check(&self) -> Result<&Client, &'static str> {
        let client = self.0.as_ref().map(|(_, client)| client);
        client.ok_or(
            "is not the address of a Redis server; write redis://host:6379/0, or rediss:// for TLS",
        )
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((url, _)) = &self.0 else {
            return f.write_str("(no address)");
        };
        let (host, port) = (
            url.host_str().unwrap_or_default(),
            url.port().unwrap_or(6379),
        );
        write!(f, "{}://{host}:{port}{}", url.scheme(), url.path())
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
        assert_eq!(address.to_string(), "redis://cache.example:6379/2");
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
            "redis://h/0?x=s3cret",
        ] {
            let address = RedisAddress::from_argument(text).unwrap();
            let error = address.check().unwrap_err();
            assert!(!error.contains("s3cret"), "{text}");
        }
    }
}

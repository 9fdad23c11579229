//! Limits that many machines share, in Redis or Valkey: one script, one round trip.
//!
//! No request waits for the server longer than 50 ms. While it is away each machine counts by itself, from what it last
//! heard; what was granted meanwhile is not brought into the shared counts afterwards.

use super::counters::{Counters, Key, fresh_salt, hash, hex};
use super::policy::{Charge, Policy, Refusal, Standing};
use econoscope_core::clock::Clock;
use econoscope_core::error::NOTICE;
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
const PATIENCE: Duration = Duration::from_millis(40);
/// How long a connection may take to be made, and the pause between two tries.
const RETRY: Duration = Duration::from_secs(1);
const TOO_SLOW: &str = "does not answer in time";
/// How to trust the certificate authority of the server.
const TRUST: &str = "Add the authority's certificate to those of this machine, or name a file with it in SSL_CERT_FILE";
/// Where the number of the day and the key of its hashes are kept: those of whoever came first. All keys have one hash tag,
/// so that the script finds them on one node.
const DAY_KEY: &str = "{econoscope}:day";

/// How the shared counts are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedState {
    /// Whether the server is asked.
    pub is_there: bool,
    /// How often it went away.
    pub outages: u64,
    /// Requests that were counted here alone.
    pub alone: u64,
    /// How long a request waited for the server at most.
    pub longest_wait: Duration,
    /// Whether the log tells of the present outage.
    is_told: bool,
}

/// The counts that many machines share, as this one sees them.
pub(super) struct Shared {
    client: Client,
    script: Script,
    shown: String,
    clock: Arc<dyn Clock>,
    local: Arc<Mutex<Counters>>,
    /// The connection, while there is one.
    link: Mutex<Option<Link>>,
    state: Mutex<SharedState>,
}

/// A connection, and the day of the server as [`DAY_KEY`] has it; empty until it is known.
type Link = (MultiplexedConnection, Arc<str>);

impl Shared {
    /// Begins to connect, in the runtime that this is called in. `None` for what is no address ([`RedisAddress::check`]).
    pub(super) fn begin(
        address: &RedisAddress,
        clock: Arc<dyn Clock>,
        local: Arc<Mutex<Counters>>,
    ) -> Option<Arc<Self>> {
        econoscope_data::net::choose_tls();
        let shared = Arc::new(Self {
            client: address.check().ok()?.clone(),
            script: Script::new(include_str!("charge.lua")),
            shown: address.to_string(),
            clock,
            local,
            link: Mutex::default(),
            state: Mutex::default(),
        });
        shared.keep_connecting();
        Some(shared)
    }

    /// Charges a request there, or here alone.
    ///
    /// # Errors
    /// [`Refusal`] when nothing is left; that costs nothing.
    pub(super) async fn charge(
        self: &Arc<Self>,
        address: IpAddr,
        charge: &Charge,
    ) -> Result<Option<Standing>, Refusal> {
        if let Some((connection, day)) = self.connection() {
            let start = Instant::now();
            let asked = timeout(PATIENCE, self.ask(connection, day, address, charge)).await;
            let mut state = self.state.lock();
            state.longest_wait = state.longest_wait.max(start.elapsed());
            drop(state);
            match asked {
                Ok(Ok(verdict)) => return verdict,
                Ok(Err(error)) => self.lose(&problem(&error)),
                Err(_) => self.lose(TOO_SLOW),
            }
        }
        self.state.lock().alone += 1;
        let now = self.clock.now();
        self.local.lock().charge(address, charge, &now)
    }

    /// Gives one request back; nobody waits for it.
    pub(super) fn refund(self: &Arc<Self>, address: IpAddr, policy: Policy) {
        let now = self.clock.now();
        self.local.lock().refund(address, policy, &now);
        if let Some((mut connection, day)) = self.connection() {
            let shared = Arc::clone(self);
            tokio::spawn(async move {
                let mut back = redis::cmd("HINCRBY");
                back.arg(usage_key(&day, &hash(day.as_bytes(), address)));
                back.arg(policy.name()).arg(-1);
                if let Err(error) = back.exec_async(&mut connection).await {
                    shared.lose(&problem(&error));
                }
            });
        }
    }

    /// How it is doing.
    pub(super) fn state(&self) -> SharedState {
        let is_there = self.link.lock().is_some();
        SharedState {
            is_there,
            ..*self.state.lock()
        }
    }

    fn connection(&self) -> Option<Link> {
        self.link.lock().clone()
    }

    /// Tries to connect until it succeeds, or nobody counts here any more.
    fn keep_connecting(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(shared) = weak.upgrade() {
                let connected = timeout(RETRY, shared.connect()).await;
                match connected.map_err(|_| TOO_SLOW.to_owned()) {
                    Ok(Ok(())) => {
                        let shown = &shared.shown;
                        tracing::info!(target: NOTICE, "limits are shared through {shown}");
                        return;
                    }
                    Ok(Err(error)) => shared.complain(&problem(&error)),
                    Err(problem) => shared.complain(&problem),
                }
                drop(shared);
                tokio::time::sleep(RETRY).await;
            }
        });
    }

    /// Warns once an outage.
    fn complain(&self, problem: &str) {
        let is_told = std::mem::replace(&mut self.state.lock().is_told, true);
        if !is_told {
            tracing::warn!(
                "the limits' server {} {problem}; this server goes on alone until it is there",
                self.shown
            );
        }
    }

    /// Connects, and reads the day by charging nothing.
    async fn connect(&self) -> redis::RedisResult<()> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RETRY))
            .set_response_timeout(Some(RETRY));
        let client = &self.client;
        let connecting = client.get_multiplexed_async_connection_with_config(&config);
        let nothing = Charge {
            burst: None,
            day: None,
        };
        let (connection, nobody) = (connecting.await?, Ipv4Addr::UNSPECIFIED.into());
        let asked = self.ask(connection, Arc::default(), nobody, &nothing);
        asked.await.map(drop)
    }

    /// Asks the server, again when its day is another one than it seemed; of a new day the key is to be brought.
    async fn ask(
        &self,
        mut connection: MultiplexedConnection,
        mut day: Arc<str>,
        address: IpAddr,
        charge: &Charge,
    ) -> redis::RedisResult<Result<Option<Standing>, Refusal>> {
        let (name, limit) = charge
            .day
            .map_or(("", 0), |(policy, limit)| (policy.name(), limit));
        let (cost, max) = charge.burst.map_or((0, 0), |burst| (burst.cost, burst.max));
        for _ in 0..3 {
            let hash = hash(day.as_bytes(), address);
            let new = day.is_empty().then(|| hex(&fresh_salt()));
            let mut script = self.script.key(usage_key(&day, &hash));
            script.key(DAY_KEY).arg(&*day).arg(new.unwrap_or_default());
            script.arg(name).arg(limit).arg(cost).arg(max);
            let (verdict, now, count, wait, there): (u8, i64, u32, u64, String) =
                script.invoke_async(&mut connection).await?;
            let moment = self.clock.now();
            let standing = charge.day.map(|(policy, limit)| {
                let left = limit.saturating_sub(count);
                Standing::at((now, &moment), (policy, limit), left)
            });
            if let (0 | 2, Some((policy, _))) = (verdict, charge.day) {
                let mut local = self.local.lock();
                local.note(address, policy, count, &moment);
            }
            match (verdict, standing) {
                (0, standing) => return Ok(Ok(standing)),
                (1, _) => return Ok(Err(Refusal::burst(Duration::from_millis(wait)))),
                (2, Some(standing)) => return Ok(Err(Refusal::day(standing, &hash))),
                _ => {
                    day = there.into();
                    *self.link.lock() = Some((connection.clone(), Arc::clone(&day)));
                }
            }
        }
        Err((redis::ErrorKind::Client, "cannot say which day it is").into())
    }

    /// Counts here alone until the server is there again.
    fn lose(self: &Arc<Self>, problem: &str) {
        if self.link.lock().take().is_none() {
            return;
        }
        let mut state = self.state.lock();
        (state.outages, state.is_told) = (state.outages + 1, false);
        drop(state);
        self.complain(problem);
        self.keep_connecting();
    }
}

/// Where the usage of a hashed address is counted.
fn usage_key(day: &str, hash: &Key) -> String {
    let number = day.split(' ').next().unwrap_or_default();
    format!("{{econoscope}}:{number}:{}", hex(hash))
}

/// Why the server is not asked, to follow its name; nothing of what it was asked.
fn problem(error: &RedisError) -> String {
    if let Some(code) = error.code() {
        return format!("answers {code}");
    }
    if let Some(about_tls) = econoscope_data::tls::problem(error, TRUST) {
        return format!("cannot be used: {about_tls}");
    }
    if error.is_timeout() {
        return TOO_SLOW.to_owned();
    }
    if error.is_connection_dropped() && !error.is_connection_refusal() {
        return "closes the connection. If it wants TLS, write rediss:// instead of redis://"
            .to_owned();
    }
    format!("cannot be used: {}", error.category())
}

/// Address of a Redis or Valkey server, as `redis://user:password@host:6379/0` or `rediss://` with TLS; nothing where that
/// is not what was given. Prints without name and password.
#[derive(Clone)]
pub struct RedisAddress(Option<(Url, Client)>);

impl RedisAddress {
    /// Takes what was given for an address, right or not: the reader of the command line repeats what it refuses, and
    /// a password must not be repeated. [`Self::check`] is for afterwards.
    ///
    /// # Errors
    /// None.
    pub fn given(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        let is_ours = |url: &Url| {
            let is_plain = url.query().is_none() && url.fragment().is_none();
            is_plain && url.has_host() && matches!(url.scheme(), "redis" | "rediss")
        };
        let url = Url::parse(text).ok().filter(is_ours);
        // Its own reader knows the rest: numbers of databases, percent signs in passwords.
        Ok(Self(url.zip(Client::open(text).ok())))
    }

    /// The client of the server.
    ///
    /// # Errors
    /// What is wrong with the address; the text itself is not repeated.
    pub fn check(&self) -> Result<&Client, &'static str> {
        let client = self.0.as_ref().map(|(_, client)| client);
        client.ok_or("is no address of Redis; write redis://host:6379/0, or rediss:// for TLS")
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((url, _)) = &self.0 else {
            return f.write_str("(no address)");
        };
        let (host, port) = (url.host_str(), url.port().unwrap_or(6379));
        let (scheme, host) = (url.scheme(), host.unwrap_or_default());
        write!(f, "{scheme}://{host}:{port}{}", url.path())
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
    fn an_address_is_told_without_its_secrets() {
        let given = RedisAddress::given("redis://me:s3cret@cache.example/2").unwrap();
        assert_eq!(given.to_string(), "redis://cache.example:6379/2");
        assert!(!format!("{given:?}").contains("s3cret"));
        for text in [
            "redis://10.0.0.1",
            "rediss://:p%40ss@[::1]:6380/0",
            "redis://u:p@h:1/15",
        ] {
            assert!(RedisAddress::given(text).unwrap().check().is_ok(), "{text}");
        }
        for text in [
            "",
            "s3cret",
            "http://h/0",
            "redis:///0",
            "redis://h/s3cret",
            "redis://h/0?x=s3cret",
        ] {
            let given = RedisAddress::given(text).unwrap();
            let told = given.check().unwrap_err();
            assert!(!told.contains("s3cret"), "{text}");
        }
    }
}

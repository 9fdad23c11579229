//! Limits that many machines share, in Redis or Valkey: one script, one round trip.
//!
//! No request waits for the server longer than 50 ms. While it is away each machine counts by itself, from what it last
//! heard; what was granted meanwhile is not brought into the shared counts afterwards.

use super::counters::{Counters, Key, fresh_salt, hash, hex};
use super::policy::{Charge, DAY, Policy, Refusal, Standing};
use econoscope_core::clock::Clock;
use econoscope_core::error::NOTICE;
use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};
use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
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
/// How long the key of a day's hashes is kept, in milliseconds.
const SALT_KEPT: i64 = 2 * DAY;

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
    link: Mutex<Option<(MultiplexedConnection, Day)>>,
    state: Mutex<SharedState>,
}

/// A day and the key of its hashes, as all machines know them.
#[derive(Clone)]
struct Day {
    number: i64,
    salt: Arc<str>,
}

/// The server's answer to a charge.
#[derive(Debug)]
enum Verdict {
    Charged(u32),
    /// Too many at once; milliseconds to wait.
    Burst(u64),
    UsedUp(u32),
    /// It is another day there, or the key of the day was lost.
    OtherDay,
}

impl Shared {
    /// Begins to connect, in the runtime that this is called in. `None`, with an error in the log, for an address that
    /// cannot be used.
    pub(super) fn begin(
        address: &RedisAddress,
        clock: Arc<dyn Clock>,
        local: Arc<Mutex<Counters>>,
    ) -> Option<Arc<Self>> {
        econoscope_data::net::choose_tls();
        let client = address.check().inspect_err(|problem| {
            tracing::error!("--limits {problem}");
        });
        let shared = Arc::new(Self {
            client: client.ok()?.clone(),
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
                back.arg(day.usage_key(address)).arg(policy.name()).arg(-1);
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

    fn connection(&self) -> Option<(MultiplexedConnection, Day)> {
        self.link.lock().clone()
    }

    /// Tries to connect until it succeeds, or nobody counts here any more.
    fn keep_connecting(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(shared) = weak.upgrade() {
                let connected = timeout(RETRY, shared.connect()).await;
                match connected.map_err(|_| TOO_SLOW.to_owned()) {
                    Ok(Ok(link)) => {
                        *shared.link.lock() = Some(link);
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

    async fn connect(&self) -> redis::RedisResult<(MultiplexedConnection, Day)> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RETRY))
            .set_response_timeout(Some(RETRY));
        let client = &self.client;
        let connecting = client.get_multiplexed_async_connection_with_config(&config);
        let mut connection = connecting.await?;
        self.script.load_async(&mut connection).await?;
        let day = Day::of_server(&mut connection).await?;
        Ok((connection, day))
    }

    /// Asks the server, twice when its day is another one than it seemed.
    async fn ask(
        &self,
        mut connection: MultiplexedConnection,
        mut day: Day,
        address: IpAddr,
        charge: &Charge,
    ) -> redis::RedisResult<Result<Option<Standing>, Refusal>> {
        for _ in 0..2 {
            let (now, verdict) = self.invoke(&mut connection, &day, address, charge).await?;
            let moment = self.clock.now();
            let standing = |count| {
                let (policy, limit) = charge.day?;
                let mut local = self.local.lock();
                local.note(address, policy, count, &moment);
                let left = limit.saturating_sub(count);
                Some(Standing::at((now, &moment), (policy, limit), left))
            };
            match verdict {
                Verdict::Charged(count) => return Ok(Ok(standing(count))),
                Verdict::Burst(wait) => {
                    return Ok(Err(Refusal::burst(Duration::from_millis(wait))));
                }
                Verdict::UsedUp(count) => {
                    if let Some(standing) = standing(count) {
                        return Ok(Err(Refusal::day(standing, &day.hash(address))));
                    }
                }
                Verdict::OtherDay => {
                    day = Day::of_server(&mut connection).await?;
                    *self.link.lock() = Some((connection.clone(), day.clone()));
                }
            }
        }
        Err((redis::ErrorKind::Client, "cannot say which day it is").into())
    }

    async fn invoke(
        &self,
        connection: &mut MultiplexedConnection,
        day: &Day,
        address: IpAddr,
        charge: &Charge,
    ) -> redis::RedisResult<(i64, Verdict)> {
        let (name, limit) = charge
            .day
            .map_or(("", 0), |(policy, limit)| (policy.name(), limit));
        let (cost, max) = charge.burst.map_or((0, 0), |burst| (burst.cost, burst.max));
        let mut script = self.script.key(day.usage_key(address));
        script.key(day.salt_key());
        script.arg(day.number).arg(&*day.salt).arg(name);
        script.arg(limit).arg(cost).arg(max);
        let (verdict, now, count, wait): (u8, i64, u32, u64) =
            script.invoke_async(connection).await?;
        let verdict = match verdict {
            0 => Verdict::Charged(count),
            1 => Verdict::Burst(wait),
            2 => Verdict::UsedUp(count),
            _ => Verdict::OtherDay,
        };
        Ok((now, verdict))
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

impl Day {
    /// The day it is there, and its key: that of whoever came first.
    async fn of_server(connection: &mut MultiplexedConnection) -> redis::RedisResult<Self> {
        let (seconds, _): (i64, i64) = redis::cmd("TIME").query_async(connection).await?;
        let mut day = Self {
            number: (seconds * 1_000).div_euclid(DAY),
            salt: hex(&fresh_salt()).into(),
        };
        let mut set = redis::cmd("SET");
        set.arg(day.salt_key()).arg(&*day.salt).arg("NX");
        set.arg("PX").arg(SALT_KEPT).exec_async(connection).await?;
        let held: String = redis::cmd("GET")
            .arg(day.salt_key())
            .query_async(connection)
            .await?;
        day.salt = held.into();
        Ok(day)
    }

    fn hash(&self, address: IpAddr) -> Key {
        hash(self.salt.as_bytes(), address)
    }

    /// All keys have one hash tag, so that the script finds them on one node.
    fn usage_key(&self, address: IpAddr) -> String {
        format!(
            "{{econoscope}}:{}:{}",
            self.number,
            hex(&self.hash(address))
        )
    }

    fn salt_key(&self) -> String {
        format!("{{econoscope}}:{}", self.number)
    }
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

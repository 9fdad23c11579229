//! The way to the server: one connection for all who ask, and the three scripts that run there.

use super::address::RedisAddress;
use crate::admission::ledger::{Place, hex};
use crate::admission::policy::{Charge, DAY};
use crate::admission::saved::Key;
use crate::admission::used::Counts;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};
use std::time::Duration;

/// How long a replica that is silent is counted, in milliseconds.
const REMEMBERED: i64 = 10_000;
/// How long the server may take for what no request waits for.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long use is kept past its day, in milliseconds.
const KEPT: i64 = 3_600_000;

/// A connection that all who ask share.
pub(super) type Connection = MultiplexedConnection;

pub(super) const TOO_SLOW: &str = "does not answer in time";

/// Why the server is not asked, to follow its name; nothing of what it was asked.
pub(super) struct Problem(pub(super) String);

impl From<&str> for Problem {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}

impl From<RedisError> for Problem {
    fn from(error: RedisError) -> Self {
        Self(match error.code() {
            Some(code) => format!("answers {code}"),
            None if error.is_timeout() => TOO_SLOW.to_owned(),
            None => format!("cannot be used: {}", error.category()),
        })
    }
}

type Result<T> = std::result::Result<T, Problem>;

/// The server's word on a charge.
pub(super) enum Reply {
    /// Charged; the count of the day is now so high.
    Charged(u32),
    /// Too many at once; milliseconds to wait.
    Burst(u64),
    /// The day is used up.
    UsedUp(u32),
    /// It is another day there.
    OtherDay,
    /// The counts are not those that are known here: they were lost.
    Lost,
}

/// What the server says to a sign of life.
pub(super) struct Beat {
    /// Replicas there are.
    pub(super) replicas: u32,
    /// The day it is.
    pub(super) day: i64,
    /// The marks of this day and the next.
    pub(super) marks: [String; 2],
}

/// Where the server is, and what runs there.
pub(super) struct Link {
    client: Client,
    replica: String,
    charge: Script,
    beat: Script,
    tell: Script,
}

impl Link {
    /// Sends nothing.
    pub(super) fn new(address: &RedisAddress) -> redis::RedisResult<Self> {
        econoscope_data::net::choose_tls();
        Ok(Self {
            client: Client::open(address.expose())?,
            replica: format!("{:016x}", econoscope_core::clock::random()),
            charge: Script::new(include_str!("charge.lua")),
            beat: Script::new(include_str!("beat.lua")),
            tell: Script::new(include_str!("tell.lua")),
        })
    }

    pub(super) async fn connect(&self) -> Result<Connection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE));
        let connecting = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        let mut connection = connecting.await?;
        for script in [&self.charge, &self.beat, &self.tell] {
            script.load_async(&mut connection).await?;
        }
        Ok(connection)
    }

    /// What the server does when its memory is full: `noeviction`, or something that forgets counts.
    pub(super) async fn eviction(&self, connection: &mut Connection) -> redis::RedisResult<String> {
        let info: String = redis::cmd("INFO")
            .arg("memory")
            .query_async(connection)
            .await?;
        let mut lines = info.lines();
        let policy = lines.find_map(|line| line.strip_prefix("maxmemory_policy:"));
        Ok(policy.unwrap_or("noeviction").trim().to_owned())
    }

    /// The server's time, in milliseconds since 1970.
    pub(super) async fn time(&self, connection: &mut Connection) -> Result<i64> {
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(connection).await?;
        Ok(seconds * 1_000 + micros / 1_000)
    }

    /// Says that this replica is there, with marks for days that have none.
    pub(super) async fn beat(
        &self,
        connection: &mut Connection,
        now: i64,
        proposals: &[String; 2],
    ) -> Result<Beat> {
        let day = now.div_euclid(DAY);
        let mut beat = self.beat.key("{econoscope}:replicas");
        beat.key(mark_key(day)).key(mark_key(day + 1));
        beat.arg(&self.replica)
            .arg(now)
            .arg(REMEMBERED)
            .arg(proposals);
        let (replicas, today, tomorrow) = beat.invoke_async(connection).await?;
        Ok(Beat {
            replicas,
            day,
            marks: [today, tomorrow],
        })
    }

    /// Charges a request; also what time it is there.
    pub(super) async fn charge(
        &self,
        connection: &mut Connection,
        place: &Place,
        charge: &Charge,
    ) -> Result<(i64, Reply)> {
        let (name, limit) = charge
            .day
            .map_or(("", 0), |(policy, limit)| (policy.name(), limit));
        let (cost, max) = charge.burst.map_or((0, 0), |burst| (burst.cost, burst.max));
        let mut script = self.charge.key(use_key(place.day, &place.key));
        script.key(mark_key(place.day));
        script.arg(place.day).arg(&place.mark).arg(name);
        script.arg(limit).arg(cost).arg(max);
        let (verdict, now, count, wait): (u8, i64, u32, u64) =
            script.invoke_async(connection).await?;
        let reply = match verdict {
            0 => Reply::Charged(count),
            1 => Reply::Burst(wait),
            2 => Reply::UsedUp(count),
            3 => Reply::OtherDay,
            _ => Reply::Lost,
        };
        Ok((now, reply))
    }

    /// Brings uses into those of a day: what is known here of each address, and how many more there were.
    pub(super) async fn bring<'a>(
        &self,
        connection: &mut Connection,
        day: i64,
        uses: impl Iterator<Item = (&'a Key, &'a Counts, [i64; 3])>,
    ) -> Result<()> {
        let mut tell = self.tell.arg((day + 1) * DAY + KEPT);
        for (key, known, more) in uses {
            tell.key(use_key(day, key)).arg(known).arg(&more);
        }
        Ok(tell.invoke_async(connection).await?)
    }
}

/// All keys have one hash tag, so that a script finds them on one node.
fn use_key(day: i64, key: &Key) -> String {
    format!("{{econoscope}}:{day}:{}", hex(key))
}

fn mark_key(day: i64) -> String {
    format!("{{econoscope}}:{day}")
}

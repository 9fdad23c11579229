//! Limits that many machines share, in Redis or Valkey: one script, one round trip, one law.
//!
//! No request waits for the server longer than 50 ms: where it is away, slow or has lost the counts, each replica
//! goes on alone with its part of what was left, and brings what it granted into the counts when they are there again.
//! A task of its own keeps the connection, says once a second that this replica is there, and is alone in deciding when
//! the server may be asked again.

mod address;
mod link;

pub use address::RedisAddress;

use super::ledger::{Ledger, Place};
use super::policy::{Charge, DAY, Policy, Refusal, Standing};
use econoscope_core::clock::Clock;
use econoscope_core::error::NOTICE;
use link::{Beat, Connection, Link, Problem, Reply, TOO_SLOW};
use parking_lot::Mutex;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long a request waits for the server.
const PATIENCE: Duration = Duration::from_millis(30);
/// How long it waits once more: where this process stood still, the answer lies in the socket.
const GRACE: Duration = Duration::from_millis(8);
/// How fast the server has to be before it is asked again.
const BRISK: Duration = Duration::from_millis(20);
/// How often a replica says that it is there.
const BEAT: Duration = Duration::from_secs(1);
/// How often a server that is away is tried, at first and at last.
const TRIES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];
/// A server that went on for so long is tried again soon, and all replicas have shown themselves by then.
const STEADY: Duration = Duration::from_secs(10);
const LOST: &str = "has lost the counts";
/// Replicas that one is taken to have which never saw any.
const UNSEEN: u32 = 3;
/// Addresses told at once.
const AT_ONCE: usize = 200;

/// How the shared counts are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedState {
    /// Whether the server is asked.
    pub is_there: bool,
    /// Replicas last seen.
    pub replicas: u32,
    /// How often it went away.
    pub outages: u64,
    /// Requests that were judged alone.
    pub alone: u64,
    /// How long a request waited for the server at most.
    pub longest_wait: Duration,
}

/// The counts that many machines share, as this one sees them.
pub(super) struct Shared {
    inside: Arc<Inside>,
    /// Ends the task that keeps the connection.
    _keeping: JoinSet<()>,
}

struct Inside {
    link: Link,
    shown: String,
    clock: Arc<dyn Clock>,
    ledger: Mutex<Ledger>,
    /// The connection that requests use, and its number.
    connection: Mutex<Option<(u64, Connection)>>,
    lost: Notify,
    /// What happened so far; whether the server is there, and the replicas, are asked for in [`Shared::state`].
    past: Mutex<SharedState>,
}

impl Shared {
    /// Begins to look for the server, in the runtime that this is called in. `None`, with an error in the log, for an
    /// address that cannot be used.
    pub(super) fn begin(
        address: &RedisAddress,
        clock: Arc<dyn Clock>,
        max_addresses: usize,
    ) -> Option<Self> {
        let link = Link::new(address).inspect_err(|problem| {
            tracing::error!("--limits {address} cannot be used: {}", problem.category());
        });
        let inside = Arc::new(Inside {
            link: link.ok()?,
            shown: address.to_string(),
            ledger: Mutex::new(Ledger::new(clock.now(), max_addresses, UNSEEN)),
            clock,
            connection: Mutex::new(None),
            lost: Notify::new(),
            past: Mutex::default(),
        });
        let mut keeping = JoinSet::new();
        keeping.spawn(Arc::clone(&inside).keep());
        Some(Self {
            inside,
            _keeping: keeping,
        })
    }

    /// Charges a request there, or alone.
    ///
    /// # Errors
    /// [`Refusal`] when nothing is left; that costs nothing.
    pub(super) async fn charge(
        &self,
        address: IpAddr,
        charge: &Charge,
    ) -> Result<Option<Standing>, Refusal> {
        let inside = &self.inside;
        if let Some((number, connection)) = inside.connection() {
            let start = Instant::now();
            let mut asking = pin!(inside.ask(connection, address, charge));
            let mut asked = timeout(PATIENCE, &mut asking).await;
            if asked.is_err() {
                asked = timeout(GRACE, asking).await;
            }
            inside.waited(start.elapsed());
            match asked.map_err(|_| TOO_SLOW.into()).flatten() {
                Ok(verdict) => return verdict,
                Err(problem) => inside.lose(number, &problem),
            }
        }
        inside.past.lock().alone += 1;
        let now = inside.clock.now();
        inside.ledger.lock().charge_alone(address, charge, &now)
    }

    /// Gives one request back; nobody waits for it.
    pub(super) fn refund(&self, address: IpAddr, policy: Policy) {
        let inside = Arc::clone(&self.inside);
        let now = inside.clock.now();
        let place = inside.ledger.lock().place(address, &now);
        inside.ledger.lock().refund(&place, policy);
        let which = [Policy::General, Policy::Data, Policy::Pages];
        let which = which.map(|of| if of == policy { -1 } else { 0 });
        if let Some((number, mut connection)) = inside.connection() {
            tokio::spawn(async move {
                let back = [(&place.key, &[0; 3], which)].into_iter();
                let given = inside.link.bring(&mut connection, place.day, back).await;
                if let Err(problem) = given {
                    inside.lose(number, &problem);
                }
            });
        }
    }

    /// Addresses remembered now.
    pub(super) fn addresses(&self) -> usize {
        self.inside.ledger.lock().len()
    }

    /// How it is doing.
    pub(super) fn state(&self) -> SharedState {
        let inside = &self.inside;
        SharedState {
            is_there: inside.connection().is_some(),
            replicas: inside.ledger.lock().replicas,
            ..*inside.past.lock()
        }
    }
}

impl Inside {
    fn connection(&self) -> Option<(u64, Connection)> {
        self.connection.lock().clone()
    }

    fn waited(&self, time: Duration) {
        let mut past = self.past.lock();
        past.longest_wait = past.longest_wait.max(time);
    }

    /// Asks the server, twice when its day is another one than it seemed.
    async fn ask(
        &self,
        mut connection: Connection,
        address: IpAddr,
        charge: &Charge,
    ) -> Result<Result<Option<Standing>, Refusal>, Problem> {
        for _ in 0..2 {
            let place = self.ledger.lock().place(address, &self.clock.now());
            let asked = self.link.charge(&mut connection, &place, charge).await;
            let (now, reply) = asked?;
            match reply {
                Reply::OtherDay => self.ledger.lock().told_time(now, self.clock.now()),
                Reply::Lost => return Err(LOST.into()),
                Reply::Burst(wait) => {
                    return Ok(Err(Refusal::burst(Duration::from_millis(wait))));
                }
                Reply::Charged(count) => return Ok(Ok(self.stands(charge, &place, now, count))),
                Reply::UsedUp(count) => {
                    let standing = self.stands(charge, &place, now, count);
                    let standing = standing.ok_or("answers nonsense")?;
                    return Ok(Err(Refusal::day(standing, &place.key)));
                }
            }
        }
        Err("cannot say which day it is".into())
    }

    fn stands(&self, charge: &Charge, place: &Place, now: i64, count: u32) -> Option<Standing> {
        let (policy, limit) = charge.day?;
        self.ledger.lock().hear(place, policy, count);
        let left = limit.saturating_sub(count);
        Some(Standing::at(
            (now, &self.clock.now()),
            (policy, limit),
            left,
        ))
    }

    /// Asks this connection no more.
    fn lose(&self, number: u64, Problem(problem): &Problem) {
        let mut held = self.connection.lock();
        if held.as_ref().is_none_or(|(current, _)| *current != number) {
            return;
        }
        *held = None;
        drop(held);
        self.past.lock().outages += 1;
        self.lost.notify_one();
        let (shown, parts) = (&self.shown, self.ledger.lock().replicas);
        tracing::warn!(
            "the limits' server {shown} {problem}; this replica goes on alone, with one part in {parts} of what is left \
             of each limit"
        );
    }

    /// Keeps the connection for as long as the task lives.
    async fn keep(self: Arc<Self>) {
        let [soon, late] = TRIES;
        let (mut pause, mut number, mut is_told) = (soon, 0, false);
        loop {
            match self.find().await {
                Ok(mut connection) => {
                    number += 1;
                    *self.connection.lock() = Some((number, connection.clone()));
                    let shown = &self.shown;
                    tracing::info!(target: NOTICE, "limits are shared through {shown}");
                    is_told = true;
                    let since = Instant::now();
                    if let Err(problem) = self.stay(number, &mut connection).await {
                        self.lose(number, &problem);
                    }
                    // One that comes and goes is left alone for longer each time.
                    pause = match since.elapsed() > STEADY {
                        true => soon,
                        false => (pause * 2).min(late),
                    };
                }
                Err(Problem(problem)) if !is_told => {
                    is_told = true;
                    let shown = &self.shown;
                    tracing::warn!(
                        "the limits' server {shown} {problem}; this replica goes on alone until it is there"
                    );
                }
                Err(_) => {}
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// A connection to a server that is brisk and knows all that is known here.
    async fn find(&self) -> Result<Connection, Problem> {
        let reached = timeout(BEAT, self.link.connect()).await;
        let mut connection = reached.map_err(|_| "cannot be reached")??;
        let policy = self.link.eviction(&mut connection).await;
        match policy.as_deref() {
            Ok("noeviction") => {}
            Ok(policy) => tracing::warn!(
                "the limits' server {} forgets counts when its memory is full (maxmemory-policy {policy}), which grants \
                 fresh limits; set maxmemory-policy noeviction",
                self.shown
            ),
            Err(_) => tracing::debug!("the limits' server does not say what it does when full"),
        }
        let beat = self.beat(&mut connection, BRISK, true).await?;
        let [today, tomorrow] = &beat.marks;
        self.adopt(beat.day, today)?;
        self.adopt(beat.day + 1, tomorrow)?;
        self.tell(&mut connection, beat.day, false).await?;
        Ok(connection)
    }

    /// Says once a second that this replica is there, until the connection is lost; why it is.
    async fn stay(&self, number: u64, connection: &mut Connection) -> Result<(), Problem> {
        let since = Instant::now();
        loop {
            tokio::select! {
                () = self.lost.notified() => {}
                () = tokio::time::sleep(BEAT) => {}
            }
            if self
                .connection()
                .is_none_or(|(current, _)| current != number)
            {
                return Ok(());
            }
            let is_young = since.elapsed() < STEADY;
            let beat = self.beat(connection, PATIENCE, is_young).await?;
            let [today, tomorrow] = &beat.marks;
            if !self.ledger.lock().is_marked(beat.day, today) {
                return Err(LOST.into());
            }
            self.adopt(beat.day + 1, tomorrow)?;
            // What was granted alone while the connection came.
            if self.ledger.lock().is_owing() {
                self.tell(connection, beat.day, true).await?;
            }
        }
    }

    /// Says that this replica is there, and hears what time it is; fails when that takes longer than `patience`.
    async fn beat(
        &self,
        connection: &mut Connection,
        patience: Duration,
        is_young: bool,
    ) -> Result<Beat, Problem> {
        let heard = timeout(patience, self.link.time(connection)).await;
        let now = heard.map_err(|_| TOO_SLOW)??;
        let day = now.div_euclid(DAY);
        let proposals = {
            let mut ledger = self.ledger.lock();
            ledger.told_time(now, self.clock.now());
            [ledger.proposal(day), ledger.proposal(day + 1)]
        };
        let beat = self.link.beat(connection, now, &proposals).await?;
        let mut ledger = self.ledger.lock();
        // After the server was away the others have yet to show themselves.
        let before = if is_young { ledger.replicas } else { 1 };
        ledger.replicas = beat.replicas.max(before);
        Ok(beat)
    }

    fn adopt(&self, day: i64, mark: &str) -> Result<(), Problem> {
        match self.ledger.lock().adopt(day, mark) {
            true => Ok(()),
            false => Err("holds something else under our keys".into()),
        }
    }

    /// Brings into the shared counts what is known here, or only what was granted alone.
    async fn tell(
        &self,
        connection: &mut Connection,
        day: i64,
        only_alone: bool,
    ) -> Result<(), Problem> {
        let mut after = None;
        loop {
            let known = self.ledger.lock().known_after(after, AT_ONCE, only_alone);
            let Some((last, ..)) = known.last() else {
                return Ok(());
            };
            after = Some(*last);
            let uses = known.iter();
            let uses = uses.map(|(key, heard, alone)| (key, heard, alone.map(i64::from)));
            self.link.bring(connection, day, uses).await?;
            self.ledger.lock().told(&known);
        }
    }
}

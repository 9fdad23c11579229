//! The replica: a file of this process that follows the database and answers all reads.
//!
//! A task asks for the database's watermark every second and fetches the rows that changed. Without the database every read is answered as before. Writes go to the database, in the epoch
//! of the leader, and return when the file has them.

use super::handle::Postgres;
use super::lease::{self, HEARTBEAT, LEASE};
use super::thread::{beside, wait};
use super::transfer::{Progress, bring, receive};
use crate::postgres::{Address, AttemptResult, Database, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::Watermark;
use crate::store::{Leadership, ReplicaStatus, Store};
use econoscope_core::clock::{jitter, wall};
use econoscope_core::error::{Error, NOTICE, Result};
use parking_lot::{Condvar, Mutex};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// How often the state is asked for.
const POLL: Duration = Duration::from_secs(1);
/// Longest wait of a writer for its own file. The change is made by then in any case.
const OWN: Duration = Duration::from_secs(10);

impl Postgres {
    /// Opens a database with its copy at `path`, or makes that: all of it is there before this returns; `told` hears
    /// how many row groups came, of how many. A copy that is there answers also while the database cannot be reached.
    ///
    /// # Errors
    /// [`Error::Store`] when the file is no copy, there is none and the database cannot be reached, or its layout
    /// is not this program's.
    pub fn with_copy(
        address: &Address,
        path: &Path,
        told: impl Fn(Progress) + Send + Sync,
    ) -> Result<Self> {
        let store = opened(address, path, told)?;
        store.copy.follow()?;
        Ok(Self {
            is_followed: true,
            ..store
        })
    }

    /// Brings the copy at `path` up to date, or makes it, and closes it.
    ///
    /// # Errors
    /// As [`Self::with_copy`].
    pub fn make_copy(
        address: &Address,
        path: &Path,
        told: impl Fn(Progress) + Send + Sync,
    ) -> Result<()> {
        opened(address, path, told).map(drop)
    }
}

impl Leadership for Postgres {
    fn terms(&self) -> watch::Receiver<Option<i64>> {
        self.copy.terms()
    }

    fn in_term(&self, term: i64) -> Arc<dyn Store> {
        Arc::new(Self {
            term: Some(term),
            ..self.clone()
        })
    }

    fn resign(&self) {
        self.copy.resign();
    }
}

/// Opens the copy and brings it up to date, or makes it.
///
/// # Errors
/// As [`Postgres::with_copy`].
fn opened(
    address: &Address,
    path: &Path,
    told: impl Fn(Progress) + Send + Sync,
) -> Result<Postgres> {
    let file = file(path)?;
    let watermark = file.watermark()?;
    if watermark.is_none() && file.count()? > 0 {
        let path = crate::disk::shown(path);
        return Err(Error::of_store(format!(
            "{path} is a store of its own and no copy of a database. Choose another file with --replica, or \
             move what it holds by `econoscope copy --from {path} --to {address}`."
        )));
    }
    let store = Postgres::over(address, file)?;
    let brought = store.begin();
    let brought = brought.and_then(|()| wait(store.copy.step(&store.copy.db, told)));
    match brought {
        Err(error) if watermark.is_some() && may_return(&error) => {
            let error = error.for_operator();
            tracing::warn!(target: NOTICE, "the database is away, answers go on from the copy: {error}");
            store.copy.note(true);
        }
        Err(error) => return Err(error),
        Ok(()) => {
            store.copy.note(false);
        }
    }
    Ok(store)
}

/// Whether it is the way to the database, and no refusal.
fn may_return(error: &Error) -> bool {
    matches!(
        error,
        Error::Store {
            source: Some(_),
            ..
        }
    )
}

/// The file, made anew where it is damaged: all in it is in the database.
fn file(path: &Path) -> Result<Sqlite> {
    match Sqlite::open(path) {
        Err(error) if Sqlite::is_damage(&error) => {
            let aside = Sqlite::quarantine(path)?;
            let aside = crate::disk::shown(&aside);
            tracing::error!(target: NOTICE, "the copy was damaged and is now {aside}; it is made anew");
            Sqlite::open(path)
        }
        opened => opened,
    }
}

/// A file and the database it follows.
#[derive(Debug)]
pub(super) struct ReplicaFile {
    pub(super) file: Sqlite,
    /// Asked once each time.
    db: Database,
    seen: Mutex<Seen>,
    moved: Condvar,
    wake: Notify,
    term: watch::Sender<Option<i64>>,
    is_candidate: AtomicBool,
}

/// What is known of the database.
#[derive(Debug)]
struct Seen {
    watermark: Option<Watermark>,
    following: ReplicaStatus,
}

impl ReplicaFile {
    /// A file that holds some state of the database, or nothing yet.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be read.
    pub(super) fn new(file: Sqlite, db: Database) -> Result<Self> {
        let following = ReplicaStatus {
            away_since: None,
            seen_at: None,
            term: None,
        };
        Ok(Self {
            seen: Mutex::new(Seen {
                watermark: file.watermark()?,
                following,
            }),
            file,
            db: db.with_patience(Duration::ZERO),
            moved: Condvar::new(),
            wake: Notify::new(),
            term: watch::Sender::new(None),
            is_candidate: AtomicBool::new(false),
        })
    }

    /// How it stands now.
    pub(super) fn now(&self) -> ReplicaStatus {
        ReplicaStatus {
            term: *self.term.borrow(),
            ..self.seen.lock().following
        }
    }

    /// Waits until the file has a change, for a while.
    pub(super) fn wait_for(&self, change: i64) {
        self.wake.notify_one();
        let lacks = |seen: &mut Seen| {
            seen.watermark
                .as_ref()
                .is_none_or(|watermark| watermark.change < change)
        };
        let mut seen = self.seen.lock();
        self.moved.wait_while_for(&mut seen, lacks, OWN);
    }

    /// Follows from now on, for as long as the process lives.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when there is no thread for it.
    pub(super) fn follow(self: &Arc<Self>) -> Result<()> {
        let own = Arc::clone(self);
        beside(async move { own.keep_up().await }).map(drop)
    }

    async fn keep_up(&self) {
        loop {
            // A write of this process makes it sooner.
            let woken = tokio::time::timeout(POLL, self.wake.notified()).await;
            woken.unwrap_or_default();
            let done = self.step(&self.db, |_| {}).await;
            let away = done.is_err();
            let was_away = self.note(away);
            match done {
                Err(error) if !was_away => {
                    let error = error.for_operator();
                    tracing::warn!(target: NOTICE, "the database is away, answers go on from the copy: {error}");
                }
                Ok(()) if was_away => tracing::info!(target: NOTICE, "the database is back"),
                Ok(()) | Err(_) => {}
            }
        }
    }

    /// Notes whether the database was there; whether it was away before.
    fn note(&self, away: bool) -> bool {
        let (now, mut seen) = (wall(), self.seen.lock());
        let before = seen.following.away_since;
        seen.following.away_since = away.then(|| before.unwrap_or(now));
        if !away {
            seen.following.seen_at = Some(now);
        }
        before.is_some()
    }

    /// Brings the file up to date, by connections of this patience.
    pub(super) async fn step(
        &self,
        db: &Database,
        told: impl Fn(Progress) + Send + Sync,
    ) -> Result<()> {
        let held = self.held();
        self.holds(bring(db, &self.file, held, told).await?);
        Ok(())
    }

    /// Brings the file to the state that a transaction sees, which nobody changes meanwhile.
    pub(super) fn reach(&self, tx: &Session, now: &Watermark) -> AttemptResult<()> {
        while let held = self.held()
            && held.as_ref() != Some(now)
        {
            self.holds(receive(tx, &self.file, held.as_ref(), now, &|_| {})?);
        }
        Ok(())
    }

    fn held(&self) -> Option<Watermark> {
        self.seen.lock().watermark.clone()
    }

    fn holds(&self, now: Option<Watermark>) {
        self.seen.lock().watermark = now;
        self.moved.notify_all();
    }

    /// The term this process has, if it has the turn; asked for the first time it begins to look for it.
    pub(super) fn terms(self: &Arc<Self>) -> watch::Receiver<Option<i64>> {
        let terms = self.term.subscribe();
        if !self.is_candidate.swap(true, Ordering::Relaxed) {
            let own = Arc::clone(self);
            if let Err(error) = beside(async move { own.compete().await }) {
                tracing::error!(error = error.for_operator(), "this server never writes");
            }
        }
        terms
    }

    async fn compete(&self) {
        let (who, mut renewed) = (lease::own_name(), Instant::now());
        let mut pause = Duration::ZERO;
        loop {
            tokio::time::sleep(pause).await;
            pause = HEARTBEAT + jitter(HEARTBEAT / 3);
            // Nobody here wants to write: it does not sync, or is about to end.
            if self.term.is_closed() {
                continue;
            }
            let held = *self.term.borrow();
            let asked = Instant::now();
            let now = match held {
                Some(held) => match lease::renew(&self.db, held).await {
                    Ok(true) => {
                        renewed = asked;
                        Some(held)
                    }
                    Ok(false) => None,
                    Err(_) => (renewed.elapsed() < LEASE).then_some(held),
                },
                None => {
                    renewed = asked;
                    let taken = lease::take(&self.db, &who).await;
                    taken.ok().and_then(std::result::Result::ok)
                }
            };
            if now != held {
                match now {
                    Some(now) => {
                        tracing::info!(target: NOTICE, "this server writes, in term {now}")
                    }
                    None => tracing::warn!(target: NOTICE, "this server writes no more"),
                }
                self.term.send_replace(now);
            }
        }
    }

    /// Gives the turn back, if this process has it.
    pub(super) fn resign(&self) {
        if let Some(held) = self.term.send_replace(None) {
            lease::give_back(&self.db, held);
        }
    }
}

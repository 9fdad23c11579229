//! The work beside the answers: following the database, and looking for the turn to write.

use crate::clock::{jitter, wall};
use crate::error::{NOTICE, Result};
use crate::postgres::Database;
use crate::store::postgres::{BEAT, CHANNEL, Postgres, TERM, bring, own_name, renew, state, take};
use crate::store::seam::Following;
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::Mark;
use std::future::poll_fn;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio_postgres::AsyncMessage;

/// How often the state is asked for when nobody says that there is news.
const POLL: Duration = Duration::from_secs(1);
/// Pause before the database is listened to again.
const DEAF: Duration = Duration::from_secs(5);
/// Longest wait of a writer for its own file. The change is made by then in any case.
const OWN: Duration = Duration::from_secs(10);

/// A file and the database it follows.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) file: Arc<Sqlite>,
    pub(super) primary: Postgres,
    seen: Mutex<Seen>,
    moved: Condvar,
    wake: Notify,
    term: OnceLock<watch::Sender<Option<i64>>>,
}

/// What is known of the database.
#[derive(Debug)]
struct Seen {
    mark: Option<Mark>,
    following: Following,
}

impl Followed {
    /// A file that holds this state of the database, which could be reached or not.
    pub(super) fn new(
        file: Arc<Sqlite>,
        primary: Postgres,
        mark: Option<Mark>,
        away: bool,
    ) -> Self {
        let now = wall();
        let following = Following {
            away_since: away.then_some(now),
            seen_at: (!away).then_some(now),
            term: None,
        };
        Self {
            file,
            primary,
            seen: Mutex::new(Seen { mark, following }),
            moved: Condvar::new(),
            wake: Notify::new(),
            term: OnceLock::new(),
        }
    }

    /// How it stands now.
    pub(super) fn now(&self) -> Following {
        let term = self.term.get().and_then(|term| *term.borrow());
        Following {
            term,
            ..self.seen().following
        }
    }

    /// The database, asked once each time.
    fn database(&self) -> Database {
        let db = self.primary.shared().db.clone();
        db.with_patience(Duration::ZERO)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the file has a change, for a while.
    pub(super) fn wait_for(&self, change: i64) {
        self.wake.notify_one();
        let lacks = |seen: &mut Seen| seen.mark.as_ref().is_none_or(|mark| mark.change < change);
        drop(self.moved.wait_timeout_while(self.seen(), OWN, lacks));
    }

    /// Follows from now on, for as long as the process lives.
    pub(super) fn follow(self: &Arc<Self>) {
        let Some(runtime) = self.primary.shared().handle() else {
            return;
        };
        let (one, other) = (Arc::clone(self), Arc::clone(self));
        runtime.spawn(async move { one.keep_up().await });
        runtime.spawn(async move { other.listen().await });
    }

    async fn keep_up(&self) {
        let db = self.database();
        loop {
            // A word of a writer only makes it sooner.
            let woken = tokio::time::timeout(POLL, self.wake.notified()).await;
            woken.unwrap_or_default();
            let done = self.step(&db).await;
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
        let (now, mut seen) = (wall(), self.seen());
        let before = seen.following.away_since;
        seen.following.away_since = away.then(|| before.unwrap_or(now));
        if !away {
            seen.following.seen_at = Some(now);
        }
        before.is_some()
    }

    async fn step(&self, db: &Database) -> Result<()> {
        let held = self.seen().mark.clone();
        if held.as_ref() == Some(&state(db).await?) {
            return Ok(());
        }
        let now = match bring(db, &self.file, held, |_| {}).await? {
            Some(mark) => Some(mark),
            // Another process follows into the same file and was there first.
            None => {
                let file = Arc::clone(&self.file);
                let read = tokio::task::spawn_blocking(move || file.mark()).await;
                read.map_err(|e| crate::Error::internal("reading the copy", e))??
            }
        };
        self.seen().mark = now;
        self.moved.notify_all();
        Ok(())
    }

    /// Hears that there is news, where the database and what lies between can tell.
    async fn listen(&self) {
        let db = &self.primary.shared().db;
        loop {
            if let Ok((client, mut connection)) = db.alone().await {
                let hear = async {
                    while let Some(Ok(message)) =
                        poll_fn(|context| connection.poll_message(context)).await
                    {
                        if matches!(message, AsyncMessage::Notification(_)) {
                            self.wake.notify_one();
                        }
                    }
                };
                let ask = async {
                    drop(client.batch_execute(&format!("LISTEN {CHANNEL}")).await);
                    // Whatever was said before is found by looking once.
                    self.wake.notify_one();
                    std::future::pending::<()>().await;
                };
                tokio::select! {
                    () = hear => {}
                    () = ask => {}
                }
            }
            tokio::time::sleep(DEAF + jitter(DEAF)).await;
        }
    }

    /// The term this process has, if it has the turn; asked for the first time it begins to look for it.
    pub(super) fn terms(self: &Arc<Self>) -> watch::Receiver<Option<i64>> {
        let mut is_first = false;
        let sender = self.term.get_or_init(|| {
            is_first = true;
            watch::Sender::new(None)
        });
        let terms = sender.subscribe();
        if is_first && let Some(runtime) = self.primary.shared().handle() {
            let own = Arc::clone(self);
            runtime.spawn(async move { own.take_turns().await });
        }
        terms
    }

    async fn take_turns(&self) {
        let db = self.database();
        let (who, mut renewed) = (own_name(), Instant::now());
        let Some(term) = self.term.get() else { return };
        let mut pause = Duration::ZERO;
        loop {
            tokio::time::sleep(pause).await;
            pause = BEAT + jitter(BEAT / 3);
            // Nobody here wants to write: it does not sync, or is about to end.
            if term.is_closed() {
                continue;
            }
            let held = *term.borrow();
            let asked = Instant::now();
            let now = match held {
                Some(held) => match renew(&db, held).await {
                    Ok(true) => {
                        renewed = asked;
                        Some(held)
                    }
                    Ok(false) => None,
                    Err(_) => (renewed.elapsed() < TERM).then_some(held),
                },
                None => {
                    renewed = asked;
                    take(&db, &who).await.ok().and_then(std::result::Result::ok)
                }
            };
            if now != held {
                match now {
                    Some(now) => {
                        tracing::info!(target: NOTICE, "this server writes, in term {now}")
                    }
                    None => tracing::warn!(target: NOTICE, "this server writes no more"),
                }
                term.send_replace(now);
            }
        }
    }

    /// Gives the turn back, if this process has it.
    pub(super) fn resign(&self) {
        let held = self.term.get().and_then(|term| term.send_replace(None));
        if let Some(held) = held
            && let Err(error) = self.primary.give_back(held)
        {
            tracing::debug!(error = error.for_operator(), "the turn ends by itself");
        }
    }
}

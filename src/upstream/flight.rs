//! One call per key: who comes while it is under way waits for its result.
//!
//! The work runs in a task of its own. A caller that leaves cancels nothing, so a call that is paid for is
//! never lost; a task that dies tells its waiters.

use super::cache::Entry;
use super::failure::Failure;
use super::request::Key;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// What a flight brought: an entry, and whether it was fetched just now.
#[derive(Debug, Clone)]
pub(super) struct Landed {
    /// The entry.
    pub(super) entry: Arc<Entry>,
    /// It came from the upstream in this flight, so it answers whatever its headers say.
    pub(super) fetched: bool,
}

/// How a flight ends.
pub(super) type Landing = Result<Landed, Failure>;

/// Waits for a flight.
pub(super) type Ticket = watch::Receiver<Option<Landing>>;

/// Flights under way.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<HashMap<Key, Ticket>>);

/// Held by the task; landing or being dropped ends the flight.
pub(super) struct Pilot {
    flights: Arc<Flights>,
    key: Key,
    result: watch::Sender<Option<Landing>>,
}

/// What a caller of a flight gets.
pub(super) enum Passage {
    /// The result, known without waiting.
    Arrived(Landed),
    /// A ticket to wait with.
    Awaited(Ticket),
}

/// A place in a flight.
pub(super) enum Boarding {
    /// It was under way.
    Joined(Ticket),
    /// It is new: the pilot must be given to a task.
    Started(Pilot, Ticket),
    /// It is over: the answer arrived a moment ago.
    Arrived(Arc<Entry>),
}

impl Flights {
    /// Joins or starts the flight of a key. `arrived` is asked once more whether an answer has come, since
    /// a flight may have ended between the caller's look into the cache and now.
    pub(super) fn board(
        self: &Arc<Self>,
        key: &Key,
        arrived: impl FnOnce() -> Option<Arc<Entry>>,
    ) -> Boarding {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match flights.entry(key.clone()) {
            Slot::Occupied(slot) => Boarding::Joined(slot.get().clone()),
            Slot::Vacant(slot) => {
                if let Some(entry) = arrived() {
                    return Boarding::Arrived(entry);
                }
                let (result, ticket) = watch::channel(None);
                slot.insert(ticket.clone());
                let pilot = Pilot {
                    flights: Arc::clone(self),
                    key: key.clone(),
                    result,
                };
                Boarding::Started(pilot, ticket)
            }
        }
    }
}

impl Pilot {
    /// Ends the flight: later callers start anew, waiting ones get the result.
    pub(super) fn land(self, landing: Landing) {
        self.clear();
        self.result.send_replace(Some(landing));
    }

    fn clear(&self) {
        let mut flights = self
            .flights
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if flights
            .get(&self.key)
            .is_some_and(|ticket| ticket.same_channel(&self.result.subscribe()))
        {
            flights.remove(&self.key);
        }
    }
}

impl Drop for Pilot {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Waits for the result, at most `patience`; `None` when it is not there by then.
pub(super) async fn wait(mut ticket: Ticket, patience: Duration) -> Option<Landing> {
    let landed = tokio::time::timeout(patience, ticket.wait_for(Option::is_some))
        .await
        .ok()?;
    Some(match landed {
        Ok(landing) => landing.clone()?,
        Err(_) => Err(Failure::no_answer(
            "could not be asked: the call died",
            Duration::from_secs(30),
        )),
    })
}

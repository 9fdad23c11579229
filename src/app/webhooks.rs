//! Webhooks: each crossing of a condition is posted once to each receiver of the condition.
//!
//! A note in the store contains the day of the last crossing that a receiver acknowledged. It is written before the next
//! crossing is sent. A crash before the write sends a crossing again under the same identifier. Of several servers over one
//! store, the one that syncs sends webhooks and writes the notes.

use super::live::on_change;
use super::wiring::open_desk;
use crate::alerts::{Alert, MAX_ALERTS};
use crate::config::{Config, Serve};
use crate::site::digest;
use anyhow::{Context, Result};
use econoscope_answers::endpoints::condition::{Crossings, crossings};
use econoscope_core::clock;
use econoscope_core::error::{self, Error, NOTICE_TARGET};
use econoscope_core::model::Date;
use econoscope_data::store::Store;
use econoscope_data::webhook::{Delivery, Receiver, Sender};
use econoscope_desk::Desk;
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Pauses between attempts to deliver a crossing, in seconds: some two hours in all. Later attempts wait for a change of the
/// data or of the day.
const PAUSES: [u64; 6] = [5, 30, 120, 600, 1_800, 3_600];
/// The longest pause that a receiver can request.
const MAX_PAUSE: Duration = Duration::from_secs(3_600);
/// The note that a server writes before it sends.
const START_NOTE: &str = "webhooks";

/// Sends alerts of crossings.
pub(super) struct Webhooks {
    receivers: Vec<Receiver>,
    sender: Sender,
    pauses: Vec<Duration>,
    config: Config,
    serve_restricted: bool,
    /// Counts the outcome of an attempt.
    count: Box<dyn Fn(&'static str) + Send + Sync>,
}

/// A crossing to send.
struct Message {
    date: Date,
    id: String,
    body: String,
}

impl Webhooks {
    /// Opens the webhooks of a server; `None` where it has none. Series that may not be passed on are refused even on a
    /// server for its own machine, since receivers are others.
    ///
    /// # Errors
    /// When the settings or a condition are invalid.
    pub(super) fn open(
        config: &Config,
        serve: &Serve,
        desk: &Desk,
        count: impl Fn(&'static str) + Send + Sync + 'static,
    ) -> Result<Option<Arc<Self>>> {
        let receivers = serve.webhooks.receivers()?;
        if receivers.is_empty() {
            return Ok(None);
        }
        let webhooks = Self {
            receivers,
            sender: serve.webhooks.sender()?,
            pauses: PAUSES.map(Duration::from_secs).to_vec(),
            config: Config {
                base_url: desk.settings().base_url.clone(),
                ..config.clone()
            },
            serve_restricted: serve.serve_restricted,
            count: Box::new(count),
        };
        let desk = webhooks.desk(desk.store())?;
        for receiver in &webhooks.receivers {
            for condition in &receiver.conditions {
                // Figures may come later.
                if let Err(error) = crossings(&desk, condition)
                    && error.code() != "no_data"
                {
                    return Err(error).context(format!("--webhook-condition of {}", receiver.name));
                }
            }
        }
        Ok(Some(Arc::new(webhooks)))
    }

    fn desk(&self, store: &Arc<dyn Store>) -> Result<Arc<Desk>> {
        open_desk(Arc::clone(store), &self.config, None, self.serve_restricted)
    }

    /// Sends after the first sync and then after each change of the data, until stopped.
    pub(super) async fn run(
        self: Arc<Self>,
        store: Arc<dyn Store>,
        synced: CancellationToken,
        stop: CancellationToken,
    ) {
        if stop.run_until_cancelled(synced.cancelled()).await.is_none() {
            return;
        }
        // A write waits until the replica has it, and then the replica also has the notes of the server that sent before.
        let now = clock::wall_time().to_string();
        let written = on_store(&store, move |store| store.set_note(START_NOTE, &now)).await;
        let desk = match written.map_err(Into::into).and_then(|()| self.desk(&store)) {
            Ok(desk) => desk,
            Err(error) => {
                let error = error::format_causes(error.chain());
                return tracing::error!(target: NOTICE_TARGET, "webhooks are disabled: {error}");
            }
        };
        let receivers = self.receivers.iter().map(|receiver| {
            let webhooks = &self;
            let desk = &desk;
            let stop = stop.child_token();
            async move {
                let send = |_| webhooks.send_pending(desk, receiver, &stop);
                on_change(desk, stop.clone(), send).await;
            }
        });
        join_all(receivers).await;
    }

    /// Sends a receiver its pending messages, the oldest first, up to the first that fails.
    async fn send_pending(&self, desk: &Arc<Desk>, receiver: &Receiver, stop: &CancellationToken) {
        for condition in &receiver.conditions {
            let key = note_key(receiver, condition);
            let text = condition.clone();
            let note = key.clone();
            let shared = Arc::clone(desk);
            let pending = move |_: &dyn Store| pending_messages(&shared, &text, &note);
            let messages = match on_store(desk.store(), pending).await {
                Ok(messages) => messages,
                Err(error) => {
                    (self.count)("not_evaluated");
                    let webhook = &receiver.name;
                    let error = error.operator_message();
                    tracing::warn!(webhook, condition, error, "a condition cannot be evaluated");
                    continue;
                }
            };
            for message in messages {
                if stop.is_cancelled() {
                    return;
                }
                match self.deliver(receiver, &message, stop).await {
                    Delivery::Acknowledged => {}
                    Delivery::Gone => return stop.cancel(),
                    Delivery::Failed(..) => return,
                }
                let key = key.clone();
                let date = message.date.to_string();
                let write = move |store: &dyn Store| store.set_note(&key, &date);
                if let Err(error) = on_store(desk.store(), write).await {
                    return error::log(&error, "webhooks");
                }
            }
        }
    }

    /// Sends one message until the receiver acknowledges it or the last attempt fails.
    async fn deliver(
        &self,
        receiver: &Receiver,
        message: &Message,
        stop: &CancellationToken,
    ) -> Delivery {
        let webhook = &receiver.name;
        let id = &message.id;
        let mut pauses = self.pauses.iter();
        loop {
            let delivery = self.sender.post(receiver, id, &message.body).await;
            let (why, requested) = match &delivery {
                Delivery::Acknowledged => {
                    (self.count)("acknowledged");
                    tracing::info!(webhook, id, "alert delivered");
                    return delivery;
                }
                Delivery::Gone => {
                    (self.count)("gone");
                    tracing::warn!(target: NOTICE_TARGET, webhook, "webhook {webhook} responded 410: no more alerts are sent to it until the next start");
                    return delivery;
                }
                Delivery::Failed(why, requested) => (why, requested),
            };
            (self.count)("failed");
            let Some(pause) = pauses.next() else {
                (self.count)("given_up");
                tracing::error!(
                    webhook,
                    id,
                    why,
                    "alert not delivered; retrying when the data change"
                );
                return delivery;
            };
            let pause = requested.unwrap_or_default().min(MAX_PAUSE).max(*pause);
            let pause = pause + clock::jitter(pause / 4);
            tracing::warn!(
                webhook,
                id,
                why,
                seconds = pause.as_secs(),
                "alert not delivered; retrying"
            );
            let pause = tokio::time::sleep(pause);
            if stop.run_until_cancelled(pause).await.is_none() {
                return delivery;
            }
        }
    }
}

/// Returns the key of the note with the last acknowledged day. It hides the address, which may be a secret.
fn note_key(receiver: &Receiver, condition: &str) -> String {
    let digest = digest(&format!("{} {condition}", receiver.url));
    format!("webhook:{digest}")
}

/// Returns the crossings after the last acknowledged one. For a new condition there are none: its past crossings only set
/// the note.
fn pending_messages(
    desk: &Desk,
    condition: &str,
    key: &str,
) -> econoscope_core::Result<Vec<Message>> {
    let crossings: Crossings = desk.compute_consistently(|desk| crossings(desk, condition))?;
    let note = desk.store().note(key)?;
    let Some(acknowledged) = note.and_then(|day| day.parse::<Date>().ok()) else {
        let last = crossings.crossings.last().map(|crossing| crossing.date);
        let first = crossings.range.map(|(first, _)| first);
        if let Some(day) = last.or(first) {
            desk.store().set_note(key, &day.to_string())?;
        }
        return Ok(Vec::new());
    };
    let later: Vec<_> = crossings
        .crossings
        .iter()
        .filter(|crossing| crossing.date > acknowledged)
        .collect();
    let newest = later.iter().skip(later.len().saturating_sub(MAX_ALERTS));
    let message = |crossing| {
        let alert = Alert::new(desk, &crossings, crossing);
        let body = json!({
            "type": "condition.crossed",
            "timestamp": desk.now(),
            "data": alert.details(desk, &crossings)?,
        });
        Ok(Message {
            date: alert.date,
            id: alert.id,
            body: body.to_string(),
        })
    };
    newest.map(|crossing| message(crossing)).collect()
}

/// Runs blocking work on the store outside the async threads.
async fn on_store<T: Send + 'static>(
    store: &Arc<dyn Store>,
    work: impl FnOnce(&dyn Store) -> econoscope_core::Result<T> + Send + 'static,
) -> econoscope_core::Result<T> {
    let store = Arc::clone(store);
    let result = tokio::task::spawn_blocking(move || work(store.as_ref())).await;
    result.map_err(|e| Error::internal("the task on the store failed", e))?
}

#[cfg(test)]
mod tests;

//! Webhooks: each crossing of a condition is posted once to those who asked to be told of it.
//!
//! The day of the last crossing that a receiver acknowledged stands in a note of the store, which is written before the
//! next crossing is sent. A crash between the two sends a crossing again, under the same identifier. Of several servers
//! over one store the one that syncs sends, and notes what it sent in its term.

use super::live::on_news;
use super::wiring::desk_over;
use crate::alerts::{Alert, MAX_ALERTS};
use crate::config::{Config, Serve};
use crate::site::digest;
use anyhow::{Context, Result};
use econoscope_answers::endpoints::condition::{Crossings, crossings};
use econoscope_core::clock;
use econoscope_core::error::{self, Error, NOTICE};
use econoscope_core::model::Date;
use econoscope_data::desk::Desk;
use econoscope_data::store::Store;
use econoscope_data::webhook::{Delivery, Receiver, Sender};
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Pauses between the attempts to deliver a crossing, in seconds: some two hours in all. After the last one it is tried again when
/// the data or the day have changed.
const PAUSES: [u64; 6] = [5, 30, 120, 600, 1_800, 3_600];
/// Longest pause that a receiver may ask for.
const MAX_PAUSE: Duration = Duration::from_secs(3_600);
/// Note of the store that a sender writes when it begins.
const BEGUN: &str = "webhooks";

/// Sends alerts of crossings.
pub(super) struct Webhooks {
    receivers: Vec<Receiver>,
    sender: Sender,
    pauses: Vec<Duration>,
    config: Config,
    base_url: Option<String>,
    serve_restricted: bool,
    count: Box<dyn Fn(&'static str) + Send + Sync>,
}

/// A crossing that a receiver does not have yet.
struct Message {
    date: Date,
    id: String,
    body: String,
}

impl Webhooks {
    /// The webhooks of a server; `None` where there are none. Series that may not be passed on are sent to nobody, unless
    /// the operator says that they may be: whoever is told is somebody else.
    ///
    /// # Errors
    /// When the settings or a condition are wrong.
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
        let own = Self {
            receivers,
            sender: serve.webhooks.sender()?,
            pauses: PAUSES.map(Duration::from_secs).to_vec(),
            config: config.clone(),
            base_url: desk.settings().base_url.clone(),
            serve_restricted: serve.serve_restricted,
            count: Box::new(count),
        };
        let desk = own.desk(desk.store())?;
        for receiver in &own.receivers {
            let mut judged = receiver.conditions.iter().map(|c| crossings(&desk, c));
            // Figures may come later.
            let refused = judged.find_map(|judged| judged.err().filter(|e| e.code() != "no_data"));
            if let Some(error) = refused {
                return Err(error).context(format!("--webhook-condition of {}", receiver.name));
            }
        }
        Ok(Some(Arc::new(own)))
    }

    fn desk(&self, store: &Arc<dyn Store>) -> Result<Arc<Desk>> {
        let base_url = self.base_url.clone();
        desk_over(
            Arc::clone(store),
            &self.config,
            base_url,
            self.serve_restricted,
        )
    }

    /// Sends from the first sync on whenever the data change, until stopped. What is being sent then ends first.
    pub(super) async fn keep_sending(
        self: Arc<Self>,
        store: Arc<dyn Store>,
        synced: CancellationToken,
        stop: CancellationToken,
    ) {
        if stop.run_until_cancelled(synced.cancelled()).await.is_none() {
            return;
        }
        // A replica may lack the newest notes of the server that sent before; it has them when it has one of our own,
        // which the store waits for.
        let begun = clock::wall().to_string();
        let begun = blocking(&store, move |store| store.set_note(BEGUN, &begun)).await;
        let desk = match begun.map_err(Into::into).and_then(|()| self.desk(&store)) {
            Ok(desk) => desk,
            Err(error) => {
                let error = error::causes(error.chain());
                return tracing::error!(target: NOTICE, "no webhooks are sent: {error}");
            }
        };
        let all = self.receivers.iter().map(|receiver| {
            let (own, desk, stop) = (&self, &desk, stop.child_token());
            async move {
                let tell = |_| own.tell(desk, receiver, &stop);
                on_news(desk, stop.clone(), tell).await;
            }
        });
        join_all(all).await;
    }

    /// Sends a receiver what it does not have, the oldest first, and stops where it cannot be told.
    async fn tell(&self, desk: &Arc<Desk>, receiver: &Receiver, stop: &CancellationToken) {
        for condition in &receiver.conditions {
            let key = key(receiver, condition);
            let (own, text, note) = (Arc::clone(desk), condition.clone(), key.clone());
            let found = blocking(desk.store(), move |_| unsent(&own, &text, &note)).await;
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    (self.count)("not_evaluated");
                    let (webhook, error) = (&receiver.name, error.for_operator());
                    tracing::warn!(webhook, condition, error, "a condition cannot be evaluated");
                    continue;
                }
            };
            for message in found {
                if stop.is_cancelled() {
                    return;
                }
                match self.deliver(receiver, &message, stop).await {
                    Delivery::Acknowledged => {}
                    Delivery::Gone => return stop.cancel(),
                    Delivery::Failed(..) => return,
                }
                let (key, date) = (key.clone(), message.date.to_string());
                let store = desk.store();
                let noted = blocking(store, move |store| store.set_note(&key, &date)).await;
                if let Err(error) = noted {
                    return error::log(&error, "webhooks");
                }
            }
        }
    }

    /// Sends one message until the receiver has it or the last attempt has failed.
    async fn deliver(
        &self,
        receiver: &Receiver,
        message: &Message,
        stop: &CancellationToken,
    ) -> Delivery {
        let (webhook, id) = (&receiver.name, &message.id);
        let mut pauses = self.pauses.iter();
        loop {
            let came = self.sender.post(receiver, id, &message.body).await;
            let (why, asked) = match &came {
                Delivery::Acknowledged => {
                    (self.count)("acknowledged");
                    tracing::info!(webhook, id, "alert delivered");
                    return came;
                }
                Delivery::Gone => {
                    (self.count)("gone");
                    tracing::warn!(target: NOTICE, webhook, "webhook {webhook} answers 410: it is told of nothing more until the next start");
                    return came;
                }
                Delivery::Failed(why, asked) => (why, asked),
            };
            (self.count)("failed");
            let Some(pause) = pauses.next() else {
                (self.count)("given_up");
                tracing::error!(
                    webhook,
                    id,
                    why,
                    "alert not delivered; it is tried again when the data change"
                );
                return came;
            };
            let pause = asked.unwrap_or_default().min(MAX_PAUSE).max(*pause);
            let pause = pause + clock::jitter(pause / 4);
            tracing::warn!(
                webhook,
                id,
                why,
                seconds = pause.as_secs(),
                "alert not delivered; trying again"
            );
            let rest = tokio::time::sleep(pause);
            if stop.run_until_cancelled(rest).await.is_none() {
                return came;
            }
        }
    }
}

/// The note that says up to which crossing a receiver was told of a condition. It does not show the address, which may be
/// a secret.
fn key(receiver: &Receiver, condition: &str) -> String {
    let told = digest(&format!("{} {condition}", receiver.url));
    format!("webhook:{told}")
}

/// The crossings after the last one that was acknowledged. A condition that is seen for the first time has none: what
/// crossed before is only noted.
fn unsent(desk: &Desk, condition: &str, key: &str) -> econoscope_core::Result<Vec<Message>> {
    let found: Crossings = desk.consistent(|| crossings(desk, condition))?;
    let sent = desk.store().note(key)?;
    let Some(sent) = sent.and_then(|day| day.parse::<Date>().ok()) else {
        let last = found.all.last().map(|crossing| crossing.date);
        let first = found.range.map(|(first, _)| first);
        if let Some(day) = last.or(first) {
            desk.store().set_note(key, &day.to_string())?;
        }
        return Ok(Vec::new());
    };
    let later = found.all.iter().filter(|crossing| crossing.date > sent);
    let later: Vec<_> = later.collect();
    let newest = later.iter().skip(later.len().saturating_sub(MAX_ALERTS));
    let message = |crossing| {
        let alert = Alert::new(desk, &found, crossing);
        let body = json!({
            "type": "condition.crossed",
            "timestamp": desk.now(),
            "data": alert.details(desk, &found)?,
        });
        Ok(Message {
            date: alert.date,
            id: alert.id,
            body: body.to_string(),
        })
    };
    newest.map(|crossing| message(crossing)).collect()
}

/// Runs a piece of store work off the async threads.
async fn blocking<T: Send + 'static>(
    store: &Arc<dyn Store>,
    work: impl FnOnce(&dyn Store) -> econoscope_core::Result<T> + Send + 'static,
) -> econoscope_core::Result<T> {
    let store = Arc::clone(store);
    let done = tokio::task::spawn_blocking(move || work(store.as_ref())).await;
    done.map_err(|e| Error::internal("work on the store broke off", e))?
}

#[cfg(test)]
mod tests;

//! Subscriptions: who listens to the regime, a composite or a series is told when it changes.
//!
//! One pulse for all listeners looks at the store's version once a second, and only while somebody listens:
//! the store may also be written by another process, so nothing inside this one could announce every change.

use super::resources::{Address, SCHEME};
use crate::cache::Cache;
use crate::desk::{Desk, State};
use crate::error::Result;
use crate::model::AsOf;
use rmcp::model::SubscriptionFilter;
use rmcp::service::SubscriptionContext;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How often the store's version is looked at.
const BEAT: Duration = Duration::from_secs(1);

/// Most addresses in one subscription.
const MOST_ADDRESSES: usize = 64;

/// Tells listeners that the data have a new state.
pub(super) struct Pulse {
    desk: Arc<Desk>,
    sender: watch::Sender<Option<State>>,
    beating: Arc<Mutex<bool>>,
    /// What an address held when it was last granted, so that no change after the grant is missed.
    granted: Cache<String, u64>,
}

impl Pulse {
    /// A pulse that rests until somebody listens.
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        Self {
            desk,
            sender: watch::Sender::new(None),
            beating: Arc::default(),
            granted: Cache::new(4_096),
        }
    }

    /// The part of a wish that can be granted: addresses that exist and can change.
    pub(super) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let known = |uri: &&String| match fingerprint(&self.desk, uri) {
                Ok(Some(mark)) => {
                    self.granted.insert((*uri).clone(), mark);
                    true
                }
                Ok(None) => false,
                Err(error) => {
                    crate::error::log(&error, "subscriptions");
                    false
                }
            };
            uris.iter()
                .filter(known)
                .take(MOST_ADDRESSES)
                .cloned()
                .collect()
        });
        granted
    }

    /// Serves one listener until it leaves.
    pub(super) async fn serve(&self, context: &SubscriptionContext) {
        let uris = context.accepted().resource_subscriptions.iter().flatten();
        let mut watched = Watched {
            desk: Arc::clone(&self.desk),
            uris: uris.map(|u| (u.clone(), self.granted.get(u))).collect(),
        };
        if watched.uris.is_empty() {
            context.cancelled().await;
            return;
        }
        let mut beats = self.listen();
        // What happened since the grant is news, so the first look does not wait for a beat.
        beats.mark_changed();
        loop {
            tokio::select! {
                () = context.cancelled() => return,
                beat = beats.changed() => if beat.is_err() { return },
            }
            for uri in watched.changed().await {
                if let Err(error) = context.sink().notify_resource_updated(uri).await {
                    tracing::debug!(%error, "a listener is gone");
                    return;
                }
            }
        }
    }

    /// A listener's end of the pulse; the first one starts it.
    fn listen(&self) -> watch::Receiver<Option<State>> {
        let mut beating = lock(&self.beating);
        let receiver = self.sender.subscribe();
        if !*beating {
            *beating = true;
            let (desk, sender) = (Arc::clone(&self.desk), self.sender.clone());
            tokio::spawn(beat(desk, sender, Arc::clone(&self.beating)));
        }
        receiver
    }
}

/// Looks at the state of the data until nobody listens.
async fn beat(desk: Arc<Desk>, sender: watch::Sender<Option<State>>, beating: Arc<Mutex<bool>>) {
    loop {
        match desk.state() {
            Ok(state) => {
                sender.send_if_modified(|known| {
                    let new = *known != Some(state);
                    *known = Some(state);
                    new
                });
            }
            Err(error) => crate::error::log(&error, "subscriptions"),
        }
        tokio::time::sleep(BEAT).await;
        let mut beating = lock(&beating);
        if sender.receiver_count() == 0 {
            *beating = false;
            return;
        }
    }
}

fn lock(beating: &Mutex<bool>) -> std::sync::MutexGuard<'_, bool> {
    beating.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A listener's addresses with what they last held.
struct Watched {
    desk: Arc<Desk>,
    uris: Vec<(String, Option<u64>)>,
}

impl Watched {
    /// The addresses whose content differs from the last look; all of it is read off the executor.
    async fn changed(&mut self) -> Vec<String> {
        let (desk, before) = (Arc::clone(&self.desk), self.uris.clone());
        let look = move || -> Vec<(String, Option<u64>)> {
            let now = |(uri, last): (String, Option<u64>)| {
                let mark = fingerprint(&desk, &uri).unwrap_or_else(|error| {
                    crate::error::log(&error, "subscriptions");
                    last
                });
                (uri, mark)
            };
            before.into_iter().map(now).collect()
        };
        let now = match tokio::task::spawn_blocking(look).await {
            Ok(now) => now,
            Err(error) => {
                tracing::error!(%error, "looking at subscribed resources failed");
                return Vec::new();
            }
        };
        let news = now
            .iter()
            .zip(&self.uris)
            .filter(|(new, old)| new.1 != old.1)
            .map(|(new, _)| new.0.clone())
            .collect();
        self.uris = now;
        news
    }
}

/// A mark of what an address holds now; nothing for what cannot change or does not exist.
fn fingerprint(desk: &Desk, uri: &str) -> Result<Option<u64>> {
    if !uri.starts_with(SCHEME) {
        return Ok(None);
    }
    let mut hash = DefaultHasher::new();
    match Address::parse(uri) {
        Ok(Address::Regime) => regime(desk, &mut hash)?,
        Ok(Address::Summary) => {
            // It speaks of many series: any change of the data may be one of it.
            desk.state()?.hash(&mut hash);
        }
        Ok(Address::Series { id, .. } | Address::Metric(id)) => {
            let Ok(info) = desk.resolve("series", &id) else {
                return Ok(None);
            };
            let series = desk.series(&info, AsOf::Latest)?;
            for o in series.iter().flat_map(|s| &s.observations) {
                (o.date, o.value.to_bits()).hash(&mut hash);
            }
        }
        Ok(
            Address::Catalog(_) | Address::Method(_) | Address::Glossary(_) | Address::Articles(_),
        )
        | Err(_) => return Ok(None),
    }
    Ok(Some(hash.finish()))
}

fn regime(desk: &Desk, hash: &mut DefaultHasher) -> Result<()> {
    let path = desk.regimes(AsOf::Latest)?;
    let now = &path.now;
    now.regime.hash(hash);
    now.confidence.map(f64::to_bits).hash(hash);
    now.trajectory.name().hash(hash);
    if let Some(state) = &now.state {
        (
            state.month,
            state.growth.to_bits(),
            state.inflation.to_bits(),
        )
            .hash(hash);
    }
    Ok(())
}

//! Subscriptions: a listener gets a message when the regime, the summary, the calendar or a series changes, or when a
//! condition is crossed.
//!
//! One task polls the state of the data once a second, and only while there are listeners. It polls because another process
//! may write to the store. Each topic is read once for all of its listeners, in the pool, and a change wakes only them.

use super::resources::{Address, SCHEME};
use econoscope_answers::Backend;
use econoscope_answers::conditions::{self, crossings};
use econoscope_core::error::{self, Result};
use econoscope_core::model::{AsOf, Date, SeriesId};
use econoscope_desk::{Desk, State};
use futures_util::StreamExt;
use futures_util::stream::SelectAll;
use parking_lot::Mutex;
use rmcp::model::SubscriptionFilter;
use rmcp::service::SubscriptionContext;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// Minimum pause between two polls.
const INTERVAL: Duration = Duration::from_secs(1);
/// The pause is at least this multiple of the time a poll took, so that frequent changes do not keep a thread busy.
const PAUSE_FACTOR: u32 = 9;
/// Maximum number of addresses in a subscription. Further ones are not granted.
const MAX_ADDRESSES: usize = 64;
/// Maximum number of topics at once. Further ones are not granted.
const MAX_TOPICS: usize = 65_536;
/// Maximum number of conditions among the topics. Each is evaluated when the data change.
const MAX_CONDITIONS: usize = 1_024;
/// How long a topic without listeners is stored. A listener that connects this long after the grant misses no change.
const GRACE: Duration = Duration::from_secs(30);

/// What an address shows. Many addresses show the same topic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Topic {
    Regime,
    Summary,
    Calendar,
    Series(SeriesId),
    /// The crossings of a condition.
    Alert(String),
}

impl Topic {
    /// Returns the topic of an address; `None` if it does not exist or cannot change.
    fn from_uri(desk: &Desk, uri: &str) -> Result<Option<Self>> {
        if !uri.starts_with(SCHEME) {
            return Ok(None);
        }
        Ok(match Address::parse(uri) {
            Ok(Address::Regime) => Some(Self::Regime),
            Ok(Address::Summary) => Some(Self::Summary),
            Ok(Address::Calendar) => Some(Self::Calendar),
            Ok(Address::Series { id, .. } | Address::Metric(id)) => {
                desk.find_id(&id)?.map(Self::Series)
            }
            Ok(Address::Alert(condition)) => {
                conditions::is_condition(desk, &condition)?.then_some(Self::Alert(condition))
            }
            // Nothing else changes while the program runs.
            Ok(_) | Err(_) => None,
        })
    }

    /// Returns a hash of what the topic shows now.
    fn fingerprint(&self, desk: &Desk) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        match self {
            // They depend on so many series that every change of the data counts.
            Self::Summary | Self::Calendar => desk.state()?.hash(&mut hasher),
            Self::Series(id) => {
                let info = desk.resolve("series", id.as_str())?;
                let series = desk.series(&info, AsOf::Latest)?;
                for row in series.iter().flat_map(|s| &s.observations) {
                    (row.date, row.value.to_bits()).hash(&mut hasher);
                }
            }
            Self::Alert(condition) => {
                let last = match crossings(desk, condition) {
                    Ok(crossings) => crossings.crossings.last().map(|last| (last.date, last.met)),
                    Err(error) if error.is_retryable() => return Err(error),
                    // A condition that cannot be evaluated has no crossing.
                    Err(_) => None::<(Date, bool)>,
                };
                last.hash(&mut hasher);
            }
            Self::Regime => {
                let now = &desk.regimes(AsOf::Latest)?.now;
                let state = now
                    .state
                    .as_ref()
                    .map(|s| (s.month, s.growth.to_bits(), s.inflation.to_bits()));
                let confidence = now.confidence.map(f64::to_bits);
                (now.regime, confidence, now.trajectory.name(), state).hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

/// A topic that has listeners or was granted recently.
struct ActiveTopic {
    /// `None` until the topic is first read.
    fingerprint: Option<u64>,
    /// State of the data when the topic was granted or last read.
    state: State,
    granted_at: Instant,
    changed_at: Option<Instant>,
    changes: watch::Sender<()>,
}

impl ActiveTopic {
    fn is_expired(&self) -> bool {
        self.changes.receiver_count() == 0 && self.granted_at.elapsed() >= GRACE
    }

    fn is_stale(&self, state: State) -> bool {
        self.fingerprint.is_none() || self.state != state
    }
}

/// Notifies listeners of changes in the data.
pub(super) struct Subscriptions {
    backend: Arc<Backend>,
    topics: Mutex<HashMap<Topic, ActiveTopic>>,
    /// Whether the polling task runs.
    is_polling: Mutex<bool>,
}

impl Subscriptions {
    pub(super) fn new(backend: Arc<Backend>) -> Arc<Self> {
        Arc::new(Self {
            backend,
            topics: Mutex::default(),
            is_polling: Mutex::new(false),
        })
    }

    /// Returns the part of a request that is granted: addresses that exist and can change. It runs on an executor thread,
    /// so it looks names up without a search and computes nothing.
    pub(super) fn grant(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let is_granted = |uri: &&String| self.subscribe(uri).is_some();
            distinct(uris).filter(is_granted).cloned().collect()
        });
        granted
    }

    /// Sends changes to one listener until it leaves.
    pub(super) async fn serve(self: &Arc<Self>, context: &SubscriptionContext) {
        let uris = &context.accepted().resource_subscriptions;
        let streams = distinct(uris.as_deref().unwrap_or_default()).filter_map(|uri| {
            let changes = WatchStream::from_changes(self.subscribe(uri)?);
            let changed = uri.clone();
            Some(changes.map(move |()| changed.clone()))
        });
        let mut changes: SelectAll<_> = streams.collect();
        if !changes.is_empty() && !std::mem::replace(&mut *self.is_polling.lock(), true) {
            tokio::spawn(Arc::clone(self).poll());
        }
        loop {
            let uri = tokio::select! {
                () = context.cancelled() => return,
                Some(uri) = changes.next() => uri,
            };
            if let Err(error) = context.sink().notify_resource_updated(uri).await {
                tracing::debug!(%error, "a listener has disconnected");
                return;
            }
        }
    }

    /// Subscribes to an address; `None` if it is not granted.
    fn subscribe(&self, uri: &str) -> Option<watch::Receiver<()>> {
        let topic = Topic::from_uri(self.backend.desk(), uri).transpose()?;
        let changes = topic.and_then(|topic| self.subscribe_topic(topic));
        changes
            .inspect_err(|error| error::log(error, "subscriptions"))
            .ok()?
    }

    /// Subscribes to the changes of a topic from now on, and to those since its latest grant. Returns `None` if there are
    /// too many topics.
    fn subscribe_topic(&self, topic: Topic) -> Result<Option<watch::Receiver<()>>> {
        let state = self.backend.desk().state()?;
        let mut topics = self.topics.lock();
        let is_alert = |topic: &Topic| matches!(topic, Topic::Alert(_));
        let alerts = || topics.keys().filter(|topic| is_alert(topic)).count();
        let is_full =
            || topics.len() >= MAX_TOPICS || is_alert(&topic) && alerts() >= MAX_CONDITIONS;
        if !topics.contains_key(&topic) && is_full() {
            return Ok(None);
        }
        if topics.get(&topic).is_some_and(ActiveTopic::is_expired) {
            topics.remove(&topic);
        }
        let topic = topics.entry(topic).or_insert_with(|| ActiveTopic {
            fingerprint: None,
            state,
            granted_at: Instant::now(),
            changed_at: None,
            changes: watch::Sender::new(()),
        });
        topic.granted_at = Instant::now();
        let mut changes = topic.changes.subscribe();
        if topic.changed_at.is_some_and(|at| at.elapsed() < GRACE) {
            changes.mark_changed();
        }
        Ok(Some(changes))
    }

    /// Polls until there are no listeners.
    async fn poll(self: Arc<Self>) {
        loop {
            let start = Instant::now();
            if let Err(error) = self.refresh().await {
                error::log(&error, "subscriptions");
            }
            tokio::time::sleep(INTERVAL.max(start.elapsed() * PAUSE_FACTOR)).await;
            let mut is_polling = self.is_polling.lock();
            if !self.remove_expired() {
                *is_polling = false;
                return;
            }
        }
    }

    /// Reads the stale topics in the pool, if there are any.
    async fn refresh(self: &Arc<Self>) -> Result<()> {
        if self.stale_topics()?.is_empty() {
            return Ok(());
        }
        let this = Arc::clone(self);
        let refresh = move || this.refresh_topics();
        self.backend.pool().run(refresh).await
    }

    /// Returns the topics that were not read at the present state of the data.
    fn stale_topics(&self) -> Result<Vec<Topic>> {
        let state = self.backend.desk().state()?;
        let topics = self.topics.lock();
        let stale = topics.iter().filter(|(_, topic)| topic.is_stale(state));
        Ok(stale.map(|(topic, _)| topic.clone()).collect())
    }

    /// Reads each stale topic and wakes the listeners of those that changed. A topic that cannot be read stays stale.
    fn refresh_topics(&self) -> Result<()> {
        let desk = self.backend.desk();
        for topic in self.stale_topics()? {
            // State and fingerprint must belong together, or one change is reported twice.
            match desk.compute_consistently(|| Ok((desk.state()?, topic.fingerprint(desk)?))) {
                Ok((state, fingerprint)) => self.record(&topic, state, fingerprint),
                Err(error) => error::log(&error, "subscriptions"),
            }
        }
        Ok(())
    }

    /// Records what a topic showed at a state of the data, and wakes its listeners if it changed.
    fn record(&self, topic: &Topic, state: State, fingerprint: u64) {
        let mut topics = self.topics.lock();
        let Some(topic) = topics.get_mut(topic) else {
            return;
        };
        let has_changed = match topic.fingerprint {
            Some(previous) => previous != fingerprint,
            // The topic was not read at the grant, so a later state counts as a change.
            None => topic.state != state,
        };
        topic.fingerprint = Some(fingerprint);
        topic.state = state;
        if has_changed {
            topic.changed_at = Some(Instant::now());
            topic.changes.send_replace(());
        }
    }

    /// Removes expired topics. Returns whether any topic has listeners.
    fn remove_expired(&self) -> bool {
        let mut topics = self.topics.lock();
        topics.retain(|_, topic| !topic.is_expired());
        topics.values().any(|t| t.changes.receiver_count() > 0)
    }
}

/// Returns the first addresses of a list, each once.
fn distinct(uris: &[String]) -> impl Iterator<Item = &String> {
    let mut seen = HashSet::new();
    let first = uris.iter().take(MAX_ADDRESSES);
    first.filter(move |uri| seen.insert(uri.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::{Observation, SeriesId};
    use econoscope_data::store::{Sqlite, Store, Write};
    use econoscope_desk::Settings;
    use std::sync::Arc;

    fn write(store: &dyn Store, id: &str, values: &[f64]) {
        let days = jiff::civil::date(2026, 8, 1).series(jiff::ToSpan::days(1));
        let observations: Vec<_> = days
            .zip(values)
            .map(|(day, value)| Observation::new(day, *value))
            .collect();
        let write = Write {
            id: &SeriesId::new(id).unwrap(),
            observations: &observations,
            known_from: None,
            fetched_at: "2026-08-22T00:00:00Z".parse().unwrap(),
            origin: "test",
        };
        store.write(write).unwrap();
    }

    fn subscriptions() -> (Arc<Sqlite>, Arc<Subscriptions>) {
        let store = Arc::new(Sqlite::in_memory().unwrap());
        write(store.as_ref(), "OWN", &[1.0]);
        write(store.as_ref(), "OTHER", &[1.0]);
        let now = Arc::new(|| "2026-08-22T12:00:00Z".parse().unwrap());
        let desk = Desk::open(Arc::clone(&store) as _, Settings::default(), now);
        let backend = Backend::local(Arc::new(desk));
        (store, Subscriptions::new(Arc::new(backend)))
    }

    #[test]
    fn all_listeners_of_a_series_share_one_topic() {
        let (store, subscriptions) = subscriptions();
        let forms = [
            "macro://series/OWN",
            "macro://series/own.csv",
            "macro://series/OWN?start=2020-01-01",
            "macro://metric/OWN",
        ];
        let mut listeners: Vec<_> = (0..300)
            .flat_map(|_| forms)
            .map(|uri| subscriptions.subscribe(uri).unwrap())
            .collect();
        assert_eq!(subscriptions.topics.lock().len(), 1);
        let woken = |listeners: &[watch::Receiver<()>]| {
            let woken = listeners.iter().filter(|l| l.has_changed().unwrap());
            woken.count()
        };
        let is_stale = || !subscriptions.stale_topics().unwrap().is_empty();
        subscriptions.refresh_topics().unwrap();
        assert!(!is_stale(), "each was read");
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        assert!(is_stale());
        subscriptions.refresh_topics().unwrap();
        assert_eq!(woken(&listeners), 0);
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        subscriptions.refresh_topics().unwrap();
        assert_eq!(woken(&listeners), listeners.len());
        listeners.iter_mut().for_each(|l| l.mark_unchanged());
        subscriptions.refresh_topics().unwrap();
        assert_eq!(woken(&listeners), 0);
        assert!(subscriptions.remove_expired());
        drop(listeners);
        assert!(!subscriptions.remove_expired(), "no listeners are left");
    }

    #[test]
    fn a_change_between_grant_and_listener_is_reported() {
        let (store, subscriptions) = subscriptions();
        let uris = ["macro://series/OWN", "macro://regime"];
        for uri in uris {
            assert!(subscriptions.subscribe(uri).is_some());
        }
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        subscriptions.refresh_topics().unwrap();
        for uri in uris {
            let changes = subscriptions.subscribe(uri).unwrap();
            assert!(changes.has_changed().unwrap(), "{uri}");
        }
    }

    #[test]
    fn an_unchanged_computed_topic_wakes_nobody() {
        let (store, subscriptions) = subscriptions();
        let changes = subscriptions.subscribe("macro://regime").unwrap();
        subscriptions.refresh_topics().unwrap();
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        subscriptions.refresh_topics().unwrap();
        assert!(!changes.has_changed().unwrap());
    }

    #[test]
    fn unknown_names_are_not_topics() {
        let (_, subscriptions) = subscriptions();
        for uri in [
            "macro://series/NOSUCH",
            "macro://metric/DGS1O",
            "macro://catalog",
            "file:///etc/passwd",
            "macro://series/",
        ] {
            assert!(subscriptions.subscribe(uri).is_none(), "{uri}");
        }
    }
}

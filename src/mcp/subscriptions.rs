//! Subscriptions: a listener to the regime, a composite or a series gets a message when it changes, one to a condition when
//! it is crossed.
//!
//! One task looks at the state of the data once a second, and only while somebody listens: the store may also be written
//! by another process, so nothing inside this one could announce every change. Each topic is read once for all of its
//! listeners, in the pool, and a change wakes those alone who subscribed to it.

use super::resources::{Address, SCHEME};
use econoscope_answers::endpoints::Backend;
use econoscope_answers::endpoints::condition::{self, crossings};
use econoscope_core::error::{self, Result};
use econoscope_core::model::{AsOf, Date, SeriesId};
use econoscope_data::desk::{Desk, State};
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

/// How often the state of the data is looked at.
const INTERVAL: Duration = Duration::from_secs(1);
/// After reading the topics the task rests so many times as long: many changes in a row must not keep a thread busy.
const REST: u32 = 9;
/// Most addresses in one subscription; of a longer request the first are granted.
const MAX_ADDRESSES: usize = 64;
/// Most topics at once; a request for more is not granted.
const MAX_TOPICS: usize = 65_536;
/// Most of them that are conditions: each is evaluated anew when the data change.
const MAX_CONDITIONS: usize = 1_024;
/// A topic without listeners is kept so long: between a grant and its listener lies the time that the answer takes, and
/// a change in it is sent to the listener.
const GRACE: Duration = Duration::from_secs(30);

/// What an address shows; many addresses show the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Topic {
    Regime,
    Summary,
    Calendar,
    Series(SeriesId),
    /// A condition, which its crossings change.
    Alert(String),
}

impl Topic {
    /// What an address shows; nothing for one that cannot change or does not exist.
    fn of(desk: &Desk, uri: &str) -> Result<Option<Self>> {
        if !uri.starts_with(SCHEME) {
            return Ok(None);
        }
        Ok(match Address::parse(uri) {
            Ok(Address::Regime) => Some(Self::Regime),
            Ok(Address::Summary) => Some(Self::Summary),
            Ok(Address::Calendar) => Some(Self::Calendar),
            Ok(Address::Series { id, .. } | Address::Metric(id)) => {
                desk.known(&id)?.map(Self::Series)
            }
            Ok(Address::Alert(condition)) => {
                condition::is_condition(desk, &condition)?.then_some(Self::Alert(condition))
            }
            // Nothing else changes while the program runs.
            Ok(_) | Err(_) => None,
        })
    }

    /// A hash of what it shows now: another one is a change.
    fn fingerprint(&self, desk: &Desk) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        match self {
            // They rest on so many series that any change of the data may be one of them.
            Self::Summary | Self::Calendar => desk.state()?.hash(&mut hasher),
            Self::Series(id) => {
                let info = desk.resolve("series", id.as_str())?;
                let series = desk.series(&info, AsOf::Latest)?;
                for row in series.iter().flat_map(|s| &s.observations) {
                    (row.date, row.value.to_bits()).hash(&mut hasher);
                }
            }
            Self::Alert(condition) => match crossings(desk, condition) {
                Ok(found) => {
                    let last = found.all.last();
                    last.map(|crossing| (crossing.date, crossing.met))
                        .hash(&mut hasher);
                }
                Err(error) if error.retryable() => return Err(error),
                // What cannot be judged has not crossed.
                Err(_) => None::<(Date, bool)>.hash(&mut hasher),
            },
            Self::Regime => {
                let now = &desk.regimes(AsOf::Latest)?.now;
                let state = now.state.as_ref();
                let state = state.map(|s| (s.month, s.growth.to_bits(), s.inflation.to_bits()));
                let confidence = now.confidence.map(f64::to_bits);
                (now.regime, confidence, now.trajectory.name(), state).hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

/// A topic somebody listens to, or has just been granted.
struct Watched {
    /// None until it is first read.
    fingerprint: Option<u64>,
    /// State of the data when it was read, or granted.
    state: State,
    granted: Instant,
    changed: Option<Instant>,
    changes: watch::Sender<()>,
}

impl Watched {
    fn is_wanted(&self) -> bool {
        self.changes.receiver_count() > 0 || self.granted.elapsed() < GRACE
    }

    fn is_due(&self, state: State) -> bool {
        self.fingerprint.is_none() || self.state != state
    }
}

/// Whether there is no room for a topic.
fn is_full(topics: &HashMap<Topic, Watched>, topic: &Topic) -> bool {
    let is_condition = |topic: &Topic| matches!(topic, Topic::Alert(_));
    let conditions = || topics.keys().filter(|topic| is_condition(topic)).count();
    topics.len() >= MAX_TOPICS || is_condition(topic) && conditions() >= MAX_CONDITIONS
}

/// Every topic once, with its listeners.
#[derive(Default)]
struct Registry(Mutex<HashMap<Topic, Watched>>);

impl Registry {
    /// Receives every change of a topic from now on, and those since it was lately granted; `None` when there are too
    /// many topics.
    fn listen(&self, desk: &Desk, topic: &Topic) -> Result<Option<watch::Receiver<()>>> {
        let state = desk.state()?;
        let mut topics = self.0.lock();
        if !topics.contains_key(topic) && is_full(&topics, topic) {
            return Ok(None);
        }
        if topics.get(topic).is_none_or(|w| !w.is_wanted()) {
            let fresh = Watched {
                fingerprint: None,
                state,
                granted: Instant::now(),
                changed: None,
                changes: watch::Sender::new(()),
            };
            topics.insert(topic.clone(), fresh);
        }
        let Some(watched) = topics.get_mut(topic) else {
            return Ok(None);
        };
        watched.granted = Instant::now();
        let mut changes = watched.changes.subscribe();
        if watched.changed.is_some_and(|at| at.elapsed() < GRACE) {
            changes.mark_changed();
        }
        Ok(Some(changes))
    }

    /// Whether any topic may show something else than when it was last read.
    fn is_due(&self, desk: &Desk) -> Result<bool> {
        let state = desk.state()?;
        Ok(self.0.lock().values().any(|w| w.is_due(state)))
    }

    /// Reads each topic that is due and wakes the listeners of those that changed. What cannot be read is left for the
    /// next time.
    fn refresh(&self, desk: &Desk) -> Result<()> {
        let now = desk.state()?;
        let due: Vec<Topic> = {
            let topics = self.0.lock();
            let due = topics.iter().filter(|(_, w)| w.is_due(now));
            due.map(|(topic, _)| topic.clone()).collect()
        };
        for topic in due {
            // A figure of another state than the one noted with it would be news twice.
            match desk.consistent(|| Ok((desk.state()?, topic.fingerprint(desk)?))) {
                Ok((state, fingerprint)) => self.note(&topic, state, fingerprint),
                Err(error) => error::log(&error, "subscriptions"),
            }
        }
        Ok(())
    }

    /// Notes what was read at a state.
    fn note(&self, topic: &Topic, state: State, fingerprint: u64) {
        let mut topics = self.0.lock();
        let Some(watched) = topics.get_mut(topic) else {
            return;
        };
        let has_changed = match watched.fingerprint {
            Some(old) => old != fingerprint,
            // What it showed at the grant is not known once the data have moved on.
            None => watched.state != state,
        };
        watched.fingerprint = Some(fingerprint);
        watched.state = state;
        if has_changed {
            watched.changed = Some(Instant::now());
            watched.changes.send_replace(());
        }
    }

    /// Drops topics that nobody wants any more, and says whether one with listeners is left.
    fn tidy(&self) -> bool {
        let mut topics = self.0.lock();
        topics.retain(|_, w| w.is_wanted());
        topics.values().any(|w| w.changes.receiver_count() > 0)
    }
}

/// Sends listeners the changes of the data; rests until somebody listens.
pub(super) struct Subscriptions {
    backend: Arc<Backend>,
    registry: Registry,
    is_running: Mutex<bool>,
}

impl Subscriptions {
    pub(super) fn new(backend: Arc<Backend>) -> Arc<Self> {
        Arc::new(Self {
            backend,
            registry: Registry::default(),
            is_running: Mutex::new(false),
        })
    }

    /// The part of a request that is granted: addresses that exist and can change. Names are looked up and not searched
    /// for, and nothing is computed: this runs where all requests are answered.
    pub(super) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let is_granted = |uri: &&String| self.changes(uri).is_some();
            distinct(uris).filter(is_granted).cloned().collect()
        });
        granted
    }

    /// Serves one listener until it leaves.
    pub(super) async fn serve(self: &Arc<Self>, context: &SubscriptionContext) {
        let uris = &context.accepted().resource_subscriptions;
        let streams = distinct(uris.as_deref().unwrap_or_default()).filter_map(|uri| {
            let changes = WatchStream::from_changes(self.changes(uri)?);
            let uri = uri.clone();
            Some(changes.map(move |()| uri.clone()))
        });
        let mut changes: SelectAll<_> = streams.collect();
        if changes.is_empty() {
            context.cancelled().await;
            return;
        }
        if !std::mem::replace(&mut *self.is_running.lock(), true) {
            tokio::spawn(Arc::clone(self).run());
        }
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return,
                changed = changes.next() => changed,
            };
            let Some(uri) = changed else { return };
            if let Err(error) = context.sink().notify_resource_updated(uri).await {
                tracing::debug!(%error, "a listener is gone");
                return;
            }
        }
    }

    /// The changes of an address; none where it does not exist or cannot change.
    fn changes(&self, uri: &str) -> Option<watch::Receiver<()>> {
        let desk = self.backend.desk();
        let topic = Topic::of(desk, uri).transpose()?;
        let changes = topic.and_then(|topic| self.registry.listen(desk, &topic));
        changes
            .inspect_err(|error| error::log(error, "subscriptions"))
            .ok()?
    }

    /// Reads the topics again and again until nobody listens.
    async fn run(self: Arc<Self>) {
        loop {
            let begun = Instant::now();
            if let Err(error) = self.refresh().await {
                error::log(&error, "subscriptions");
            }
            tokio::time::sleep(INTERVAL.max(begun.elapsed() * REST)).await;
            let mut is_running = self.is_running.lock();
            if !self.registry.tidy() {
                *is_running = false;
                return;
            }
        }
    }

    async fn refresh(self: &Arc<Self>) -> Result<()> {
        if !self.registry.is_due(self.backend.desk())? {
            return Ok(());
        }
        let this = Arc::clone(self);
        let work = move || this.registry.refresh(this.backend.desk());
        self.backend.pool().run(work).await
    }
}

/// The first addresses of a list, each once.
fn distinct(uris: &[String]) -> impl Iterator<Item = &String> {
    let mut seen = HashSet::new();
    let first = uris.iter().take(MAX_ADDRESSES);
    first.filter(move |uri| seen.insert(uri.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::{Observation, SeriesId};
    use econoscope_data::desk::Settings;
    use econoscope_data::store::{Sqlite, Store, Write};
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

    fn desk() -> (Arc<Sqlite>, Desk) {
        let store = Arc::new(Sqlite::in_memory().unwrap());
        write(store.as_ref(), "OWN", &[1.0]);
        write(store.as_ref(), "OTHER", &[1.0]);
        let now = Arc::new(|| "2026-08-22T12:00:00Z".parse().unwrap());
        let desk = Desk::open(Arc::clone(&store) as _, Settings::default(), now);
        (store, desk)
    }

    #[test]
    fn many_listeners_to_many_forms_of_an_address_are_one_topic() {
        let (store, desk) = desk();
        let registry = Registry::default();
        let forms = [
            "macro://series/OWN",
            "macro://series/own.csv",
            "macro://series/OWN?start=2020-01-01",
            "macro://metric/OWN",
        ];
        let mut listeners: Vec<_> = (0..300)
            .flat_map(|_| forms)
            .map(|uri| {
                let topic = Topic::of(&desk, uri).unwrap().unwrap();
                registry.listen(&desk, &topic).unwrap().unwrap()
            })
            .collect();
        assert_eq!(registry.0.lock().len(), 1);
        let woken = |listeners: &[watch::Receiver<()>]| {
            let woken = listeners.iter().filter(|l| l.has_changed().unwrap());
            woken.count()
        };
        registry.refresh(&desk).unwrap();
        assert!(!registry.is_due(&desk).unwrap(), "each was read");
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        assert!(registry.is_due(&desk).unwrap());
        registry.refresh(&desk).unwrap();
        assert_eq!(woken(&listeners), 0);
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        registry.refresh(&desk).unwrap();
        assert_eq!(woken(&listeners), listeners.len());
        listeners.iter_mut().for_each(|l| l.mark_unchanged());
        registry.refresh(&desk).unwrap();
        assert_eq!(woken(&listeners), 0);
        assert!(registry.tidy());
        drop(listeners);
        assert!(!registry.tidy(), "nobody listens any more");
    }

    #[test]
    fn what_changes_between_the_grant_and_the_listener_is_news() {
        let (store, desk) = desk();
        let registry = Registry::default();
        let topics = ["macro://series/OWN", "macro://regime"]
            .map(|uri| Topic::of(&desk, uri).unwrap().unwrap());
        for topic in &topics {
            assert!(registry.listen(&desk, topic).unwrap().is_some());
        }
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        registry.refresh(&desk).unwrap();
        for topic in &topics {
            let news = registry.listen(&desk, topic).unwrap().unwrap();
            assert!(news.has_changed().unwrap(), "{topic:?}");
        }
    }

    #[test]
    fn a_computed_topic_that_stays_the_same_is_no_news() {
        let (store, desk) = desk();
        let registry = Registry::default();
        let regime = Topic::of(&desk, "macro://regime").unwrap().unwrap();
        let news = registry.listen(&desk, &regime).unwrap().unwrap();
        registry.refresh(&desk).unwrap();
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        registry.refresh(&desk).unwrap();
        assert!(!news.has_changed().unwrap());
    }

    #[test]
    fn names_that_mean_nothing_are_no_topic() {
        let (_, desk) = desk();
        for uri in [
            "macro://series/NOSUCH",
            "macro://metric/DGS1O",
            "macro://catalog",
            "file:///etc/passwd",
            "macro://series/",
        ] {
            assert_eq!(Topic::of(&desk, uri).unwrap(), None, "{uri}");
        }
    }
}

//! Subscriptions: a listener gets a message when the regime, the summary, the calendar or a series changes, or when a
//! condition is crossed.
//!
//! Each listener polls the state of the data once a second, because another process may write to the store. What a topic
//! shows at a state is read once for all listeners, in the pool.

use super::resources::{Address, SCHEME};
use econoscope_answers::endpoints::Backend;
use econoscope_answers::endpoints::condition::{self, crossings};
use econoscope_core::cache::Cache;
use econoscope_core::error::{self, Result};
use econoscope_core::model::{AsOf, Date, SeriesId};
use econoscope_data::desk::{Desk, State};
use parking_lot::Mutex;
use rmcp::model::SubscriptionFilter;
use rmcp::service::SubscriptionContext;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Minimum pause between two polls.
const INTERVAL: Duration = Duration::from_secs(1);
/// The pause is at least this multiple of the time a poll took, so that frequent changes do not keep a thread busy.
const PAUSE_FACTOR: u32 = 9;
/// Maximum number of addresses in a subscription. Further ones are not granted.
const MAX_ADDRESSES: usize = 64;
/// Maximum number of cached fingerprints.
const MAX_FINGERPRINTS: usize = 4_096;

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
                condition::is_condition(desk, &condition)?.then_some(Self::Alert(condition))
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
                let state = now.state.as_ref();
                let state = state.map(|s| (s.month, s.growth.to_bits(), s.inflation.to_bits()));
                let confidence = now.confidence.map(f64::to_bits);
                (now.regime, confidence, now.trajectory.name(), state).hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

/// The addresses of one listener, and what they showed when they were last read.
struct Watch {
    /// Each address with its topic.
    topics: Arc<[(String, Topic)]>,
    /// The fingerprint of each topic; empty until they are first read.
    fingerprints: Vec<u64>,
    /// State of the data at the grant, or when the topics were last read.
    state: Option<State>,
}

/// Notifies listeners of changes in the data.
pub(super) struct Subscriptions {
    backend: Arc<Backend>,
    /// What topics show at a state of the data, shared by all listeners.
    fingerprints: Arc<Cache<(Topic, State), u64>>,
    /// Listeners read their topics one after another, so that all of them together use one thread.
    reading: Semaphore,
    /// State of the data at the latest grant. A change between a grant and its stream counts as one.
    granted_at: Mutex<Option<State>>,
}

impl Subscriptions {
    pub(super) fn new(backend: Arc<Backend>) -> Self {
        Self {
            backend,
            fingerprints: Arc::new(Cache::new(MAX_FINGERPRINTS)),
            reading: Semaphore::new(1),
            granted_at: Mutex::default(),
        }
    }

    /// Returns the part of a request that is granted: addresses that exist and can change. It runs on an executor thread,
    /// so it looks names up without a search and computes nothing.
    pub(super) fn grant(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        *self.granted_at.lock() = self.backend.desk().state().ok();
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let topics = self.watch(uris).topics;
            topics.iter().map(|(uri, _)| uri.clone()).collect()
        });
        granted
    }

    /// Sends changes to one listener until it leaves.
    pub(super) async fn serve(&self, context: &SubscriptionContext) {
        let uris = context.accepted().resource_subscriptions.as_deref();
        let watch = self.watch(uris.unwrap_or_default());
        tokio::select! {
            () = context.cancelled() => {}
            () = self.notify(watch, context), if !watch.topics.is_empty() => {}
        }
    }

    /// Returns the addresses that exist and can change, with their topics.
    fn watch(&self, uris: &[String]) -> Watch {
        let topic = |uri: &String| {
            let topic = Topic::from_uri(self.backend.desk(), uri);
            let topic = topic.inspect_err(|error| error::log(error, "subscriptions"));
            Some((uri.clone(), topic.ok()??))
        };
        Watch {
            topics: distinct(uris).filter_map(topic).collect(),
            fingerprints: Vec::new(),
            state: *self.granted_at.lock(),
        }
    }

    /// Reports changes until the listener has disconnected.
    async fn notify(&self, mut watch: Watch, context: &SubscriptionContext) {
        loop {
            let start = Instant::now();
            let changed = self.changes(&mut watch).await;
            let changed = changed.inspect_err(|error| error::log(error, "subscriptions"));
            for uri in changed.unwrap_or_default() {
                if let Err(error) = context.sink().notify_resource_updated(uri).await {
                    return tracing::debug!(%error, "a listener has disconnected");
                }
            }
            tokio::time::sleep(INTERVAL.max(start.elapsed() * PAUSE_FACTOR)).await;
        }
    }

    /// Reads the topics of a listener if the data have changed, and returns the addresses that show something new.
    async fn changes(&self, watch: &mut Watch) -> Result<Vec<String>> {
        let desk = Arc::clone(self.backend.desk());
        if !watch.fingerprints.is_empty() && watch.state == Some(desk.state()?) {
            return Ok(Vec::new());
        }
        let _permit = self.reading.acquire().await;
        let (topics, cache) = (Arc::clone(&watch.topics), Arc::clone(&self.fingerprints));
        // State and fingerprints must belong together, or one change is reported twice.
        let read = move || {
            desk.compute_consistently(|| {
                let state = desk.state()?;
                let fingerprint = |(_, topic): &(String, Topic)| {
                    let key = (topic.clone(), state);
                    cache.get_or_insert_with(key, || topic.fingerprint(&desk))
                };
                let fingerprints = topics.iter().map(fingerprint);
                Ok((state, fingerprints.collect::<Result<Vec<u64>>>()?))
            })
        };
        let (state, fingerprints) = self.backend.pool().run(read).await?;
        let since_grant = watch.state != Some(state);
        let before = std::mem::replace(&mut watch.fingerprints, fingerprints);
        watch.state = Some(state);
        let topics = watch.topics.iter().zip(&watch.fingerprints).enumerate();
        let changed = topics.filter(|(at, (_, now))| match before.get(*at) {
            Some(before) => before != *now,
            // The topic was not read at the grant, so a later state counts as a change.
            None => since_grant,
        });
        Ok(changed.map(|(_, ((uri, _), _))| uri.clone()).collect())
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

    fn subscriptions() -> (Arc<Sqlite>, Subscriptions) {
        let store = Arc::new(Sqlite::in_memory().unwrap());
        write(store.as_ref(), "OWN", &[1.0]);
        write(store.as_ref(), "OTHER", &[1.0]);
        let now = Arc::new(|| "2026-08-22T12:00:00Z".parse().unwrap());
        let desk = Desk::open(Arc::clone(&store) as _, Settings::default(), now);
        let backend = Backend::local(Arc::new(desk));
        (store, Subscriptions::new(Arc::new(backend)))
    }

    fn watch(subscriptions: &Subscriptions, uris: &[&str]) -> Watch {
        let uris: Vec<String> = uris.iter().map(|uri| (*uri).to_owned()).collect();
        *subscriptions.granted_at.lock() = subscriptions.backend.desk().state().ok();
        subscriptions.watch(&uris)
    }

    #[tokio::test]
    async fn all_forms_of_a_series_share_one_topic() {
        let (store, subscriptions) = subscriptions();
        let forms = [
            "macro://series/OWN",
            "macro://series/own.csv",
            "macro://series/OWN?start=2020-01-01",
            "macro://metric/OWN",
        ];
        let mut listeners: Vec<_> = (0..30).map(|_| watch(&subscriptions, &forms)).collect();
        let mut expect = async |changed: &[&str]| {
            for listener in &mut listeners {
                assert_eq!(subscriptions.changes(listener).await.unwrap(), changed);
            }
        };
        expect(&[]).await;
        assert_eq!(subscriptions.fingerprints.weight(), 1);
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        expect(&[]).await;
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        expect(&forms).await;
        expect(&[]).await;
    }

    #[tokio::test]
    async fn a_change_between_grant_and_listener_is_reported() {
        let (store, subscriptions) = subscriptions();
        let uris = ["macro://series/OWN", "macro://regime"];
        let mut listener = watch(&subscriptions, &uris);
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        assert_eq!(subscriptions.changes(&mut listener).await.unwrap(), uris);
    }

    #[tokio::test]
    async fn an_unchanged_computed_topic_wakes_nobody() {
        let (store, subscriptions) = subscriptions();
        let mut listener = watch(&subscriptions, &["macro://regime"]);
        for n in 1..4 {
            let changed = subscriptions.changes(&mut listener).await.unwrap();
            assert!(changed.is_empty(), "{n}");
            write(store.as_ref(), "OTHER", &[1.0, f64::from(n)]);
        }
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
            assert!(watch(&subscriptions, &[uri]).topics.is_empty(), "{uri}");
        }
    }
}

//! Subscriptions: a listener gets a message when the regime, the summary, the calendar or a series changes, or when a
//! condition is crossed.
//!
//! One task polls the state of the data once a second, and only while there are listeners. It polls because another process
//! may write to the store. Each topic is read once for all of its listeners, and a change wakes only them.
//!
//! A few readings are a job of the pool's background for one of the callers that hold the topic, so that it gives way to
//! requests and counts as that caller's usage. A caller has a limited number of conditions, and of these a few are read
//! at each poll, so that those of one caller do not delay the notices of others.

use super::jsonrpc;
use super::resources::{self, Address, SCHEME};
use econoscope_answers::Backend;
use econoscope_answers::conditions::{self, crossings};
use econoscope_core::error::{self, Error, Result};
use econoscope_core::model::{AsOf, Date, SeriesId};
use econoscope_data::pool::{Caller, in_background};
use econoscope_desk::{Desk, State};
use futures_util::stream::SelectAll;
use futures_util::{Stream, StreamExt};
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Minimum pause between two polls.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of addresses in a subscription.
const MAX_ADDRESSES: usize = 64;
/// Maximum number of addresses that a connection watches before 2026-07-28.
const MAX_WATCHED: usize = 1_024;
/// Maximum number of topics at once.
const MAX_TOPICS: usize = 65_536;
/// Maximum number of conditions of one caller at once. Each is evaluated when the data change.
const MAX_CONDITIONS: usize = 64;
/// The same for the program's own user.
const MAX_OWN_CONDITIONS: usize = 1_024;
/// Conditions of one caller that are evaluated at a poll, those first that have waited longest.
const CONDITIONS_PER_POLL: usize = 8;
/// Series that one job reads.
const SLICE: usize = 16;
/// Conditions for the price of one request.
const CONDITIONS_PER_REQUEST: usize = 16;
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
    fn is_condition(&self) -> bool {
        matches!(self, Self::Alert(_))
    }

    /// Whether reading it takes no longer than reading a series.
    fn is_cheap(&self) -> bool {
        matches!(self, Self::Series(_) | Self::Summary | Self::Calendar)
    }

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
    read_at: Option<Instant>,
    granted_at: Instant,
    changed_at: Option<Instant>,
    /// The callers for whom it is read.
    holders: HashMap<Caller, Holder>,
}

/// The listeners of one caller to one topic, each of which has a receiver.
struct Holder {
    changes: watch::Sender<()>,
    /// Until when the first listener of a grant is awaited.
    awaited_until: Instant,
}

impl Holder {
    fn has_listeners(&self) -> bool {
        self.changes.receiver_count() > 0
    }

    fn is_live(&self) -> bool {
        self.has_listeners() || Instant::now() < self.awaited_until
    }
}

impl ActiveTopic {
    fn new(state: State) -> Self {
        Self {
            fingerprint: None,
            state,
            read_at: None,
            granted_at: Instant::now(),
            changed_at: None,
            holders: HashMap::new(),
        }
    }

    fn is_held_by(&self, caller: Caller) -> bool {
        self.holders.get(&caller).is_some_and(Holder::is_live)
    }

    fn has_listeners(&self) -> bool {
        self.holders.values().any(Holder::has_listeners)
    }

    fn is_expired(&self) -> bool {
        !self.has_listeners() && self.granted_at.elapsed() >= GRACE
    }

    fn is_stale(&self, state: State) -> bool {
        self.fingerprint.is_none() || self.state != state
    }
}

/// The active topics.
#[derive(Default)]
struct Topics {
    active: HashMap<Topic, ActiveTopic>,
    /// The conditions that each caller was granted, some of which may have ended since.
    conditions: HashMap<Caller, HashSet<Topic>>,
}

impl Topics {
    /// Returns how many further conditions a caller may hold.
    fn room(&mut self, caller: Caller) -> usize {
        let max = if caller.is_local() {
            MAX_OWN_CONDITIONS
        } else {
            MAX_CONDITIONS
        };
        let Some(held) = self.conditions.get_mut(&caller) else {
            return max;
        };
        held.retain(|topic| is_held(&self.active, topic, caller));
        max.saturating_sub(held.len())
    }

    /// Grants a topic to a caller, who has it for a while until a listener comes: its changes from now on, and those since its
    /// latest grant. Returns `None` if there are too many topics, or too many conditions of the caller; `room` is for how many
    /// more there is room, once it is known.
    fn grant(
        &mut self,
        caller: Caller,
        topic: &Topic,
        state: State,
        room: &mut Option<usize>,
    ) -> Option<watch::Receiver<()>> {
        let held = self.active.get(topic);
        let is_holder = held.is_some_and(|active| active.is_held_by(caller));
        if held.is_none() && self.active.len() >= MAX_TOPICS {
            return None;
        }
        if topic.is_condition() && !is_holder {
            let left = room.get_or_insert_with(|| self.room(caller));
            *left = left.checked_sub(1)?;
            let conditions = self.conditions.entry(caller).or_default();
            conditions.insert(topic.clone());
        }
        let active = self
            .active
            .entry(topic.clone())
            .or_insert_with(|| ActiveTopic::new(state));
        if active.is_expired() {
            active.fingerprint = None;
            active.state = state;
            active.changed_at = None;
        }
        active.granted_at = Instant::now();
        let awaited_until = active.granted_at + GRACE;
        let holder = active.holders.entry(caller).or_insert_with(|| Holder {
            changes: watch::Sender::new(()),
            awaited_until,
        });
        if !holder.has_listeners() {
            holder.awaited_until = awaited_until;
        }
        let mut changes = holder.changes.subscribe();
        if active.changed_at.is_some_and(|at| at.elapsed() < GRACE) {
            changes.mark_changed();
        }
        Some(changes)
    }

    /// Records that a listener has come to a topic, which the caller then has until its last listener leaves.
    fn enter(&mut self, caller: Caller, topic: &Topic) {
        let active = self.active.get_mut(topic);
        if let Some(holder) = active.and_then(|active| active.holders.get_mut(&caller)) {
            holder.awaited_until = Instant::now();
        }
    }

    /// Removes what has expired: topics, and grants that no listener followed.
    fn remove_expired(&mut self) {
        self.active.retain(|_, active| {
            active.holders.retain(|_, holder| holder.is_live());
            !active.is_expired()
        });
        self.conditions.retain(|caller, held| {
            held.retain(|topic| is_held(&self.active, topic, *caller));
            !held.is_empty()
        });
    }

    /// Returns the topics to read at a poll, each with the caller for whom. Of each caller the first condition comes before
    /// the second of any other.
    fn batch(&self, state: State) -> Vec<(Topic, Caller)> {
        let mut stale: Vec<_> = self.active.iter().collect();
        stale.retain(|(_, active)| active.is_stale(state) && !active.holders.is_empty());
        stale.sort_by_key(|(_, active)| active.read_at);
        let mut conditions: HashMap<Caller, usize> = HashMap::new();
        let mut batch = Vec::new();
        for (topic, active) in stale {
            let count = |caller: &&Caller| conditions.get(caller).copied().unwrap_or(0);
            let Some(caller) = active.holders.keys().min_by_key(count).copied() else {
                continue;
            };
            let mut rank = 0;
            if topic.is_condition() {
                let held = conditions.entry(caller).or_default();
                *held += 1;
                rank = *held;
            }
            if rank <= CONDITIONS_PER_POLL || caller.is_local() {
                batch.push((rank, topic.clone(), caller));
            }
        }
        batch.sort_by_key(|(rank, ..)| *rank);
        let topics = batch.into_iter();
        topics.map(|(_, topic, caller)| (topic, caller)).collect()
    }
}

fn is_held(active: &HashMap<Topic, ActiveTopic>, topic: &Topic, caller: Caller) -> bool {
    active
        .get(topic)
        .is_some_and(|topic| topic.is_held_by(caller))
}

/// A granted address.
struct Grant {
    uri: String,
    topic: Topic,
    changes: watch::Receiver<()>,
}

/// What the client of a connection watches by `resources/subscribe`, the method before 2026-07-28.
pub(super) struct Watches {
    end: CancellationToken,
    /// For each address what ends its task.
    watched: Mutex<HashMap<String, DropGuard>>,
}

impl Watches {
    pub(super) fn new(end: CancellationToken) -> Self {
        Self {
            end,
            watched: Mutex::default(),
        }
    }

    /// Sends the changes of an address to the client until it is removed or the connection ends.
    ///
    /// # Errors
    /// One for an address that does not exist, and one that names a limit.
    pub(super) fn add(
        &self,
        subscriptions: &Arc<Subscriptions>,
        caller: Caller,
        uri: String,
        peer: Peer<RoleServer>,
    ) -> std::result::Result<(), ErrorData> {
        let requested = [uri.clone()];
        let grants = subscriptions.subscribe(caller, &requested).into_iter();
        let accepted: Vec<String> = grants.map(|grant| grant.uri).collect();
        if let Some(refusal) = subscriptions.refusal(&requested, &accepted) {
            return Err(refusal);
        }
        if accepted.is_empty() {
            let is_other = matches!(
                Address::parse(&uri),
                Ok(Address::Metric(_) | Address::Series { .. } | Address::Alert(_)) | Err(_)
            );
            let is_unknown = is_other && resources::file(&uri).is_none();
            let not_found = is_unknown.then(|| resources::not_found(&uri, "no such resource"));
            return not_found.map_or(Ok(()), Err);
        }
        let mut watched = self.watched.lock();
        if watched.len() >= MAX_WATCHED && !watched.contains_key(&uri) {
            let why =
                format!("A connection watches at most {MAX_WATCHED} addresses; unsubscribe one");
            return Err(ErrorData::new(ErrorCode(jsonrpc::SERVER_ERROR), why, None));
        }
        let stop = self.end.child_token();
        // A second subscription to an address replaces the first.
        watched.insert(uri, stop.clone().drop_guard());
        let mut changes = subscriptions.listen(caller, &accepted);
        tokio::spawn(async move {
            while let Some(Some(uri)) = stop.run_until_cancelled(changes.next()).await {
                let updated = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(updated).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    /// Ends the watch of an address, if there is one.
    pub(super) fn remove(&self, uri: &str) {
        self.watched.lock().remove(uri);
    }
}

/// Notifies listeners of changes in the data.
pub(super) struct Subscriptions {
    backend: Arc<Backend>,
    topics: Mutex<Topics>,
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

    /// Returns the part of a request that is granted: addresses that exist and can change, within the limits of the caller. It
    /// runs on an executor thread, so it looks names up without a search and computes nothing.
    pub(super) fn grant(
        &self,
        caller: Caller,
        requested: &SubscriptionFilter,
    ) -> SubscriptionFilter {
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let grants = self.subscribe(caller, uris).into_iter();
            grants.map(|grant| grant.uri).collect()
        });
        granted
    }

    /// Sends changes to one listener until it leaves.
    ///
    /// # Errors
    /// One that names what was not granted because of a limit. The protocol has no other way to say it.
    pub(super) async fn serve(
        self: &Arc<Self>,
        caller: Caller,
        context: &SubscriptionContext,
    ) -> std::result::Result<(), ErrorData> {
        let uris = |filter: &SubscriptionFilter| {
            let uris = filter.resource_subscriptions.clone();
            uris.unwrap_or_default()
        };
        let accepted = uris(context.accepted());
        let mut changes = self.listen(caller, &accepted);
        if let Some(refusal) = self.refusal(&uris(context.requested()), &accepted) {
            return Err(refusal);
        }
        loop {
            let uri = tokio::select! {
                () = context.cancelled() => return Ok(()),
                Some(uri) = changes.next() => uri,
            };
            if let Err(error) = context.sink().notify_resource_updated(uri).await {
                tracing::debug!(%error, "a listener has disconnected");
                return Ok(());
            }
        }
    }

    /// Adds a listener to the topics of some addresses. Returns the stream of the addresses that change; the listener leaves
    /// when it is dropped.
    fn listen(
        self: &Arc<Self>,
        caller: Caller,
        uris: &[String],
    ) -> SelectAll<impl Stream<Item = String> + Unpin + use<>> {
        let grants = self.subscribe(caller, uris);
        let mut topics = self.topics.lock();
        for grant in &grants {
            topics.enter(caller, &grant.topic);
        }
        drop(topics);
        let changes = grants.into_iter().map(|Grant { uri, changes, .. }| {
            WatchStream::from_changes(changes).map(move |()| uri.clone())
        });
        let changes: SelectAll<_> = changes.collect();
        if !changes.is_empty() && !std::mem::replace(&mut *self.is_polling.lock(), true) {
            tokio::spawn(Arc::clone(self).poll());
        }
        changes
    }

    /// Builds the error for a request of which a limit excludes a part.
    fn refusal(&self, requested: &[String], accepted: &[String]) -> Option<ErrorData> {
        let is_too_long = requested.iter().collect::<HashSet<_>>().len() > MAX_ADDRESSES;
        let is_refused = |uri: &&String| !accepted.contains(uri) && self.topic(uri).is_some();
        let refused: Vec<&String> = distinct(requested).filter(is_refused).collect();
        let message = if is_too_long {
            format!("A subscription has at most {MAX_ADDRESSES} addresses.")
        } else if refused.is_empty() {
            return None;
        } else {
            let first = refused.first().copied().map_or("", String::as_str);
            format!(
                "{} of the addresses are not granted, {} the first: a client has at most {MAX_CONDITIONS} conditions at once in \
                 all of its subscriptions. Close a subscription, or subscribe to fewer conditions.",
                refused.len(),
                error::quote(first)
            )
        };
        let data = json!({ "code": "limit_exceeded", "notGranted": refused });
        let code = ErrorCode(jsonrpc::SERVER_ERROR);
        Some(ErrorData::new(code, message, Some(data)))
    }

    /// Returns the topic of an address; `None` if it does not exist or cannot change. In front of an upstream nothing
    /// changes here: the local data are not what its answers tell.
    fn topic(&self, uri: &str) -> Option<Topic> {
        if self.backend.upstream().is_some() {
            return None;
        }
        let topic = Topic::from_uri(self.backend.desk(), uri);
        topic.inspect_err(log).ok()?
    }

    /// Grants the topics of some addresses to a caller, as far as limits allow.
    fn subscribe(&self, caller: Caller, uris: &[String]) -> Vec<Grant> {
        let requested = distinct(uris).filter_map(|uri| Some((uri.clone(), self.topic(uri)?)));
        let requested_topics: Vec<(String, Topic)> = requested.collect();
        let state = self.backend.desk().state().inspect_err(log);
        let Ok(state) = state else {
            return Vec::new();
        };
        let mut topics = self.topics.lock();
        let mut room = None;
        let grants = requested_topics.into_iter().filter_map(|(uri, topic)| {
            let changes = topics.grant(caller, &topic, state, &mut room)?;
            Some(Grant {
                uri,
                topic,
                changes,
            })
        });
        grants.collect()
    }

    /// Polls until there are no listeners.
    async fn poll(self: Arc<Self>) {
        loop {
            let start = Instant::now();
            if let Err(error) = self.refresh().await {
                log(&error);
            }
            // At most half of a thread, also where the data change all the time.
            tokio::time::sleep(INTERVAL.max(start.elapsed())).await;
            let mut is_polling = self.is_polling.lock();
            if !self.remove_expired() {
                *is_polling = false;
                return;
            }
        }
    }

    /// Reads the topics of a poll in short jobs. What cannot be read stays stale.
    async fn refresh(self: &Arc<Self>) -> Result<()> {
        let state = self.backend.desk().state()?;
        let batch = self.topics.lock().batch(state);
        let is_slice = |a: &(Topic, Caller), b: &(Topic, Caller)| {
            a.1 == b.1 && a.0.is_cheap() && b.0.is_cheap()
        };
        let slices = batch.chunk_by(is_slice).flat_map(|own| own.chunks(SLICE));
        for slice in slices.map(<[_]>::to_vec) {
            let Some(caller) = slice.first().map(|(_, caller)| *caller) else {
                continue;
            };
            let this = Arc::clone(self);
            let read = move || {
                let mut topics = slice.iter();
                topics.try_for_each(|(topic, _)| this.refresh_topic(topic))
            };
            let job = self.backend.pool().run(read);
            if let Err(error) = in_background(caller.scope(job)).await {
                log(&error);
            }
        }
        Ok(())
    }

    /// Reads a topic and wakes its listeners if it changed.
    fn refresh_topic(&self, topic: &Topic) -> Result<()> {
        let desk = self.backend.desk();
        // State and fingerprint must belong together, or one change is reported twice.
        let read = |desk: &Desk| Ok((desk.state()?, topic.fingerprint(desk)?));
        let (state, fingerprint) = desk.compute_consistently(read)?;
        self.record(topic, state, fingerprint);
        Ok(())
    }

    /// Records what a topic showed at a state of the data, and wakes its listeners if it changed.
    fn record(&self, topic: &Topic, state: State, fingerprint: u64) {
        let mut topics = self.topics.lock();
        let Some(topic) = topics.active.get_mut(topic) else {
            return;
        };
        let has_changed = match topic.fingerprint {
            Some(previous) => previous != fingerprint,
            // The topic was not read at the grant, so a later state counts as a change.
            None => topic.state != state,
        };
        topic.fingerprint = Some(fingerprint);
        topic.state = state;
        topic.read_at = Some(Instant::now());
        if has_changed {
            topic.changed_at = Some(Instant::now());
            for holder in topic.holders.values() {
                holder.changes.send_replace(());
            }
        }
    }

    /// Removes expired topics. Returns whether any topic has listeners.
    fn remove_expired(&self) -> bool {
        let mut topics = self.topics.lock();
        topics.remove_expired();
        let mut active = topics.active.values();
        active.any(ActiveTopic::has_listeners)
    }
}

/// Returns how many usual requests the message of a subscription costs, by its conditions.
pub(super) fn price(message: &[u8]) -> u32 {
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    let list = message.pointer("/params/notifications/resourceSubscriptions");
    let uris = list.and_then(Value::as_array).into_iter().flatten();
    let addresses = uris.filter_map(|uri| Address::parse(uri.as_str()?).ok());
    let conditions = addresses.filter(|address| matches!(address, Address::Alert(_)));
    let count = conditions.take(MAX_ADDRESSES).count();
    u32::try_from(count.div_ceil(CONDITIONS_PER_REQUEST)).map_or(1, |requests| requests.max(1))
}

fn log(error: &Error) {
    error::log(error, "subscriptions");
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

    /// Subscribes a caller to an address.
    fn subscribe(
        subscriptions: &Subscriptions,
        caller: Caller,
        uri: &str,
    ) -> Option<watch::Receiver<()>> {
        let mut grants = subscriptions.subscribe(caller, &[uri.to_owned()]);
        grants.pop().map(|grant| grant.changes)
    }

    /// Returns what a poll reads.
    fn batch(subscriptions: &Subscriptions) -> Vec<(Topic, Caller)> {
        let state = subscriptions.backend.desk().state().unwrap();
        subscriptions.topics.lock().batch(state)
    }

    fn refresh_topics(subscriptions: &Subscriptions) {
        for (topic, _) in batch(subscriptions) {
            subscriptions.refresh_topic(&topic).unwrap();
        }
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
            .map(|uri| subscribe(&subscriptions, Caller::LOCAL, uri).unwrap())
            .collect();
        assert_eq!(subscriptions.topics.lock().active.len(), 1);
        let woken = |listeners: &[watch::Receiver<()>]| {
            let woken = listeners.iter().filter(|l| l.has_changed().unwrap());
            woken.count()
        };
        let is_stale = || !batch(&subscriptions).is_empty();
        refresh_topics(&subscriptions);
        assert!(!is_stale(), "each was read");
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        assert!(is_stale());
        refresh_topics(&subscriptions);
        assert_eq!(woken(&listeners), 0);
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        refresh_topics(&subscriptions);
        assert_eq!(woken(&listeners), listeners.len());
        listeners.iter_mut().for_each(|l| l.mark_unchanged());
        refresh_topics(&subscriptions);
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
            assert!(subscribe(&subscriptions, Caller::LOCAL, uri).is_some());
        }
        write(store.as_ref(), "OWN", &[1.0, 2.0]);
        refresh_topics(&subscriptions);
        for uri in uris {
            let changes = subscribe(&subscriptions, Caller::LOCAL, uri).unwrap();
            assert!(changes.has_changed().unwrap(), "{uri}");
        }
    }

    #[test]
    fn an_unchanged_computed_topic_wakes_nobody() {
        let (store, subscriptions) = subscriptions();
        let changes = subscribe(&subscriptions, Caller::LOCAL, "macro://regime").unwrap();
        refresh_topics(&subscriptions);
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        refresh_topics(&subscriptions);
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
            assert!(
                subscribe(&subscriptions, Caller::LOCAL, uri).is_none(),
                "{uri}"
            );
        }
    }

    fn caller(n: u32) -> Caller {
        Caller::from_address(std::net::Ipv4Addr::from_bits(0xcb00_7100 + n).into())
    }

    fn conditions(from: usize, count: usize) -> Vec<String> {
        let condition = |n| format!("macro://alert/OWN%20%3E%20{n}");
        (from..from + count).map(condition).collect()
    }

    #[tokio::test]
    async fn every_caller_has_its_share_of_conditions() {
        let (_, subscriptions) = subscriptions();
        let mut listeners = Vec::new();
        for n in 0..40 {
            // However they are spread over subscriptions, of which any number is open.
            for (part, size) in [64, 1, 40].into_iter().enumerate() {
                let uris = conditions(1_000 * usize::try_from(n).unwrap() + 100 * part, size);
                let changes = subscriptions.listen(caller(n), &uris);
                assert_eq!(changes.len(), if part == 0 { MAX_CONDITIONS } else { 0 });
                let granted = uris.get(..changes.len()).unwrap();
                let refusal = subscriptions.refusal(&uris, granted);
                assert_eq!(refusal.is_some(), part > 0, "what is not granted is said");
                listeners.push(changes);
            }
        }
        // A series needs no seat, a condition that it has already needs none, and leaving returns all.
        let own = caller(0);
        assert!(subscribe(&subscriptions, own, "macro://series/OWN").is_some());
        assert_eq!(subscriptions.subscribe(own, &conditions(0, 64)).len(), 64);
        listeners.clear();
        assert_eq!(subscriptions.subscribe(own, &conditions(900, 64)).len(), 64);
        let refusal = subscriptions.refusal(&conditions(0, 65), &conditions(0, 64));
        assert!(refusal.unwrap().message.contains("at most 64 addresses"));
    }

    #[tokio::test]
    async fn conditions_of_one_caller_do_not_delay_those_of_others() {
        let (store, subscriptions) = subscriptions();
        let _dear =
            [1, 2, 3].map(|n| subscriptions.listen(caller(n), &conditions(100 * n as usize, 64)));
        let _small = subscriptions.listen(caller(9), &conditions(9_000, 1));
        let mut polls = 0;
        while !batch(&subscriptions).is_empty() {
            let batch = batch(&subscriptions);
            assert!(batch.len() <= 3 * CONDITIONS_PER_POLL + 1);
            let own = batch.iter().position(|(_, of)| *of == caller(9));
            assert_eq!(own.is_some(), polls == 0, "it is read at the first poll");
            assert!(
                own.is_none_or(|place| place < 4),
                "behind one of each other"
            );
            for (topic, _) in batch {
                subscriptions.refresh_topic(&topic).unwrap();
            }
            polls += 1;
            assert!(polls < 100);
        }
        assert_eq!(polls, MAX_CONDITIONS / CONDITIONS_PER_POLL);
        write(store.as_ref(), "OTHER", &[1.0, 2.0]);
        assert!(!batch(&subscriptions).is_empty());
    }

    #[test]
    fn a_subscription_costs_by_its_conditions() {
        let listen = |uris: Vec<String>| {
            let params = json!({ "notifications": { "resourceSubscriptions": uris } });
            price(json!({ "params": params }).to_string().as_bytes())
        };
        for (count, expected) in [(0, 1), (1, 1), (16, 1), (17, 2), (64, 4), (900, 4)] {
            assert_eq!(listen(conditions(0, count)), expected, "{count}");
        }
        assert_eq!(listen(vec!["macro://series/OWN".to_owned(); 64]), 1);
        assert_eq!(price(b"{"), 1);
    }
}

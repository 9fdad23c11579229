//! Subscriptions: who listens to the regime, a composite or a series is told when it changes.
//!
//! One pulse for all listeners looks at the store's version once a second, and only while somebody listens: the
//! store may also be written by another process, so nothing inside this one could announce every change. What is
//! watched is looked at once for all who watch it, in the pool, and a change wakes those alone who asked for it.

mod board;
mod target;

use board::Board;
use econoscope_answers::endpoints::Backend;
use econoscope_core::error::Result;
use futures_util::StreamExt;
use futures_util::stream::SelectAll;
use parking_lot::Mutex;
use rmcp::model::SubscriptionFilter;
use rmcp::service::SubscriptionContext;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use target::Target;
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// How often the store's version is looked at.
const BEAT: Duration = Duration::from_secs(1);
/// After a look so many times its length is rested: many changes in a row must not keep a thread busy.
const REST: u32 = 9;
/// Most addresses in one subscription; of a longer wish the first are looked at.
const MAX_ADDRESSES: usize = 64;

/// Tells listeners that the data have a new state; rests until somebody listens.
pub(super) struct Pulse {
    backend: Arc<Backend>,
    board: Board,
    is_beating: Mutex<bool>,
}

impl Pulse {
    /// A pulse over the data of a backend.
    pub(super) fn new(backend: Arc<Backend>) -> Arc<Self> {
        Arc::new(Self {
            backend,
            board: Board::default(),
            is_beating: Mutex::new(false),
        })
    }

    /// The part of a wish that can be granted: addresses that exist and can change. Names are looked up and not
    /// searched for, and nothing is computed: this is asked where all requests are answered.
    pub(super) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let grantable = |uri: &&String| self.news(uri).is_some();
            distinct(uris).filter(grantable).cloned().collect()
        });
        granted
    }

    /// Serves one listener until it leaves.
    pub(super) async fn serve(self: &Arc<Self>, context: &SubscriptionContext) {
        let uris = &context.accepted().resource_subscriptions;
        let news = distinct(uris.as_deref().unwrap_or_default()).filter_map(|uri| {
            let news = WatchStream::from_changes(self.news(uri)?);
            let uri = uri.clone();
            Some(news.map(move |()| uri.clone()))
        });
        let mut news: SelectAll<_> = news.collect();
        if news.is_empty() {
            context.cancelled().await;
            return;
        }
        self.start();
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return,
                changed = news.next() => changed,
            };
            let Some(uri) = changed else { return };
            if let Err(error) = context.sink().notify_resource_updated(uri).await {
                tracing::debug!(%error, "a listener is gone");
                return;
            }
        }
    }

    /// What tells of changes of an address; none where it does not exist or cannot change.
    fn news(&self, uri: &str) -> Option<watch::Receiver<()>> {
        let desk = self.backend.desk();
        let target = Target::of(desk, uri).transpose()?;
        let news = target.and_then(|target| self.board.listen(desk, &target));
        news.inspect_err(|error| econoscope_core::error::log(error, "subscriptions"))
            .ok()?
    }

    /// Starts the pulse unless it goes on.
    fn start(self: &Arc<Self>) {
        if !std::mem::replace(&mut *self.is_beating.lock(), true) {
            tokio::spawn(Arc::clone(self).beat());
        }
    }

    /// Looks at the data until nobody listens.
    async fn beat(self: Arc<Self>) {
        loop {
            let begun = Instant::now();
            if let Err(error) = self.look().await {
                econoscope_core::error::log(&error, "subscriptions");
            }
            tokio::time::sleep(BEAT.max(begun.elapsed() * REST)).await;
            let mut is_beating = self.is_beating.lock();
            if !self.board.tidy() {
                *is_beating = false;
                return;
            }
        }
    }

    /// Looks at what is watched, where that can be another than it was.
    async fn look(self: &Arc<Self>) -> Result<()> {
        if !self.board.is_due(self.backend.desk())? {
            return Ok(());
        }
        let pulse = Arc::clone(self);
        let look = move || pulse.board.look(pulse.backend.desk());
        self.backend.pool().run(look).await
    }
}

/// The first addresses of a list, each once.
fn distinct(uris: &[String]) -> impl Iterator<Item = &String> {
    let mut seen = HashSet::new();
    let first = uris.iter().take(MAX_ADDRESSES);
    first.filter(move |uri| seen.insert(uri.as_str()))
}

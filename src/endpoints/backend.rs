//! The one seam: who answers. Edges hold a [`Backend`] and never know which kind.

use super::answer::{Answer, Reply};
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Spec};
use super::forward;
use crate::cache::Cache;
use crate::desk::{Desk, State};
use crate::error::Result;
use crate::pool::{Once, Pool};
use crate::upstream::Upstream;
use serde_json::Value;
use std::sync::Arc;

/// Bytes of rendered answers kept in memory.
const CACHE_BYTES: u64 = 24 << 20;
/// Who is asked for so often is asked for again.
const OFTEN: u32 = 3;

/// Answers endpoints: from the local desk, or by forwarding.
pub struct Backend {
    desk: Arc<Desk>,
    upstream: Option<Upstream>,
    rendered: Arc<Cache<Key, Arc<Answer>>>,
    pool: Pool,
    underway: Once<Key, Arc<Answer>>,
}

/// An answer's identity: endpoint, canonical arguments, state of the data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    tool: &'static str,
    arguments: Box<str>,
    stamp: Stamp,
}

/// The data an answer was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stamp {
    /// Local data at a state.
    Desk(State),
    /// A body from upstream: when it came, and how long it is.
    Upstream(jiff::Timestamp, usize),
}

impl Backend {
    /// A backend that answers from local data.
    pub fn local(desk: Arc<Desk>) -> Self {
        Self::new(desk, None)
    }

    /// A backend that forwards every endpoint; the desk gives names, links and the credit line.
    pub fn forwarding(desk: Arc<Desk>, upstream: Upstream) -> Self {
        Self::new(desk, Some(upstream))
    }

    fn new(desk: Arc<Desk>, upstream: Option<Upstream>) -> Self {
        let rendered = Cache::weighed(CACHE_BYTES, |key: &Key, answer: &Arc<Answer>| {
            (size_of::<Key>() + key.arguments.len() + answer.weight()) as u64
        });
        Self {
            desk,
            upstream,
            rendered: Arc::new(rendered),
            pool: Pool::default(),
            underway: Once::default(),
        }
    }

    /// The address in links, without a final slash.
    pub fn base_url(&self) -> &str {
        self.desk.settings().home()
    }

    /// The local desk.
    pub fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// Where everything is made that takes more than a moment.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The upstream, when this backend forwards.
    pub fn upstream(&self) -> Option<&Upstream> {
        self.upstream.as_ref()
    }

    /// Whether an endpoint is answered from what is held here, and so depends on nothing but the desk's state.
    pub fn is_local(&self, spec: &Spec) -> bool {
        self.upstream.is_none() || !spec.in_contract
    }

    /// What was asked for most at a state of the data, most first: tools with their arguments, and how often. What was
    /// asked for once or twice is left out.
    pub(crate) fn asked_most(
        &self,
        state: State,
        most: usize,
    ) -> Vec<(&'static str, Arguments, u32)> {
        let entries = self.rendered.entries();
        let mut asked: Vec<_> = entries
            .filter(|(key, answer)| key.stamp == Stamp::Desk(state) && answer.asked() >= OFTEN)
            .map(|(key, answer)| (answer.asked(), key))
            .collect();
        asked.sort_unstable_by_key(|(asked, _)| std::cmp::Reverse(*asked));
        asked.truncate(most);
        let named = asked.into_iter().filter_map(|(asked, key)| {
            let arguments = serde_json::from_str(&key.arguments).ok()?;
            Some((key.tool, arguments, asked))
        });
        named.collect()
    }

    /// Answers one endpoint; rendered at most once per state of the data.
    pub(super) async fn answer<E: Endpoint>(&self, checked: Arguments) -> Result<Reply> {
        match &self.upstream {
            Some(upstream) if E::SPEC.in_contract => self.forward::<E>(upstream, checked).await,
            // What an upstream of the contract does not know is answered from what is held here.
            Some(_) | None => self.compute::<E>(checked).await,
        }
    }

    async fn compute<E: Endpoint>(&self, checked: Arguments) -> Result<Reply> {
        let key = Key::new::<E>(&checked, Stamp::Desk(self.desk.state()?));
        let desk = Arc::clone(&self.desk);
        let work = move || {
            let params = decode::params::<E>(&checked)?;
            let mut output = E::local(&desk, &params)?;
            E::note_dates(&mut output, &checked, desk.today());
            E::render(&output, &params)
        };
        Ok(Reply {
            answer: self.rendered(key, work).await?,
            upstream: None,
        })
    }

    async fn forward<E: Endpoint>(&self, upstream: &Upstream, checked: Arguments) -> Result<Reply> {
        let today = self.desk.today();
        let request = forward::request::<E>(&checked, today)?;
        let fetched = upstream.get(request).await.map_err(forward::explain)?;
        let stamp = Stamp::Upstream(fetched.fetched_at, fetched.body.len());
        let key = Key::new::<E>(&checked, stamp);
        let body = fetched.body.clone();
        let work = move || forward::render::<E>(&body, &checked, today);
        Ok(Reply {
            answer: self.rendered(key, work).await?,
            upstream: Some(fetched),
        })
    }

    /// The answer held for a key; else it is rendered in the pool, once for all who ask the same, and kept.
    async fn rendered(
        &self,
        key: Key,
        work: impl FnOnce() -> Result<Answer> + Send + 'static,
    ) -> Result<Arc<Answer>> {
        match self.rendered.get(&key) {
            Some(answer) => {
                answer.count();
                Ok(answer)
            }
            None => self.made(key, Box::new(work)).await,
        }
    }

    /// The rendering behind [`Self::rendered`]. Boxed, so that it is translated once and not for each endpoint.
    async fn made(
        &self,
        key: Key,
        work: Box<dyn FnOnce() -> Result<Answer> + Send>,
    ) -> Result<Arc<Answer>> {
        let held = || self.rendered.get(&key);
        let (rendered, name) = (Arc::clone(&self.rendered), key.clone());
        // Kept by the work itself: it may end when everybody who asked has left.
        let work = move || {
            let answer = Arc::new(work()?);
            rendered.insert(name, Arc::clone(&answer));
            Ok(answer)
        };
        self.underway.run(&self.pool, key.clone(), held, work).await
    }
}

impl Key {
    fn new<E: Endpoint>(checked: &Arguments, stamp: Stamp) -> Self {
        let arguments = Value::Object(checked.clone()).to_string().into_boxed_str();
        Self {
            tool: E::SPEC.tool,
            arguments,
            stamp,
        }
    }
}

//! The one seam: who answers. Edges hold a [`Backend`] and never know which kind.

use super::answer::{Answer, Reply};
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Spec};
use super::forward;
use crate::cache::Cache;
use crate::desk::{Desk, State};
use crate::error::{Error, Result};
use crate::upstream::{Fetched, Upstream};
use serde_json::Value;
use std::sync::Arc;

/// Bytes of rendered answers kept in memory.
const CACHE_BYTES: u64 = 24 << 20;

/// Answers endpoints: from the local desk, or by forwarding.
pub struct Backend {
    desk: Arc<Desk>,
    upstream: Option<Upstream>,
    rendered: Cache<Key, Arc<Answer>>,
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
        let rendered = Cache::weighed(CACHE_BYTES, |_, answer: &Arc<Answer>| {
            answer.weight() as u64
        });
        Self {
            desk,
            upstream,
            rendered,
        }
    }

    /// The address in links, without a final slash.
    pub fn base_url(&self) -> &str {
        &self.desk.settings().base_url
    }

    /// The local desk.
    pub fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// The upstream, when this backend forwards.
    pub fn upstream(&self) -> Option<&Upstream> {
        self.upstream.as_ref()
    }

    /// Whether an endpoint is answered from what is held here, and so depends on nothing but the desk's state.
    pub fn is_local(&self, spec: &Spec) -> bool {
        self.upstream.is_none() || !spec.in_contract
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
        if let Some(answer) = self.rendered.get(&key) {
            return Ok(Reply {
                answer,
                upstream: None,
            });
        }
        let desk = Arc::clone(&self.desk);
        let work = move || {
            let params = decode::params::<E::Params>(&checked)?;
            E::render(&E::local(&desk, &params)?, &params)
        };
        let answer = self.keep(key, work).await?;
        Ok(Reply {
            answer,
            upstream: None,
        })
    }

    async fn forward<E: Endpoint>(&self, upstream: &Upstream, checked: Arguments) -> Result<Reply> {
        let request = forward::request::<E>(&checked, self.desk.today())?;
        let fetched = upstream.get(request).await.map_err(forward::explain)?;
        let stamp = Stamp::Upstream(fetched.fetched_at, fetched.body.len());
        let key = Key::new::<E>(&checked, stamp);
        let answer = match self.rendered.get(&key) {
            Some(answer) => answer,
            None => {
                let Fetched { body, .. } = &fetched;
                let (body, today) = (body.clone(), self.desk.today());
                self.keep(key, move || forward::render::<E>(&body, &checked, today))
                    .await?
            }
        };
        Ok(forward::reply(answer, &fetched))
    }

    /// Renders off the executor's threads and keeps the result.
    async fn keep(
        &self,
        key: Key,
        work: impl FnOnce() -> Result<Answer> + Send + 'static,
    ) -> Result<Arc<Answer>> {
        let done = tokio::task::spawn_blocking(work).await;
        let answer = Arc::new(done.map_err(|e| Error::internal("an endpoint failed", e))??);
        self.rendered.insert(key, Arc::clone(&answer));
        Ok(answer)
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

//! The one seam: who answers. Edges hold a [`Backend`] and never know which kind.

use super::answer::{Answer, Reply};
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Spec};
use super::route::Route;
use super::{days, forward};
use econoscope_core::cache::Cache;
use econoscope_core::error::Result;
use econoscope_core::model::Date;
use econoscope_data::desk::{Desk, State};
use econoscope_data::pool::{Pool, SingleFlight};
use econoscope_data::upstream::Upstream;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
    underway: SingleFlight<Key, Arc<Answer>>,
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
            underway: SingleFlight::default(),
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
    pub fn pool(&self) -> &Pool {
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
    pub fn asked_most(&self, state: State, most: usize) -> Vec<(&'static str, Arguments, u32)> {
        let entries = self.rendered.entries();
        let entries = entries.filter(|(key, _)| key.stamp == Stamp::Desk(state));
        let asked = entries.map(|(key, answer)| (answer.asked.load(Ordering::Relaxed), key));
        let mut asked: Vec<_> = asked.filter(|(asked, _)| *asked >= OFTEN).collect();
        asked.sort_unstable_by_key(|(asked, _)| std::cmp::Reverse(*asked));
        asked.truncate(most);
        let named = asked.into_iter().filter_map(|(asked, key)| {
            let arguments = serde_json::from_str(&key.arguments).ok()?;
            Some((key.tool, arguments, asked))
        });
        named.collect()
    }

    /// Answers one endpoint; rendered at most once per state of the data.
    pub(super) async fn answer(&self, route: &'static Route, checked: Arguments) -> Result<Reply> {
        let received = match &self.upstream {
            Some(upstream) if route.spec.in_contract => {
                let today = self.desk.today();
                let request = (route.request)(&checked, today)?;
                let fetched = upstream.get(request).await.map_err(forward::explain)?;
                Some((fetched, today))
            }
            // What an upstream of the contract does not know is answered from what is held here.
            Some(_) | None => None,
        };
        let stamp = match &received {
            Some((fetched, _)) => Stamp::Upstream(fetched.fetched_at, fetched.body.len()),
            None => Stamp::Desk(self.desk.state()?),
        };
        let arguments = Value::Object(checked.clone()).to_string();
        let key = Key {
            tool: route.spec.tool,
            arguments: arguments.into_boxed_str(),
            stamp,
        };
        let held = || self.rendered.get(&key);
        let answer = if let Some(answer) = held() {
            answer.asked.fetch_add(1, Ordering::Relaxed);
            answer
        } else {
            let (rendered, name) = (Arc::clone(&self.rendered), key.clone());
            let desk = Arc::clone(&self.desk);
            let received = received.as_ref();
            let body = received.map(|(fetched, today)| (fetched.body.clone(), *today));
            // Kept by the work itself: it may end when everybody who asked has left.
            let work = move || {
                let answer = Arc::new(match body {
                    Some((body, today)) => (route.received)(&body, &checked, today)?,
                    None => desk.consistent(|| (route.local)(&desk, &checked))?,
                });
                rendered.insert(name, Arc::clone(&answer));
                Ok(answer)
            };
            let once = self.underway.run(&self.pool, key.clone(), held, work);
            once.await?
        };
        Ok(Reply {
            answer,
            upstream: received.map(|(fetched, _)| fetched),
        })
    }
}

/// Answers an endpoint from the desk.
pub(super) fn local<E: Endpoint>(desk: &Desk, checked: &Arguments) -> Result<Answer> {
    let params = decode::params::<E>(checked)?;
    finished(E::local(desk, &params)?, &params, (checked, desk.today()))
}

/// Renders an answer with what the dates among its arguments were taken for, and with what its structure leaves out.
pub(super) fn finished<E: Endpoint>(
    mut output: E::Output,
    params: &E,
    (checked, today): (&Arguments, Date),
) -> Result<Answer> {
    if let Some(provenance) = E::PROVENANCE {
        let provenance = provenance(&mut output);
        for (name, said) in days::told(checked, today) {
            provenance.note(name, said);
        }
    }
    let mut answer = E::render(&output, params)?;
    answer.omitted = E::IS_COMPACT.then(|| params.omitted());
    Ok(answer)
}

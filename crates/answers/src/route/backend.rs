//! The backend that answers endpoints, from the desk or by forwarding. Edges do not know which.

use crate::render::answer::{Answer, CompactForm, Reply};
use crate::route::decode::{self, Arguments};
use crate::route::endpoint::{Endpoint, Spec};
use crate::route::{Route, demand, forward};
use econoscope_core::cache::Cache;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use econoscope_data::ingest::{Demand, Wanted};
use econoscope_data::pool::{Pool, SingleFlight};
use econoscope_data::upstream::Upstream;
use econoscope_desk::{Desk, State};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Most bytes of rendered answers in memory.
const CACHE_BYTES: u64 = 24 << 20;
/// An answer with so many requests is likely to be requested again.
const MIN_REQUESTS: u32 = 3;

/// A series whose source was read so recently is not being fetched again.
const JUST_READ: Duration = Duration::from_secs(3_600);

/// Answers endpoints: from the local desk, or by forwarding.
pub struct Backend {
    desk: Arc<Desk>,
    upstream: Option<Upstream>,
    cache: Arc<Cache<AnswerKey, Arc<Answer>>>,
    pool: Pool,
    in_flight: SingleFlight<AnswerKey, Arc<Answer>>,
    wanted: Arc<Wanted>,
    demand: Option<Arc<Demand>>,
}

/// An answer's identity: endpoint, canonical arguments, state of the data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct AnswerKey {
    tool: &'static str,
    arguments: Box<str>,
    version: DataVersion,
}

/// The data that an answer was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum DataVersion {
    /// Local data at a state.
    Desk(State),
    /// An upstream's body: when it was fetched, and its length.
    Upstream(jiff::Timestamp, usize),
}

impl Backend {
    /// Creates a backend that answers from local data.
    pub fn local(desk: Arc<Desk>) -> Self {
        Self::new(desk, None)
    }

    /// Creates a backend that forwards every endpoint of the contract; the desk gives names, links and the credit line.
    pub fn forwarding(desk: Arc<Desk>, upstream: Upstream) -> Self {
        Self::new(desk, Some(upstream))
    }

    fn new(desk: Arc<Desk>, upstream: Option<Upstream>) -> Self {
        let cache = Cache::with_max_weight(CACHE_BYTES, |key: &AnswerKey, answer: &Arc<Answer>| {
            (size_of::<AnswerKey>() + key.arguments.len() + answer.weight()) as u64
        });
        Self {
            desk,
            upstream,
            cache: Arc::new(cache),
            pool: Pool::default(),
            in_flight: SingleFlight::default(),
            wanted: Arc::default(),
            demand: None,
        }
    }

    /// Lets questions fetch series outside the catalogue.
    pub fn with_demand(mut self, demand: Arc<Demand>) -> Self {
        self.demand = Some(demand);
        self
    }

    /// The series whose newest figures callers wait for, where a sync serves them.
    pub fn wanted(&self) -> &Arc<Wanted> {
        &self.wanted
    }

    /// The local desk.
    pub fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// The pool for work that takes more than a moment.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The upstream, when this backend forwards.
    pub fn upstream(&self) -> Option<&Upstream> {
        self.upstream.as_ref()
    }

    /// Whether an endpoint is answered from the desk, so that its answers depend on the desk's state alone.
    pub fn is_local(&self, spec: &Spec) -> bool {
        self.upstream.is_none() || !spec.in_contract
    }

    /// Returns the `most` most requested tools and arguments at a state of the data, with their requests; without those
    /// below [`MIN_REQUESTS`].
    pub fn most_requested(&self, state: State, most: usize) -> Vec<(&'static str, Arguments, u32)> {
        let version = DataVersion::Desk(state);
        let count = |(key, answer): (AnswerKey, Arc<Answer>)| {
            let requests = answer.requests.load(Ordering::Relaxed);
            (requests >= MIN_REQUESTS && key.version == version).then_some((requests, key))
        };
        let mut counted: Vec<_> = self.cache.entries().filter_map(count).collect();
        counted.sort_unstable_by_key(|(requests, _)| std::cmp::Reverse(*requests));
        counted.truncate(most);
        let parsed = counted.into_iter().filter_map(|(requests, key)| {
            let arguments = serde_json::from_str(&key.arguments).ok()?;
            Some((key.tool, arguments, requests))
        });
        parsed.collect()
    }

    /// Answers one endpoint. A series that is nothing here and named like one of a source is fetched first.
    pub(crate) async fn answer(&self, route: &'static Route, checked: Arguments) -> Result<Reply> {
        if checked.get("remote") == Some(&Value::Bool(true)) {
            let reply = self.answer_from_held(route, checked.clone()).await?;
            let answer = demand::search_elsewhere(self.demand.as_ref(), &reply.answer, &checked);
            let answer = Arc::new(answer.await?);
            return Ok(Reply { answer, ..reply });
        }
        let demand = self.demand.as_ref();
        let Some(demand) = demand.filter(|_| demand::is_about_series(route)) else {
            return self.answer_from_held(route, checked).await;
        };
        match self.answer_from_held(route, checked.clone()).await {
            Err(refusal @ Error::Unknown { .. }) => {
                let ids = demand::requested_ids(&self.desk, &checked)?;
                if ids.is_empty() && !demand::has_arrived(&self.desk, &checked)? {
                    return Err(refusal);
                }
                let fetched = demand::fetch(demand, route, &checked, &ids).await;
                fetched.map_err(|error| demand::with_suggestions(error, &refusal))?;
                self.answer_from_held(route, checked).await
            }
            reply => {
                demand::touch(demand, &self.desk, &checked).await?;
                reply
            }
        }
    }

    /// Answers one endpoint, after its source was asked if a figure is late, or with a note that this is under way.
    async fn answer_from_held(&self, route: &'static Route, checked: Arguments) -> Result<Reply> {
        if !self.wanted.is_served() {
            return self.answer_from_stored(route, checked).await;
        }
        let reply = self.answer_from_stored(route, checked.clone()).await?;
        let mut late = reply.answer.late_series().to_vec();
        // What may not be stored is not synced.
        late.retain(|id| self.desk.memory().get(id).is_none());
        if self.wanted.is_elsewhere() {
            late.retain(|id| !self.is_just_read(id));
        }
        if late.is_empty() {
            return Ok(reply);
        }
        if self.wanted.fetch(&late).await {
            return self.answer_from_stored(route, checked).await;
        }
        let answer = Arc::new(reply.answer.being_fetched()?);
        Ok(Reply { answer, ..reply })
    }

    /// Whether the source of a series was read in the last hour, by any process.
    fn is_just_read(&self, id: &SeriesId) -> bool {
        let status = self.desk.series_status(id).ok().flatten();
        status.is_some_and(|status| self.desk.now() < status.fetched_at + JUST_READ)
    }

    /// Answers one endpoint. Each answer is rendered once per state of the data.
    async fn answer_from_stored(&self, route: &'static Route, checked: Arguments) -> Result<Reply> {
        let today = self.desk.today();
        let upstream = self.upstream.as_ref().filter(|_| route.spec.in_contract);
        let fetched = match upstream {
            Some(upstream) => Some(forward::fetch(upstream, route, &checked, today).await?),
            None => None,
        };
        let key = AnswerKey {
            tool: route.spec.tool,
            arguments: Value::Object(checked.clone()).to_string().into(),
            version: match &fetched {
                Some(fetched) => DataVersion::Upstream(fetched.fetched_at, fetched.body.len()),
                None => DataVersion::Desk(self.desk.state()?),
            },
        };
        let cached = || self.cache.get(&key);
        if let Some(answer) = cached() {
            answer.requests.fetch_add(1, Ordering::Relaxed);
            let upstream = fetched;
            return Ok(Reply { answer, upstream });
        }
        let cache = Arc::clone(&self.cache);
        let new_key = key.clone();
        let desk = Arc::clone(&self.desk);
        let is_beside_upstream = self.upstream.is_some();
        let forwarded = fetched.as_ref().zip(upstream);
        let received = forwarded.map(|(fetched, from)| (fetched.body.clone(), from.base().clone()));
        // The work stores its result itself, since it may end after all callers have left.
        let work = move || {
            let answer = match received {
                Some((body, base)) => (route.received)(&body, &base, &checked, today)?,
                None => desk.compute_consistently(|desk| (route.local)(desk, &checked))?,
            };
            let is_local = is_beside_upstream && !route.spec.in_contract;
            let answer = Arc::new(if is_local {
                answer.named_local()?
            } else {
                answer
            });
            cache.insert(new_key, Arc::clone(&answer));
            Ok(answer)
        };
        let flight = self.in_flight.run(&self.pool, key.clone(), cached, work);
        Ok(Reply {
            answer: flight.await?,
            upstream: fetched,
        })
    }
}

/// Answers an endpoint from the desk.
pub(crate) fn local<E: Endpoint>(desk: &Desk, checked: &Arguments) -> Result<Answer> {
    let params = decode::params::<E>(checked)?;
    render(&E::local(desk, &params)?, &params)
}

/// Renders an output.
pub(crate) fn render<E: Endpoint>(output: &E::Output, params: &E) -> Result<Answer> {
    let mut answer = E::render(output, params)?;
    let route = Route::find(E::TOOL).filter(|_| E::IS_COMPACT);
    let form = params.form();
    answer.compact = route.map(|route| CompactForm { route, form });
    Ok(answer)
}

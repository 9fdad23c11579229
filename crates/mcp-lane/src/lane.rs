//! The lane: which calls are answered, from what is kept or made anew, and which go on.

use crate::body::{Body, Rendered};
use crate::call::Call;
use crate::message::Message;
use crate::meta::{Lifecycle, Metas, is_usual};
use http::{Method, Request, Response};
use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};
use rmcp::model::JsonObject;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of results kept.
const KEPT_BYTES: u64 = 16 << 20;
/// A larger result is not kept: it would push out hundreds of others.
const MAX_RESULT: usize = 2 << 20;
/// Parts of the cache, each behind a lock of its own; a result must fit into one.
const PARTS: usize = 4;

/// Whose tools a lane answers for.
pub trait Origin: Send + Sync + 'static {
    /// Differs when the same call could be answered otherwise than before.
    type State: Copy + PartialEq + Send + Sync + 'static;

    /// The state of the data; `None` while it cannot be told, when the lane answers nothing.
    fn state(&self) -> Option<Self::State>;

    /// Whether calls of a tool depend on nothing but their arguments and the state of the data. A tool that wants
    /// arguments in headers, too (`x-mcp-header`), is none of these: the library compares them.
    fn takes(&self, tool: &str) -> bool;

    /// Answers a call as the library would; `None` leaves it to the library after all.
    fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        lifecycle: Lifecycle,
    ) -> impl Future<Output = Option<Outcome>> + Send;
}

/// What came of a call.
#[derive(Debug)]
pub struct Outcome {
    /// The whole result.
    pub result: Rendered,
    /// Whether the next caller may have the same; failures pass.
    pub may_be_kept: bool,
}

/// What a result depends on, besides the data.
type Key = (Lifecycle, String);

/// The state of the data that a result was made from, and the result.
type Kept<T> = (T, Rendered);

#[derive(Clone)]
struct Bytes;

impl<T> Weighter<Key, Kept<T>> for Bytes {
    fn weight(&self, (_, call): &Key, (_, result): &Kept<T>) -> u64 {
        u64::try_from(call.len() + result.len() + 256).unwrap_or(u64::MAX)
    }
}

/// Answers calls of tools, each from one rendering for a state of the data.
pub struct Lane<O: Origin> {
    origin: O,
    kept: Cache<Key, Kept<O::State>, Bytes>,
    metas: Metas,
    answers: AtomicU64,
}

impl<O: Origin> Lane<O> {
    /// A lane for the tools of `origin`.
    pub fn new(origin: O) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(1_024)
            .weight_capacity(KEPT_BYTES)
            .shards(PARTS)
            .build();
        let kept = match options {
            Ok(options) => Cache::with_options(options, Bytes, <_>::default(), <_>::default()),
            // Never so: both capacities are given.
            Err(_) => Cache::with_weighter(1_024, KEPT_BYTES, Bytes),
        };
        Self {
            origin,
            kept,
            metas: Metas::new(),
            answers: AtomicU64::new(0),
        }
    }

    /// Calls answered by the lane so far.
    pub fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// The answer to a call of a tool, where all of it is understood; `None` for what the library is to answer.
    pub async fn answer(&self, request: &Request<Message>) -> Option<Response<Body>> {
        let message = request.body();
        if request.method() != Method::POST || !is_usual(request.headers()) {
            return None;
        }
        let call = message.call()?;
        let lifecycle = self.metas.lifecycle(request.headers(), &call)?;
        if !self.origin.takes(call.tool) {
            return None;
        }
        // Taken before the work: data that change meanwhile make a result old, never new.
        let state = self.origin.state()?;
        let key = (lifecycle, [call.tool, call.arguments].concat());
        let kept = self.kept.get(&key);
        let result = match kept.filter(|(made_from, _)| *made_from == state) {
            Some((_, result)) => result,
            // In a box, so that the future of a kept answer is small.
            None => Box::pin(self.make(&call, key, state)).await?,
        };
        self.answers.fetch_add(1, Ordering::Relaxed);
        Some(result.answer(message))
    }

    /// The result made anew, and kept when it is an answer.
    async fn make(&self, call: &Call<'_>, key: Key, state: O::State) -> Option<Rendered> {
        let arguments = call.arguments()?;
        let made = self.origin.call(call.tool, arguments, key.0).await?;
        if made.may_be_kept && made.result.len() <= MAX_RESULT {
            self.kept.insert(key, (state, made.result.clone()));
        }
        Some(made.result)
    }
}

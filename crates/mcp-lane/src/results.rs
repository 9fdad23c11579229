//! Results that are kept: each for a state of the data.

use crate::body::Rendered;
use crate::call::Call;
use crate::meta::Lifecycle;
use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};
use rmcp::model::JsonObject;
use std::future::Future;

/// Bytes of results kept.
const KEPT_BYTES: u64 = 16 << 20;
/// A larger result is not kept: it would push out hundreds of others.
const MAX_RESULT: usize = 2 << 20;
/// Parts of the cache, each behind a lock of its own; a result must fit into one.
const PARTS: usize = 4;

/// Whose tools a lane answers for.
pub trait Origin: Clone + Send + Sync + 'static {
    /// Differs when the same call could be answered otherwise than before.
    type State: Copy + PartialEq + Send + Sync + 'static;

    /// The state of the data; `None` while it cannot be told, when nothing is answered from what is kept.
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

/// Results and who makes them.
pub(crate) struct Results<O: Origin> {
    pub(crate) origin: O,
    kept: Cache<Key, Kept<O::State>, Bytes>,
}

impl<O: Origin> Results<O> {
    pub(crate) fn new(origin: O) -> Self {
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
        Self { origin, kept }
    }

    /// The result when it is kept.
    pub(crate) fn kept(&self, call: &Call<'_>, lifecycle: Lifecycle) -> Option<Rendered> {
        let state = self.origin.state()?;
        let (made_from, result) = self.kept.get(&key(call, lifecycle))?;
        (made_from == state).then_some(result)
    }

    /// The result made anew, and kept when it is an answer.
    pub(crate) async fn make(&self, call: &Call<'_>, lifecycle: Lifecycle) -> Option<Rendered> {
        let arguments = call.arguments()?;
        // Taken before the work: data that change meanwhile make the result old, never new.
        let state = self.origin.state()?;
        let made = self.origin.call(call.tool, arguments, lifecycle).await?;
        if made.may_be_kept && made.result.len() <= MAX_RESULT {
            let kept = (state, made.result.clone());
            self.kept.insert(key(call, lifecycle), kept);
        }
        Some(made.result)
    }
}

fn key(call: &Call<'_>, lifecycle: Lifecycle) -> Key {
    (lifecycle, [call.tool, call.arguments].concat())
}

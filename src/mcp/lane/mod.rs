//! The fast lane: calls of tools answered from bytes that were rendered before.
//!
//! The protocol library builds a tree of every message and of every answer, and runs four tasks for a request; for
//! a small answer that is most of the work, for 5,000 rows it is sixty times the work. A call that is understood
//! completely is therefore answered here: its result is rendered once for a state of the data, kept, and sent with
//! the caller's id put before it. Whatever is not understood goes to the library as it came, so a rule that is
//! missing here costs time and nothing else. `tests/edges/lane` sends the same messages both ways and compares.

mod call;
mod door;
mod lines;
mod queue;
mod render;

use call::Call;
pub(super) use door::Door;
pub(super) use lines::Lines;

use super::Shared;
use crate::cache::Cache;
use crate::desk::State;
use bytes::Bytes;
use rmcp::model::{JsonObject, MetaObject, ProtocolVersion, RequestMetaObject, Tool};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of results kept.
const KEPT_BYTES: u64 = 16 << 20;
/// A larger result is not kept: it would push out hundreds of others.
const MOST_RESULT: usize = 2 << 20;
/// Texts of `_meta` known to be right; a client sends the same one with every call.
const KEPT_METAS: usize = 512;
/// Longest `_meta` that is looked into, and brackets in it: deep ones are read differently by different readers.
const MOST_META: usize = 1_024;
const MOST_BRACKETS: usize = 32;
/// Where a client names the token under which it wants to hear of progress.
const PROGRESS: &str = "progressToken";
/// What begins so in `_meta` is the protocol's.
const RESERVED: &str = "io.modelcontextprotocol/";

/// Which of the protocol's two lifecycles a call belongs to; their results differ in a few members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Up to 2025-11-25: the conversation, or nothing at all, says which version is spoken.
    Legacy,
    /// 2026-07-28: every call says so itself.
    Modern,
}

/// Rendered results and how they are made.
pub(super) struct Lane {
    shared: Arc<Shared>,
    results: Cache<String, Kept>,
    metas: Cache<Box<str>, Era>,
    current: Mutex<Option<State>>,
    answers: AtomicU64,
    headers_are_plain: OnceLock<bool>,
}

/// A result with the state of the data it was made from.
#[derive(Clone)]
struct Kept {
    state: State,
    result: Bytes,
}

impl Lane {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let results = Cache::weighed(KEPT_BYTES, |key: &String, kept: &Kept| {
            (key.len() + kept.result.len() + 256) as u64
        });
        Self {
            shared,
            results,
            metas: Cache::new(KEPT_METAS),
            current: Mutex::new(None),
            answers: AtomicU64::new(0),
            headers_are_plain: OnceLock::new(),
        }
    }

    /// Whether no tool wants its arguments in headers, too; those the library must compare.
    fn headers_are_plain(&self) -> bool {
        let is_plain = |tool: &Tool| {
            serde_json::to_string(&tool.input_schema).is_ok_and(|s| !s.contains("x-mcp-header"))
        };
        *self
            .headers_are_plain
            .get_or_init(|| self.shared.lists().tools.iter().all(is_plain))
    }

    /// Calls answered here so far.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// The result of a call: `"result":{…}}`, the answer from behind the id on. `None` for what only the library
    /// can tell.
    pub(super) async fn result(&self, call: &Call<'_>, era: Era) -> Option<Bytes> {
        if let Some(kept) = self.kept(call, era) {
            return Some(kept);
        }
        // On the heap: what is kept must not pay for the size of all that making takes.
        let made = Box::pin(self.made(call, era)).await?;
        self.answers.fetch_add(1, Ordering::Relaxed);
        Some(made)
    }

    /// The result when it is kept.
    pub(super) fn kept(&self, call: &Call<'_>, era: Era) -> Option<Bytes> {
        let state = self.state()?;
        let kept = self.results.get(&key(call, era))?;
        let result = (kept.state == state).then_some(kept.result)?;
        self.answers.fetch_add(1, Ordering::Relaxed);
        Some(result)
    }

    /// Whether a result that is not kept can be made here.
    pub(super) fn may_make(&self, call: &Call<'_>) -> bool {
        self.shared.backend.is_local(&call.route.spec)
            && call.arguments().is_some()
            && self.shared.backend.desk().state().is_ok()
    }

    /// The same made anew, and kept when it is an answer.
    async fn made(&self, call: &Call<'_>, era: Era) -> Option<Bytes> {
        let arguments = call.arguments()?;
        // Taken before the work: data that change meanwhile make the result old, never new.
        let state = self.state()?;
        let backend = &self.shared.backend;
        if !backend.is_local(&call.route.spec) {
            return None;
        }
        let made = render::result(&self.shared, call.route, arguments, era).await?;
        if made.may_be_kept && made.bytes.len() <= MOST_RESULT {
            let kept = Kept {
                state,
                result: made.bytes.clone(),
            };
            self.results.insert(key(call, era), kept);
        }
        Some(made.bytes)
    }

    /// Which lifecycle a `_meta` is of; `None` for one that only the library can judge.
    pub(super) fn meta(&self, text: &str) -> Option<Era> {
        if let Some(era) = self.metas.get(text) {
            return Some(era);
        }
        let era = read_meta(text)?;
        // A token is another one in every call, and would push out what comes again.
        if !text.contains(PROGRESS) {
            self.metas.insert(text.into(), era);
        }
        Some(era)
    }

    /// The state of the data; what was made of another one is dropped.
    fn state(&self) -> Option<State> {
        let state = self.shared.backend.desk().state().ok()?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if *current != Some(state) {
            *current = Some(state);
            self.results.clear();
        }
        Some(state)
    }
}

/// The answer up to its result, with room for `more` bytes.
fn opening(id: &str, more: usize) -> Vec<u8> {
    const OPEN: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":";
    let mut bytes = Vec::with_capacity(OPEN.len() + id.len() + 1 + more);
    bytes.extend_from_slice(OPEN);
    bytes.extend_from_slice(id.as_bytes());
    bytes.push(b',');
    bytes
}

/// What a result depends on, besides the data.
fn key(call: &Call<'_>, era: Era) -> String {
    let (tool, arguments) = (call.route.spec.tool, call.arguments_text());
    let mut key = String::with_capacity(tool.len() + arguments.len() + 1);
    key.push(match era {
        Era::Legacy => 'l',
        Era::Modern => 'm',
    });
    key.push_str(tool);
    key.push_str(arguments);
    key
}

/// Reads `_meta` with the library's own types: all that 2026-07-28 asks for, or nothing of the protocol's. Nobody here
/// reports progress, so a token for it changes nothing.
fn read_meta(text: &str) -> Option<Era> {
    let brackets = text.bytes().filter(|b| matches!(b, b'{' | b'['));
    if text.len() > MOST_META || brackets.count() > MOST_BRACKETS {
        return None;
    }
    let meta = RequestMetaObject(MetaObject(serde_json::from_str::<JsonObject>(text).ok()?));
    let is_token = |token: &Value| token.is_string() || token.is_i64();
    if !meta.get(PROGRESS).is_none_or(is_token) {
        return None;
    }
    if !meta.keys().any(|key| key.starts_with(RESERVED)) {
        return Some(Era::Legacy);
    }
    let newest = ProtocolVersion::V_2026_07_28;
    let is_right = meta.protocol_version().as_ref() == Some(&newest)
        && meta.missing_required_keys(&newest).is_empty();
    is_right.then_some(Era::Modern)
}

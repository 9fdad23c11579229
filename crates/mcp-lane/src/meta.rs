//! Which of the protocol's two lifecycles a call belongs to, told by its headers and its `_meta`.

use crate::call::Call;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use quick_cache::sync::Cache;
use rmcp::model::{JsonObject, MetaObject, ProtocolVersion, RequestMetaObject};
use serde_json::Value;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What the protocol wants clients to accept, in its usual form.
const BOTH: &[u8] = b"application/json, text/event-stream";
const JSON: &str = "application/json";

/// Texts of `_meta` known to be right; a client sends the same one with every call.
const MAX_KNOWN: usize = 512;
/// Longest `_meta` that is looked into, and brackets in it: deep ones are read differently by different readers.
const MAX_LENGTH: usize = 1_024;
const MAX_BRACKETS: usize = 32;
/// Where a client names the token under which it wants to hear of progress.
const PROGRESS: &str = "progressToken";
/// What begins so in `_meta` is the protocol's.
const RESERVED: &str = "io.modelcontextprotocol/";

/// The protocol's two lifecycles; their results differ in a few members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// Up to 2025-11-25: the handshake, or nothing at all, says which version is spoken.
    Handshake,
    /// From 2026-07-28 on: every request says so itself.
    Inline,
}

impl Lifecycle {
    /// What the headers of a request say, right or wrong.
    pub fn of_headers(headers: &HeaderMap) -> Self {
        let version = headers.get(VERSION).and_then(|v| v.to_str().ok());
        match version.is_some_and(|v| v >= ProtocolVersion::V_2026_07_28.as_str()) {
            true => Self::Inline,
            false => Self::Handshake,
        }
    }
}

/// Whether a request with these headers may be answered without the library.
pub(crate) fn is_usual(headers: &HeaderMap) -> bool {
    !headers.contains_key(SESSION)
        && only(headers, &ACCEPT).is_some_and(|v| v.as_bytes() == BOTH)
        && only(headers, &CONTENT_TYPE).is_some_and(is_json)
}

fn is_json(value: &HeaderValue) -> bool {
    if value.as_bytes() == JSON.as_bytes() {
        return true;
    }
    let essence = value.to_str().ok().and_then(|v| v.split(';').next());
    essence.is_some_and(|e| e.trim().eq_ignore_ascii_case(JSON))
}

/// The only value of a header; `None` when there is none, or more than one.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// Reads `_meta`, each text once.
pub(crate) struct Metas(Cache<Box<str>, Lifecycle>);

impl Metas {
    pub(crate) fn new() -> Self {
        Self(Cache::new(MAX_KNOWN))
    }

    /// The lifecycle of a call whose headers and `_meta` agree; `None` for one that only the library can judge.
    pub(crate) fn lifecycle(&self, headers: &HeaderMap, call: &Call<'_>) -> Option<Lifecycle> {
        let version = match headers.contains_key(VERSION) {
            true => Some(only(headers, &VERSION)?.to_str().ok()?),
            false => None,
        };
        if version == Some(ProtocolVersion::V_2026_07_28.as_str()) {
            let agrees = only(headers, &METHOD)?.as_bytes() == b"tools/call"
                && only(headers, &NAME)?.as_bytes() == call.tool.as_bytes()
                && self.of_text(call.meta?) == Some(Lifecycle::Inline);
            return agrees.then_some(Lifecycle::Inline);
        }
        let is_known = version.is_none_or(|version| {
            ProtocolVersion::KNOWN_VERSIONS
                .iter()
                .any(|known| known.has_initialize() && known.as_str() == version)
        });
        let of_meta = call
            .meta
            .map_or(Some(Lifecycle::Handshake), |m| self.of_text(m));
        let is_bare = !headers.contains_key(METHOD) && !headers.contains_key(NAME);
        of_meta.filter(|l| is_known && is_bare && *l == Lifecycle::Handshake)
    }

    fn of_text(&self, text: &str) -> Option<Lifecycle> {
        if let Some(known) = self.0.get(text) {
            return Some(known);
        }
        let lifecycle = read(text)?;
        // A token is another one in every call, and would push out what comes again.
        if !text.contains(PROGRESS) {
            self.0.insert(text.into(), lifecycle);
        }
        Some(lifecycle)
    }
}

/// Reads `_meta` with the library's own types: all that 2026-07-28 asks for, or nothing of the protocol's. What is
/// kept was made without a report of progress, so a token for it changes nothing.
fn read(text: &str) -> Option<Lifecycle> {
    let brackets = text.bytes().filter(|b| matches!(b, b'{' | b'['));
    if text.len() > MAX_LENGTH || brackets.count() > MAX_BRACKETS {
        return None;
    }
    let meta = RequestMetaObject(MetaObject(serde_json::from_str::<JsonObject>(text).ok()?));
    let is_token = |token: &Value| token.is_string() || token.is_i64();
    if !meta.get(PROGRESS).is_none_or(is_token) {
        return None;
    }
    if !meta.keys().any(|key| key.starts_with(RESERVED)) {
        return Some(Lifecycle::Handshake);
    }
    let newest = ProtocolVersion::V_2026_07_28;
    let is_right = meta.protocol_version().as_ref() == Some(&newest)
        && meta.missing_required_keys(&newest).is_empty();
    is_right.then_some(Lifecycle::Inline)
}

//! What both revisions of the protocol ask for: which lifecycle a request belongs to, how long lists hold, and who signs
//! a result.

use super::message::PlainCall;
use econoscope_data::pool::Caller;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use rmcp::model::{JsonObject, MetaObject, ProtocolVersion, RequestMetaObject};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

/// How long a client may keep lists and discovery: they change only with the program.
pub(super) const LIST_TTL_MS: u64 = 3_600_000;

/// Under which name the server stands in a result's `_meta`.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What the protocol wants clients to accept.
pub(super) const BOTH: &str = "application/json, text/event-stream";
const JSON: &str = "application/json";

/// Most brackets in a `_meta` that is looked into: deep ones are read differently by different readers.
const MAX_BRACKETS: usize = 32;
/// Where a client names the token under which it wants to hear of progress.
const PROGRESS: &str = "progressToken";
/// What begins so in `_meta` is the protocol's.
const RESERVED: &str = "io.modelcontextprotocol/";

/// The protocol's two lifecycles; their results differ in a few members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifecycle {
    /// Up to 2025-11-25: the handshake, or nothing at all, says which version is spoken.
    Handshake,
    /// From 2026-07-28 on: every request says so itself.
    Inline,
}

impl Lifecycle {
    /// What the headers of a request say, right or wrong.
    pub(super) fn of_headers(headers: &HeaderMap) -> Self {
        let version = headers.get(VERSION).and_then(|v| v.to_str().ok());
        match version.is_some_and(|v| v >= ProtocolVersion::V_2026_07_28.as_str()) {
            true => Self::Inline,
            false => Self::Handshake,
        }
    }

    /// What a `_meta` says: all that 2026-07-28 asks for, or nothing of the protocol's; `None` for what the library has to
    /// judge. No answer reports progress, so a token for it changes nothing.
    pub(super) fn of_meta(text: Option<&str>) -> Option<Self> {
        let Some(text) = text else {
            return Some(Self::Handshake);
        };
        if text.bytes().filter(|b| matches!(b, b'{' | b'[')).count() > MAX_BRACKETS {
            return None;
        }
        let meta = serde_json::from_str::<JsonObject>(text).ok()?;
        let is_token = |token: &Value| token.is_string() || token.is_i64();
        if !meta.get(PROGRESS).is_none_or(is_token) {
            return None;
        }
        if !meta.keys().any(|key| key.starts_with(RESERVED)) {
            return Some(Self::Handshake);
        }
        let meta = RequestMetaObject(MetaObject(meta));
        let newest = ProtocolVersion::V_2026_07_28;
        let is_right = meta.protocol_version().as_ref() == Some(&newest)
            && meta.missing_required_keys(&newest).is_empty();
        is_right.then_some(Self::Inline)
    }

    /// The lifecycle of a call whose headers and `_meta` agree; `None` for one that only the library can judge.
    pub(super) fn of_call(headers: &HeaderMap, call: &PlainCall) -> Option<Self> {
        let is_usual = !headers.contains_key(SESSION)
            && only(headers, &ACCEPT).is_some_and(|v| v == BOTH)
            && only(headers, &CONTENT_TYPE).is_some_and(is_json);
        let version = match headers.contains_key(VERSION) {
            true => Some(only(headers, &VERSION)?.to_str().ok()?),
            false => None,
        };
        let agrees = if version == Some(ProtocolVersion::V_2026_07_28.as_str()) {
            call.lifecycle == Self::Inline
                && only(headers, &METHOD)? == "tools/call"
                && only(headers, &NAME)? == call.route.spec.tool
        } else {
            let known = |version| {
                let mut all = ProtocolVersion::KNOWN_VERSIONS.iter();
                all.any(|known| known.has_initialize() && known.as_str() == version)
            };
            call.lifecycle == Self::Handshake
                && version.is_none_or(known)
                && !headers.contains_key(METHOD)
                && !headers.contains_key(NAME)
        };
        (is_usual && agrees).then_some(call.lifecycle)
    }
}

fn is_json(value: &HeaderValue) -> bool {
    let essence = value.to_str().ok().and_then(|v| v.split(';').next());
    essence.is_some_and(|e| e.trim().eq_ignore_ascii_case(JSON))
}

/// The only value of a header; `None` when there is none, or more than one.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// Puts the server's name in a result's `_meta`, which 2026-07-28 asks of every result.
pub(super) fn sign(meta: &mut Option<MetaObject>, signature: &Value) {
    meta.get_or_insert_default()
        .insert(SIGNATURE.to_owned(), signature.clone());
}

/// Whether the request speaks 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// For whom a request is answered: as the transport noted it, since the library runs a task for each.
pub(super) fn caller(extensions: &rmcp::model::Extensions) -> Caller {
    let parts = extensions.get::<http::request::Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get().copied());
    caller.unwrap_or(Caller::OWN)
}

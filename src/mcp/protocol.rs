//! The protocol's revisions: the lifecycle of a request, cache times, and the server's signature on results.

use super::message::PlainCall;
use econoscope_data::pool::Caller;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use rmcp::model::{MetaObject, ProtocolVersion, RequestMetaObject};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

/// How long a client may cache lists and discovery. They change only with the program.
pub(super) const LIST_TTL_MS: u64 = 3_600_000;

/// The member of a result's `_meta` that names the server.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The `Accept` header that the protocol requires of clients.
pub(super) const ACCEPT_BOTH: &str = "application/json, text/event-stream";
const JSON: &str = "application/json";

/// The member of `_meta` with the token for progress notifications.
const PROGRESS_TOKEN: &str = "progressToken";
/// Prefix of the protocol's own members of `_meta`.
const RESERVED_PREFIX: &str = "io.modelcontextprotocol/";

/// The protocol's two lifecycles. Their results differ in a few members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifecycle {
    /// Up to 2025-11-25: the handshake negotiates the version.
    Handshake,
    /// Since 2026-07-28: every request declares the version.
    PerRequest,
}

impl Lifecycle {
    /// Returns the lifecycle that the headers declare, without checking them.
    pub(super) fn of_headers(headers: &HeaderMap) -> Self {
        let version = headers.get(VERSION).and_then(|v| v.to_str().ok());
        if version.is_some_and(|v| v >= ProtocolVersion::V_2026_07_28.as_str()) {
            Self::PerRequest
        } else {
            Self::Handshake
        }
    }

    /// Returns the lifecycle of a `_meta` that has all required members of 2026-07-28, or none of the protocol's. Returns
    /// `None` for any other, which the SDK validates. A progress token is ignored here, since a JSON response reports no progress.
    pub(super) fn of_meta(meta: Option<Value>) -> Option<Self> {
        let Some(meta) = meta else {
            return Some(Self::Handshake);
        };
        let Value::Object(meta) = meta else {
            return None;
        };
        let is_token = |token: &Value| token.is_string() || token.is_i64();
        if !meta.get(PROGRESS_TOKEN).is_none_or(is_token) {
            return None;
        }
        if !meta.keys().any(|key| key.starts_with(RESERVED_PREFIX)) {
            return Some(Self::Handshake);
        }
        let meta = RequestMetaObject(MetaObject(meta));
        let newest = ProtocolVersion::V_2026_07_28;
        let is_complete = meta.protocol_version().as_ref() == Some(&newest)
            && meta.missing_required_keys(&newest).is_empty();
        is_complete.then_some(Self::PerRequest)
    }

    /// Returns the lifecycle of a call whose headers and `_meta` agree; `None` for a call that the SDK has to validate.
    pub(super) fn of_call(headers: &HeaderMap, call: &PlainCall) -> Option<Self> {
        let is_standard = !headers.contains_key(SESSION)
            && single(headers, &ACCEPT).is_some_and(|v| v == ACCEPT_BOTH)
            && single(headers, &CONTENT_TYPE).is_some_and(is_json);
        let version = if headers.contains_key(VERSION) {
            Some(single(headers, &VERSION)?.to_str().ok()?)
        } else {
            None
        };
        let agrees = if version == Some(ProtocolVersion::V_2026_07_28.as_str()) {
            call.lifecycle == Self::PerRequest
                && single(headers, &METHOD)? == "tools/call"
                && single(headers, &NAME)? == call.route.spec.tool
        } else {
            let is_known = |version| {
                let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
                known.any(|known| known.has_initialize() && known.as_str() == version)
            };
            call.lifecycle == Self::Handshake
                && version.is_none_or(is_known)
                && !headers.contains_key(METHOD)
                && !headers.contains_key(NAME)
        };
        (is_standard && agrees).then_some(call.lifecycle)
    }
}

fn is_json(value: &HeaderValue) -> bool {
    let essence = value.to_str().ok().and_then(|v| v.split(';').next());
    essence.is_some_and(|e| e.trim().eq_ignore_ascii_case(JSON))
}

/// Returns the value of a header that occurs once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// Adds the server's name to a result's `_meta`, as 2026-07-28 requires of every result.
pub(super) fn sign(meta: &mut Option<MetaObject>, signature: &Value) {
    meta.get_or_insert_default()
        .insert(SIGNATURE.to_owned(), signature.clone());
}

/// Whether the request uses 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Returns the caller that the transport attached to a request. The SDK runs each request in a task of its own.
pub(super) fn caller(extensions: &rmcp::model::Extensions) -> Caller {
    let parts = extensions.get::<http::request::Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get().copied());
    caller.unwrap_or(Caller::LOCAL)
}

//! Traces every request: id, trace, metrics, access log, length of the address, and headers that restrict browsers.
//!
//! The log has the route, never the query or the client's address; a client appears as a hash that changes every day.

use super::Shared;
use crate::admission::{MCP_PATH, is_mcp};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use econoscope_core::clock::random;
use econoscope_data::pool::Caller;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tracing::{Level, Span};

/// Maximum length of path and query.
const MAX_URL_BYTES: usize = 8 * 1024;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The trace of a request from its arrival until its response.
pub(super) struct RequestTrace<'a> {
    shared: &'a Shared,
    start: Instant,
    method: &'static str,
    pub(super) is_mcp: bool,
    /// Whether path and query are too long.
    pub(super) is_url_too_long: bool,
    id: HeaderValue,
    /// The caller, if the access log is enabled.
    caller: Option<Caller>,
    /// The span of the request.
    pub(super) span: Span,
    _in_flight: Arc<()>,
}

impl<'a> RequestTrace<'a> {
    /// Starts the trace of a request.
    pub(super) fn begin(shared: &'a Shared, request: &Request, peer: Option<SocketAddr>) -> Self {
        let id = request_id(request.headers());
        let url = request.uri().path_and_query();
        let span = tracing::info_span!(
            "request",
            request_id = id.to_str().unwrap_or_default(),
            trace_id = trace_id(request.headers())
        );
        Self {
            shared,
            start: Instant::now(),
            method: method(request.method()),
            is_mcp: is_mcp(request),
            is_url_too_long: url.is_some_and(|url| url.as_str().len() > MAX_URL_BYTES),
            id,
            caller: tracing::enabled!(target: "econoscope::access", Level::INFO)
                .then(|| shared.admission.caller(peer, request.headers())),
            span,
            _in_flight: Arc::clone(&shared.metrics.in_flight),
        }
    }

    /// Counts and logs the response, and adds its id and the headers for browsers.
    pub(super) fn end(self, mut response: Response) -> Response {
        let matched = response.extensions_mut().remove::<MatchedPath>();
        let route = match &matched {
            _ if self.is_mcp => MCP_PATH,
            Some(matched) => matched.as_str(),
            None => "other",
        };
        let status = response.status().as_u16();
        let time = self.start.elapsed();
        self.shared.metrics.add_response(route, status, time);
        if let Some(caller) = self.caller {
            let _entered = self.span.entered();
            let duration_ms = time.as_secs_f64() * 1_000.0;
            let client = self.shared.admission.pseudonym(caller);
            let method = self.method;
            tracing::info!(target: "econoscope::access", method, route, status, duration_ms, client, "answered");
        }
        set_browser_policy(response.headers_mut());
        response.headers_mut().insert(REQUEST_ID, self.id);
        response
    }
}

/// Copies the matched pattern to the response, where [`RequestTrace::end`] reads it.
pub(super) async fn name_route(request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(matched) = matched {
        response.extensions_mut().insert(matched);
    }
    response
}

/// Sets the headers that restrict browsers, unless the handler has set them (widgets may be framed).
fn set_browser_policy(headers: &mut HeaderMap) {
    let content = "default-src 'none'; frame-ancestors 'none'";
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (header::CONTENT_SECURITY_POLICY, content),
    ] {
        let default = HeaderValue::from_static(value);
        headers.entry(name).or_insert(default);
    }
}

/// Returns the name of a method for the log, `other` for an unknown one.
fn method(method: &axum::http::Method) -> &'static str {
    let mut known = ["GET", "HEAD", "POST", "OPTIONS", "DELETE"].into_iter();
    known.find(|known| method == known).unwrap_or("other")
}

/// Returns the client's request id if it is short and plain, so that logs can be joined; else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    match headers.get(REQUEST_ID) {
        Some(id) if is_plain(id.as_bytes()) => id.clone(),
        Some(_) | None => {
            let digits = format!("{:016x}", random());
            HeaderValue::try_from(digits).unwrap_or(HeaderValue::from_static("none"))
        }
    }
}

fn is_plain(id: &[u8]) -> bool {
    (1..=64).contains(&id.len())
        && id
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Returns the trace id of W3C `traceparent`, 32 hexadecimal digits; empty without one.
fn trace_id(headers: &HeaderMap) -> &str {
    let header = headers.get("traceparent").and_then(|v| v.to_str().ok());
    let id = header.and_then(|header| header.split('-').nth(1));
    let is_id = |id: &&str| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
    id.filter(is_id).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_valid_trace_id_is_logged() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let mut headers = HeaderMap::new();
        assert_eq!(trace_id(&headers), "");
        for (text, id) in [
            (format!("00-{trace}-00f067aa0ba902b7-01"), trace),
            ("00".to_owned(), ""),
            ("00-canary-00f067aa0ba902b7-01".to_owned(), ""),
        ] {
            headers.insert("traceparent", text.parse().unwrap());
            assert_eq!(trace_id(&headers), id, "{text}");
        }
    }

    #[test]
    fn only_plain_request_ids_are_echoed() {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, "abc-1.2_3".parse().unwrap());
        assert_eq!(request_id(&headers), "abc-1.2_3");
        headers.insert(REQUEST_ID, "a b<script>".parse().unwrap());
        assert_eq!(request_id(&headers).len(), 16);
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }
}

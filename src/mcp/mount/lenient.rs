//! Leniency towards MCP clients that state their wishes loosely.

use axum::http::{HeaderMap, HeaderValue, header};

const BOTH: &str = "application/json, text/event-stream";

/// Lets clients in that send no `Accept`, `*/*` or JSON alone: the protocol wants both types listed.
pub(super) fn lenient(headers: &mut HeaderMap) {
    let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok());
    let accept = accept.unwrap_or("*/*");
    if accept == BOTH {
        return;
    }
    let is_loose = accept
        .split(',')
        .map(|part| part.split(';').next().unwrap_or("").trim())
        .any(|t| matches!(t, "*/*" | "application/*" | "application/json"));
    if is_loose {
        headers.insert(header::ACCEPT, HeaderValue::from_static(BOTH));
    }
}

//! Leniency towards MCP clients that state their wishes loosely.

use axum::extract::Request;
use axum::http::{HeaderValue, header};

const BOTH: &str = "application/json, text/event-stream";

/// Lets clients in that send no `Accept`, `*/*` or JSON alone: the protocol wants both types listed.
pub(super) fn lenient(mut request: Request) -> Request {
    let accept = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|v| v.to_str().ok())
        .unwrap_or("*/*");
    let is_loose = accept
        .split(',')
        .map(|part| part.split(';').next().unwrap_or("").trim())
        .any(|t| matches!(t, "*/*" | "application/*" | "application/json"));
    if is_loose {
        let both = HeaderValue::from_static(BOTH);
        request.headers_mut().insert(header::ACCEPT, both);
    }
    request
}

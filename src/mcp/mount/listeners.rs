//! Those who listen hold a permit for as long as their stream is open.

use crate::admission::{Full, MAX_LISTENERS_PER_ADDRESS, Permit};
use crate::rest::set;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use mcp_lane::{Message, error};
use serde_json::json;

/// The method that opens a stream.
pub(super) const LISTEN: &str = "subscriptions/listen";

/// The refusal of a stream.
pub(super) fn refuse(full: Full, message: &Message) -> Response {
    let (status, wait, why) = match full {
        Full::Caller => (
            StatusCode::TOO_MANY_REQUESTS,
            60,
            format!(
                "{MAX_LISTENERS_PER_ADDRESS} subscriptions are open from your address, which is the most. Close one, or watch more addresses in one."
            ),
        ),
        Full::All => (
            StatusCode::SERVICE_UNAVAILABLE,
            30,
            "All subscriptions are taken. Ask for the resource itself, or try again later."
                .to_owned(),
        ),
    };
    let data = json!({ "code": "rate_limited", "retryable": true, "retry_after_seconds": wait });
    let told = error::reply(Some(message), error::SERVER_ERROR, &why, Some(data));
    let mut response = error::response(status, told).map(Body::new);
    set(&mut response, header::RETRY_AFTER, &wait.to_string());
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// A stream keeps its permit until it ends; any other answer is no stream and needs none.
pub(super) fn keep(permit: Permit, response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !kind.is_some_and(|k| k.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _kept = &permit;
            frame
        }))
    })
}

//! What a client is told about its allowance: headers, the 429 body, and the answer inside MCP.

use super::{Refusal, Standing};
use crate::http::body::set;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STANDING: HeaderName = HeaderName::from_static("ratelimit");

/// Names of the headers below, for CORS.
pub(in crate::http) const EXPOSED: [HeaderName; 5] = [
    POLICY,
    STANDING,
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// Writes where the client stands into the headers, in the draft's form and in the older one.
pub(in crate::http) fn tell(response: &mut Response, standing: &Standing) {
    let Standing {
        policy,
        limit,
        remaining,
        reset,
        reset_at,
    } = standing;
    let lines = [
        format!("\"{policy}\";q={limit};w=86400"),
        format!("\"{policy}\";r={remaining};t={}", reset.as_secs()),
        limit.to_string(),
        remaining.to_string(),
        reset_at.as_second().to_string(),
    ];
    for (name, line) in EXPOSED.into_iter().zip(lines) {
        set(response, name, &line);
    }
}

/// In words for people and models: what is used up and when it resets.
pub(in crate::http) fn sentence(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Quota { standing, .. } => {
            let minutes = standing.reset.as_secs().div_ceil(60);
            let what = if standing.policy == "data" {
                "time series requests"
            } else {
                "requests"
            };
            format!(
                "Daily limit of {} {what} for your address reached. Resets at {} (in {} h {} min).",
                standing.limit,
                standing.reset_at,
                minutes / 60,
                minutes % 60
            )
        }
        Refusal::Burst { retry_after } => format!(
            "Too many requests at once from your address. Wait {} s, then go on more slowly.",
            seconds(retry_after.as_millis())
        ),
    }
}

/// The refusal as plain facts: what a REST body, an MCP `_meta` and a JSON-RPC error have in common.
pub(in crate::http) fn facts(refusal: &Refusal) -> Value {
    let wait = seconds(refusal.retry_after().as_millis());
    match refusal {
        Refusal::Quota { standing, .. } => json!({
            "code": "rate_limited",
            "retryable": true,
            "retry_after_seconds": wait,
            "limit": standing.limit,
            "remaining": 0,
            "reset_at": standing.reset_at.to_string(),
            "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
            "violated-policies": [standing.policy],
        }),
        Refusal::Burst { .. } => json!({
            "code": "rate_limited",
            "retryable": true,
            "retry_after_seconds": wait,
            "type": "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
            "violated-policies": ["burst"],
        }),
    }
}

/// 429 with a body and headers that say when to come back.
pub(in crate::http) fn too_many(refusal: &Refusal) -> Response {
    let mut body = json!({ "error": sentence(refusal) });
    if let (Some(body), Value::Object(facts)) = (body.as_object_mut(), facts(refusal)) {
        body.extend(facts);
    }
    with_headers(
        (StatusCode::TOO_MANY_REQUESTS, axum::Json(body)).into_response(),
        refusal,
    )
}

/// `Retry-After`, `no-store` and the standing on a refusal of any form.
pub(in crate::http) fn with_headers(mut response: Response, refusal: &Refusal) -> Response {
    let wait = seconds(refusal.retry_after().as_millis()).to_string();
    set(&mut response, header::RETRY_AFTER, &wait);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Refusal::Quota { standing, .. } = refusal {
        tell(&mut response, standing);
    }
    response
}

/// Whole seconds, rounded up, at least one.
fn seconds(milliseconds: u128) -> u128 {
    milliseconds.div_ceil(1_000).max(1)
}

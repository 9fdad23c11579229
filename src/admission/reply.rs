//! What a client is told about its allowance: headers, the 429 body, and the answer inside MCP.

use super::policy::{Policy, Refusal, Standing};
use crate::rest::set;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// Names of the headers that tell where a client stands, for CORS.
pub(crate) const EXPOSED: [HeaderName; 5] = [
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// Writes where the client stands into the headers, in the draft's form and in the older one.
pub(crate) fn tell(response: &mut Response, standing: &Standing) {
    let (policy, reset) = (standing.policy.name(), standing.reset.as_secs());
    let (limit, remaining) = (standing.limit, standing.remaining);
    let lines = [
        format!("\"{policy}\";q={limit};w=86400"),
        format!("\"{policy}\";r={remaining};t={reset}"),
        limit.to_string(),
        remaining.to_string(),
        standing.reset_at.as_second().to_string(),
    ];
    for (name, line) in EXPOSED.into_iter().zip(lines) {
        set(response, name, &line);
    }
}

/// In words for people and models: what is used up and when it resets.
pub(crate) fn sentence(refusal: &Refusal) -> String {
    let Some(standing) = &refusal.standing else {
        return format!(
            "Too many requests at once from your address. Wait {} s, then go on more slowly.",
            refusal.seconds()
        );
    };
    let minutes = standing.reset.as_secs().div_ceil(60);
    let what = match standing.policy {
        Policy::General => "requests",
        Policy::Data => "time series requests",
        Policy::Pages => "new pages and pictures",
    };
    format!(
        "Daily limit reached: {} {what} for your address. Resets at {} (in {} h {} min).",
        standing.limit,
        standing.reset_at,
        minutes / 60,
        minutes % 60
    )
}

/// The refusal as plain facts: what a REST body, an MCP `_meta` and a JSON-RPC error have in common.
pub(crate) fn facts(refusal: &Refusal) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| facts.insert(name.to_owned(), value);
    add("code", "rate_limited".into());
    add("retryable", true.into());
    add("retry_after_seconds", refusal.seconds().into());
    let kind = match &refusal.standing {
        Some(standing) => {
            add("limit", standing.limit.into());
            add("remaining", 0.into());
            add("reset_at", standing.reset_at.to_string().into());
            "quota-exceeded"
        }
        None => "temporary-reduced-capacity",
    };
    let kind = format!("https://iana.org/assignments/http-problem-types#{kind}");
    add("type", kind.into());
    add("violated-policies", json!([refusal.limit()]));
    facts
}

/// 429 with a body and headers that say when to come back.
pub(crate) fn too_many(refusal: &Refusal) -> Response {
    let mut body = Map::from_iter([("error".to_owned(), sentence(refusal).into())]);
    body.extend(facts(refusal));
    let response = (StatusCode::TOO_MANY_REQUESTS, axum::Json(body)).into_response();
    with_headers(response, refusal)
}

/// `Retry-After`, `no-store` and the standing on a refusal of any form.
pub(crate) fn with_headers(mut response: Response, refusal: &Refusal) -> Response {
    let wait = refusal.seconds().to_string();
    set(&mut response, header::RETRY_AFTER, &wait);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    if let Some(standing) = &refusal.standing {
        tell(&mut response, standing);
    }
    response
}

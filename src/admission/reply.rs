//! Reports a client's allowance: headers, the body of a 429, and the details inside MCP.

use super::policy::{LimitExceeded, Policy, Quota};
use crate::rest::set;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::model::object;
use serde_json::{Map, Value, json};

/// The headers that report a client's allowance.
pub(crate) const QUOTA_HEADERS: [HeaderName; 5] = [
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// Sets the headers that report a client's allowance, in the form of the IETF draft and in the older one.
pub(crate) fn set_quota_headers(response: &mut Response, quota: &Quota) {
    let policy = quota.policy.name();
    let reset = quota.reset.as_secs();
    let limit = quota.limit;
    let remaining = quota.remaining;
    let values = [
        format!("\"{policy}\";q={limit};w=86400"),
        format!("\"{policy}\";r={remaining};t={reset}"),
        limit.to_string(),
        remaining.to_string(),
        quota.reset_at.as_second().to_string(),
    ];
    for (name, value) in QUOTA_HEADERS.into_iter().zip(values) {
        set(response, name, &value);
    }
}

/// Describes which limit is exceeded and when it resets.
pub(crate) fn describe(exceeded: &LimitExceeded) -> String {
    let Some(quota) = &exceeded.quota else {
        return format!(
            "Too many requests at once from your address. Wait {} s, then go on more slowly.",
            exceeded.wait_seconds()
        );
    };
    let minutes = quota.reset.as_secs().div_ceil(60);
    let what = match quota.policy {
        Policy::General => "requests",
        Policy::Data => "time series requests",
        Policy::Pages => "new pages and pictures",
    };
    format!(
        "Daily limit reached: {} {what} for your address. Resets at {} (in {} h {} min).",
        quota.limit,
        quota.reset_at,
        minutes / 60,
        minutes % 60
    )
}

/// Returns the members that a REST body, an MCP `_meta` and a JSON-RPC error have in common.
pub(crate) fn details(exceeded: &LimitExceeded) -> Map<String, Value> {
    let wait = exceeded.wait_seconds();
    let mut details =
        object(json!({ "code": "rate_limited", "retryable": true, "retry_after_seconds": wait }));
    let mut kind = "temporary-reduced-capacity";
    if let Some(quota) = &exceeded.quota {
        let reset_at = quota.reset_at.to_string();
        let allowance = json!({ "limit": quota.limit, "remaining": 0, "reset_at": reset_at });
        details.extend(object(allowance));
        kind = "quota-exceeded";
    }
    details.extend(object(json!({
        "type": format!("https://iana.org/assignments/http-problem-types#{kind}"),
        "violated-policies": [exceeded.limit_name()],
    })));
    details
}

/// Builds the 429 response of REST and pages.
pub(crate) fn too_many_requests(exceeded: &LimitExceeded) -> Response {
    let mut body = Map::from_iter([("error".to_owned(), describe(exceeded).into())]);
    body.extend(details(exceeded));
    let response = (StatusCode::TOO_MANY_REQUESTS, axum::Json(body)).into_response();
    with_headers(response, exceeded)
}

/// Sets `Retry-After`, `no-store` and the headers of the allowance on a refusal.
pub(crate) fn with_headers(mut response: Response, exceeded: &LimitExceeded) -> Response {
    let wait = exceeded.wait_seconds().to_string();
    set(&mut response, header::RETRY_AFTER, &wait);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    if let Some(quota) = &exceeded.quota {
        set_quota_headers(&mut response, quota);
    }
    response
}

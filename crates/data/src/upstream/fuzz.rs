//! Doors for `fuzz/` to parsers that nothing outside needs; not compiled otherwise.

use super::freshness::Policy;
use crate::net::{http_date, retry_after};
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use std::time::Duration;

/// Reads the headers that decide how long an answer is kept; the number picks the name of each.
pub fn cache_headers(lines: &[(u8, Vec<u8>)]) {
    const NAMES: [HeaderName; 8] = [
        http::header::CACHE_CONTROL,
        http::header::EXPIRES,
        http::header::DATE,
        http::header::AGE,
        http::header::VARY,
        http::header::ETAG,
        http::header::LAST_MODIFIED,
        http::header::RETRY_AFTER,
    ];
    let mut headers = HeaderMap::new();
    for (pick, value) in lines {
        let name = NAMES.get(usize::from(*pick) % NAMES.len());
        if let (Some(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
        let _ = std::str::from_utf8(value).ok().and_then(http_date);
    }
    let now = Timestamp::UNIX_EPOCH;
    let policy = Policy::read(&headers, now, Duration::from_secs(1));
    let _ = policy.confirmed(Policy::ours(Duration::from_secs(60)));
    let wait = retry_after(&headers, now).unwrap_or_default();
    assert!(wait <= Duration::from_secs(86_400), "a day at most");
}

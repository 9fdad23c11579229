//! Lifetime of a response by its headers (RFC 9111), as a private cache.
//!
//! A private cache may store `private` responses, and `s-maxage` does not bind it; here `s-maxage` serves as the
//! heuristic lifetime. The crate http-cache-semantics 3.0 is not used, because it compares directive names by case,
//! serves `no-cache` responses to a `max-stale` request, and adds an unchecked `Age`.

use crate::net::{parse_http_date, parse_seconds, response_date, single_value};
use http::HeaderMap;
use http::header::{AGE, CACHE_CONTROL, ETAG, EXPIRES, LAST_MODIFIED, VARY};
use jiff::Timestamp;
use std::time::Duration;

/// Lifetime of a response without a stated one: the documented update interval of the upstream.
pub(super) const DEFAULT_LIFETIME: Duration = Duration::from_secs(300);
/// Upper bound of lifetimes and ages.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// What the headers of a response allow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Policy {
    /// Whether it may be stored.
    pub(super) is_storable: bool,
    /// Whether the headers state a lifetime.
    pub(super) is_explicit: bool,
    /// How long it is fresh, from its generation on.
    pub(super) lifetime: Duration,
    /// Its age on arrival.
    pub(super) initial_age: Duration,
    /// Whether it is for one recipient: `no-store`, `private`, `Vary: *`.
    pub(super) is_private: bool,
    /// Whether it must not be used when stale.
    pub(super) must_revalidate: bool,
    /// `ETag`, for `If-None-Match`.
    pub(super) etag: Option<String>,
    /// `Last-Modified`, for `If-Modified-Since`.
    pub(super) last_modified: Option<String>,
}

impl Policy {
    /// Reads the headers of a response that arrived at `now`, `delay` after its request.
    pub(super) fn from_headers(headers: &HeaderMap, now: Timestamp, delay: Duration) -> Self {
        let directives = directives(headers);
        let has = |directive: &str| directives.iter().any(|(name, _)| name == directive);
        // With field names it concerns only those fields, which are not used here.
        let no_cache = directives.contains(&("no-cache".to_owned(), ""));
        let lifetime = if no_cache {
            Duration::ZERO
        } else {
            lifetime(&directives, headers, now)
        };
        let text = |name| single_value(headers, &name).map(str::to_owned);
        let age = single_value(headers, &AGE).and_then(parse_seconds);
        let is_storable = !has("no-store") && single_value(headers, &VARY) != Some("*");
        Self {
            is_storable,
            is_private: !is_storable || has("private"),
            is_explicit: headers.contains_key(CACHE_CONTROL) || headers.contains_key(EXPIRES),
            lifetime: lifetime.min(LONGEST),
            initial_age: age.unwrap_or_default().saturating_add(delay).min(LONGEST),
            must_revalidate: no_cache || has("must-revalidate"),
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
        }
    }

    /// Updates it by the headers of a 304; what they do not state stays.
    pub(super) fn updated_by(&self, new: Self) -> Self {
        let explicit = if new.is_explicit { &new } else { self };
        Self {
            lifetime: explicit.lifetime,
            must_revalidate: explicit.must_revalidate,
            is_private: explicit.is_private,
            etag: new.etag.or_else(|| self.etag.clone()),
            last_modified: new.last_modified.or_else(|| self.last_modified.clone()),
            ..new
        }
    }

    /// Returns a policy with a lifetime of our own.
    pub(super) fn with_lifetime(lifetime: Duration) -> Self {
        Self {
            is_storable: true,
            lifetime,
            must_revalidate: true,
            ..Self::default()
        }
    }
}

/// Parses the directives of `Cache-Control` with their values: names in lower case, values without quotes.
fn directives(headers: &HeaderMap) -> Vec<(String, &str)> {
    let lines = headers.get_all(CACHE_CONTROL).iter();
    let parts = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(split_unquoted)
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let unquoted = value.trim().trim_matches('"');
            (name.trim().to_ascii_lowercase(), unquoted)
        });
    parts.collect()
}

/// Returns the lifetime. Of several values the shortest counts, and an invalid one counts as zero.
fn lifetime(directives: &[(String, &str)], headers: &HeaderMap, now: Timestamp) -> Duration {
    let shortest = |directive: &str| {
        let values = directives
            .iter()
            .filter(|(name, _)| name == directive)
            .map(|(_, value)| parse_seconds(value).unwrap_or_default());
        values.min()
    };
    if let Some(max_age) = shortest("max-age") {
        return max_age;
    }
    if !headers.contains_key(EXPIRES) {
        return shortest("s-maxage").unwrap_or(DEFAULT_LIFETIME);
    }
    // An invalid date, most often "0", means expired.
    let sent = response_date(headers, now);
    single_value(headers, &EXPIRES)
        .and_then(parse_http_date)
        .and_then(|expires| Duration::try_from(expires.duration_since(sent)).ok())
        .unwrap_or_default()
}

/// Splits at commas outside quotes.
fn split_unquoted(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|&(name, value)| {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                (name.parse::<HeaderName>().unwrap(), value)
            })
            .fold(HeaderMap::new(), |mut map, (name, value)| {
                map.append(name, value);
                map
            })
    }

    fn policy_of(pairs: &[(&str, &str)]) -> Policy {
        Policy::from_headers(&headers(pairs), now(), Duration::ZERO)
    }

    const DATE: &str = "Sat, 21 Nov 2026 12:00:00 GMT";
    const LIFETIMES: &[(&[(&str, &str)], u64)] = &[
        (&[], 300),
        (&[("cache-control", "max-age=60")], 60),
        (&[("cache-control", "Max-Age=60, PUBLIC")], 60),
        (&[("cache-control", "max-age=\"60\"")], 60),
        (&[("cache-control", "private, max-age=60")], 60),
        (&[("cache-control", "public, s-maxage=1800")], 1800),
        (&[("cache-control", "max-age=60, s-maxage=1800")], 60),
        (&[("cache-control", "max-age=60, max-age=30")], 30),
        (
            &[
                ("cache-control", "max-age=60"),
                ("cache-control", "max-age=90"),
            ],
            60,
        ),
        (&[("cache-control", "max-age=-5")], 0),
        (&[("cache-control", "max-age=soon")], 0),
        (&[("cache-control", "max-age")], 0),
        (
            &[("cache-control", "max-age=99999999999999999999999")],
            365 * 24 * 3600,
        ),
        (&[("cache-control", "no-cache, max-age=60")], 0),
        (&[("cache-control", "no-cache=\"a, b\", max-age=60")], 60),
        (&[("cache-control", "x=\"max-age=1, y\", max-age=60")], 60),
        (&[("cache-control", ",,;=, =5")], 300),
        (
            &[("expires", "Sat, 21 Nov 2026 12:10:00 GMT"), ("date", DATE)],
            600,
        ),
        (
            &[
                ("expires", "Saturday, 21-Nov-26 12:10:00 GMT"),
                ("date", DATE),
            ],
            600,
        ),
        (
            &[("expires", "Sat Nov 21 12:10:00 2026"), ("date", DATE)],
            600,
        ),
        (
            &[
                ("expires", "Sat, 21 Nov 2026 12:10:00 GMT"),
                ("date", "yesterday"),
            ],
            600,
        ),
        (
            &[("expires", "Sat, 21 Nov 2026 11:10:00 GMT"), ("date", DATE)],
            0,
        ),
        (&[("expires", "0")], 0),
        (
            &[
                ("expires", "Sat, 21 Nov 2026 12:10:00 GMT"),
                ("cache-control", "max-age=5"),
            ],
            5,
        ),
        (&[("cache-control", "\u{e9}")], 300),
    ];

    #[test]
    fn lifetimes_follow_the_headers() {
        for (pairs, lifetime) in LIFETIMES {
            assert_eq!(policy_of(pairs).lifetime.as_secs(), *lifetime, "{pairs:?}");
        }
    }

    #[test]
    fn directives_forbid_storage_and_stale_use() {
        assert!(!policy_of(&[("cache-control", "No-Store")]).is_storable);
        assert!(!policy_of(&[("vary", "*")]).is_storable);
        assert!(policy_of(&[("vary", "accept-encoding")]).is_storable);
        assert!(policy_of(&[("cache-control", "private")]).is_storable);
        assert!(policy_of(&[("cache-control", "must-revalidate, max-age=9")]).must_revalidate);
        assert!(policy_of(&[("cache-control", "no-cache")]).must_revalidate);
        assert!(!policy_of(&[("cache-control", "max-age=9, proxy-revalidate")]).must_revalidate);
    }

    #[test]
    fn age_adds_header_and_delay_and_ignores_invalid_values() {
        let table = [
            ("60", 60),
            ("-1", 0),
            ("x", 0),
            ("", 0),
            ("18446744073709551615", 365 * 24 * 3600),
        ];
        for (text, age) in table {
            assert_eq!(
                policy_of(&[("age", text)]).initial_age.as_secs(),
                age,
                "{text}"
            );
        }
        let late = Policy::from_headers(&headers(&[("age", "5")]), now(), Duration::from_secs(2));
        assert_eq!(late.initial_age.as_secs(), 7);
    }
}

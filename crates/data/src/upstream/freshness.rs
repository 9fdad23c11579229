//! How long an answer may be used, as its headers say (RFC 9111), read as a private cache.
//!
//! The crate for this (http-cache-semantics 3.0) was weighed: it compares directive names by case, serves
//! `no-cache` answers to a `max-stale` request, and adds an unchecked `Age`. The rules we need fit this page.
//! As a private cache we may keep `private`; `s-maxage` does not bind us and serves as the heuristic lifetime.

use crate::net::{http_date, made, seconds, single};
use http::HeaderMap;
use http::header::{AGE, CACHE_CONTROL, ETAG, EXPIRES, LAST_MODIFIED, VARY};
use jiff::Timestamp;
use std::time::Duration;

/// Lifetime of an answer that names none: the documented update rhythm of the upstream.
pub(super) const DEFAULT_LIFETIME: Duration = Duration::from_secs(300);
/// No lifetime or age is believed beyond this.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// What the headers of an answer allow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Policy {
    /// May it be kept at all?
    pub(super) is_storable: bool,
    /// Whether the headers say how long it is fresh; else that is our guess.
    pub(super) is_stated: bool,
    /// How long it is fresh, counted from its making.
    pub(super) lifetime: Duration,
    /// How old it was when it came.
    pub(super) born: Duration,
    /// Must it be validated once it is no longer fresh, whatever happens?
    pub(super) is_strict: bool,
    /// `ETag`, for `If-None-Match`.
    pub(super) etag: Option<String>,
    /// `Last-Modified`, for `If-Modified-Since`.
    pub(super) modified: Option<String>,
}

impl Policy {
    /// Reads the headers of an answer that came at `now` and was `delay` under way.
    pub(super) fn read(headers: &HeaderMap, now: Timestamp, delay: Duration) -> Self {
        let control = directives(headers);
        let says = |directive: &str| control.iter().any(|(name, _)| name == directive);
        // With field names it only concerns those fields, which we do not use.
        let no_cache = control.iter().any(|(n, v)| n == "no-cache" && v.is_empty());
        let lifetime = match no_cache {
            true => Duration::ZERO,
            false => lifetime(&control, headers, now),
        };
        let text = |name| single(headers, &name).map(str::to_owned);
        let age = single(headers, &AGE).and_then(seconds).unwrap_or_default();
        Self {
            is_storable: !says("no-store") && single(headers, &VARY) != Some("*"),
            is_stated: headers.contains_key(CACHE_CONTROL) || headers.contains_key(EXPIRES),
            lifetime: lifetime.min(LONGEST),
            born: age.saturating_add(delay).min(LONGEST),
            is_strict: no_cache || says("must-revalidate"),
            etag: text(ETAG),
            modified: text(LAST_MODIFIED),
        }
    }

    /// The headers of a 304 laid over those held: what it does not say stays.
    pub(super) fn confirmed(&self, by: Self) -> Self {
        let stated = if by.is_stated { &by } else { self };
        Self {
            lifetime: stated.lifetime,
            is_strict: stated.is_strict,
            etag: by.etag.or_else(|| self.etag.clone()),
            modified: by.modified.or_else(|| self.modified.clone()),
            ..by
        }
    }

    /// An answer that just came is fresh unless it was old when it came.
    pub(super) fn is_fresh_on_arrival(&self) -> bool {
        self.born < self.lifetime.max(Duration::from_secs(60))
    }

    /// For what we know ourselves: usable for so long.
    pub(super) fn ours(lifetime: Duration) -> Self {
        Self {
            is_storable: true,
            lifetime,
            is_strict: true,
            ..Self::default()
        }
    }
}

/// The directives of `Cache-Control`, each with its value: names in small letters, values without quotes.
fn directives(headers: &HeaderMap) -> Vec<(String, &str)> {
    let lines = headers.get_all(CACHE_CONTROL).iter();
    let parts = lines.filter_map(|line| line.to_str().ok());
    let parts = parts.flat_map(split_unquoted).map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = value.trim().trim_matches('"');
        (name.trim().to_ascii_lowercase(), value)
    });
    parts.collect()
}

/// How long an answer is fresh; of several values the shortest counts, and one that is no number counts as zero.
fn lifetime(control: &[(String, &str)], headers: &HeaderMap, now: Timestamp) -> Duration {
    let shortest = |directive: &str| {
        let stated = control.iter().filter(|(name, _)| name == directive);
        let stated = stated.map(|(_, value)| seconds(value).unwrap_or_default());
        stated.min()
    };
    if let Some(max_age) = shortest("max-age") {
        return max_age;
    }
    if !headers.contains_key(EXPIRES) {
        return shortest("s-maxage").unwrap_or(DEFAULT_LIFETIME);
    }
    // An invalid date, most often "0", means: expired already.
    let made = made(headers, now);
    single(headers, &EXPIRES)
        .and_then(http_date)
        .and_then(|expires| Duration::try_from(expires.duration_since(made)).ok())
        .unwrap_or_default()
}

/// Parts between commas that stand outside quotes.
fn split_unquoted(line: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    line.split(move |c| {
        quoted ^= c == '"';
        c == ',' && !quoted
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
                let name: HeaderName = name.parse().unwrap();
                (name, HeaderValue::from_bytes(value.as_bytes()).unwrap())
            })
            .fold(HeaderMap::new(), |mut map, (name, value)| {
                map.append(name, value);
                map
            })
    }

    fn read(pairs: &[(&str, &str)]) -> Policy {
        Policy::read(&headers(pairs), now(), Duration::ZERO)
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
            assert_eq!(read(pairs).lifetime.as_secs(), *lifetime, "{pairs:?}");
        }
    }

    #[test]
    fn what_must_not_be_kept_or_used_stale_is_known() {
        assert!(!read(&[("cache-control", "No-Store")]).is_storable);
        assert!(!read(&[("vary", "*")]).is_storable);
        assert!(read(&[("vary", "accept-encoding")]).is_storable);
        assert!(read(&[("cache-control", "private")]).is_storable);
        assert!(read(&[("cache-control", "must-revalidate, max-age=9")]).is_strict);
        assert!(read(&[("cache-control", "no-cache")]).is_strict);
        assert!(!read(&[("cache-control", "max-age=9, proxy-revalidate")]).is_strict);
    }

    #[test]
    fn age_counts_from_the_header_and_the_way_and_garbage_is_none() {
        let table = [
            ("60", 60),
            ("-1", 0),
            ("x", 0),
            ("", 0),
            ("18446744073709551615", 365 * 24 * 3600),
        ];
        for (text, age) in table {
            assert_eq!(read(&[("age", text)]).born.as_secs(), age, "{text}");
        }
        let late = Policy::read(&headers(&[("age", "5")]), now(), Duration::from_secs(2));
        assert_eq!(late.born.as_secs(), 7);
    }
}

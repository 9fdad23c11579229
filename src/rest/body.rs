//! How a stored body becomes a response: which compressed form, which validator, 304, caching headers.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use econoscope_answers::endpoints::{Body as Stored, Encoding};
use econoscope_core::error::Result;
use econoscope_data::pool::Pool;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// A smaller body gains nothing: it fits one packet either way.
const MIN_TO_COMPRESS: usize = 1_024;

/// What may be kept so long never changes: its name says what is in it.
pub(crate) const YEAR: Duration = Duration::from_secs(31_536_000);

/// What the headers say about a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    /// `Content-Type`.
    pub(crate) kind: &'static str,
    /// How long a client may keep it.
    pub(crate) max_age: Duration,
    /// Name under which a browser stores it, when it is a file.
    pub(crate) file_name: Option<&'a str>,
    /// How old it was when it came from elsewhere.
    pub(crate) age: Option<Duration>,
}

impl Facts<'_> {
    /// A document without a file name.
    pub(crate) fn of(kind: &'static str, max_age: Duration) -> Self {
        Self {
            kind,
            max_age,
            file_name: None,
            age: None,
        }
    }
}

/// The body in the form the client likes best, or 304 when it has it already.
///
/// # Errors
/// [`econoscope_core::Error::Busy`] or [`econoscope_core::Error::Internal`] when a compressed form cannot be made.
pub(crate) async fn respond(
    body: &Arc<Stored>,
    facts: Facts<'_>,
    request: &HeaderMap,
    pool: &Pool,
) -> Result<Response> {
    let encoding = if facts.kind == "image/png" || request.contains_key(header::RANGE) {
        // Its bytes are compressed already; and a part is one of the bytes as they are.
        Encoding::Identity
    } else {
        choose(request, body.bytes().len())
    };
    let etag = body.etag(encoding);
    let mut response = if is_known(request, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let bytes = body.encoded(encoding, pool).await?;
        let mut response = match part(request, &etag, bytes.len()) {
            None => Body::from(bytes).into_response(),
            Some(part) => partial(&bytes, part),
        };
        set(&mut response, header::CONTENT_TYPE, facts.kind);
        if let Some(token) = encoding.token() {
            set(&mut response, header::CONTENT_ENCODING, token);
        }
        if let Some(name) = facts.file_name {
            let name = format!("attachment; filename=\"{name}\"");
            set(&mut response, header::CONTENT_DISPOSITION, &name);
        }
        response
    };
    set(&mut response, header::ETAG, &etag);
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    let lasting = if facts.max_age >= YEAR {
        ", immutable"
    } else {
        ""
    };
    let keep = format!("public, max-age={}{lasting}", facts.max_age.as_secs());
    set(&mut response, header::CACHE_CONTROL, &keep);
    set(&mut response, header::VARY, "accept-encoding");
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if let Some(age) = facts.age {
        set(&mut response, header::AGE, &age.as_secs().to_string());
    }
    Ok(response)
}

/// The one part of a body that is asked for, or that there is no such part. Several parts at once, or parts of another
/// state, are answered with the whole (RFC 9110 14.2).
fn part(request: &HeaderMap, etag: &str, size: usize) -> Option<Option<RangeInclusive<usize>>> {
    let asked = request.get(header::RANGE)?.to_str().ok()?;
    let state = request.get(header::IF_RANGE);
    if state.is_some_and(|state| state != etag) || asked.contains(',') {
        return None;
    }
    let parts = http_range_header::parse_range_header(asked).ok()?;
    let part = parts.validate(u64::try_from(size).ok()?).ok();
    let part = part.and_then(|parts| parts.into_iter().next());
    let bounds = |part: RangeInclusive<u64>| {
        Some(usize::try_from(*part.start()).ok()?..=usize::try_from(*part.end()).ok()?)
    };
    Some(part.and_then(bounds))
}

/// A part of a body, or how long it is for who asked beyond its end.
fn partial(bytes: &Bytes, part: Option<RangeInclusive<usize>>) -> Response {
    let cut = part.and_then(|part| Some((bytes.get(part.clone())?, part)));
    let size = bytes.len();
    let (status, range, bytes) = match cut {
        Some((cut, part)) => {
            let range = format!("bytes {}-{}/{size}", part.start(), part.end());
            (StatusCode::PARTIAL_CONTENT, range, bytes.slice_ref(cut))
        }
        None => {
            let range = format!("bytes */{size}");
            (StatusCode::RANGE_NOT_SATISFIABLE, range, Bytes::new())
        }
    };
    let mut response = (status, Body::from(bytes)).into_response();
    set(&mut response, header::CONTENT_RANGE, &range);
    response
}

/// Sets a header whose value is made of our own safe characters; another value is left out.
pub(crate) fn set(response: &mut Response, name: HeaderName, value: &str) {
    match HeaderValue::from_str(value) {
        Ok(value) => {
            response.headers_mut().insert(name, value);
        }
        Err(_) => tracing::warn!(%name, "a header value was not valid and is left out"),
    }
}

/// Whether `If-None-Match` names the form that would be sent (weak comparison, RFC 9110 13.1.2).
fn is_known(request: &HeaderMap, etag: &str) -> bool {
    request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// Whether a client would rather have one media type, which it named, than the other.
pub(super) fn wants(request: &HeaderMap, kind: &str, other: &str) -> bool {
    let given = weights(request, header::ACCEPT);
    let weight = |kind: &str| given.iter().find(|(k, _)| k == kind).map(|(_, w)| *w);
    weight(kind).filter(|weight| *weight > 0.0) > weight(other)
}

/// The form with the highest weight; among equals the smallest.
fn choose(request: &HeaderMap, size: usize) -> Encoding {
    let given = weights(request, header::ACCEPT_ENCODING);
    let weight = |name: &str| {
        let mut named = given.iter().rev();
        named.find(|(n, _)| n == name).map(|(_, weight)| *weight)
    };
    let any = weight("*");
    // Acceptable unless nothing unnamed is, but liked less than anything that was named.
    let unnamed = if any == Some(0.0) { 0.0 } else { 0.001 };
    let identity = weight("identity").unwrap_or(unnamed);
    if size < MIN_TO_COMPRESS && identity > 0.0 {
        return Encoding::Identity;
    }
    let of = |name| weight(name).or(any).unwrap_or(0.0);
    let forms = [
        (Encoding::Identity, identity),
        (Encoding::Gzip, of("gzip")),
        (Encoding::Zstd, of("zstd")),
    ];
    // Of equals the last, which is the smallest.
    let best = forms.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, weight)| *weight > 0.0)
        .map_or(Encoding::Identity, |(encoding, _)| encoding)
}

/// What a header lists, with the weight that a client gave each, between 0 and 1; what has another weight is left out.
fn weights(request: &HeaderMap, name: HeaderName) -> Vec<(String, f32)> {
    let lines = request.get_all(name).iter();
    let items = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    let read = items.filter_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next()?.to_ascii_lowercase();
        let weight = parts.find_map(|part| part.strip_prefix(['q', 'Q'])?.strip_prefix('='));
        let weight = weight.map_or(Ok(1.0), |weight| weight.trim().parse::<f32>());
        let weight = weight.ok().filter(|weight| (0.0..=1.0).contains(weight))?;
        let name = name.strip_prefix("x-").unwrap_or(&name);
        Some((name.to_owned(), weight))
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: &str, size: usize) -> Encoding {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
        choose(&headers, size)
    }

    #[test]
    fn the_heaviest_form_wins_and_zero_forbids() {
        for (accept, expected) in [
            ("gzip", Encoding::Gzip),
            ("gzip, br, zstd", Encoding::Zstd),
            ("gzip;q=1.0, zstd;q=0.5", Encoding::Gzip),
            ("zstd;q=0, gzip;q=0", Encoding::Identity),
            ("zstd;q=0, *", Encoding::Gzip),
            ("*", Encoding::Zstd),
            ("identity", Encoding::Identity),
            ("identity;q=0.5, gzip;q=0.2", Encoding::Identity),
            ("gzip;q=7", Encoding::Identity),
            ("deflate, X-GZIP ; q=0.3", Encoding::Gzip),
            ("identity;q=0, zstd;q=0.001", Encoding::Zstd),
            ("", Encoding::Identity),
        ] {
            assert_eq!(chosen(accept, 5_000), expected, "{accept}");
        }
    }

    #[test]
    fn small_bodies_travel_as_they_are_unless_that_is_forbidden() {
        assert_eq!(chosen("gzip, br", 1_000), Encoding::Identity);
        assert_eq!(chosen("gzip, identity;q=0", 1_000), Encoding::Gzip);
        assert_eq!(chosen("gzip, *;q=0", 1_000), Encoding::Gzip);
    }

    #[test]
    fn validators_are_compared_weakly_and_one_by_one() {
        let mut headers = HeaderMap::new();
        headers.append(
            header::IF_NONE_MATCH,
            "\"a\", W/\"b-gzip\"".parse().unwrap(),
        );
        headers.append(header::IF_NONE_MATCH, "\"c\"".parse().unwrap());
        for (tag, known) in [
            ("\"a\"", true),
            ("\"b-gzip\"", true),
            ("\"c\"", true),
            ("\"b\"", false),
        ] {
            assert_eq!(is_known(&headers, tag), known, "{tag}");
        }
    }
}

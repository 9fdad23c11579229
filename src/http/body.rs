//! How a stored body becomes a response: which compressed form, which validator, 304, caching headers.

use crate::endpoints::{Body as Stored, Encoding};
use crate::error::Result;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;

/// A smaller body gains nothing: it fits one packet either way.
const LEAST_TO_COMPRESS: usize = 1_024;

/// What the headers say about a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'a> {
    /// `Content-Type`.
    pub(super) kind: &'static str,
    /// How long a client may keep it.
    pub(super) max_age: Duration,
    /// Name under which a browser stores it, when it is a file.
    pub(super) file_name: Option<&'a str>,
    /// How old it was when it came from elsewhere.
    pub(super) age: Option<Duration>,
}

impl Facts<'_> {
    /// A document without a file name.
    pub(super) fn of(kind: &'static str, max_age: Duration) -> Self {
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
/// [`crate::Error::Internal`] when a compressed form cannot be made.
pub(super) async fn respond(
    body: &Arc<Stored>,
    facts: Facts<'_>,
    request: &HeaderMap,
) -> Result<Response> {
    let encoding = if facts.kind == "image/png" {
        // Its bytes are compressed already.
        Encoding::Identity
    } else {
        choose(request, body.bytes().len())
    };
    let etag = body.etag(encoding);
    let mut response = if is_known(request, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let bytes = body.encoded(encoding).await?;
        let mut response = Body::from(bytes).into_response();
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
    let keep = format!("public, max-age={}", facts.max_age.as_secs());
    set(&mut response, header::CACHE_CONTROL, &keep);
    set(&mut response, header::VARY, "accept-encoding");
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if let Some(age) = facts.age {
        set(&mut response, header::AGE, &age.as_secs().to_string());
    }
    Ok(response)
}

/// Sets a header whose value is made of our own safe characters; another value is left out.
pub(super) fn set(response: &mut Response, name: HeaderName, value: &str) {
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

/// Weights a client gave, in thousandths.
#[derive(Default)]
struct Weights {
    gzip: Option<u16>,
    brotli: Option<u16>,
    zstd: Option<u16>,
    identity: Option<u16>,
    any: Option<u16>,
}

/// The form with the highest weight; among equals the smallest.
pub(super) fn choose(request: &HeaderMap, size: usize) -> Encoding {
    let given = weights(request);
    let or_any = |weight: Option<u16>| weight.or(given.any).unwrap_or(0);
    let identity = match (given.identity, given.any) {
        (Some(weight), _) => weight,
        (None, Some(0)) => 0,
        // Acceptable, but liked less than anything that was named.
        (None, _) => 1,
    };
    if size < LEAST_TO_COMPRESS && identity > 0 {
        return Encoding::Identity;
    }
    let mut best = (Encoding::Identity, identity);
    for (encoding, weight) in [
        (Encoding::Brotli, or_any(given.brotli)),
        (Encoding::Zstd, or_any(given.zstd)),
        (Encoding::Gzip, or_any(given.gzip)),
    ] {
        let tie = weight == best.1 && best.0 == Encoding::Identity && weight > 0;
        if weight > best.1 || tie {
            best = (encoding, weight);
        }
    }
    best.0
}

fn weights(request: &HeaderMap) -> Weights {
    let mut given = Weights::default();
    let items = request
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','));
    for item in items {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let Some(weight) = parts.next().map_or(Some(1_000), quality) else {
            continue;
        };
        let slot = match name.as_str() {
            "gzip" | "x-gzip" => &mut given.gzip,
            "br" => &mut given.brotli,
            "zstd" => &mut given.zstd,
            "identity" => &mut given.identity,
            "*" => &mut given.any,
            _ => continue,
        };
        *slot = Some(weight);
    }
    given
}

/// `q=0.5` in thousandths; `None` for what is no weight.
fn quality(text: &str) -> Option<u16> {
    let value = text
        .strip_prefix("q=")
        .or_else(|| text.strip_prefix("Q="))?
        .trim();
    let (whole, part) = value.split_once('.').unwrap_or((value, ""));
    if part.len() > 3 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let thousandths: u16 = format!("{part:0<3}").parse().ok()?;
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1_000),
        _ => None,
    }
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
            ("gzip, br, zstd", Encoding::Brotli),
            ("gzip;q=1.0, br;q=0.5", Encoding::Gzip),
            ("br;q=0, gzip;q=0", Encoding::Identity),
            ("br;q=0, *", Encoding::Zstd),
            ("*", Encoding::Brotli),
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

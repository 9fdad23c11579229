//! HTTP responses for shared bodies: content encoding, validators and caching headers.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use econoscope_answers::{Body as Stored, Encoding};
use econoscope_core::error::Result;
use econoscope_data::pool::Pool;
use std::sync::Arc;
use std::time::Duration;

/// A smaller body fits one packet, compressed or not.
const MIN_TO_COMPRESS: usize = 1_024;

/// `max-age` of a body whose address changes with its content.
pub(crate) const YEAR: Duration = Duration::from_secs(31_536_000);

/// Metadata of a body, for the headers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyMetadata<'a> {
    /// `Content-Type`.
    pub(crate) kind: &'static str,
    /// How long clients and shared caches may keep it; `None`: nobody may.
    pub(crate) max_age: Option<Duration>,
    /// File name for a download.
    pub(crate) file_name: Option<&'a str>,
    /// Age of an upstream's answer.
    pub(crate) age: Option<Duration>,
}

impl BodyMetadata<'_> {
    /// Describes a document without a file name.
    pub(crate) fn new(kind: &'static str, max_age: Duration) -> Self {
        Self {
            kind,
            max_age: Some(max_age),
            file_name: None,
            age: None,
        }
    }
}

/// Responds with the body in the encoding that the client prefers, or with 304 when the client has it already.
///
/// # Errors
/// [`econoscope_core::Error::Busy`] or [`econoscope_core::Error::Internal`] when the body cannot be compressed.
pub(crate) async fn respond(
    body: &Arc<Stored>,
    facts: BodyMetadata<'_>,
    request: &HeaderMap,
    pool: &Pool,
) -> Result<Response> {
    let encoding = match facts.kind {
        // PNG is compressed already.
        "image/png" => Encoding::Identity,
        _ => choose_encoding(request, body.bytes().len()),
    };
    let etag = body.etag(encoding);
    let mut response = if has_current(request, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let bytes = body.encoded(encoding, pool).await?;
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
    let caching = match facts.max_age {
        None => "no-store".to_owned(),
        Some(age) if age >= YEAR => format!("public, max-age={}, immutable", age.as_secs()),
        Some(age) => format!("public, max-age={}", age.as_secs()),
    };
    for (name, value) in [
        (header::ETAG, &*etag),
        (header::CACHE_CONTROL, &caching),
        (header::VARY, "accept-encoding"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        set(&mut response, name, value);
    }
    if let Some(age) = facts.age {
        set(&mut response, header::AGE, &age.as_secs().to_string());
    }
    Ok(response)
}

/// Sets a header; a value with characters that headers forbid is left out and logged.
pub(crate) fn set(response: &mut Response, name: HeaderName, value: &str) {
    match HeaderValue::from_str(value) {
        Ok(value) => {
            response.headers_mut().insert(name, value);
        }
        Err(_) => tracing::warn!(%name, "an invalid header value is left out"),
    }
}

/// Whether `If-None-Match` has the validator (weak comparison, RFC 9110 13.1.2).
fn has_current(request: &HeaderMap, etag: &str) -> bool {
    let mut tags = list(request, header::IF_NONE_MATCH).into_iter();
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// Returns the comma-separated items of a header, over all its lines.
fn list(request: &HeaderMap, name: HeaderName) -> Vec<&str> {
    let lines = request
        .get_all(name)
        .iter()
        .filter_map(|line| line.to_str().ok());
    let items = lines.flat_map(|line| line.split(','));
    items.map(str::trim).collect()
}

/// Whether a client accepts one media type by its name and prefers it to the other.
pub(super) fn prefers(request: &HeaderMap, kind: &str, other: &str) -> bool {
    let weights = weights(request, header::ACCEPT);
    let weight = |kind: &str| weights.iter().find(|(k, _)| k == kind).map(|(_, w)| *w);
    weight(kind).filter(|weight| *weight > 0.0) > weight(other)
}

/// Returns the encoding with the highest weight; among equals the one with the smallest result.
fn choose_encoding(request: &HeaderMap, size: usize) -> Encoding {
    let weights = weights(request, header::ACCEPT_ENCODING);
    let weight = |name: &str| {
        let mut named = weights.iter().rev();
        named.find(|(n, _)| n == name).map(|(_, weight)| *weight)
    };
    let any = weight("*");
    // Identity without a weight is acceptable unless `*;q=0`, and preferred to nothing that is named.
    let default = if any == Some(0.0) { 0.0 } else { 0.001 };
    let identity = weight("identity").unwrap_or(default);
    if size < MIN_TO_COMPRESS && identity > 0.0 {
        return Encoding::Identity;
    }
    let compressed = |name| weight(name).or(any).unwrap_or(0.0);
    let encodings = [
        (Encoding::Identity, identity),
        (Encoding::Gzip, compressed("gzip")),
        (Encoding::Zstd, compressed("zstd")),
    ];
    let acceptable = encodings.into_iter().filter(|(_, weight)| *weight > 0.0);
    // `max_by` takes the last of equals.
    let best = acceptable.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(Encoding::Identity, |(encoding, _)| encoding)
}

/// Returns the items of a header with their weights, in lower case; an item with a malformed weight is left out.
pub(crate) fn weights(request: &HeaderMap, name: HeaderName) -> Vec<(String, f32)> {
    let items = list(request, name).into_iter().filter_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next()?.to_ascii_lowercase();
        let weight = parts
            .find_map(|part| part.strip_prefix(['q', 'Q'])?.strip_prefix('='))
            .map_or(Ok(1.0), |text| text.trim().parse::<f32>())
            .ok()
            .filter(|weight| (0.0..=1.0).contains(weight))?;
        let standard = name.strip_prefix("x-").unwrap_or(&name);
        Some((standard.to_owned(), weight))
    });
    items.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: &str, size: usize) -> Encoding {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
        choose_encoding(&headers, size)
    }

    #[test]
    fn highest_weight_wins_and_zero_forbids() {
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
    fn small_bodies_stay_uncompressed_unless_forbidden() {
        assert_eq!(chosen("gzip, br", 1_000), Encoding::Identity);
        assert_eq!(chosen("gzip, identity;q=0", 1_000), Encoding::Gzip);
        assert_eq!(chosen("gzip, *;q=0", 1_000), Encoding::Gzip);
    }

    #[test]
    fn validators_are_compared_weakly_and_singly() {
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
            assert_eq!(has_current(&headers, tag), known, "{tag}");
        }
    }
}

//! Rendered documents: a body with its media type and security headers.

use super::prelude::*;
use crate::admission::RESOURCE_POLICY;
use crate::rest::{self, BodyMetadata};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use econoscope_answers::Body;
use econoscope_data::pool::Pool;
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// How long the server and clients may cache a document: as long as its figures.
pub(super) const MAX_AGE: Duration = Duration::from_secs(300);

/// A rendered page, widget, picture, feed or calendar.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) status: StatusCode,
    /// For an error that passes: how long to wait before another request.
    retry_after: Option<Duration>,
    media_type: &'static str,
    /// The content security policy.
    policy: String,
    body: Arc<Body>,
    rendered_at: Instant,
    /// How long clients and this server may keep it; `None`: nobody may.
    max_age: Option<Duration>,
}

impl Document {
    /// Creates a page that no site may frame. Its only style is `style`, its scripts are those of this server.
    pub(super) fn page(body: String, style: &str) -> Self {
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'",
            sha256_base64(style)
        );
        Self::new("text/html; charset=utf-8", body.into(), policy)
    }

    /// Creates a widget that every site may frame, with an inline style and an inline script.
    pub(super) fn widget(body: String, style: &str, script: &str) -> Self {
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}' 'self'; connect-src 'self'; img-src 'self' \
             data:; base-uri 'none'; form-action 'none'; frame-ancestors *",
            sha256_base64(style),
            sha256_base64(script)
        );
        Self::new("text/html; charset=utf-8", body.into(), policy)
    }

    /// Creates a chart picture.
    pub(super) fn picture(media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            sha256_base64(econoscope_core::chart::STYLE)
        );
        Self::new(media_type, body.into(), policy)
    }

    /// Creates a JSON document.
    pub(super) fn json(value: &serde_json::Value) -> Self {
        Self::data("application/json", value.to_string())
    }

    /// Creates a document for programs: JSON, a feed or a calendar.
    pub(super) fn data(media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let policy = "default-src 'none'; frame-ancestors 'none'".to_owned();
        Self::new(media_type, body.into(), policy)
    }

    fn new(media_type: &'static str, body: Bytes, policy: String) -> Self {
        Self {
            status: StatusCode::OK,
            retry_after: None,
            media_type,
            policy,
            body: Arc::new(Body::new(body)),
            rendered_at: Instant::now(),
            max_age: Some(MAX_AGE),
        }
    }

    /// Turns the document into the response to a request that failed.
    pub(super) fn with_error(mut self, error: &Error) -> Self {
        self.status = rest::status(error);
        self.retry_after = error.retry_after();
        self
    }

    /// Returns the document with the cache rule of the upstream's answers that it shows.
    pub(super) fn with_max_age(self, max_age: Option<Duration>) -> Self {
        Self { max_age, ..self }
    }

    /// Returns whether the document may still be shown.
    pub(super) fn is_current(&self) -> bool {
        self.max_age
            .is_some_and(|max_age| self.rendered_at.elapsed() < max_age)
    }

    /// Returns the approximate memory use in bytes, compressed forms included.
    pub(super) fn weight(&self) -> u64 {
        (self.body.bytes().len() * 2 + self.policy.len() + 512) as u64
    }

    /// Builds the response: compressed by `Accept-Encoding`, or 304 where the client has the document.
    ///
    /// # Errors
    /// [`Error::Busy`] or [`Error::Internal`] when a compressed form cannot be made.
    pub(super) async fn respond(&self, request: &HeaderMap, pool: &Pool) -> Result<Response> {
        let mut response = if self.status == StatusCode::OK {
            let mut metadata = BodyMetadata::new(self.media_type, MAX_AGE);
            metadata.max_age = self.max_age;
            rest::respond_with_body(&self.body, metadata, request, pool).await?
        } else {
            let headers = [
                (header::CONTENT_TYPE, self.media_type),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (self.status, headers, self.body.bytes().clone()).into_response()
        };
        let security_headers = [
            (header::CONTENT_SECURITY_POLICY, self.policy.as_str()),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
            (PERMISSIONS_POLICY, PERMISSIONS),
            (RESOURCE_POLICY, "cross-origin"),
        ];
        for (name, value) in security_headers {
            rest::set(&mut response, name, value);
        }
        if let Some(retry_after) = self.retry_after {
            let seconds = retry_after.as_secs().max(1).to_string();
            rest::set(&mut response, header::RETRY_AFTER, &seconds);
        }
        Ok(response)
    }
}

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
/// Permissions that no document needs.
const PERMISSIONS: &str = "camera=(), microphone=(), geolocation=()";

/// Returns the SHA-256 of a text in Base64, as a content security policy takes it.
fn sha256_base64(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
}

//! A rendered page, widget or picture: bytes, the headers that guard it, and a place where it is kept.

use super::body::{self, Facts};
use crate::cache::Cache;
use crate::desk::{Desk, State};
use crate::endpoints::Body;
use crate::error::{Error, Result};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of documents kept in memory.
const KEPT_BYTES: u64 = 16 << 20;

/// How long a document may be kept, here and by clients: as long as the figures in it.
const MAX_AGE: Duration = Duration::from_secs(300);

/// Something to look at, with the policy under which a browser may show it.
#[derive(Debug)]
pub(super) struct Document {
    status: StatusCode,
    kind: &'static str,
    policy: String,
    body: Arc<Body>,
}

/// Who may show a document in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frames {
    /// Every site: a widget.
    Everyone,
    /// Nobody.
    Nobody,
}

impl Document {
    /// HTML whose only style and script are these.
    pub(super) fn html(body: String, style: &str, script: &str, frames: Frames) -> Self {
        let script = if script.is_empty() {
            String::new()
        } else {
            format!(" script-src 'sha256-{}';", digest(script))
        };
        let (frame, form, ancestors) = match frames {
            Frames::Everyone => ("", "'none'", "*"),
            Frames::Nobody => (" frame-src 'self';", "'self'", "'none'"),
        };
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}';{script} img-src 'self' data:;{frame} base-uri 'none'; \
             form-action {form}; frame-ancestors {ancestors}",
            digest(style)
        );
        Self::new("text/html; charset=utf-8", body.into(), policy)
    }

    /// A picture with no more than a style of its own.
    pub(super) fn picture(kind: &'static str, body: Vec<u8>) -> Self {
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            digest(crate::chart::STYLE)
        );
        Self::new(kind, body.into(), policy)
    }

    fn new(kind: &'static str, body: Bytes, policy: String) -> Self {
        Self {
            status: StatusCode::OK,
            kind,
            policy,
            body: Arc::new(Body::new(body)),
        }
    }

    /// The same document as the answer to a request that failed.
    pub(super) fn failed(mut self, error: &Error) -> Self {
        self.status = super::error::status(error);
        self
    }

    fn weight(&self) -> u64 {
        (self.body.bytes().len() * 2 + self.policy.len() + 512) as u64
    }

    /// The response: compressed as the client likes it, or 304 when the client has it.
    ///
    /// # Errors
    /// [`Error::Internal`] when a compressed form cannot be made.
    pub(super) async fn respond(&self, request: &HeaderMap) -> Result<Response> {
        let mut response = if self.status == StatusCode::OK {
            body::respond(&self.body, Facts::of(self.kind, MAX_AGE), request).await?
        } else {
            let headers = [
                (header::CONTENT_TYPE, self.kind),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (self.status, headers, self.body.bytes().clone()).into_response()
        };
        let guards = [
            (header::CONTENT_SECURITY_POLICY, self.policy.as_str()),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
            (PERMISSIONS, "camera=(), microphone=(), geolocation=()"),
            (RESOURCE_POLICY, "cross-origin"),
        ];
        for (name, value) in guards {
            body::set(&mut response, name, value);
        }
        Ok(response)
    }
}

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// SHA-256 as a content security policy wants it: Base64.
fn digest(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Documents by state of the data and address, rendered once.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    documents: Arc<Cache<(State, String), Made>>,
}

/// When a document was made, and the document.
type Made = (Instant, Arc<Document>);

impl Kept {
    /// An empty place.
    pub(super) fn new() -> Self {
        let weigh = |_: &_, (_, document): &Made| document.weight();
        Self {
            documents: Arc::new(Cache::weighed(KEPT_BYTES, weigh)),
        }
    }

    /// The document of that key, made when it is not there. Failures are not kept.
    ///
    /// # Errors
    /// Whatever making it says.
    pub(super) async fn get(
        &self,
        desk: &Desk,
        key: String,
        make: impl Future<Output = Result<Document>>,
    ) -> Result<Arc<Document>> {
        let key = (desk.state()?, key);
        // Figures of an upstream change without a new state of our own data.
        if let Some((made, found)) = self.documents.get(&key)
            && made.elapsed() < MAX_AGE
        {
            return Ok(found);
        }
        let document = Arc::new(make.await?);
        let made = (Instant::now(), Arc::clone(&document));
        self.documents.insert(key, made);
        Ok(document)
    }
}

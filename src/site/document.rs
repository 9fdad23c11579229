//! A rendered page, widget or picture: bytes, and the headers that guard it.

use crate::admission::RESOURCE_POLICY;
use crate::rest::{self, Facts};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use econoscope_answers::endpoints::Body;
use econoscope_core::error::{Error, Result};
use econoscope_data::pool::Pool;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a document may be kept, here and by clients: as long as the figures in it.
pub(super) const MAX_AGE: Duration = Duration::from_secs(300);

/// Something to look at, with the policy under which a browser may show it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) status: StatusCode,
    /// When another try makes sense, of a failure that passes.
    retry_after: Option<Duration>,
    kind: &'static str,
    policy: String,
    body: Arc<Body>,
    made: Instant,
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
    /// HTML whose only style is this. A page's script is our own file or none; a widget's stands in it and fetches
    /// that file when it is touched.
    pub(super) fn html(body: String, style: &str, script: &str, frames: Frames) -> Self {
        let (own, frame, form, ancestors) = match frames {
            Frames::Everyone => (format!("'sha256-{}' ", digest(script)), "", "'none'", "*"),
            Frames::Nobody => (String::new(), " frame-src 'self';", "'self'", "'none'"),
        };
        let script = match script {
            "" => String::new(),
            _ => format!(" script-src {own}'self'; connect-src 'self';"),
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
            digest(econoscope_core::chart::STYLE)
        );
        Self::new(kind, body.into(), policy)
    }

    /// An answer for programs.
    pub(super) fn json(value: &serde_json::Value) -> Self {
        Self::program("application/json", value.to_string())
    }

    /// A calendar for programs that subscribe to it.
    pub(super) fn calendar(text: String) -> Self {
        Self::program("text/calendar; charset=utf-8", text)
    }

    /// A feed for programs that subscribe to it.
    pub(super) fn feed(text: String) -> Self {
        Self::program("application/atom+xml; charset=utf-8", text)
    }

    fn program(kind: &'static str, text: String) -> Self {
        let policy = "default-src 'none'; frame-ancestors 'none'".to_owned();
        Self::new(kind, text.into(), policy)
    }

    fn new(kind: &'static str, body: Bytes, policy: String) -> Self {
        Self {
            status: StatusCode::OK,
            retry_after: None,
            kind,
            policy,
            body: Arc::new(Body::new(body)),
            made: Instant::now(),
        }
    }

    /// The same document as the answer to a request that failed.
    pub(super) fn failed(mut self, error: &Error) -> Self {
        self.status = rest::status(error);
        self.retry_after = error.retry_after();
        self
    }

    /// Whether it is young enough to be shown once more.
    pub(super) fn is_current(&self) -> bool {
        self.made.elapsed() < MAX_AGE
    }

    /// Bytes held.
    pub(super) fn weight(&self) -> u64 {
        (self.body.bytes().len() * 2 + self.policy.len() + 512) as u64
    }

    /// The response: compressed as the client likes it, or 304 when the client has it.
    ///
    /// # Errors
    /// [`Error::Busy`] or [`Error::Internal`] when a compressed form cannot be made.
    pub(super) async fn respond(&self, request: &HeaderMap, pool: &Pool) -> Result<Response> {
        let mut response = if self.status == StatusCode::OK {
            rest::respond_with_body(&self.body, Facts::of(self.kind, MAX_AGE), request, pool)
                .await?
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
            rest::set(&mut response, name, value);
        }
        if let Some(wait) = self.retry_after {
            let wait = wait.as_secs().max(1).to_string();
            rest::set(&mut response, header::RETRY_AFTER, &wait);
        }
        Ok(response)
    }
}

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// SHA-256 as a content security policy wants it: Base64.
fn digest(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
}

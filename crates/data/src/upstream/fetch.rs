//! One request to the upstream and its response.
//!
//! The client forwards nothing of its callers but path and query: no headers, cookies or referrer. It does not follow
//! redirects or retry, because each request costs a call of the daily limit. Text of the upstream leaves this module
//! only as a body or as a sanitised name.

use super::cache::{Content, Entry};
use super::freshness::Policy;
use crate::net;
use econoscope_core::clock::{Clock, is_before_1970};
use econoscope_core::error::{Error, Result, quote};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use jiff::tz::TimeZone;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::Duration;
use url::{Host, Url};

/// Timeout of a request, from connecting to the last byte.
const TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Largest body.
const MAX_BODY_BYTES: usize = 8 << 20;
/// Largest body of an error response.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The result of a request.
#[derive(Debug)]
pub(super) enum Reply {
    /// A valid body, a validated cached one, or the information that there is none.
    Response(Content, Policy),
    /// The upstream asks for a pause.
    Pause(Duration),
}

/// Creates the HTTP client of an upstream.
///
/// # Errors
/// [`Error::Internal`] when TLS cannot be set up.
pub(super) fn client(base: &Url) -> Result<Client> {
    let mut client = net::client_builder()
        .timeout(TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    let is_loopback = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if is_loopback {
        client = client.no_proxy();
    }
    let what = "the HTTP client of the upstream cannot be built";
    client.build().map_err(|cause| Error::internal(what, cause))
}

/// Sends a request, which is conditional when there is a `cached` entry.
///
/// # Errors
/// Why there is no usable response, as a predicate that follows "The upstream".
pub(super) async fn send(
    client: &Client,
    url: Url,
    cached: Option<&Entry>,
    clock: &dyn Clock,
) -> std::result::Result<Reply, String> {
    if url.scheme() == "https" && is_before_1970() {
        return Err("cannot be called: this machine's clock is before 1970".to_owned());
    }
    let start = clock.now();
    let mut request = client.get(url).header(ACCEPT, "application/json");
    // They may come from a file, and may be no valid header values.
    let validator = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
    if let Some(etag) = cached.and_then(|entry| validator(&entry.policy.etag)) {
        request = request.header(IF_NONE_MATCH, etag);
    } else if let Some(date) = cached.and_then(|entry| validator(&entry.policy.last_modified)) {
        request = request.header(IF_MODIFIED_SINCE, date);
    }
    let response = request.send().await.map_err(describe_error)?;
    let now = clock.now();
    let headers = response.headers();
    let policy = Policy::from_headers(headers, now.wall, now.duration_since(&start));
    match (response.status(), cached) {
        (StatusCode::OK, _) => Ok(Reply::Response(read_json(response).await?, policy)),
        (StatusCode::NOT_MODIFIED, Some(entry)) => {
            let policy = entry.policy.updated_by(policy);
            Ok(Reply::Response(entry.content.clone(), policy))
        }
        (StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::BAD_REQUEST, _) => {
            Ok(Reply::Response(read_refusal(response).await?, policy))
        }
        (status, _) if status.is_redirection() => Err("redirects to another address".to_owned()),
        (status, _) => match (status.as_u16(), net::retry_after(headers, now.wall)) {
            (429 | 503, Some(wait)) => Ok(Reply::Pause(wait)),
            // Without `Retry-After` the daily limit is assumed to be renewed at midnight UTC.
            (429, None) => {
                let sent = net::response_date(headers, now.wall);
                let wait = net::until_midnight(sent, TimeZone::UTC);
                Ok(Reply::Pause(wait.unwrap_or(Duration::from_secs(3600))))
            }
            (number, _) => Err(format!("answered with status {number}")),
        },
    }
}

fn describe_error(error: reqwest::Error) -> String {
    // The URL may contain a caller's search, which must not be logged.
    let cause = error.without_url();
    let what = net::describe_error(&cause);
    tracing::debug!(
        cause = &cause as &dyn std::error::Error,
        "the upstream {what}"
    );
    what.to_owned()
}

async fn read_json(response: Response) -> std::result::Result<Content, String> {
    let content_type = response.headers().get(CONTENT_TYPE);
    if content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html")) {
        return Err("sent a web page instead of data".to_owned());
    }
    let body = net::read_body(response, MAX_BODY_BYTES)
        .await
        .map_err(describe_error)?
        .ok_or("sent a response that is too large")?;
    // A truncated body is no valid JSON.
    match serde_json::from_slice::<IgnoredAny>(&body) {
        Ok(_) if std::str::from_utf8(&body).is_ok() => Ok(Content::Found(body.into())),
        _ => Err("sent a broken or unfinished answer".to_owned()),
    }
}

/// Reads a 400, 404 or 410. Without the documented body it is the page of a proxy, and an error.
async fn read_refusal(response: Response) -> std::result::Result<Content, String> {
    #[derive(Deserialize)]
    struct Body {
        error: String,
        ticker: Option<String>,
    }
    let status = response.status();
    let body = net::read_body(response, MAX_ERROR_BYTES)
        .await
        .map_err(describe_error)?
        .unwrap_or_default();
    let body: Body = serde_json::from_slice(&body).map_err(|_| {
        format!(
            "answered {} without the documented error body",
            status.as_u16()
        )
    })?;
    let error = quote(&body.error);
    tracing::debug!(status = status.as_u16(), error, "the upstream refused");
    Ok(match status {
        StatusCode::BAD_REQUEST => Content::Refused,
        _ => Content::Unknown(body.ticker.as_deref().map(quote).unwrap_or_default()),
    })
}

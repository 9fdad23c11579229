//! One call over the network and what it brought.
//!
//! The client sends nothing of its callers but the address: no header, no cookie, no referrer. It neither follows redirects
//! nor repeats a request, since each costs a call of the allowance. Upstream text never leaves here except as a body or as
//! a name made safe.

use super::cache::{Content, Entry};
use super::freshness::Policy;
use crate::net;
use econoscope_core::clock::{Clock, is_before_1970};
use econoscope_core::error::{Error, Result, quote};
use http::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
};
use jiff::{Timestamp, tz::TimeZone};
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::Duration;
use url::{Host, Url};

/// For one call, from connecting to the last byte.
const TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Larger bodies are refused.
const MAX_BODY_BYTES: usize = 8 << 20;
/// An error body is read up to here.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// What a call brought.
#[derive(Debug)]
pub(super) enum Reply {
    /// A whole, well-formed body, what is held and still right, or that there is none.
    Answer(Content, Policy),
    /// The upstream asks for silence.
    Silence(Duration),
}

/// A client for one upstream.
///
/// # Errors
/// [`Error::Internal`] when TLS cannot be set up.
pub(super) fn client(base: &Url) -> Result<Client> {
    let mut client = net::client()
        .timeout(TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    let is_here = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if is_here {
        client = client.no_proxy();
    }
    let what = "the HTTP client of the upstream cannot be built";
    client.build().map_err(|cause| Error::internal(what, cause))
}

/// Sends one request; `held` makes it conditional.
///
/// # Errors
/// Says for people why nothing usable came.
pub(super) async fn send(
    client: &Client,
    url: Url,
    held: Option<&Entry>,
    clock: &dyn Clock,
) -> std::result::Result<Reply, String> {
    if url.scheme() == "https" && is_before_1970() {
        return Err("cannot be asked: this machine's clock is before 1970".to_owned());
    }
    let started = clock.now();
    let mut request = client.get(url).header(ACCEPT, "application/json");
    // Checked once more: they may come from a file.
    let validator = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
    if let Some(etag) = held.and_then(|held| validator(&held.policy.etag)) {
        request = request.header(IF_NONE_MATCH, etag);
    } else if let Some(modified) = held.and_then(|held| validator(&held.policy.modified)) {
        request = request.header(IF_MODIFIED_SINCE, modified);
    }
    let response = request.send().await.map_err(broken)?;
    let now = clock.now();
    let headers = response.headers();
    let policy = Policy::read(headers, now.wall, now.since(&started));
    match (response.status(), held) {
        (StatusCode::OK, _) => Ok(Reply::Answer(found(response).await?, policy)),
        (StatusCode::NOT_MODIFIED, Some(held)) => {
            let policy = held.policy.confirmed(policy);
            Ok(Reply::Answer(held.content.clone(), policy))
        }
        (StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::BAD_REQUEST, _) => {
            Ok(Reply::Answer(refusal(response).await?, policy))
        }
        (status, _) if status.is_redirection() => Err("redirects to another place".to_owned()),
        (status, _) => unusable(status, headers, now.wall),
    }
}

/// What went wrong on the way.
fn broken(error: reqwest::Error) -> String {
    // The address may hold what a caller searched for; the log does not need it.
    let error = error.without_url();
    let what = net::problem(&error);
    let cause = &error as &dyn std::error::Error;
    tracing::debug!(cause, "the upstream {what}");
    what.to_owned()
}

async fn found(response: Response) -> std::result::Result<Content, String> {
    let kind = response.headers().get(CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        return Err("sent a web page instead of data".to_owned());
    }
    let body = net::body(response, MAX_BODY_BYTES).await.map_err(broken)?;
    let body = body.ok_or("sent an answer that is too large")?;
    // A body cut off without notice is caught here: JSON no longer closes.
    match serde_json::from_slice::<IgnoredAny>(&body) {
        Ok(_) if std::str::from_utf8(&body).is_ok() => Ok(Content::Found(body.into())),
        Ok(_) | Err(_) => Err("sent a broken or unfinished answer".to_owned()),
    }
}

/// 400, 404 and 410 mean something only with the documented body; a proxy's page does not.
async fn refusal(response: Response) -> std::result::Result<Content, String> {
    #[derive(Deserialize)]
    struct Body {
        error: String,
        ticker: Option<String>,
    }
    let status = response.status();
    let body = net::body(response, MAX_ERROR_BYTES).await.map_err(broken)?;
    let said: Body = serde_json::from_slice(&body.unwrap_or_default())
        .map_err(|_| format!("answered {} without saying why", status.as_u16()))?;
    let error = quote(&said.error);
    tracing::debug!(status = status.as_u16(), error, "the upstream refused");
    Ok(match status {
        StatusCode::BAD_REQUEST => Content::Refused,
        _ => Content::Unknown(said.ticker.as_deref().map(quote).unwrap_or_default()),
    })
}

fn unusable(
    status: StatusCode,
    headers: &HeaderMap,
    now: Timestamp,
) -> std::result::Result<Reply, String> {
    match (status.as_u16(), net::retry_after(headers, now)) {
        (429 | 503, Some(wait)) => Ok(Reply::Silence(wait)),
        // A day's allowance is renewed at the next UTC midnight, if the upstream does not say when.
        (429, None) => {
            let wait = net::until_midnight(net::made(headers, now), TimeZone::UTC);
            Ok(Reply::Silence(wait.unwrap_or(Duration::from_secs(3600))))
        }
        (number, _) => Err(format!("answered with status {number}")),
    }
}

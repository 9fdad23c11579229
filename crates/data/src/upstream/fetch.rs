//! One call over the network and what it brought.
//!
//! The client sends nothing of its callers but the address: no header, no cookie, no referrer. It does not
//! follow redirects or repeat a request by itself, since each costs a call of the allowance; both are left
//! to the caller. Upstream text never leaves here except as a body or as a name made safe.

use super::freshness::Policy;
use crate::net;
use bytes::Bytes;
use econoscope_core::clock::{Clock, is_before_1970};
use econoscope_core::error::{Error, Result, quote};
use http::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
};
use jiff::{Timestamp, tz::TimeZone};
use reqwest::{Response, StatusCode};
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
    /// A whole, well-formed body.
    Found(Bytes, Policy),
    /// What is held is still right.
    Unchanged(Policy),
    /// 404, with the name the upstream repeated, made safe.
    Unknown(Option<String>),
    /// 400.
    Refused,
    /// The same upstream has it at another address.
    Moved(Url),
    /// The upstream asks for silence.
    Silence(Duration),
}

/// There is no usable answer.
#[derive(Debug)]
pub(super) struct NoReply {
    /// What happened, for people.
    pub(super) what: String,
    /// Another try soon may succeed.
    pub(super) is_transient: bool,
}

impl From<&str> for NoReply {
    fn from(what: &str) -> Self {
        Self {
            what: what.to_owned(),
            is_transient: false,
        }
    }
}

impl From<reqwest::Error> for NoReply {
    fn from(error: reqwest::Error) -> Self {
        // The address may hold what a caller searched for; the log does not need it.
        let error = error.without_url();
        let what = net::problem(&error);
        tracing::debug!(
            cause = &error as &dyn std::error::Error,
            "the upstream {what}"
        );
        Self {
            what: what.to_owned(),
            is_transient: error.is_connect(),
        }
    }
}

/// The client.
#[derive(Debug)]
pub(super) struct Fetcher(reqwest::Client);

impl Fetcher {
    /// A client for one upstream.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub(super) fn new(base: &Url) -> Result<Self> {
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
        let built = client.build().map_err(|cause| Error::internal(what, cause));
        built.map(Self)
    }

    /// Sends one request; `held` makes it conditional.
    ///
    /// # Errors
    /// [`NoReply`] when nothing usable came.
    pub(super) async fn send(
        &self,
        url: &Url,
        held: Option<&Policy>,
        clock: &dyn Clock,
    ) -> std::result::Result<Reply, NoReply> {
        if url.scheme() == "https" && is_before_1970() {
            return Err("cannot be asked: this machine's clock is before 1970".into());
        }
        let started = clock.now();
        let mut request = self.0.get(url.clone()).header(ACCEPT, "application/json");
        // Checked once more: they may come from a file.
        let validator = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
        if let Some(etag) = held.and_then(|held| validator(&held.etag)) {
            request = request.header(IF_NONE_MATCH, etag);
        } else if let Some(modified) = held.and_then(|held| validator(&held.modified)) {
            request = request.header(IF_MODIFIED_SINCE, modified);
        }
        let response = request.send().await?;
        let now = clock.now();
        let headers = response.headers();
        let policy = Policy::read(headers, now.wall, now.since(&started));
        match response.status() {
            StatusCode::OK => found(response, policy).await,
            StatusCode::NOT_MODIFIED if held.is_some() => Ok(Reply::Unchanged(policy)),
            StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::BAD_REQUEST => {
                refusal(response).await
            }
            status if status.is_redirection() => match moved(url, headers) {
                Some(to) => Ok(Reply::Moved(to)),
                None => Err("redirects to another place".into()),
            },
            status => unusable(status, headers, now.wall),
        }
    }
}

async fn found(response: Response, policy: Policy) -> std::result::Result<Reply, NoReply> {
    let kind = response.headers().get(CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        return Err("sent a web page instead of data".into());
    }
    let Some(body) = net::body(response, MAX_BODY_BYTES).await? else {
        return Err("sent an answer that is too large".into());
    };
    // A body cut off without notice is caught here: JSON no longer closes.
    match serde_json::from_slice::<IgnoredAny>(&body) {
        Ok(_) if std::str::from_utf8(&body).is_ok() => Ok(Reply::Found(body.into(), policy)),
        Ok(_) | Err(_) => Err("sent a broken or unfinished answer".into()),
    }
}

/// 400, 404 and 410 mean something only with the documented body; a proxy's page does not.
async fn refusal(response: Response) -> std::result::Result<Reply, NoReply> {
    #[derive(Deserialize)]
    struct Body {
        error: String,
        ticker: Option<String>,
    }
    let status = response.status();
    let body = net::body(response, MAX_ERROR_BYTES).await?;
    let Ok(said) = serde_json::from_slice::<Body>(&body.unwrap_or_default()) else {
        let what = format!("answered {} without saying why", status.as_u16());
        return Err(what.as_str().into());
    };
    let error = quote(&said.error);
    tracing::debug!(status = status.as_u16(), error, "the upstream refused");
    Ok(match status {
        StatusCode::BAD_REQUEST => Reply::Refused,
        _ => Reply::Unknown(said.ticker.as_deref().map(quote)),
    })
}

/// Where a redirect leads, if that is the same upstream.
fn moved(url: &Url, headers: &HeaderMap) -> Option<Url> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let target = url.join(location).ok()?;
    let plain = target.username().is_empty() && target.password().is_none();
    (target.origin() == url.origin() && plain).then_some(target)
}

fn unusable(
    status: StatusCode,
    headers: &HeaderMap,
    now: Timestamp,
) -> std::result::Result<Reply, NoReply> {
    match (status.as_u16(), net::retry_after(headers, now)) {
        (429 | 503, Some(wait)) => Ok(Reply::Silence(wait)),
        // A day's allowance is renewed at the next UTC midnight, if the upstream does not say when.
        (429, None) => {
            let wait = net::until_midnight(net::made(headers, now), TimeZone::UTC);
            Ok(Reply::Silence(wait.unwrap_or(Duration::from_secs(3600))))
        }
        (number, _) => Err(NoReply {
            what: format!("answered with status {number}"),
            is_transient: matches!(number, 502..=504),
        }),
    }
}

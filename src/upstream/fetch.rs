//! One call over the network and what it brought.
//!
//! The client sends nothing of its callers but the address: no header, no cookie, no referrer. It does not
//! follow redirects or repeat a request by itself, since each costs a call of the allowance; both are left
//! to the caller. Upstream text never leaves here except as a body or as a name made safe.

use super::clock::Clock;
use super::freshness::{Policy, retry_after};
use super::request::Media;
use crate::error::{Error, Result, quote};
use bytes::{Bytes, BytesMut};
use http::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::Duration;
use url::{Host, Url};

/// An error body is read up to here.
const ERROR_BYTES: usize = 64 << 10;

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
    /// No usable answer.
    Failed {
        /// What happened, for people.
        what: String,
        /// Another try soon may succeed.
        transient: bool,
    },
}

/// The client and its bounds.
#[derive(Debug)]
pub(super) struct Fetcher {
    client: reqwest::Client,
    max_body: usize,
}

impl Fetcher {
    /// A client for one upstream.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub(super) fn new(base: &Url, timeout: Duration, max_body: usize) -> Result<Self> {
        // An error means that a provider is installed already, which is as good.
        rustls::crypto::ring::default_provider()
            .install_default()
            .ok();
        let mut client = reqwest::Client::builder()
            .user_agent(concat!("econoscope/", env!("CARGO_PKG_VERSION")))
            .timeout(timeout)
            .connect_timeout(timeout.min(Duration::from_secs(4)))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false);
        let here = match base.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        if here {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|cause| {
            Error::internal("the HTTP client of the upstream cannot be built", cause)
        })?;
        Ok(Self { client, max_body })
    }

    /// Sends one request; `held` makes it conditional.
    pub(super) async fn send(
        &self,
        url: &Url,
        media: Media,
        held: Option<&Policy>,
        clock: &dyn Clock,
    ) -> Reply {
        let started = clock.now();
        let mut request = self.client.get(url.clone()).header(ACCEPT, accept(media));
        // Checked once more: they may come from a file.
        let validator = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
        if let Some(etag) = held.and_then(|held| validator(&held.etag)) {
            request = request.header(IF_NONE_MATCH, etag);
        } else if let Some(modified) = held.and_then(|held| validator(&held.modified)) {
            request = request.header(IF_MODIFIED_SINCE, modified);
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return failed(error),
        };
        let now = clock.now();
        let policy = Policy::read(response.headers(), now.wall, now.since(&started));
        match response.status() {
            StatusCode::OK => self.found(response, media, policy).await,
            StatusCode::NOT_MODIFIED if held.is_some() => Reply::Unchanged(policy),
            StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::BAD_REQUEST => {
                refusal(response).await
            }
            status if status.is_redirection() => moved(url, response.headers()).map_or_else(
                || no_answer("redirects to another place", false),
                Reply::Moved,
            ),
            status => unusable(status, response.headers(), now.wall),
        }
    }

    async fn found(&self, response: Response, media: Media, policy: Policy) -> Reply {
        let html = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        if html {
            return no_answer("sent a web page instead of data", false);
        }
        match read(response, self.max_body).await {
            Ok(Some(body)) if well_formed(&body, media) => Reply::Found(body, policy),
            Ok(Some(_)) => no_answer("sent a broken or unfinished answer", false),
            Ok(None) => no_answer("sent an answer that is too large", false),
            Err(error) => failed(error),
        }
    }
}

fn accept(media: Media) -> &'static str {
    match media {
        Media::Json => "application/json",
        Media::Csv => "text/csv",
    }
}

/// The body, or `None` when it is larger than `most`.
async fn read(mut response: Response, most: usize) -> reqwest::Result<Option<Bytes>> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body.freeze()))
}

/// A body cut off without notice is caught here: JSON no longer closes.
fn well_formed(body: &[u8], media: Media) -> bool {
    let Ok(text) = std::str::from_utf8(body) else {
        return false;
    };
    match media {
        Media::Json => serde_json::from_str::<IgnoredAny>(text).is_ok(),
        Media::Csv => text.lines().next().is_some_and(|head| head.contains(',')),
    }
}

/// 400, 404 and 410 mean something only with the documented body; a proxy's page does not.
async fn refusal(response: Response) -> Reply {
    #[derive(Deserialize)]
    struct Body {
        error: String,
        ticker: Option<String>,
    }
    let status = response.status();
    let body = match read(response, ERROR_BYTES).await {
        Ok(body) => body.unwrap_or_default(),
        Err(error) => return failed(error),
    };
    let Ok(said) = serde_json::from_slice::<Body>(&body) else {
        return no_answer(
            &format!("answered {} without saying why", status.as_u16()),
            false,
        );
    };
    tracing::debug!(
        status = status.as_u16(),
        error = quote(&said.error),
        "the upstream refused"
    );
    if status == StatusCode::BAD_REQUEST {
        Reply::Refused
    } else {
        Reply::Unknown(said.ticker.as_deref().map(quote))
    }
}

/// Where a redirect leads, if that is the same upstream.
fn moved(url: &Url, headers: &HeaderMap) -> Option<Url> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let target = url.join(location).ok()?;
    let plain = target.username().is_empty() && target.password().is_none();
    (target.origin() == url.origin() && plain).then_some(target)
}

fn unusable(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> Reply {
    let asked = retry_after(headers, now);
    match (status, asked) {
        (StatusCode::TOO_MANY_REQUESTS, _) => {
            Reply::Silence(asked.unwrap_or_else(|| to_midnight(now)))
        }
        (StatusCode::SERVICE_UNAVAILABLE, Some(wait)) => Reply::Silence(wait),
        _ => {
            let gateway = matches!(
                status,
                StatusCode::BAD_GATEWAY
                    | StatusCode::SERVICE_UNAVAILABLE
                    | StatusCode::GATEWAY_TIMEOUT
            );
            no_answer(
                &format!("answered with status {}", status.as_u16()),
                gateway,
            )
        }
    }
}

/// When a day's allowance is renewed, if the upstream does not say: the next UTC midnight.
fn to_midnight(now: Timestamp) -> Duration {
    let today = now.to_zoned(TimeZone::UTC);
    today
        .checked_add(1.day())
        .and_then(|tomorrow| tomorrow.start_of_day())
        .ok()
        .and_then(|midnight| Duration::try_from(midnight.timestamp().duration_since(now)).ok())
        .unwrap_or(Duration::from_secs(3600))
}

fn failed(error: reqwest::Error) -> Reply {
    // The address may hold what a caller searched for; the log does not need it.
    let error = error.without_url();
    let what = if error.is_connect() {
        "cannot be reached"
    } else if error.is_timeout() {
        "did not answer in time"
    } else {
        "broke off its answer"
    };
    tracing::debug!(
        cause = &error as &dyn std::error::Error,
        "the upstream {what}"
    );
    no_answer(what, error.is_connect())
}

fn no_answer(what: &str, transient: bool) -> Reply {
    Reply::Failed {
        what: what.to_owned(),
        transient,
    }
}

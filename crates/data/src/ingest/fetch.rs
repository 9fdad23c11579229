//! HTTP requests to sources: paced, retried where that can help, bounded in time and size.
//!
//! URLs carry the API key, so they never enter an error: reqwest's errors are stripped of their URL.

use super::pace::{Pace, PaceSettings};
use super::sources::SourceSettings;
use crate::net;
use econoscope_core::clock;
use econoscope_core::error::{Error, Result, quote};
use http::header::{
    ACCEPT, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, LOCATION,
};
use reqwest::RequestBuilder;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Largest body that is read, counted as it arrives.
const MAX_BODY_BYTES: usize = 64 << 20;

/// `Accept` of a download; allows other types, because some servers label their CSV otherwise.
pub(super) const CSV: &str = "text/csv, */*;q=0.5";

/// How long the network may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// To connect.
    pub connect: Duration,
    /// Between two chunks of a response.
    pub read: Duration,
    /// For one response with all tries; a slower source is not asked again in the same sync.
    pub all_tries: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            all_tries: Duration::from_secs(90),
        }
    }
}

/// Validators of a response (RFC 9110), for a conditional request; empty when a source sends none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Validators {
    etag: String,
    #[serde(rename = "modified")]
    last_modified: String,
}

impl Validators {
    /// Makes a request conditional: the response is 304 when nothing has changed.
    pub(super) fn apply(&self, mut request: RequestBuilder) -> RequestBuilder {
        for (name, value) in [
            (IF_NONE_MATCH, &self.etag),
            (IF_MODIFIED_SINCE, &self.last_modified),
        ] {
            if !value.is_empty() {
                request = request.header(name, value);
            }
        }
        request
    }
}

/// A complete response.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) validators: Validators,
    pub(super) status: u16,
    content_type: String,
    /// Target of a redirect, without its query, which may hold a key.
    location: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    #[cfg(test)]
    pub(super) fn new(status: u16, content_type: &str, body: &[u8]) -> Self {
        Self {
            validators: Validators::default(),
            status,
            content_type: content_type.to_owned(),
            location: String::new(),
            body: body.to_vec(),
        }
    }

    /// Whether there is nothing at the address.
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// Returns why its body cannot be parsed, from status and type. Only 200 is complete data: 206 is a part, and an
    /// HTML page is a notice, whatever its status.
    pub(super) fn problem(&self) -> Option<String> {
        let status = self.status;
        let location = &self.location;
        if (300..400).contains(&status) && !location.is_empty() {
            return Some(format!(
                "it has moved to {location} (HTTP {status}); a recipe of your own in a --sources folder may name that address"
            ));
        }
        if self.is_gone() {
            return Some(format!(
                "there is nothing at its address any more (HTTP {status}); a newer version of this program, or a recipe \
                 of your own, may name another"
            ));
        }
        if self.content_type.contains("html") || self.body.trim_ascii_start().starts_with(b"<") {
            return Some(format!(
                "it is a web page instead of figures (HTTP {status}); a proxy or a notice stands in the way, or this program is refused"
            ));
        }
        (status != 200).then(|| format!("HTTP {status}"))
    }
}

/// An HTTP client of one source.
#[derive(Debug)]
pub(super) struct HttpClient {
    /// The source's name in error messages.
    name: String,
    client: reqwest::Client,
    pace: Pace,
    all_tries: Duration,
}

/// The error of one try.
struct TryError {
    error: Error,
    /// Whether another try may help.
    can_retry: bool,
}

impl HttpClient {
    /// Creates the client of a source. `pace` is its own pace; a source on loopback needs no pauses. Redirects are
    /// followed within an origin, and over TLS to `hosts`.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up; [`Error::InvalidParam`] when the operator's contact is not a
    /// valid header value.
    pub(super) fn new(
        settings: &SourceSettings,
        id: &str,
        name: &str,
        pace: PaceSettings,
        hosts: &[String],
    ) -> Result<Self> {
        let mut pace = settings.pace.unwrap_or(pace);
        let is_loopback = |url: &Url| url.host_str() == Some("127.0.0.1");
        if settings.addresses.get(id).is_some_and(is_loopback) {
            pace.interval = Duration::ZERO;
        }
        let mut builder = net::client_builder();
        if let Some(contact) = &settings.contact {
            let agent = HeaderValue::from_str(&format!("{} ({contact})", net::USER_AGENT));
            builder = builder.user_agent(agent.map_err(|_| {
                Error::invalid("contact", "", "cannot stand in a header", "plain text")
            })?);
        }
        let allowed_hosts = hosts.to_vec();
        let redirects = reqwest::redirect::Policy::custom(move |attempt| {
            if can_redirect(attempt.previous(), attempt.url(), &allowed_hosts) {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        let client = builder
            .connect_timeout(settings.timeouts.connect)
            .read_timeout(settings.timeouts.read)
            .redirect(redirects)
            .build()
            .map_err(|e| Error::internal("the HTTP client cannot be built", e.without_url()))?;
        Ok(Self {
            name: name.to_owned(),
            client,
            pace: Pace::new(pace),
            all_tries: settings.timeouts.all_tries,
        })
    }

    /// Returns a GET request.
    pub(super) fn get(&self, url: Url, accept: &str) -> RequestBuilder {
        self.client.get(url).header(ACCEPT, accept)
    }

    /// Downloads `what` in one response.
    ///
    /// # Errors
    /// As [`Self::send`], and [`Error::Unavailable`] when the response cannot be parsed.
    pub(super) async fn download(&self, url: Url, accept: &str, what: &str) -> Result<Vec<u8>> {
        let response = self.send(self.get(url, accept), |_| false).await?;
        match response.problem() {
            Some(problem) => Err(self.unusable(what, &problem)),
            None => Ok(response.body),
        }
    }

    /// Returns a POST request with a body of JSON or a form.
    pub(super) fn post(&self, url: Url, body: String) -> RequestBuilder {
        let content_type = if body.starts_with('{') {
            "application/json"
        } else {
            "application/x-www-form-urlencoded"
        };
        let post = self.client.post(url).header(ACCEPT, "*/*");
        post.header(CONTENT_TYPE, content_type).body(body)
    }

    /// Sends a request. Retries 429, 5xx, network failures and responses that are `is_transient`; the caller handles
    /// all other statuses.
    ///
    /// # Errors
    /// [`Error::RateLimited`] or [`Error::Unavailable`] after the last try, or when all tries took too long.
    pub(super) async fn send(
        &self,
        request: RequestBuilder,
        is_transient: fn(&Response) -> bool,
    ) -> Result<Response> {
        let send = async {
            let mut tries = 0;
            loop {
                self.pace.wait().await;
                tries += 1;
                let attempt = request
                    .try_clone()
                    .ok_or_else(|| Error::internal("a request", "is a stream"))?;
                let result = self.send_once(attempt).await;
                let (can_retry, retry_after) = match &result {
                    Ok(response) => (is_transient(response), None),
                    Err(failure) => (failure.can_retry, failure.error.retry_after()),
                };
                if !can_retry || !self.pace.schedule_retry(tries, retry_after).await {
                    return result.map_err(|failure| failure.error);
                }
                tracing::debug!(source = %self.name, tries, ?retry_after, "retrying");
            }
        };
        let response = tokio::time::timeout(self.all_tries, send).await;
        response.unwrap_or_else(|_| {
            let name = &self.name;
            let seconds = self.all_tries.as_secs();
            let what = format!("{name} did not respond within {seconds} s. Try again later.");
            // Long enough that the source is not asked again in this sync.
            Err(Error::unavailable(what, Some(Duration::from_secs(900))))
        })
    }

    /// Returns the error for a response about `what` that cannot be used.
    pub(super) fn unusable(&self, what: &str, problem: &str) -> Error {
        let name = &self.name;
        unavailable(format!(
            "{name}'s answer for {what} cannot be used: {problem}."
        ))
    }

    async fn send_once(&self, builder: RequestBuilder) -> std::result::Result<Response, TryError> {
        let name = &self.name;
        let final_error = |what: String| TryError {
            error: unavailable(what),
            can_retry: false,
        };
        let request = builder.build().map_err(|e| self.network_error(e))?;
        if request.url().scheme() == "https" && clock::is_before_1970() {
            return Err(final_error(format!(
                "{name} cannot be asked: this machine's clock is before 1970. Set it and try again."
            )));
        }
        let sent = self.client.execute(request).await;
        let response = sent.map_err(|e| self.network_error(e))?;
        let status = response.status();
        let headers = response.headers();
        if status.as_u16() == 429 || status.is_server_error() {
            return Err(TryError {
                error: self.status_error(status.as_u16(), headers),
                can_retry: true,
            });
        }
        let text = |header: HeaderName| {
            let value = net::single_value(headers, &header);
            value.unwrap_or_default().to_owned()
        };
        let validators = Validators {
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
        };
        let content_type = text(CONTENT_TYPE).to_ascii_lowercase();
        let location = text(LOCATION);
        let read = net::read_body(response, MAX_BODY_BYTES).await;
        let body = read.map_err(|e| self.network_error(e))?.ok_or_else(|| {
            let mib = MAX_BODY_BYTES >> 20;
            final_error(format!("{name}'s answer is larger than {mib} MiB."))
        })?;
        Ok(Response {
            validators,
            status: status.as_u16(),
            content_type,
            location: quote(location.split(['?', '#']).next().unwrap_or_default()),
            body,
        })
    }

    fn network_error(&self, error: reqwest::Error) -> TryError {
        let name = &self.name;
        let problem = net::describe_error(&error);
        let can_retry = !error.is_builder() && !error.is_redirect();
        TryError {
            error: Error::Unavailable {
                what: format!("{name} {problem}. Check the network and try again."),
                retry_after: None,
                source: Some(Arc::new(error.without_url())),
            },
            can_retry,
        }
    }

    fn status_error(&self, status: u16, headers: &HeaderMap) -> Error {
        let name = &self.name;
        let retry_after = net::retry_after(headers, clock::wall_time());
        if status == 429 {
            Error::RateLimited {
                what: format!("{name} asks for fewer requests (HTTP 429)."),
                retry_after: retry_after.unwrap_or(Duration::from_secs(60)),
            }
        } else {
            let what = format!("{name} is out of order (HTTP {status}). Try again later.");
            Error::unavailable(what, retry_after)
        }
    }
}

/// Whether a redirect is followed: at most two, to the first origin, or over TLS to one of `hosts`.
fn can_redirect(previous: &[Url], url: &Url, hosts: &[String]) -> bool {
    let origin = previous.first().map(Url::origin);
    let is_known = url.scheme() == "https" && hosts.iter().any(|h| url.host_str() == Some(h));
    (origin == Some(url.origin()) || is_known) && previous.len() <= 2
}

/// Returns the error for a source whose response cannot be used.
pub(super) fn unavailable(what: String) -> Error {
    Error::unavailable(what, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_hosts_of_the_source() {
        let hosts = ["cdn-api.cboe.com".to_owned()];
        let previous = [Url::parse("https://cdn.cboe.com/a").unwrap()];
        for (to, expected) in [
            ("https://cdn-api.cboe.com/a", true),
            ("https://cdn.cboe.com/b", true),
            ("http://cdn-api.cboe.com/a", false),
            ("https://cdn-api.cboe.com.example/a", false),
            ("https://example.org/a", false),
            ("https://127.0.0.1/a", false),
        ] {
            let to = Url::parse(to).unwrap();
            assert_eq!(can_redirect(&previous, &to, &hosts), expected, "{to}");
        }
        let three = [
            previous[0].clone(),
            previous[0].clone(),
            previous[0].clone(),
        ];
        assert!(!can_redirect(&three, &previous[0], &hosts), "a third time");
    }
}

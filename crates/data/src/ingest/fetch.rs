//! One request over the network: paced, retried where that can help, bounded in time and size.
//!
//! Addresses carry the API key, so they never enter an error: reqwest's errors are stripped of theirs.

use super::pace::{Pace, PaceSettings};
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

/// Largest answer that is taken: 64 MiB, counted as it comes in.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// `Accept` of a download; a server that labels its CSV otherwise must not refuse us for it.
pub(super) const CSV: &str = "text/csv, */*;q=0.5";

/// How long the network may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// To connect.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub read: Duration,
    /// For an answer with all tries; a source that takes longer is left alone for the rest of a run.
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

/// How to ask whether an answer has changed; empty when a source gives no way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Validators {
    etag: String,
    modified: String,
}

impl Validators {
    /// A request that is answered with 304 where the known answer still holds.
    pub(super) fn condition(&self, mut request: RequestBuilder) -> RequestBuilder {
        for (name, value) in [
            (IF_NONE_MATCH, &self.etag),
            (IF_MODIFIED_SINCE, &self.modified),
        ] {
            if !value.is_empty() {
                request = request.header(name, value);
            }
        }
        request
    }
}

/// What a source answered, complete.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) validators: Validators,
    pub(super) status: u16,
    content_type: String,
    /// Where it sends whoever asks, without a query, which may hold a key.
    moved_to: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// An answer that never went over a network.
    #[cfg(test)]
    pub(super) fn of(status: u16, content_type: &str, body: &[u8]) -> Self {
        Self {
            validators: Validators::default(),
            status,
            content_type: content_type.to_owned(),
            moved_to: String::new(),
            body: body.to_vec(),
        }
    }

    /// What is wrong with it before it is read: only 200 is the whole of what was asked for, for 206 is a part, and
    /// what 299 is nobody knows; and a web page is a notice, whatever its status says.
    pub(super) fn problem(&self) -> Option<String> {
        let status = self.status;
        if (300..400).contains(&status) && !self.moved_to.is_empty() {
            let to = &self.moved_to;
            return Some(format!(
                "it has moved to {to} (HTTP {status}); a recipe of your own in a --sources folder may name that address"
            ));
        }
        if matches!(status, 404 | 410) {
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

/// One source: its name in messages, its pace, the way to it.
#[derive(Debug)]
pub(super) struct Fetch {
    name: String,
    client: reqwest::Client,
    pace: Pace,
    all_tries: Duration,
}

/// A try that brought no answer, and whether another one may.
type Failed = (Error, bool);

impl Fetch {
    /// A client for one source. `contact` (a mail address or page) follows our name in `User-Agent`. Redirects are
    /// followed within an origin, and over TLS to `hosts`.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up; [`Error::InvalidParam`] when `contact` is no header text.
    pub(super) fn new(
        name: &str,
        pace: PaceSettings,
        timeouts: Timeouts,
        contact: Option<&str>,
        hosts: &[String],
    ) -> Result<Self> {
        let mut client = net::client();
        if let Some(contact) = contact {
            let agent = HeaderValue::from_str(&format!("{} ({contact})", net::AGENT));
            client = client.user_agent(agent.map_err(|_| {
                Error::invalid("contact", "", "cannot stand in a header", "plain text")
            })?);
        }
        let client = client
            .connect_timeout(timeouts.connect)
            .read_timeout(timeouts.read)
            .redirect(within(hosts.to_vec()))
            .build()
            .map_err(|e| Error::internal("the HTTP client cannot be built", e.without_url()))?;
        Ok(Self {
            name: name.to_owned(),
            client,
            pace: Pace::new(pace),
            all_tries: timeouts.all_tries,
        })
    }

    /// A GET.
    pub(super) fn get(&self, url: Url, accept: &str) -> RequestBuilder {
        self.client.get(url).header(ACCEPT, accept)
    }

    /// A POST of JSON or a form.
    pub(super) fn post(&self, url: Url, body: String) -> RequestBuilder {
        let kind = match body.starts_with('{') {
            true => "application/json",
            false => "application/x-www-form-urlencoded",
        };
        let post = self.client.post(url).header(ACCEPT, "*/*");
        post.header(CONTENT_TYPE, kind).body(body)
    }

    /// Sends a request; an answer that is still the known one comes as 304 without a body. 429, 5xx, failures of the
    /// network and answers that are `is_passing` are tried again; other statuses are the caller's to read.
    ///
    /// # Errors
    /// [`Error::RateLimited`] or [`Error::Unavailable`] after the last try, or when all took too long.
    pub(super) async fn send(
        &self,
        request: RequestBuilder,
        is_passing: fn(&Response) -> bool,
    ) -> Result<Response> {
        let tries = self.try_all(request, is_passing);
        let answer = tokio::time::timeout(self.all_tries, tries).await;
        answer.unwrap_or_else(|_| {
            let (name, seconds) = (&self.name, self.all_tries.as_secs());
            Err(Error::Unavailable {
                what: format!("{name} did not bring its answer in {seconds} s. Try again later."),
                // Long enough that nothing else of it is asked in this run.
                retry_after: Some(Duration::from_secs(900)),
                source: None,
            })
        })
    }

    async fn try_all(
        &self,
        request: RequestBuilder,
        is_passing: fn(&Response) -> bool,
    ) -> Result<Response> {
        let mut tried = 0;
        loop {
            self.pace.turn().await;
            tried += 1;
            let request = request.try_clone();
            let request = request.ok_or_else(|| Error::internal("a request", "is a stream"))?;
            let (result, again) = match self.try_once(request).await {
                Ok(answer) => {
                    let again = is_passing(&answer);
                    (Ok(answer), again)
                }
                Err((error, again)) => (Err(error), again),
            };
            let asked = result.as_ref().err().and_then(Error::retry_after);
            if !again || !self.pace.allows_another(tried, asked).await {
                return result;
            }
            tracing::debug!(source = %self.name, tried, ?asked, "trying again");
        }
    }

    /// The name of the source.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The error for an answer about `what` that cannot be used.
    pub(super) fn unusable(&self, what: &str, problem: &str) -> Error {
        let name = &self.name;
        unavailable(format!(
            "{name}'s answer for {what} cannot be used: {problem}."
        ))
    }

    async fn try_once(&self, request: RequestBuilder) -> std::result::Result<Response, Failed> {
        let request = request.build().map_err(|e| self.unreachable(e))?;
        if request.url().scheme() == "https" && clock::is_before_1970() {
            let what = "cannot be asked: this machine's clock is before 1970. Set it";
            return Err((self.failed(what, None), false));
        }
        let response = self.client.execute(request).await;
        let response = response.map_err(|e| self.unreachable(e))?;
        let (status, headers) = (response.status(), response.headers());
        if status.as_u16() == 429 || status.is_server_error() {
            return Err((self.refused(status.as_u16(), headers), true));
        }
        let text = |name: HeaderName| net::single(headers, &name).unwrap_or_default().to_owned();
        let mut answer = Response {
            validators: Validators {
                etag: text(ETAG),
                modified: text(LAST_MODIFIED),
            },
            status: status.as_u16(),
            content_type: text(CONTENT_TYPE).to_ascii_lowercase(),
            moved_to: quote(text(LOCATION).split(['?', '#']).next().unwrap_or_default()),
            body: Vec::new(),
        };
        answer.body = match net::body(response, MAX_ANSWER_BYTES).await {
            Ok(Some(body)) => body,
            Ok(None) => {
                let mib = MAX_ANSWER_BYTES >> 20;
                let what = format!("{}'s answer is larger than {mib} MiB.", self.name);
                return Err((unavailable(what), false));
            }
            Err(error) => return Err(self.unreachable(error)),
        };
        Ok(answer)
    }

    fn unreachable(&self, error: reqwest::Error) -> Failed {
        let what = format!("{}. Check the network", net::problem(&error));
        let again = !error.is_builder() && !error.is_redirect();
        (self.failed(&what, Some(error.without_url())), again)
    }

    fn refused(&self, status: u16, headers: &HeaderMap) -> Error {
        let (name, asked) = (&self.name, net::retry_after(headers, clock::wall()));
        if status == 429 {
            Error::RateLimited {
                what: format!("{name} asks for fewer requests (HTTP 429)."),
                retry_after: asked.unwrap_or(Duration::from_secs(60)),
            }
        } else {
            Error::Unavailable {
                what: format!("{name} is out of order (HTTP {status}). Try again later."),
                retry_after: asked,
                source: None,
            }
        }
    }

    fn failed(&self, how: &str, cause: Option<reqwest::Error>) -> Error {
        Error::Unavailable {
            what: format!("{} {how} and try again.", self.name),
            retry_after: None,
            source: cause.map(|cause| Arc::new(cause) as _),
        }
    }
}

/// At most two redirects, and none that leaves what the source is known to be.
fn within(hosts: Vec<String>) -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(move |attempt| {
        match leads_on(attempt.previous(), attempt.url(), &hosts) {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

/// Whether an address may follow those that were asked.
fn leads_on(asked: &[Url], url: &Url, hosts: &[String]) -> bool {
    let home = asked.first().map(Url::origin);
    let is_known = url.scheme() == "https" && hosts.iter().any(|h| url.host_str() == Some(h));
    (home == Some(url.origin()) || is_known) && asked.len() <= 2
}

/// A source's answer that cannot be used.
pub(super) fn unavailable(what: String) -> Error {
    Error::Unavailable {
        what,
        retry_after: None,
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_moved_is_followed_to_its_own_hosts_alone() {
        let hosts = ["cdn-api.cboe.com".to_owned()];
        let asked = [Url::parse("https://cdn.cboe.com/a").unwrap()];
        for (to, expected) in [
            ("https://cdn-api.cboe.com/a", true),
            ("https://cdn.cboe.com/b", true),
            ("http://cdn-api.cboe.com/a", false),
            ("https://cdn-api.cboe.com.example/a", false),
            ("https://example.org/a", false),
            ("https://127.0.0.1/a", false),
        ] {
            let to = Url::parse(to).unwrap();
            assert_eq!(leads_on(&asked, &to, &hosts), expected, "{to}");
        }
        let often = [asked[0].clone(), asked[0].clone(), asked[0].clone()];
        assert!(!leads_on(&often, &asked[0], &hosts), "a third time");
    }
}

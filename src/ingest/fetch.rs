//! One GET over the network: paced, tried again where that can help, bounded in time and size.
//!
//! Addresses carry the API key, so they never enter an error: reqwest's errors are stripped of theirs.

use super::pace::{self, Pace, PaceSettings};
use crate::error::{Error, Result};
use jiff::Timestamp;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, RETRY_AFTER,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Largest answer that is taken: 64 MiB, counted as it comes in.
pub const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Room made for a body before it comes.
const MOST_ROOM: usize = 4 << 20;

/// `Accept` of a download; a server that labels its CSV otherwise must not refuse us for it.
pub(super) const CSV: &str = "text/csv, */*;q=0.5";

/// How long the network may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// To connect.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub read: Duration,
    /// For a whole answer.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            total: Duration::from_secs(120),
        }
    }
}

/// A client for all sources. `contact` (a mail address or page) follows the name in `User-Agent`.
///
/// # Errors
/// [`Error::Internal`] when TLS cannot be set up; [`Error::InvalidParam`] when `contact` is no header text.
pub(super) fn client(timeouts: Timeouts, contact: Option<&str>) -> Result<reqwest::Client> {
    // An error says that a provider is installed already: whoever was first chose the same one.
    rustls::crypto::ring::default_provider()
        .install_default()
        .unwrap_or_default();
    let name = concat!("econoscope/", env!("CARGO_PKG_VERSION"));
    let agent = contact.map_or(name.to_owned(), |contact| format!("{name} ({contact})"));
    let agent = HeaderValue::from_str(&agent)
        .map_err(|_| Error::invalid("contact", "", "cannot stand in a header", "plain text"))?;
    reqwest::Client::builder()
        .user_agent(agent)
        .connect_timeout(timeouts.connect)
        .read_timeout(timeouts.read)
        .timeout(timeouts.total)
        .referer(false)
        .redirect(same_origin())
        .build()
        .map_err(|e| Error::internal("the HTTP client cannot be built", e.without_url()))
}

/// At most two redirects, never to another host: the key goes to FRED only.
fn same_origin() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let home = attempt.previous().first().map(Url::origin);
        if home == Some(attempt.url().origin()) && attempt.previous().len() <= 2 {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

/// How to ask whether an answer has changed; empty when a source gives no way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    etag: String,
    modified: String,
}

/// What a source answered, complete.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) known: Known,
    pub(super) status: u16,
    content_type: String,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Whether this is a web page, whatever its status says.
    pub(super) fn is_page(&self) -> bool {
        self.content_type.contains("html") || self.body.trim_ascii_start().starts_with(b"<")
    }

    /// An answer that never went over a network.
    #[cfg(any(test, fuzzing))]
    pub(super) fn of(status: u16, content_type: &str, body: &[u8]) -> Self {
        Self {
            known: Known::default(),
            status,
            content_type: content_type.to_owned(),
            body: body.to_vec(),
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// One source: its name in messages, its pace, the way to it.
#[derive(Debug)]
pub(super) struct Fetch {
    pub(super) name: &'static str,
    client: reqwest::Client,
    pace: Pace,
}

/// A try that did not bring an answer to work with.
struct Failure {
    error: Error,
    again: bool,
    asked: Option<Duration>,
}

impl Fetch {
    pub(super) fn new(name: &'static str, client: reqwest::Client, pace: PaceSettings) -> Self {
        Self {
            name,
            client,
            pace: Pace::new(pace),
        }
    }

    /// Gets an answer. 429, 5xx, failures of the network and what `passing` names are tried again;
    /// other statuses are the caller's to read.
    ///
    /// # Errors
    /// [`Error::RateLimited`] or [`Error::Unavailable`] after the last try.
    pub(super) async fn get(
        &self,
        url: &Url,
        accept: &'static str,
        passing: fn(&Answer) -> bool,
    ) -> Result<Answer> {
        self.get_unless(url, accept, &Known::default(), passing)
            .await
    }

    /// Like [`Self::get`]; an answer that is still the known one comes as 304 without a body.
    ///
    /// # Errors
    /// [`Error::RateLimited`] or [`Error::Unavailable`] after the last try.
    pub(super) async fn get_unless(
        &self,
        url: &Url,
        accept: &'static str,
        known: &Known,
        passing: fn(&Answer) -> bool,
    ) -> Result<Answer> {
        let mut tried = 0;
        loop {
            self.pace.turn().await;
            tried += 1;
            let (result, again, asked) = match self.once(url, accept, known).await {
                Ok(answer) if passing(&answer) => (Ok(answer), true, None),
                Ok(answer) => return Ok(answer),
                Err(failure) => (Err(failure.error), failure.again, failure.asked),
            };
            let wait = again.then(|| self.pace.wait(tried, asked, pace::chance()));
            match wait.flatten() {
                Some(wait) => {
                    tracing::debug!(source = self.name, tried, ?wait, "trying again");
                    self.pace.pause(wait).await;
                }
                None => return result,
            }
        }
    }

    async fn once(
        &self,
        url: &Url,
        accept: &'static str,
        known: &Known,
    ) -> std::result::Result<Answer, Failure> {
        let mut request = self.client.get(url.clone()).header(ACCEPT, accept);
        for (name, value) in [
            (IF_NONE_MATCH, &known.etag),
            (IF_MODIFIED_SINCE, &known.modified),
        ] {
            if !value.is_empty() {
                request = request.header(name, value);
            }
        }
        let response = request.send().await.map_err(|e| self.unreachable(e))?;
        let status = response.status();
        if status.as_u16() == 429 || status.is_server_error() {
            return Err(self.refused(status.as_u16(), response.headers()));
        }
        let content_type = header(response.headers(), &CONTENT_TYPE).to_ascii_lowercase();
        let known = Known {
            etag: header(response.headers(), &ETAG),
            modified: header(response.headers(), &LAST_MODIFIED),
        };
        let body = self.body(response).await?;
        Ok(Answer {
            known,
            status: status.as_u16(),
            content_type,
            body,
        })
    }

    async fn body(&self, mut response: reqwest::Response) -> std::result::Result<Vec<u8>, Failure> {
        let mut body = Vec::with_capacity(announced(&response));
        loop {
            match response.chunk().await {
                Ok(Some(piece)) if body.len() + piece.len() > MAX_ANSWER_BYTES => {
                    let mib = MAX_ANSWER_BYTES >> 20;
                    let what = format!("{}'s answer is larger than {mib} MiB.", self.name);
                    return Err(Failure {
                        error: unavailable(what),
                        again: false,
                        asked: None,
                    });
                }
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) => return Ok(body),
                Err(e) => return Err(self.unreachable(e)),
            }
        }
    }

    fn unreachable(&self, error: reqwest::Error) -> Failure {
        let how = if error.is_timeout() {
            "did not answer in time"
        } else if error.is_connect() {
            "cannot be reached"
        } else {
            "broke off in the middle of its answer"
        };
        let what = format!("{} {how}. Check the network and try again.", self.name);
        let again = !error.is_builder() && !error.is_redirect();
        Failure {
            error: Error::Unavailable {
                what,
                retry_after: None,
                source: Some(error.without_url().into()),
            },
            again,
            asked: None,
        }
    }

    fn refused(&self, status: u16, headers: &HeaderMap) -> Failure {
        let asked = pace::retry_after(&header(headers, &RETRY_AFTER), Timestamp::now());
        let error = if status == 429 {
            Error::RateLimited {
                what: format!("{} asks for fewer requests (HTTP 429).", self.name),
                retry_after: asked.unwrap_or(Duration::from_secs(60)),
            }
        } else {
            Error::Unavailable {
                what: format!(
                    "{} is out of order (HTTP {status}). Try again later.",
                    self.name
                ),
                retry_after: asked,
                source: None,
            }
        };
        Failure {
            error,
            again: true,
            asked,
        }
    }
}

/// Room for a body whose length was announced; a lie must not cost more memory than this.
fn announced(response: &reqwest::Response) -> usize {
    let length = response.content_length().unwrap_or_default();
    usize::try_from(length).map_or(MOST_ROOM, |length| length.min(MOST_ROOM))
}

/// A source's answer that cannot be used.
pub(super) fn unavailable(what: String) -> Error {
    Error::Unavailable {
        what,
        retry_after: None,
        source: None,
    }
}

fn header(headers: &HeaderMap, name: &reqwest::header::HeaderName) -> String {
    let value = headers.get(name).and_then(|v| v.to_str().ok());
    value.unwrap_or_default().to_owned()
}

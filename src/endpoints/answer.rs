//! An answer as bytes, rendered once and shared by every edge.

use super::body::{Body, Encoding};
use crate::error::{Error, Result};
use bytes::Bytes;
use serde::Serialize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// One endpoint's answer to one set of arguments.
#[derive(Debug)]
pub struct Answer {
    /// The contract's JSON object.
    pub json: Bytes,
    /// The same rows as CSV, where the endpoint has them and CSV was asked for.
    pub csv: Option<Csv>,
    /// A picture of the answer as PNG, where one was asked for.
    pub png: Option<Bytes>,
    /// What a model reads: short prose with units, dates, freshness and the credit line.
    pub text: Arc<str>,
    /// How long a client may keep it.
    pub max_age: Duration,
    body: OnceLock<Arc<Body>>,
}

/// A CSV body with its file name.
#[derive(Debug, Clone)]
pub struct Csv {
    /// UTF-8, LF, header first.
    pub body: Bytes,
    /// Safe fixed name: the series' identifier and `.csv`.
    pub file_name: String,
}

/// Where a forwarded answer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamState {
    /// Time since the upstream was asked.
    pub age: Duration,
    /// `fresh`, `stale` or `offline`.
    pub freshness: &'static str,
    /// A sentence on what is left of the day's budget, when little is left.
    pub quota: Option<String>,
}

/// An answer as an edge gets it: the shared bytes, and where they stand in time.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The rendered answer.
    pub answer: Arc<Answer>,
    /// How old it is and how much of the budget is left, when it came from an upstream.
    pub upstream: Option<UpstreamState>,
}

impl std::ops::Deref for Reply {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.answer
    }
}

impl UpstreamState {
    /// What a model should know about it: "Forwarded; fresh, 12 s old."
    pub fn sentence(&self) -> String {
        let quota = self
            .quota
            .as_deref()
            .map(|q| format!(" {q}"))
            .unwrap_or_default();
        format!(
            "Forwarded from the upstream service; {}, {} s old.{quota}",
            self.freshness,
            self.age.as_secs()
        )
    }
}

impl Answer {
    /// Puts a rendered body and its text together.
    pub fn new(json: Bytes, text: String, max_age: Duration) -> Self {
        Self {
            json,
            csv: None,
            png: None,
            text: text.into(),
            max_age,
            body: OnceLock::new(),
        }
    }

    /// An answer whose text is its JSON, for hosts that read it so; kept for `max_age` seconds.
    ///
    /// # Errors
    /// [`Error::Internal`] when the output cannot be serialised.
    pub fn text_is_json<T: Serialize>(output: &T, max_age: u32) -> Result<Self> {
        let json =
            serde_json::to_string(output).map_err(|e| Error::internal("rendering an answer", e))?;
        let max_age = Duration::from_secs(u64::from(max_age));
        Ok(Self::new(Bytes::from(json.clone()), json, max_age))
    }

    /// The body a REST client gets, with its validator and its compressed forms.
    pub fn body(&self) -> &Arc<Body> {
        self.body.get_or_init(|| {
            let bytes = self.csv.as_ref().map_or(&self.json, |csv| &csv.body);
            Arc::new(Body::new(bytes.clone()))
        })
    }

    /// Strong validator of that body as it is, quoted.
    pub fn etag(&self) -> String {
        self.body().etag(Encoding::Identity)
    }

    /// Bytes held, for a cache's weight; three compressed forms, about a fifth each, are counted ahead.
    pub fn weight(&self) -> usize {
        let csv = self.csv.as_ref().map_or(0, |c| c.body.len());
        let body = if csv > 0 { csv } else { self.json.len() };
        let png = self.png.as_ref().map_or(0, Bytes::len);
        self.json.len() + self.text.len() + csv + png + body * 3 / 5 + 512
    }
}

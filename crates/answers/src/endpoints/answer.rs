//! An answer as bytes, rendered once and shared by every edge.

use super::body::Body;
use super::structure::Structure;
use bytes::Bytes;
use econoscope_core::error::{Error, Result};
use econoscope_data::upstream::Fetched;
use serde::Serialize;
use std::sync::atomic::{AtomicU32, Ordering};
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
    /// Fields that a tool's structure leaves out; `None` where it is the whole answer as it is.
    pub(super) omitted: Option<&'static [&'static str]>,
    body: OnceLock<Arc<Body>>,
    wrapped: [OnceLock<Bytes>; 2],
    /// How often it was asked for since it was made, and half as often as those before it in whose place it was made.
    pub(super) asked: AtomicU32,
}

/// A CSV body with its file name.
#[derive(Debug, Clone)]
pub struct Csv {
    /// UTF-8, LF, header first.
    pub body: Bytes,
    /// Safe fixed name: the series' identifier and `.csv`.
    pub file_name: String,
    /// What is to be known of the rows, for which a table has no room; empty when nothing is.
    pub notes: String,
}

/// An answer as an edge gets it: the shared bytes, and where they stand in time.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The rendered answer.
    pub answer: Arc<Answer>,
    /// How old it is and how much of the budget is left, when it came from an upstream.
    pub upstream: Option<Fetched>,
}

impl std::ops::Deref for Reply {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.answer
    }
}

impl Answer {
    /// An endpoint's output as JSON beside its text, kept for `max_age` seconds.
    ///
    /// # Errors
    /// [`Error::Internal`] when the output cannot be serialised.
    pub fn new<T: Serialize>(output: &T, text: String, max_age: u32) -> Result<Self> {
        let json = serde_json::to_vec(output);
        let json = json.map_err(|e| Error::internal("rendering an answer", e))?;
        Ok(Self {
            json: json.into(),
            csv: None,
            png: None,
            text: text.into(),
            max_age: Duration::from_secs(u64::from(max_age)),
            omitted: None,
            body: OnceLock::new(),
            wrapped: Default::default(),
            asked: AtomicU32::new(0),
        })
    }

    /// Takes the place of an answer from older data, which was asked for so often.
    pub fn succeed(&self, asked: u32) {
        self.asked.fetch_add(asked / 2, Ordering::Relaxed);
    }

    /// The body a REST client gets, with its validator and its compressed forms.
    pub fn body(&self) -> &Arc<Body> {
        self.body.get_or_init(|| {
            let bytes = self.csv.as_ref().map_or(&self.json, |csv| &csv.body);
            Arc::new(Body::new(bytes.clone()))
        })
    }

    /// The structure of a tool's result. Costs a reading of the whole answer: see [`Self::wrapped`].
    ///
    /// # Errors
    /// [`Error::Internal`] when the answer cannot be read back.
    pub fn structure(&self) -> Result<Structure> {
        let answer = serde_json::from_slice(&self.json);
        let answer = answer.map_err(|e| Error::internal("reading an answer back", e))?;
        Ok(match self.omitted {
            Some(omitted) => Structure::of(answer, omitted),
            None => Structure {
                value: answer,
                notices: Vec::new(),
            },
        })
    }

    /// The place of the answer as another protocol wraps it, in one of two forms: made when it is first asked for, then
    /// shared.
    pub fn wrapped(&self, second: bool) -> &OnceLock<Bytes> {
        let [first_form, second_form] = &self.wrapped;
        if second { second_form } else { first_form }
    }

    /// Bytes held, for a cache's weight; two compressed forms, about a fifth each, and a wrapped one are counted ahead.
    pub fn weight(&self) -> usize {
        let csv = self.csv.as_ref().map_or(0, |c| c.body.len());
        let body = if csv > 0 { csv } else { self.json.len() };
        let png = self.png.as_ref().map_or(0, Bytes::len);
        (self.json.len() + self.text.len()) * 2 + csv + png * 2 + body * 2 / 5 + 512
    }
}

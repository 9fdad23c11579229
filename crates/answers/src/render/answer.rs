//! An answer as bytes, rendered once and shared by all callers.

use crate::render::body::Body;
use crate::render::structure::Structure;
use crate::route::Route;
use bytes::Bytes;
use econoscope_core::error::{Absence, Error, Result};
use econoscope_core::model::SeriesId;
use econoscope_data::upstream::UpstreamResponse;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The first sentence of an answer from the local store beside an upstream.
pub const LOCAL: &str =
    "From the local data of this server, not of the upstream: figures may differ.";

/// One endpoint's answer to one set of arguments.
#[derive(Debug)]
pub struct Answer {
    /// The contract's JSON object.
    pub json: Bytes,
    /// The same rows as CSV, when requested and supported by the endpoint.
    pub csv: Option<Csv>,
    /// A picture of the answer as PNG, when requested.
    pub png: Option<Bytes>,
    /// The text for a model: short prose with units, dates, freshness and the credit line.
    pub text: Arc<str>,
    /// How long a client may cache it.
    pub max_age: Duration,
    /// How a tool's structure is made; `None` when it is the answer as it is.
    pub(crate) compact: Option<CompactForm>,
    body: OnceLock<Arc<Body>>,
    wrapped: [OnceLock<Bytes>; 2],
    late_series: OnceLock<Vec<SeriesId>>,
    /// Requests since it was rendered, and half of those for the answer that it replaced.
    pub(crate) requests: AtomicU32,
}

/// What the compact form of an answer depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompactForm {
    /// The endpoint, which has the schema.
    pub(crate) route: &'static Route,
    /// The name by which the endpoint declares what is left out.
    pub(crate) form: &'static str,
}

/// A CSV body with its file name.
#[derive(Debug, Clone)]
pub struct Csv {
    /// UTF-8, LF, header first.
    pub body: Bytes,
    /// Safe fixed name: the series' identifier and `.csv`.
    pub file_name: String,
    /// Notes about the rows, which the table has no room for; may be empty.
    pub notes: String,
}

/// A shared answer, and its origin.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The rendered answer.
    pub answer: Arc<Answer>,
    /// Age and remaining budget of an upstream's answer.
    pub upstream: Option<UpstreamResponse>,
}

impl std::ops::Deref for Reply {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.answer
    }
}

impl Reply {
    /// How long clients and shared caches may keep it; `None` when an upstream gives it to one recipient.
    pub fn max_age(&self) -> Option<Duration> {
        match &self.upstream {
            Some(fetched) => Some(fetched.max_age?.min(self.answer.max_age)),
            None => Some(self.answer.max_age),
        }
    }
}

impl Answer {
    /// Renders an endpoint's output as JSON beside its text; clients may cache it for `max_age` seconds.
    ///
    /// # Errors
    /// [`Error::Internal`] when the output cannot be serialized.
    pub fn new<T: Serialize>(output: &T, text: String, max_age: u32) -> Result<Self> {
        let json =
            serde_json::to_vec(output).map_err(|e| Error::internal("rendering an answer", e))?;
        Ok(Self {
            json: json.into(),
            csv: None,
            png: None,
            text: text.into(),
            max_age: Duration::from_secs(u64::from(max_age)),
            compact: None,
            body: OnceLock::new(),
            wrapped: Default::default(),
            late_series: OnceLock::new(),
            requests: AtomicU32::new(0),
        })
    }

    /// Returns the contract's JSON as a value.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be parsed.
    pub(crate) fn value(&self) -> Result<Value> {
        serde_json::from_slice(&self.json).map_err(|e| Error::internal("reading an answer back", e))
    }

    /// Returns the answer with the sentence that its figures are local, for a server that forwards others.
    ///
    /// # Errors
    /// Those of [`Self::value`].
    pub(crate) fn named_local(mut self) -> Result<Self> {
        let mut value = self.value()?;
        let is_json = self.text.starts_with('{');
        if let Value::Object(members) = &mut value {
            members.shift_insert(0, "origin".into(), LOCAL.into());
        }
        self.json = value.to_string().into();
        self.text = if is_json {
            value.to_string().into()
        } else {
            format!("{LOCAL}\n{}", self.text).into()
        };
        Ok(self)
    }

    /// Returns the series of an answer whose figure is late, not loaded or so old that none may follow, if all are of one source; empty otherwise.
    pub(crate) fn late_series(&self) -> &[SeriesId] {
        self.late_series.get_or_init(|| self.find_late_series())
    }

    fn find_late_series(&self) -> Vec<SeriesId> {
        let json = std::str::from_utf8(&self.json).unwrap_or_default();
        // Most answers have neither field, so they need not be read.
        if !json.contains("\"late\":{") && !json.contains("\"reasons\":{") {
            return Vec::new();
        }
        let value = self.value().unwrap_or_default();
        let reasons = value.get("reasons").cloned().unwrap_or_default();
        let codes: BTreeMap<String, Absence> = serde_json::from_value(reasons).unwrap_or_default();
        let is_open = |code: &Absence| matches!(code, Absence::NotLoaded | Absence::MayHaveEnded);
        if value.get("late").is_none() && !codes.values().any(is_open) {
            return Vec::new();
        }
        let sources = value.get("sources").and_then(Value::as_array);
        let source = match sources.map(Vec::as_slice) {
            None => &value,
            Some([only]) => only,
            Some(_) => return Vec::new(),
        };
        let names = ["series", "ticker", "seriesId"];
        let ids = names.iter().filter_map(|name| source.get(name));
        let texts =
            ids.flat_map(|ids| ids.as_array().map_or(vec![ids], |ids| ids.iter().collect()));
        let parsed = texts.filter_map(|id| SeriesId::new(id.as_str()?).ok());
        parsed.collect()
    }

    /// Returns the answer with the sentence that a newer figure is being fetched.
    ///
    /// # Errors
    /// Those of [`Self::value`].
    pub(crate) fn being_fetched(&self) -> Result<Self> {
        const SENTENCE: &str =
            "A newer figure is being fetched from the source; ask again in a minute.";
        let value = self.value()?;
        let mut notes = value.get("notes").cloned().unwrap_or_else(|| json!({}));
        if let Value::Object(notes) = &mut notes {
            notes.insert("fetching".to_owned(), SENTENCE.into());
        }
        self.with_member("notes", notes, SENTENCE)
    }

    /// Returns the answer with a member, and a text at its end that says the same.
    ///
    /// # Errors
    /// Those of [`Self::value`].
    pub(crate) fn with_member(&self, name: &str, member: Value, told: &str) -> Result<Self> {
        let mut value = self.value()?;
        if let Value::Object(members) = &mut value {
            members.insert(name.to_owned(), member);
        }
        let text = if self.text.starts_with('{') {
            value.to_string()
        } else {
            format!("{}\n{told}", self.text.trim_end())
        };
        Ok(Self {
            csv: self.csv.clone(),
            png: self.png.clone(),
            compact: self.compact,
            ..Self::new(&value, text, 0)?
        })
    }

    /// Credits this answer with half the requests for the older one that it replaces.
    pub fn inherit_requests(&self, requests: u32) {
        self.requests.fetch_add(requests / 2, Ordering::Relaxed);
    }

    /// Returns the body for REST, CSV or JSON, with its validator and compressed forms.
    pub fn body(&self) -> &Arc<Body> {
        self.body.get_or_init(|| {
            let bytes = self.csv.as_ref().map_or(&self.json, |csv| &csv.body);
            Arc::new(Body::new(bytes.clone()))
        })
    }

    /// Returns the structure of a tool's result. It parses the whole answer: see [`Self::protocol_form`].
    ///
    /// # Errors
    /// [`Error::Internal`] when the answer cannot be parsed.
    pub fn structure(&self) -> Result<Structure> {
        let value = self.value()?;
        Ok(match self.compact {
            Some(CompactForm { route, form }) => {
                let omitted = route.spec.omitted.get(form).map_or(&[][..], Vec::as_slice);
                Structure::from_answer(value, omitted, &route.output_schema)
            }
            None => Structure {
                value,
                notices: Vec::new(),
            },
        })
    }

    /// Returns the cell for the answer in another protocol's form, of which there are two. The caller fills it once.
    pub fn protocol_form(&self, second: bool) -> &OnceLock<Bytes> {
        let [first_form, second_form] = &self.wrapped;
        if second { second_form } else { first_form }
    }

    /// Returns the size in bytes for the cache, with two compressed forms, about a fifth each, and one wrapped form.
    pub fn weight(&self) -> usize {
        let csv = self.csv.as_ref().map_or(0, |c| c.body.len());
        let body = if csv > 0 { csv } else { self.json.len() };
        let png = self.png.as_ref().map_or(0, Bytes::len);
        (self.json.len() + self.text.len()) * 2 + csv + png * 2 + body * 2 / 5 + 512
    }
}

//! Text by others in an answer: a program finds beside it which fields those are, a model sees it between marks.

use econoscope_core::model::{SeriesInfo, untrusted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Longest text set between marks in a sentence of ours, in characters.
const MAX_ASIDE: usize = 300;

/// Names of the fields beside it whose text is by others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct UntrustedFields(Vec<String>);

impl UntrustedFields {
    /// These fields.
    pub(super) fn fields(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// These fields, if others have described the series.
    pub(super) fn of(info: &SeriesInfo, names: &[&str]) -> Self {
        match info.by_others {
            true => Self::fields(names),
            false => Self::default(),
        }
    }

    /// Whether all text is ours.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of a field for a sentence: between marks when it is by others.
    pub(super) fn told<'a>(&self, field: &str, text: &'a str) -> Cow<'a, str> {
        match self.0.iter().any(|name| name == field) {
            true => untrusted::aside(text, MAX_ASIDE).into(),
            false => text.into(),
        }
    }
}

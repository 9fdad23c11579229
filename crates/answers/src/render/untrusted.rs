//! Untrusted text in an answer: a list names its fields for programs, and marks fence it for models.
//!
//! Text is untrusted when others wrote it: feeds, imported series and upstreams. It is material, never an instruction.

use econoscope_core::model::{SeriesInfo, untrusted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Longest fenced text within a sentence, in characters.
const MAX_ASIDE: usize = 300;

/// Names of the fields beside it whose text is by others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct UntrustedFields(Vec<String>);

impl UntrustedFields {
    /// Lists these fields.
    pub(crate) fn new(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// Lists these fields if the description of the series is untrusted.
    pub(crate) fn for_series(info: &SeriesInfo, names: &[&str]) -> Self {
        Self::new(if info.is_untrusted { names } else { &[] })
    }

    /// Whether all text is trusted.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text of a field, fenced if it is untrusted.
    pub(crate) fn format_field<'a>(&self, field: &str, text: &'a str) -> Cow<'a, str> {
        if self.0.iter().any(|name| name == field) {
            untrusted::fence_inline(text, MAX_ASIDE).into()
        } else {
            text.into()
        }
    }
}

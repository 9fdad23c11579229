//! The credit line of published content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The credit line that published content must carry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attribution {
    /// The credit line, ready to print.
    pub text: String,
    /// Where the credit line must link to.
    pub url: String,
}

impl fmt::Display for Attribution {
    /// The credit line with its address: `Data by Econoscope: https://example.org`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.text, self.url)
    }
}

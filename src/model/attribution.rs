//! Who is to be credited.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The credit line that published content must carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attribution {
    /// The credit line, ready to print.
    pub text: String,
    /// Where the credit line must link to.
    pub url: String,
}

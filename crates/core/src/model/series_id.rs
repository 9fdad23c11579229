//! Identifiers of series.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Identifier in FRED's style: upper case, `A-Z 0-9 _ . -`, 1 to 64 characters.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeriesId(Arc<str>);

impl SeriesId {
    /// Parses an identifier in any case and converts it to upper case.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] if a character or the length is not allowed.
    pub fn new(text: &str) -> Result<Self> {
        let id = text.trim();
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
        if !(1..=64).contains(&id.len())
            || !id.bytes().all(is_allowed)
            || id.bytes().all(|b| b == b'.')
        {
            return Err(Error::invalid(
                "seriesId",
                id,
                "is not an identifier",
                "1 to 64 of A-Z, 0-9, underscore, dot and hyphen, for example DGS10",
            ));
        }
        Ok(Self(Arc::from(id.to_ascii_uppercase())))
    }

    /// Returns the identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SeriesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SeriesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for SeriesId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_upper_case_and_safe_in_paths() {
        assert_eq!(
            SeriesId::new(" dgs10 ")
                .map(|i| i.to_string())
                .ok()
                .as_deref(),
            Some("DGS10")
        );
        for bad in [
            "",
            "..",
            "../x",
            "a b",
            "a/b",
            "a%2fb",
            "é",
            &"A".repeat(65),
        ] {
            assert!(SeriesId::new(bad).is_err(), "{bad:?}");
        }
    }
}

//! The FRED API key: read once, sent to FRED, shown to nobody.

use crate::error::{Error, Result};
use std::fmt;

/// A FRED API key. Prints as `ApiKey(hidden)`, whatever it is.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key as FRED hands it out: 32 letters and digits, spaces around it ignored.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] when it cannot be one; the text itself is not repeated.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.len() == 32 && text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Ok(Self(text.to_owned()));
        }
        Err(refused("is not the shape of a key"))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with the key taken out, should a source repeat it.
    pub(super) fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "(key)")
    }
}

/// The key cannot be used; says nothing about the key.
pub(super) fn refused(problem: &str) -> Error {
    Error::invalid(
        "FRED API key",
        "",
        problem,
        "32 letters and digits, free at https://fred.stlouisfed.org/docs/api/api_key.html, or no key at all",
    )
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_neither_itself_nor_a_bad_attempt() {
        let key = ApiKey::new(" canary0canary1canary2canary3cana\n").unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey(hidden)");
        assert_eq!(
            key.scrub("no canary0canary1canary2canary3cana here"),
            "no (key) here"
        );
        for bad in ["", "short-canary", &"é".repeat(16), &"a".repeat(33)] {
            let error = ApiKey::new(bad).unwrap_err();
            assert!(bad.is_empty() || !format!("{error} {error:?}").contains(bad));
        }
    }
}

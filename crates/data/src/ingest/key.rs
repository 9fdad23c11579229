//! API keys. A key is sent to its own source and never printed.

use econoscope_core::error::{Error, Result};
use std::convert::Infallible;
use std::fmt;

/// The API key of a source. Prints as `ApiKey(hidden)`.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Accepts a key as FRED issues it: 32 letters and digits, surrounding spaces ignored.
    ///
    /// # Errors
    /// [`Error::InvalidParam`], without the text, when it is not such a key.
    pub fn new(text: &str) -> Result<Self> {
        let key = Self(text.trim().to_owned());
        key.check().map(|()| key)
    }

    /// Accepts any text as a key, because the command line parser prints a value that it refuses. Check it with
    /// [`Self::check`].
    ///
    /// # Errors
    /// None.
    pub fn from_text(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(Self(text.trim().to_owned()))
    }

    /// Checks that it has the shape of a FRED key.
    ///
    /// # Errors
    /// [`Error::InvalidParam`], without the text, when it has not.
    pub fn check(&self) -> Result<()> {
        if self.0.len() == 32 && self.0.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Ok(());
        }
        Err(refused("is not the shape of a key"))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Removes the key from a text of the source.
    pub(super) fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "(key)")
    }
}

/// Returns the error for a FRED key that cannot be used, without the key.
pub(super) fn refused(problem: &str) -> Error {
    Error::invalid(
        "FRED API key",
        "",
        problem,
        "32 letters and digits, free at https://fred.stlouisfed.org/docs/api/api_key.html, or no key at all",
    )
}

/// Returns the error for a request of vintages without a key.
pub(super) fn missing() -> Error {
    refused("is missing, and vintages need one")
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
    fn keys_and_rejected_texts_are_never_printed() {
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

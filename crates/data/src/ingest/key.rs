//! API keys. A key is sent to its own source and never printed.

use econoscope_core::error::{Error, Result};
use std::fmt;

/// The API key of a source. Prints as `ApiKey(hidden)`.
#[derive(Clone)]
pub struct ApiKey(String);

/// Accepts any text as a key, surrounding spaces ignored, because the command line parser prints a value that it
/// refuses. Check a key of FRED with [`ApiKey::check`].
impl From<&str> for ApiKey {
    fn from(text: &str) -> Self {
        Self(text.trim().to_owned())
    }
}

impl ApiKey {
    /// Checks that it has the shape of a FRED key: 32 letters and digits.
    ///
    /// # Errors
    /// [`Error::InvalidParam`], without the text, when it has not.
    pub fn check(&self) -> Result<()> {
        if self.0.len() == 32 && self.0.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Ok(());
        }
        Err(invalid_key_error("is not the shape of a key"))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Removes the key from a text of the source. An empty key is in no text.
    pub(super) fn scrub(&self, text: &str) -> String {
        match self.0.as_str() {
            "" => text.to_owned(),
            key => text.replace(key, "(key)"),
        }
    }
}

/// Returns the error for a FRED key that cannot be used, without the key.
pub(super) fn invalid_key_error(problem: &str) -> Error {
    Error::invalid(
        "FRED API key",
        "",
        problem,
        "32 letters and digits, free at https://fred.stlouisfed.org/docs/api/api_key.html, or no key at all",
    )
}

/// Returns the error for a request of vintages without a key.
pub(super) fn missing_key_error() -> Error {
    invalid_key_error("is missing, and vintages need one")
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
        let key = ApiKey::from(" canary0canary1canary2canary3cana\n");
        key.check().unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey(hidden)");
        assert_eq!(
            key.scrub("no canary0canary1canary2canary3cana here"),
            "no (key) here"
        );
        assert_eq!(ApiKey::from(" ").scrub("no key"), "no key");
        for bad in ["", "short-canary", &"é".repeat(16), &"a".repeat(33)] {
            let error = ApiKey::from(bad).check().unwrap_err();
            assert!(bad.is_empty() || !format!("{error} {error:?}").contains(bad));
        }
    }
}

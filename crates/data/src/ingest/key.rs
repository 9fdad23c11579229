//! Keys: read once, sent to the source they are for, shown to nobody.

use econoscope_core::error::{Error, Result};
use std::fmt;

/// The key to a source; FRED's, or what was given for one. Prints as `ApiKey(hidden)`, whatever it is.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key as FRED hands it out: 32 letters and digits, spaces around it ignored.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] when it cannot be one; the text itself is not repeated.
    pub fn new(text: &str) -> Result<Self> {
        let key = Self(text.trim().to_owned());
        key.check().map(|()| key)
    }

    /// Takes what was given for a key, right or not: the reader of the command line repeats what it refuses, and this
    /// must not be repeated. [`Self::check`] is for afterwards.
    ///
    /// # Errors
    /// None.
    pub fn given(text: &str) -> std::result::Result<Self, std::convert::Infallible> {
        Ok(Self(text.trim().to_owned()))
    }

    /// Whether it has the shape of a key.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] when it cannot be one; the text itself is not repeated.
    pub fn check(&self) -> Result<()> {
        if self.0.len() == 32 && self.0.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Ok(());
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

/// There is no key, and the archive of vintages wants one.
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

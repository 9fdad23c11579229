//! Identifiers of series.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Agencies whose own names of series are identifiers here, as `bea:A191RX.Q`.
const AGENCIES: [&str; 4] = ["bea", "board", "cbo", "eia"];

/// Identifier in FRED's style: upper case, `A-Z 0-9 _ . -`, 1 to 64 characters; after an agency and a colon also `/ @ $`.
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
        // What an agency calls a series, after the agency: bea:A191RX.Q, board:H10/RXI$US_N.M.UK.
        let is_foreign = (id.split_once(':'))
            .is_some_and(|(agency, name)| Self::is_agency(agency) && !name.contains(':'));
        let is_allowed = |b: u8| {
            let is_mark = is_foreign && matches!(b, b':' | b'/' | b'@' | b'$');
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-') || is_mark
        };
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

    /// Whether a text is an agency whose own names are identifiers after it and a colon.
    pub fn is_agency(text: &str) -> bool {
        let mut known = AGENCIES.iter();
        known.any(|known| text.eq_ignore_ascii_case(known))
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

//! Sentences that several parts say.

use crate::error::Error;

/// A refusal, in words to act on.
pub(super) fn refused(what: String) -> Error {
    Error::Store { what, source: None }
}

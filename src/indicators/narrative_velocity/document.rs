//! A text as the index reads it.

use crate::model::Date;
use std::borrow::Cow;

/// A text, read for its terms. Texts of one day stand in the order in which they were published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    /// Day of publication.
    pub day: Date,
    /// Who published it.
    pub source: &'a str,
    /// What title and summary mention ([`super::Vocabulary::mentioned`]).
    pub terms: Cow<'a, [usize]>,
}

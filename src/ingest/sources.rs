//! FRED, which is asked last, series by series, and whoever else takes code of its own: a file with its [`Declaration`]
//! and a row in [`SOURCES`]. All other sources are recipes ([`crate::recipe`]).

mod fred;
mod source;

#[cfg(fuzzing)]
pub(super) use fred::fuzz;
pub use source::{Declaration, SourceSettings};
pub(super) use source::{Question, Source};

use crate::error::{Error, Result};
use crate::model::{SeriesId, SeriesInfo};

/// Every source. Of several that carry a series the first is asked.
pub static SOURCES: [Declaration; 1] = [fred::DECLARATION];

/// The place in [`SOURCES`] of who is asked for a series.
///
/// # Errors
/// [`Error::NoData`] saying why nobody is: it is computed here, or to be imported.
pub(super) fn source_of(id: &SeriesId, info: Option<&SeriesInfo>) -> Result<usize> {
    let none = |reason: &str| Err(Error::no_data(id, reason));
    if info.is_some_and(SeriesInfo::is_composite) {
        return none("it is computed here from other series and not fetched");
    }
    match SOURCES.iter().position(|source| (source.carries)(id, info)) {
        Some(at) => Ok(at),
        None => none("FRED does not carry it; import it from a file"),
    }
}

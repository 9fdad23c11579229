//! How sources are asked, and FRED, which is asked last, series by series. All others are recipes ([`econoscope_core::recipe`]).

use crate::disk;
use econoscope_core::error::{Error, Result};
use econoscope_core::recipe::Recipes;
use std::path::Path;
use std::sync::Arc;

mod fred;
mod settings;

pub(super) use fred::Fred;
pub use settings::SourceSettings;

/// The embedded recipes, and before them those of a folder: every `.toml` in it, by name. A source of the same name
/// replaces the embedded one.
///
/// # Errors
/// [`Error::BadFile`] that names the file and what is wrong with it; then none is used.
pub fn recipes_with_folder(folder: &Path) -> Result<Arc<Recipes>> {
    let bad = |file: &Path, problem: String| Error::bad_file(disk::shown(file), problem);
    let listed = disk::entries(folder);
    let listed = listed.map_err(|e| bad(folder, format!("cannot be listed: {e}")))?;
    let mut files = Vec::new();
    for path in listed
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
    {
        let text = disk::read_text(path).map_err(|e| bad(path, e.to_string()))?;
        files.push((disk::shown(path), text));
    }
    Recipes::with_own(&files)
}

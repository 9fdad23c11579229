//! Text files of an operator's folder, and of those that are embedded in the binary.

use crate::error::{Error, Result};
use include_dir::Dir;
use std::path::Path;

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// Path and content of every embedded file with that extension.
pub(super) fn embedded(
    folder: &'static Dir<'static>,
    extension: &'static str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = folder.files().filter(move |file| {
        let found = file.path().extension();
        found.is_some_and(|found| found == extension)
    });
    let text = |file: &'static include_dir::File<'_>| file.contents_utf8().unwrap_or_default();
    files.map(move |file| (file.path().to_str().unwrap_or_default(), text(file)))
}

/// Path and content of every file with that extension directly in the folder, by path.
///
/// # Errors
/// [`Error::BadFile`] naming the folder or the file that cannot be read, is no text, or is over 1 MiB.
pub(super) fn texts(folder: &Path, extension: &str) -> Result<Vec<(String, String)>> {
    let bad = |file: &Path, problem: String| Error::bad_file(crate::disk::shown(file), problem);
    let entries = std::fs::read_dir(folder).map_err(|e| bad(folder, e.to_string()))?;
    let mut list = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| bad(folder, e.to_string()))?.path();
        if path.extension().is_none_or(|e| e != extension) || !path.is_file() {
            continue;
        }
        let size = std::fs::metadata(&path).map_err(|e| bad(&path, e.to_string()))?;
        if size.len() > MAX_BYTES {
            return Err(bad(&path, "is larger than 1 MiB".into()));
        }
        let text = crate::disk::read_text(&path).map_err(|e| bad(&path, e.to_string()))?;
        list.push((crate::disk::shown(&path), text));
    }
    list.sort();
    Ok(list)
}

//! Text files of folders, an operator's and embedded ones.

use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::record::fill_placeholders;
use econoscope_data::disk;
use include_dir::Dir;
use std::path::Path;

/// Largest file.
const MAX_BYTES: u64 = 1 << 20;

/// Parses a file from its path and content.
type Parse<T> = fn(&str, &str) -> Result<T>;

/// Parses every embedded file with an extension. Invalid files are skipped; tests count the results.
pub(crate) fn embedded<T>(folder: &Dir<'_>, extension: &str, parse: Parse<T>) -> Vec<T> {
    let files = folder
        .files()
        .filter(|file| has_extension(file.path(), extension));
    let items = files.filter_map(|file| {
        let text = fill_placeholders(file.contents_utf8()?);
        parse(file.path().to_str()?, &text).ok()
    });
    items.collect()
}

/// Parses every file with an extension directly in a folder, ordered by path.
///
/// # Errors
/// [`Error::BadFile`] with the folder or the file that cannot be read, is no text, or is over 1 MiB; the error of `parse`.
pub(crate) fn texts<T>(folder: &Path, extension: &str, parse: Parse<T>) -> Result<Vec<T>> {
    let bad = |file: &Path, problem: String| Error::bad_file(disk::format_path(file), problem);
    let paths = disk::list_folder(folder).map_err(|e| bad(folder, e.to_string()))?;
    let files = paths
        .iter()
        .filter(|path| has_extension(path, extension) && path.is_file());
    let items = files.map(|path| {
        let size = std::fs::metadata(path).map_err(|e| bad(path, e.to_string()))?;
        if size.len() > MAX_BYTES {
            return Err(bad(path, "is larger than 1 MiB".into()));
        }
        let text = disk::read_text(path).map_err(|e| bad(path, e.to_string()))?;
        parse(&disk::format_path(path), &text)
    });
    items.collect()
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

//! Text files of an operator's folder, and of those that are embedded in the binary.

use crate::disk;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::record::filled;
use include_dir::Dir;
use std::path::Path;

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// Makes something of a file's path and content.
type Read<T> = fn(&str, &str) -> Result<T>;

/// What is made of every embedded file with that extension. Files are fixed at build time and tests count what is made of
/// them, so that none is lost here.
pub(super) fn embedded<T>(folder: &Dir<'_>, extension: &str, read: Read<T>) -> Vec<T> {
    let files = folder.files().filter(|file| has(file.path(), extension));
    let all = files.filter_map(|file| {
        let text = filled(file.contents_utf8()?);
        read(file.path().to_str()?, &text).ok()
    });
    all.collect()
}

/// What is made of every file with that extension directly in the folder, by path.
///
/// # Errors
/// [`Error::BadFile`] naming the folder or the file that cannot be read, is no text, or is over 1 MiB; what `read` says.
pub(super) fn texts<T>(folder: &Path, extension: &str, read: Read<T>) -> Result<Vec<T>> {
    let bad = |file: &Path, problem: String| Error::bad_file(disk::shown(file), problem);
    let listed = disk::entries(folder).map_err(|e| bad(folder, e.to_string()))?;
    let files = listed.iter();
    let files = files.filter(|path| has(path, extension) && path.is_file());
    let all = files.map(|path| {
        let size = std::fs::metadata(path).map_err(|e| bad(path, e.to_string()))?;
        if size.len() > MAX_BYTES {
            return Err(bad(path, "is larger than 1 MiB".into()));
        }
        let text = disk::read_text(path).map_err(|e| bad(path, e.to_string()))?;
        read(&disk::shown(path), &text)
    });
    all.collect()
}

fn has(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

//! Text files of an operator's folder.

use crate::error::{Error, Result};
use std::path::Path;

/// Largest file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// Path and content of every file with that extension directly in the folder, by path.
///
/// # Errors
/// [`Error::BadFile`] naming the folder or the file that cannot be read, is no text, or is over 1 MiB.
pub(super) fn texts(folder: &Path, extension: &str) -> Result<Vec<(String, String)>> {
    let bad = |file: &Path, problem: String| Error::BadFile {
        file: file.display().to_string(),
        line: None,
        problem,
    };
    let entries = std::fs::read_dir(folder).map_err(|e| bad(folder, e.to_string()))?;
    let mut list = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| bad(folder, e.to_string()))?.path();
        if path.extension().is_none_or(|e| e != extension) || !path.is_file() {
            continue;
        }
        let size = std::fs::metadata(&path).map_err(|e| bad(&path, e.to_string()))?;
        if size.len() > MOST_BYTES {
            return Err(bad(&path, "is larger than 1 MiB".into()));
        }
        let text = std::fs::read_to_string(&path).map_err(|e| bad(&path, e.to_string()))?;
        list.push((path.display().to_string(), text));
    }
    list.sort();
    Ok(list)
}

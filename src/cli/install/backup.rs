//! Backups of a settings file, in the same folder: writing them, and restoring the text before `install`.

use super::edit::with_entry;
use super::hosts::{Host, Server};
use anyhow::{Context, Result};
use econoscope_data::disk;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The last extension of a backup's name, after the file's name and the time.
const EXTENSION: &str = "backup";

/// Most backups that are read to restore a text, the newest first.
const MAX_READ: usize = 50;

/// Writes a backup of the file `real` and returns its path.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(real: &Path, text: &str) -> Result<PathBuf> {
    let now = crate::app::format_file_time(econoscope_core::clock::wall_time());
    // A number distinguishes backups of the same second.
    let path = |n: u32| match n {
        0 => real.with_added_extension(format!("{now}.{EXTENSION}")),
        n => real.with_added_extension(format!("{now}-{n}.{EXTENSION}")),
    };
    let free = (0..1_000).map(path).find(|path| !path.exists());
    let backup = free.context("1,000 backups of this second exist already")?;
    disk::replace(&backup, text.as_bytes())?;
    Ok(backup)
}

/// Returns the text of the file before `install`, byte for byte, if a backup proves that nothing else has changed
/// since.
///
/// `rest` is the present text without our entry. A backup is proof if it has no entry of ours, and equals `rest` after
/// an entry is added and removed again. Without a backup it is unknown whether an empty table of servers, a line end or a
/// blank line was there before `install`, and `rest` stays as it is.
pub(super) fn text_before_install(host: &Host, file: &Path, rest: &str) -> Option<String> {
    let real = std::fs::canonicalize(file).ok()?;
    // Any entry will do: it is removed as a whole.
    let entry = host.entry(&Server::Program(String::new(), Vec::new()))?;
    let edit = |text: &str, entry| with_entry(host.format, text, &host.key, entry).ok();
    let is_original = |text: &String| {
        edit(text, None).as_ref() == Some(text)
            && edit(text, Some(&entry))
                .and_then(|installed| edit(&installed, None))
                .is_some_and(|uninstalled| uninstalled == rest)
    };
    let texts = backups(&real).into_iter().take(MAX_READ);
    texts
        .filter_map(|path| disk::read_text(&path).ok())
        .find(is_original)
}

/// Returns the backups of a file, the newest first; none if the folder cannot be listed.
fn backups(real: &Path) -> Vec<PathBuf> {
    let all = real
        .parent()
        .and_then(|folder| disk::list_folder(folder).ok());
    let is_backup = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == EXTENSION)
            && path.with_extension("").with_extension("") == real
    };
    let mut backups: Vec<PathBuf> = all.into_iter().flatten().filter(is_backup).collect();
    // Within a second, the higher number is the newer one and sorts behind the lower.
    backups.sort_by_key(|path| Reverse(path.with_extension("")));
    backups
}

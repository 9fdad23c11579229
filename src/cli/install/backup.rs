//! Copies of a settings file beside it, as it was before each change: how they are named, written and found again.

use super::edit::with_entry;
use super::hosts::{Host, Server};
use anyhow::{Context, Result};
use econoscope_data::disk;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The last extension of a backup's name, after the file's name and the time.
const ENDING: &str = "backup";

/// So many backups of one file are looked through, the newest first.
const MAX_READ: usize = 50;

/// Keeps the text of a file beside it and returns where.
///
/// # Errors
/// When it cannot be written.
pub(super) fn keep(real: &Path, text: &str) -> Result<PathBuf> {
    let now = crate::app::stamp(econoscope_core::clock::wall());
    // Of two within a second both are kept.
    let named = |n: u32| match n {
        0 => real.with_added_extension(format!("{now}.{ENDING}")),
        n => real.with_added_extension(format!("{now}-{n}.{ENDING}")),
    };
    let free = (0..1_000).map(named).find(|kept| !kept.exists());
    let kept = free.context("there are a thousand backups of this second")?;
    disk::replace(&kept, text.as_bytes())?;
    Ok(kept)
}

/// The file as it was before `install`, byte for byte, where a backup shows that nothing else changed since.
///
/// `left` is the file now without our entry. A backup counts when it has no entry of ours and becomes `left` by adding an
/// entry and removing it again: nothing that anyone wrote since then is lost. The text alone does not tell whether an
/// empty table of servers, a line end or a blank line was there before `install`; without a backup `left` stays as it is.
pub(super) fn before_install(host: &Host, file: &Path, left: &str) -> Option<String> {
    let real = std::fs::canonicalize(file).ok()?;
    // Which entry it is makes no difference: it is removed as a whole.
    let entry = host.entry(&Server::Program(String::new(), Vec::new()))?;
    let with = |text: &str, entry| with_entry(host.format, text, &host.key, entry).ok();
    let is_before = |text: &String| {
        with(text, None).as_ref() == Some(text)
            && with(text, Some(&entry))
                .and_then(|added| with(&added, None))
                .is_some_and(|without| without == left)
    };
    // A backup that cannot be read shows nothing.
    let texts = backups(&real).into_iter().take(MAX_READ);
    texts
        .filter_map(|kept| disk::read_text(&kept).ok())
        .find(is_before)
}

/// The backups of a file, the newest first; none where the folder cannot be listed.
fn backups(real: &Path) -> Vec<PathBuf> {
    let all = real.parent().and_then(|folder| disk::entries(folder).ok());
    let is_backup = |path: &PathBuf| {
        let is_kept = path.extension().is_some_and(|end| end == ENDING);
        is_kept && path.with_extension("").with_extension("") == real
    };
    let mut kept: Vec<PathBuf> = all.into_iter().flatten().filter(is_backup).collect();
    // Of two within a second the one with a number behind its time is the newer.
    kept.sort_by_key(|path| Reverse(path.with_extension("")));
    kept
}

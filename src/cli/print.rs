//! What goes to stdout, and text made fit for a terminal.

use anyhow::{Context, Result};
use econoscope_core::error::NOTICE;
use std::io::Write;

/// Text on its way to a terminal: lines stay, everything else that a terminal would obey does not.
pub(super) fn printable(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(econoscope_data::disk::escaped).collect();
    lines.join("\n")
}

/// Tells what went wrong on stderr, in the form of the log.
pub(super) fn complain(problem: &str) {
    tracing::error!(target: NOTICE, "{}", printable(problem));
}

/// Tells what may be wrong on stderr, in the form of the log.
pub(super) fn warn(doubt: &str) {
    tracing::warn!(target: NOTICE, "{}", printable(doubt));
}

/// Tells what was done on stderr, in the form of the log.
pub(super) fn tell(what: &str) {
    tracing::info!(target: NOTICE, "{}", printable(what));
}

/// Prints a text and ends its last line.
///
/// # Errors
/// When stdout cannot be written, but for a reader that has gone.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
    match out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(end))
    {
        // `| head` has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("writing to stdout"),
    }
}

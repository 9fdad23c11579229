//! What a shell and `man` know of the command line, printed from the flags themselves.

use crate::config;
use anyhow::{Context, Result};
use clap_complete::Shell;
use std::path::Path;

/// Prints what completes the command line in a shell.
pub(super) fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut config::command(), "econoscope", &mut script);
    super::print(&String::from_utf8_lossy(&script))
}

/// Writes one manual page for the program and one for every command into a folder.
pub(super) fn manual(folder: &Path) -> Result<()> {
    let shown = crate::disk::shown(folder);
    std::fs::create_dir_all(folder).with_context(|| format!("making {shown}"))?;
    clap_mangen::generate_to(config::command(), folder)
        .with_context(|| format!("writing manual pages into {shown}"))
}

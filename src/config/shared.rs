//! Flags of a store that many servers share, and of copying one.

use clap::Args;
use std::path::PathBuf;

/// A store that many servers share.
#[derive(Debug, Clone, Args)]
pub(crate) struct Shared {
    /// File for this server's own copy of a shared database; it may be deleted at any time [default: replica.db in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) replica: Option<PathBuf>,

    /// Bring the tables of a shared database up to this version before anything else
    #[arg(long)]
    pub(crate) migrate: bool,
}

/// Settings of `copy`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Moved {
    /// Where it is: a file, or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "STORE")]
    pub(crate) from: PathBuf,

    /// Where it goes: a new file, or a database that holds nothing
    #[arg(long, value_name = "STORE")]
    pub(crate) to: PathBuf,
}

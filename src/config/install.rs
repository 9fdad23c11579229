//! Settings of the commands that put this server into an assistant's settings, and take it out.

use clap::Args;

/// Settings of `install`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    pub(crate) place: Place,

    /// Let it call a running server instead of starting this program: http://127.0.0.1:8080/mcp
    #[arg(long, value_name = "URL")]
    pub(crate) http: Option<url::Url>,

    /// Print what belongs into the file, and touch nothing
    #[arg(long)]
    pub(crate) print: bool,
}

/// Settings of `uninstall`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Place {
    /// Assistant; without one those found here are listed, and asked for on a terminal
    #[arg(value_name = "HOST")]
    pub(crate) host: Option<String>,

    /// Say what would change, and touch nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

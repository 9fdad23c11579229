//! Flags of all commands except `serve`.

use super::values::parse_listen_address;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use url::Url;

/// Settings of `call`.
#[derive(Debug, Clone, Args)]
#[command(after_help = CALL_EXAMPLES)]
pub(crate) struct Call {
    /// Tool: get_macro_summary, get_metric …; without one they are listed
    pub(crate) tool: Option<String>,

    /// Arguments as name=value; the first may be its value alone; separate lists by commas or repeat the name
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,

    /// Print the text that a model reads
    #[arg(long, group = "form")]
    pub(crate) text: bool,

    /// Print the JSON that a program reads
    #[arg(long, group = "form")]
    pub(crate) json: bool,

    /// Print the rows of the answer as CSV
    #[arg(long, group = "form")]
    pub(crate) csv: bool,

    /// Print the rows of the answer as a table that fits the terminal
    #[arg(long, group = "form")]
    pub(crate) table: bool,

    /// Print help; after the name of a tool, its arguments with examples
    #[arg(long, short)]
    pub(crate) help: bool,
}

/// Settings of `export`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Export {
    /// Folder for the tables; created if missing. --as-of writes what was known on a day
    pub(crate) folder: PathBuf,

    /// csv: observations.csv, series.csv and releases.csv; sqlite: the same tables in econoscope.sqlite
    #[arg(long, default_value = "csv", value_parser = ["csv", "sqlite"])]
    pub(crate) format: String,

    /// Series by identifier or name (repeat or separate by commas) [default: all that are stored]
    #[arg(long, value_delimiter = ',')]
    pub(crate) series: Vec<String>,
}

/// Settings of `import`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Import {
    /// Folder with `series_id,date,value`, `date,value`, FRED or ALFRED CSV files
    #[arg(required_unless_present = "undo")]
    pub(crate) folder: Option<PathBuf>,

    /// Take back the last import, if nothing was written since
    #[arg(long, exclusive = true)]
    pub(crate) undo: bool,

    /// Create a new store empty instead of with the bundled history
    #[arg(long)]
    pub(crate) bare: bool,

    /// Import what is skipped or refused by default: series that end before the stored ones and differ from them, whole series on another base, figures of an unlikely size or sign, and rows after today
    #[arg(long)]
    pub(crate) replace: bool,

    /// Where the figures come from, in few words (the bundled history is built so)
    #[arg(long, value_name = "WORDS", default_value = "import", hide = true)]
    pub(crate) origin: String,

    /// When they were read there, instead of now
    #[arg(long, value_name = "TIME", hide = true)]
    pub(crate) read_at: Option<jiff::Timestamp>,
}

/// Settings of `doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Doctor {
    /// Move a damaged store aside; it is never deleted
    #[arg(long)]
    pub(crate) quarantine: bool,

    /// Make a small request to every source and compare the response with the store; the output is a report for the maintainers
    #[arg(long = "sources", conflicts_with = "offline")]
    pub(crate) check_sources: bool,

    /// Do not connect to the sources
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Settings of `sync`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Sync {
    /// Only these series (repeat or separate by commas)
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Fetch every series again, also those that are not due
    #[arg(long)]
    pub(crate) force: bool,

    /// Accept unconfirmed data of these series or sources: the first response of a source that nothing confirms, or a new base
    #[arg(long, value_name = "SERIES|SOURCE", value_delimiter = ',')]
    pub(crate) accept: Vec<String>,

    /// Also fetch past vintages (needs a FRED key)
    #[arg(long)]
    pub(crate) vintages: bool,

    /// Print which requests would be made and why, without making them
    #[arg(long)]
    pub(crate) plan: bool,

    /// Print only errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Settings of `copy`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CopyStore {
    /// Store to copy from: a file, or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "STORE")]
    pub(crate) from: PathBuf,

    /// Store to copy to: a new file, or an empty database
    #[arg(long, value_name = "STORE")]
    pub(crate) to: PathBuf,
}

/// Settings of `install`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    pub(crate) target: InstallTarget,

    /// Connect to a running server instead of starting this program: http://127.0.0.1:8080/mcp
    #[arg(long, value_name = "URL")]
    pub(crate) http: Option<Url>,

    /// Print the content for the settings file without changing it
    #[arg(long)]
    pub(crate) print: bool,
}

/// Settings of `uninstall`.
#[derive(Debug, Clone, Args)]
pub(crate) struct InstallTarget {
    /// Assistant; without one, list those found and ask on a terminal
    #[arg(value_name = "HOST")]
    pub(crate) host: Option<String>,

    /// Print the change without making it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Settings of `health`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Health {
    /// Server to check, as http://host:port [default: the one on this machine]
    #[arg(value_name = "URL")]
    pub(crate) url: Option<Url>,

    /// Address on which that server listens; for an unspecified address, loopback is used
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = parse_listen_address)]
    pub(crate) listen: SocketAddr,
}

const CALL_EXAMPLES: &str = include_str!("../../data/help/call.txt").trim_ascii_end();

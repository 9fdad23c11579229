//! Settings: one structure, read from flags, then environment, then defaults that work.

mod file;
pub(crate) mod reference;

pub(crate) use file::load;

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// US macroeconomic data for assistants: MCP over stdio, or MCP, REST and widgets over HTTP.
#[derive(Debug, Clone, Parser)]
#[command(name = "econoscope", version, about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Config {
    /// Database file; made when absent [default: econoscope.db in the user's data folder]
    #[arg(long, global = true, value_name = "FILE", env = "ECONOSCOPE_STORE")]
    pub(crate) store: Option<PathBuf>,

    /// Public address of this service, for links and credit lines [default: http:// and the listening address]
    #[arg(long, global = true, value_name = "URL", env = "ECONOSCOPE_BASE_URL")]
    pub(crate) base_url: Option<String>,

    /// Name in the credit line
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        default_value = "Econoscope",
        env = "ECONOSCOPE_SERVICE_NAME"
    )]
    pub(crate) service_name: String,

    /// Prefix of the composites' identifiers
    #[arg(
        long,
        global = true,
        value_name = "PREFIX",
        default_value = "SERVICE_",
        env = "ECONOSCOPE_PREFIX"
    )]
    pub(crate) prefix: String,

    /// What is logged to stderr: error, warn, info, debug, or a tracing filter
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        default_value = "warn",
        env = "ECONOSCOPE_LOG"
    )]
    pub(crate) log: String,

    /// Write the log as one JSON object a line
    #[arg(long, global = true, env = "ECONOSCOPE_LOG_JSON")]
    pub(crate) log_json: bool,

    /// Settings file (TOML); its keys are the names of the flags, which go before it, as does the environment
    #[arg(long, global = true, value_name = "FILE", env = "ECONOSCOPE_CONFIG")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) forwarding: Forwarding,

    #[command(flatten)]
    pub(crate) sources: Sources,

    #[command(flatten)]
    pub(crate) folders: Folders,

    /// What to do; without a command: speak MCP on stdin and stdout
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Forwarding instead of answering from local data.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Forwarding")]
pub(crate) struct Forwarding {
    /// Forward every endpoint to another service of this API
    #[arg(long, global = true, value_name = "URL", env = "ECONOSCOPE_UPSTREAM")]
    pub(crate) upstream: Option<url::Url>,

    /// Calls a day that the upstream allows
    #[arg(long, global = true, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), env = "ECONOSCOPE_UPSTREAM_LIMIT")]
    pub(crate) upstream_limit: u32,

    /// File that remembers upstream answers and calls [default: upstream.db beside the store]
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "ECONOSCOPE_UPSTREAM_STATE"
    )]
    pub(crate) upstream_state: Option<PathBuf>,
}

/// Where figures are fetched from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Sources")]
pub(crate) struct Sources {
    /// FRED API key; without one the public CSV download is used
    #[arg(long, global = true, value_name = "KEY", env = "ECONOSCOPE_FRED_KEY", hide_env_values = true, value_parser = crate::ingest::ApiKey::new)]
    pub(crate) fred_key: Option<crate::ingest::ApiKey>,

    /// Home of FRED's CSV download [default: FRED itself]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "ECONOSCOPE_FRED_CSV_URL"
    )]
    pub(crate) fred_csv_url: Option<url::Url>,

    /// Home of FRED's JSON API [default: FRED itself]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "ECONOSCOPE_FRED_API_URL"
    )]
    pub(crate) fred_api_url: Option<url::Url>,

    /// Address of the Federal Reserve Board's bond premium file [default: the Board itself]
    #[arg(long, global = true, value_name = "URL", env = "ECONOSCOPE_BOARD_URL")]
    pub(crate) board_url: Option<url::Url>,
}

/// An operator's own texts.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Own texts")]
pub(crate) struct Folders {
    /// Folder of scenario definitions (.toml) that add to or replace the embedded ones
    #[arg(long, global = true, value_name = "DIR", env = "ECONOSCOPE_SCENARIOS")]
    pub(crate) scenarios: Option<PathBuf>,

    /// Folder of articles (.md with front matter)
    #[arg(long, global = true, value_name = "DIR", env = "ECONOSCOPE_ARTICLES")]
    pub(crate) articles: Option<PathBuf>,

    /// List of feeds, CSV with name,url,tags, or none [default: public agencies]
    #[arg(long, global = true, value_name = "FILE", env = "ECONOSCOPE_FEEDS")]
    pub(crate) feeds: Option<PathBuf>,
}

/// What the program can be told to do.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Command {
    /// Speak MCP on stdin and stdout (what happens without a command)
    Stdio,
    /// Serve MCP at /mcp, the REST API, discovery files and widgets over HTTP
    Serve(Serve),
    /// Call one tool and print its answer
    Call(Call),
    /// Read a folder of CSV files into the store
    Import {
        /// Folder with `series_id,date,value`, `date,value` or FRED CSV files
        folder: PathBuf,
    },
    /// Fetch what is new from the public sources into the store
    Sync(Sync),
    /// Check configuration, store, data, clock and sources, and say what to do
    Doctor(Doctor),
    /// Copy the store into a new file and verify the copy
    Backup {
        /// New file; in a folder, a file with the time in its name
        to: PathBuf,
    },
    /// Write the files that are printed from the endpoint table
    Generate {
        /// Only compare; fail when a file differs
        #[arg(long)]
        check: bool,
        /// Folder of the project
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
}

/// Settings of `serve`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Address to listen on
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:8080",
        env = "ECONOSCOPE_LISTEN"
    )]
    pub(crate) listen: SocketAddr,

    /// Host names under which /mcp may be called, besides loopback (repeat or separate by commas)
    #[arg(
        long,
        value_name = "HOST",
        value_delimiter = ',',
        env = "ECONOSCOPE_ALLOWED_HOSTS"
    )]
    pub(crate) allowed_host: Vec<String>,

    /// Browser origins that may call /mcp, besides loopback: https://app.example.com:443
    #[arg(
        long,
        value_name = "ORIGIN",
        value_delimiter = ',',
        env = "ECONOSCOPE_ALLOWED_ORIGINS"
    )]
    pub(crate) allowed_origin: Vec<String>,

    /// Pass on series whose rights do not allow redistribution (you hold a licence); always on for loopback
    #[arg(long, env = "ECONOSCOPE_SERVE_RESTRICTED")]
    pub(crate) serve_restricted: bool,

    /// Do not fetch from the public sources while serving
    #[arg(long, env = "ECONOSCOPE_NO_SYNC")]
    pub(crate) no_sync: bool,

    /// Hours between two fetches while serving
    #[arg(long, value_name = "HOURS", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=168), env = "ECONOSCOPE_SYNC_HOURS")]
    pub(crate) sync_hours: u64,

    /// Address on which Prometheus reads /metrics; keep it off the internet [default: none]
    #[arg(long, value_name = "ADDR", env = "ECONOSCOPE_METRICS_LISTEN")]
    pub(crate) metrics_listen: Option<SocketAddr>,

    /// Seconds between the signal to stop and the last accepted request, for a balancer to notice /ready
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=300), env = "ECONOSCOPE_DRAIN_DELAY")]
    pub(crate) drain_delay: u64,

    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// How much one client may ask for.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Requests a day and address, time series aside
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), env = "ECONOSCOPE_RATE_LIMIT")]
    pub(crate) rate_limit: u32,

    /// Time series requests a day and address
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..), env = "ECONOSCOPE_RATE_LIMIT_DATA")]
    pub(crate) rate_limit_data: u32,

    /// Requests a second that one address may keep up
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000), env = "ECONOSCOPE_RATE_LIMIT_PER_SECOND")]
    pub(crate) rate_limit_per_second: u32,

    /// Requests that may come at once from one address
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..), env = "ECONOSCOPE_RATE_LIMIT_BURST")]
    pub(crate) rate_limit_burst: u32,

    /// Another daily number for a network: 203.0.113.0/24=5000 (repeat or separate by commas)
    #[arg(
        long,
        value_name = "NETWORK=N",
        value_delimiter = ',',
        env = "ECONOSCOPE_RATE_LIMIT_OVERRIDE"
    )]
    pub(crate) rate_limit_override: Vec<Override>,

    /// Count loopback like every other address
    #[arg(long, env = "ECONOSCOPE_RATE_LIMIT_LOOPBACK")]
    pub(crate) rate_limit_loopback: bool,

    /// Networks of reverse proxies whose X-Forwarded-For is believed (repeat or separate by commas)
    #[arg(
        long,
        value_name = "NETWORK",
        value_delimiter = ',',
        value_parser = network,
        env = "ECONOSCOPE_TRUSTED_PROXY"
    )]
    pub(crate) trusted_proxy: Vec<ipnet::IpNet>,

    /// Connections open at once
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4_096,
        env = "ECONOSCOPE_MAX_CONNECTIONS"
    )]
    pub(crate) max_connections: usize,

    /// Connections open at once from one address; loopback and trusted proxies are not counted
    #[arg(
        long,
        value_name = "N",
        default_value_t = 256,
        env = "ECONOSCOPE_MAX_CONNECTIONS_PER_ADDRESS"
    )]
    pub(crate) max_connections_per_address: usize,
}

/// A network with a daily number of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Override {
    pub(crate) network: ipnet::IpNet,
    pub(crate) requests: u32,
}

impl std::str::FromStr for Override {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "write NETWORK=N, for example 203.0.113.0/24=5000".to_owned();
        let (left, right) = text.split_once('=').ok_or_else(wanted)?;
        Ok(Self {
            network: network(left)?,
            requests: right
                .trim()
                .parse()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(wanted)?,
        })
    }
}

/// `10.0.0.0/8`, or one address.
fn network(text: &str) -> Result<ipnet::IpNet, String> {
    let text = text.trim();
    text.parse()
        .or_else(|_| text.parse::<std::net::IpAddr>().map(ipnet::IpNet::from))
        .map_err(|_| format!("{text} is no network; write 10.0.0.0/8 or an address"))
}

/// Settings of `doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Doctor {
    /// Move a damaged store aside; it is never deleted
    #[arg(long)]
    pub(crate) quarantine: bool,

    /// Do not try to reach the sources
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Settings of `call`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Call {
    /// Tool: get_macro_summary, get_metric …
    pub(crate) tool: String,

    /// Arguments as name=value
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,

    /// Print the prose a model reads instead of JSON
    #[arg(long)]
    pub(crate) text: bool,
}

/// Settings of `sync`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sync {
    /// Only these series (repeat or separate by commas)
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Read every series again, also those that are not due
    #[arg(long)]
    pub(crate) force: bool,

    /// Also fetch past vintages (needs a FRED key)
    #[arg(long)]
    pub(crate) vintages: bool,

    /// Say nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  econoscope serve                                  HTTP on 127.0.0.1:8080, from the bundled history at once
  econoscope call get_macro_summary --text          the state of the economy, in prose
  econoscope call get_metric ticker=10y             one figure
  econoscope call get_time_series seriesId=UNRATE start=5y format=csv
  econoscope sync                                   fetch live data (no key needed)
  econoscope import ./csv                           read your own files

Add it to an assistant: command `econoscope`, no arguments. See README.md.";

/// Where the database lies when nothing is said.
pub(crate) fn default_store() -> PathBuf {
    std::env::home_dir()
        .map(|home| home.join(".local/share/econoscope/econoscope.db"))
        .unwrap_or_else(|| PathBuf::from("econoscope.db"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Config::command().debug_assert();
    }
}

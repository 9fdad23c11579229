//! Flags of the program and of `serve`, with help, environment variables and defaults, and the commands.

use super::commands::{
    Call, CopyStore, Doctor, Export, Health, Import, Install, InstallTarget, Sync,
};
use super::sources::{Sources, doctor_folder_flag};
use super::values::parse_listen_address;
use crate::admission::LimitSettings;
use crate::server::ConnectionSettings;
use clap::builder::{BoolishValueParser, Resettable};
use clap::{Arg, ArgAction, Args, CommandFactory, Id, Parser, Subcommand};
use econoscope_desk::Lock;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The default filter of the log.
pub(crate) const DEFAULT_LOG: &str = "warn";

/// US macroeconomic data for assistants: MCP over stdio, or MCP, REST and widgets over HTTP.
#[derive(Debug, Clone, Parser)]
#[command(name = "econoscope", version, about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Config {
    /// Database file, created if missing in a folder that exists; or postgres://USER@HOST/DATABASE, which many servers share (its password in PGPASSWORD) [default: econoscope.db in the user's data folder]
    #[arg(long, value_name = "FILE", hide_env_values = true)]
    pub(crate) store: Option<PathBuf>,

    /// File for this server's replica of a shared database; it may be deleted at any time [default: replica.db in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) replica: Option<PathBuf>,

    /// Migrate the tables of a shared database to this version first
    #[arg(long)]
    pub(crate) migrate: bool,

    /// Public address of this service, for links and credit lines [default: http:// and the listening address]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Name in the credit line
    #[arg(long, value_name = "NAME", default_value = "Econoscope")]
    pub(crate) service_name: String,

    /// Prefix of the composites' identifiers
    #[arg(long, value_name = "PREFIX", default_value = "SERVICE_")]
    pub(crate) prefix: String,

    /// Omit the tools search and fetch from the list, for hosts that have other tools of those names
    #[arg(long)]
    pub(crate) no_search_tools: bool,

    /// Answer as on this day, and from nothing that was known later; for tests of agents. Nothing is fetched
    #[arg(long, value_name = "DAY")]
    pub(crate) as_of: Option<jiff::civil::Date>,

    /// With --as-of: also withhold figures whose day of publication is not on record, and composites whose constants were fitted later
    #[arg(long, requires = "as_of")]
    pub(crate) strict: bool,

    /// Do not fetch from the public sources in the background, over stdio or while serving
    #[arg(long)]
    pub(crate) no_sync: bool,

    /// Hours between two fetches in the background
    #[arg(long, value_name = "HOURS", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=168))]
    pub(crate) sync_hours: u64,

    /// Filter of the log on stderr: error, warn, info, debug, or a level for each module: warn,econoscope_data=debug
    #[arg(long, value_name = "FILTER", default_value = DEFAULT_LOG)]
    pub(crate) log: String,

    /// Write the log as one JSON object a line
    #[arg(long)]
    pub(crate) log_json: bool,

    /// Settings file (TOML) with the names of the flags as keys; flags and environment override it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) forwarding: Forwarding,

    #[command(flatten)]
    pub(crate) sources: Sources,

    #[command(flatten)]
    pub(crate) folders: Folders,

    /// The general flags that the command line and the environment give, to start the program again with them.
    #[arg(skip)]
    pub(crate) given: Vec<OsString>,

    /// Command; without one, serve MCP on stdin and stdout
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Config {
    /// Returns the past day that the program answers from.
    pub(crate) fn lock(&self) -> Option<Lock> {
        let is_strict = self.strict;
        self.as_of.map(|day| Lock { day, is_strict })
    }
}

/// Flags for forwarding calls to an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(next_help_heading = "Forwarding")]
pub(crate) struct Forwarding {
    /// Forward every endpoint to another service of this API
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<url::Url>,

    /// Calls a day that the upstream allows
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) upstream_limit: u32,

    /// File that stores upstream answers and calls; or postgres://USER@HOST/DATABASE, which many servers share (its password in PGPASSWORD) [default: --store where that is one, else upstream.db beside it]
    #[arg(long, value_name = "FILE", hide_env_values = true)]
    pub(crate) upstream_state: Option<PathBuf>,
}

/// Flags for an operator's own texts.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Own texts")]
pub(crate) struct Folders {
    /// Folder of scenario definitions (.toml) that add to or replace the embedded ones
    #[arg(long, value_name = "DIR")]
    pub(crate) scenarios: Option<PathBuf>,

    /// Folder of articles (.md with front matter)
    #[arg(long, value_name = "DIR")]
    pub(crate) articles: Option<PathBuf>,

    /// List of feeds, CSV with name,url,tags, or none [default: public agencies]
    #[arg(long, value_name = "FILE")]
    pub(crate) feeds: Option<PathBuf>,
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Command {
    /// Serve MCP on stdin and stdout (the default)
    Stdio,
    /// Serve MCP at /mcp, the REST API, discovery files and widgets over HTTP
    Serve(Box<Serve>),
    /// Call one tool and print its answer; without a tool, list them
    Call(Call),
    /// Read a folder of CSV files into the store
    Import(Import),
    /// Fetch new data from the public sources into the store
    Sync(Sync),
    /// Check configuration, store, data, clock and sources, with advice
    Doctor(Doctor),
    /// Create the tables of a shared database (--store postgres://…), or migrate them to this version
    Migrate,
    /// Copy a whole store between a file and a shared database, byte for byte
    Copy(CopyStore),
    /// Copy the store into a new file and verify the copy
    Backup {
        /// New file; in a folder, a file with the time in its name
        to: PathBuf,
    },
    /// Write what the store holds as plain tables: CSV files or SQLite
    Export(Export),
    /// Print the state of the economy with a small chart
    Demo,
    /// Add this server to an assistant's settings: claude-desktop, claude-code, cursor, vscode, codex, gemini, windsurf, zed, opencode, cline
    Install(Install),
    /// Remove this server from an assistant's settings
    Uninstall(InstallTarget),
    /// Check whether a running server answers; the exit code is 0 if it does, else 1
    Health(Health),
    /// Print a completion script for a shell
    Completions {
        /// Shell of the script
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    Manual {
        /// Output folder; created if missing
        folder: PathBuf,
    },
    /// Write the files that are generated from the endpoint table
    Generate {
        /// Only compare, and fail if a file differs
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
    /// Address to listen on; a socket passed by systemd takes precedence
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = parse_listen_address)]
    pub(crate) listen: SocketAddr,

    /// Further host names under which /mcp may be called, and anything of a server on loopback (repeat or separate by commas)
    #[arg(
        long,
        value_name = "HOST",
        value_delimiter = ',',
        env = "ECONOSCOPE_ALLOWED_HOSTS"
    )]
    pub(crate) allowed_host: Vec<String>,

    /// Further origins of web pages that may call /mcp, and anything of a server on loopback: https://app.example.com:443
    #[arg(
        long,
        value_name = "ORIGIN",
        value_delimiter = ',',
        env = "ECONOSCOPE_ALLOWED_ORIGINS"
    )]
    pub(crate) allowed_origin: Vec<String>,

    /// Serve series whose rights do not allow redistribution (you have a licence); always on for a server of its own machine alone
    #[arg(long)]
    pub(crate) serve_restricted: bool,

    /// Address on which Prometheus reads /metrics; keep it off the internet [default: none]
    #[arg(long, value_name = "ADDR", value_parser = parse_listen_address)]
    pub(crate) metrics_listen: Option<SocketAddr>,

    /// Seconds for which requests are still accepted after the signal to stop, so that a load balancer notices /ready
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=300))]
    pub(crate) drain_delay: u64,

    #[command(flatten)]
    pub(crate) limits: LimitSettings,

    #[command(flatten)]
    pub(crate) connections: ConnectionSettings,
}

const EXAMPLES: &str = include_str!("../../data/help/examples.txt").trim_ascii_end();

const COMMON_FLAGS: &str =
    "Flags of every command (--store, --sources, --log, --config …): econoscope --help";

/// Returns the definition of the command line. Every flag has an environment variable, `ECONOSCOPE_` and its name. General
/// flags may follow the command.
pub(crate) fn command() -> clap::Command {
    let with_env = |arg: Arg| match arg.get_long() {
        Some(long) if arg.get_env().is_none() && !arg.is_hide_set() => {
            let name = format!("ECONOSCOPE_{}", long.replace('-', "_").to_uppercase());
            read_env(arg.env(name))
        }
        _ => read_env(arg),
    };
    Config::command()
        .mut_args(|arg| with_env(arg).global(true))
        .mut_subcommand("serve", |serve| serve.mut_args(with_env))
        .mut_subcommand("health", |health| health.mut_args(with_env))
        // `doctor` has a switch --sources of its own.
        .mut_subcommand("doctor", |doctor| doctor.arg(doctor_folder_flag()))
        // `call TOOL --help` prints the help of the tool.
        .mut_subcommand("call", |call| call.disable_help_flag(true))
}

/// Makes a switch read yes, on and 1 in the environment, and ignores a variable that is empty, or false for a switch.
fn read_env(mut arg: Arg) -> Arg {
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let value = arg.get_env().and_then(std::env::var_os);
    let is_unset = value.is_some_and(|value| {
        value.is_empty() || is_switch && value.to_str().and_then(parse_switch) == Some(false)
    });
    if is_switch {
        arg = arg.value_parser(BoolishValueParser::new());
    }
    if is_unset {
        arg = arg.env(Resettable::Reset);
    }
    arg
}

/// Reads the value of a switch: `true`, `yes`, `on`, `1` and their opposites, in any case.
pub(super) fn parse_switch(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Returns the command line for users: the help of a command has its own flags and refers to the general ones.
pub(super) fn command_for_users() -> clap::Command {
    let mut command = command();
    command.build();
    let arguments = command.get_arguments().filter(|arg| arg.is_global_set());
    let general: Vec<Id> = arguments.map(|arg| arg.get_id().clone()).collect();
    command.mut_subcommands(|sub| {
        let examples = sub.get_after_help().map(|help| format!("\n\n{help}"));
        sub.mut_args(|arg| {
            let is_hidden = arg.is_hide_set() || general.contains(arg.get_id());
            arg.hide(is_hidden)
        })
        .after_help(COMMON_FLAGS.to_owned() + &examples.unwrap_or_default())
    })
}

/// Renders the help of a command; empty for an unknown one.
pub(crate) fn render_help(name: &str) -> String {
    command_for_users()
        .find_subcommand_mut(name)
        .map_or_else(String::new, |command| command.render_help().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_definition_is_valid() {
        command().debug_assert();
    }
}

//! The settings of the server.

use crate::admission::LimitSettings;
use clap::Parser;
use clap::builder::RangedU64ValueParser;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The settings of a server towards its clients.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Limits per address.
    pub limits: LimitSettings,
    /// Names of the server besides loopback, which `/mcp` and loopback listeners require as the host.
    pub hosts: Vec<String>,
    /// Origins whose pages may call `/mcp` and loopback listeners.
    pub origins: Vec<String>,
    /// Connections and shutdown.
    pub connections: ConnectionSettings,
}

/// Connections and shutdown. The maximum numbers are flags of `serve`.
#[derive(Debug, Clone, Parser)]
#[command(next_help_heading = "Limits")]
pub struct ConnectionSettings {
    /// Connections open at once
    #[arg(long = "max-connections", value_name = "N", default_value_t = 4_096, value_parser = at_least_one())]
    pub max: usize,

    /// Connections open at once from one address; loopback and trusted proxies are not counted
    #[arg(long = "max-connections-per-address", value_name = "N", default_value_t = 256, value_parser = at_least_one())]
    pub max_per_address: usize,

    /// Time limit for a request head, from the start of the connection or the end of the last response.
    /// Proxies keep an idle connection for a minute.
    #[arg(skip = Duration::from_secs(75))]
    pub head_time: Duration,

    /// How long requests are still accepted at shutdown, while `/ready` fails: enough for connections in the kernel's
    /// queue.
    #[arg(skip = Duration::from_millis(100))]
    pub linger: Duration,

    /// How long open responses may take after that.
    #[arg(skip = Duration::from_secs(10))]
    pub drain: Duration,
}

/// The defaults of the flags.
impl Default for ConnectionSettings {
    fn default() -> Self {
        Self::parse_from([""])
    }
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// The tokens that end a server.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Cancelled to start the shutdown.
    pub stop: CancellationToken,
    /// Cancelled by the server shortly before the drain ends: endless streams close.
    pub close_streams: CancellationToken,
}

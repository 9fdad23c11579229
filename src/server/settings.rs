//! The settings of the server.

use crate::admission::LimitSettings;
use clap::Args;
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
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub struct ConnectionSettings {
    /// Connections open at once
    #[arg(long = "max-connections", value_name = "N", default_value_t = Self::default().max, value_parser = at_least_one())]
    pub max: usize,

    /// Connections open at once from one address; loopback and trusted proxies are not counted
    #[arg(long = "max-connections-per-address", value_name = "N", default_value_t = Self::default().max_per_address, value_parser = at_least_one())]
    pub max_per_address: usize,

    /// Time limit for a request head, from the start of the connection or the end of the last response.
    #[arg(skip = Self::default().head_time)]
    pub head_time: Duration,

    /// How long requests are still accepted at shutdown, while `/ready` fails.
    #[arg(skip = Self::default().linger)]
    pub linger: Duration,

    /// How long open responses may take after that.
    #[arg(skip = Self::default().drain)]
    pub drain: Duration,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            max: 4_096,
            max_per_address: 256,
            // Proxies keep an idle connection for a minute.
            head_time: Duration::from_secs(75),
            // Enough for connections in the kernel's queue.
            linger: Duration::from_millis(100),
            drain: Duration::from_secs(10),
        }
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

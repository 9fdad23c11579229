//! How a server behaves: who may call, how many connections it takes, how it leaves.

use crate::admission::LimitSettings;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How a server is to behave towards its clients.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How much one address may ask for.
    pub limits: LimitSettings,
    /// Names of the server besides loopback: hosts under which `/mcp`, and on loopback anything, may be called.
    pub hosts: Vec<String>,
    /// Browser origins whose pages may call what not every page may.
    pub origins: Vec<String>,
    /// Connections and their end.
    pub connections: Connections,
}

/// Connections and their end; how many there may be are flags of `serve`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub struct Connections {
    /// Connections open at once
    #[arg(long = "max-connections", value_name = "N", default_value_t = Self::default().max, value_parser = at_least_one())]
    pub max: usize,

    /// Connections open at once from one address; loopback and trusted proxies are not counted
    #[arg(long = "max-connections-per-address", value_name = "N", default_value_t = Self::default().max_per_address, value_parser = at_least_one())]
    pub max_per_address: usize,

    /// A request head must be complete this long after the connection began or the last answer ended.
    #[arg(skip = Self::default().head_time)]
    pub head_time: Duration,

    /// How long requests are still taken after a stop, while `/ready` says no.
    #[arg(skip = Self::default().linger)]
    pub linger: Duration,

    /// How long open answers may then take.
    #[arg(skip = Self::default().drain)]
    pub drain: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            max: 4_096,
            max_per_address: 256,
            // Longer than proxies keep an idle connection, which is a minute.
            head_time: Duration::from_secs(75),
            // Long enough for connections that wait in the kernel's queue.
            linger: Duration::from_millis(100),
            drain: Duration::from_secs(10),
        }
    }
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// How a server is told to end.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Take no more work, finish what is open.
    pub stop: CancellationToken,
    /// Cancelled by the server shortly before the drain is over: open-ended streams should close.
    pub cut: CancellationToken,
}

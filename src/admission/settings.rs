//! The settings of limits.

use super::redis::RedisAddress;
use clap::{Parser, value_parser};
use econoscope_core::clock::{Clock, SystemClock};
use ipnet::IpNet;
use std::net::IpAddr;
use std::sync::Arc;

/// The limits per address: flags of `serve`.
#[derive(Debug, Clone, Parser)]
#[command(next_help_heading = "Limits")]
pub struct LimitSettings {
    /// Requests a day and address, time series aside
    #[arg(long = "rate-limit", value_name = "N", default_value_t = 100, value_parser = value_parser!(u32).range(1..))]
    pub general: u32,

    /// Time series requests a day and address
    #[arg(long = "rate-limit-data", value_name = "N", default_value_t = 200, value_parser = value_parser!(u32).range(1..))]
    pub data: u32,

    /// Pages, widgets and pictures a day and address that are not cached; cached ones are free
    #[arg(long = "rate-limit-pages", value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u32).range(1..))]
    pub pages: u32,

    /// Sustained requests a second of one address
    #[arg(long = "rate-limit-per-second", value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1000))]
    pub per_second: u32,

    /// Requests at once from one address
    #[arg(long = "rate-limit-burst", value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    pub burst: u32,

    /// Daily requests for a network: 203.0.113.0/24=5000 (repeat or separate by commas)
    #[arg(long = "rate-limit-override", value_name = "NETWORK=N", value_delimiter = ',', value_parser = parse_override)]
    pub overrides: Vec<(IpNet, u32)>,

    /// Redis or Valkey server that stores the counts of many machines, as redis://user:password@host:6379/0, or rediss:// for TLS [default: this machine's own]
    #[arg(long = "limits", value_name = "URL", hide_env_values = true, value_parser = RedisAddress::from_argument)]
    pub shared: Option<RedisAddress>,

    /// Count loopback like every other address
    #[arg(long = "rate-limit-loopback")]
    pub count_loopback: bool,

    /// Networks of reverse proxies whose X-Forwarded-For is trusted (repeat or separate by commas)
    #[arg(long = "trusted-proxy", value_name = "NETWORK", value_delimiter = ',', value_parser = parse_network)]
    pub trusted_proxies: Vec<IpNet>,

    /// Maximum number of addresses in memory.
    #[arg(skip = 1_000_000_usize)]
    pub addresses: usize,

    /// The clock.
    #[arg(skip = Arc::new(SystemClock) as Arc<dyn Clock>)]
    pub clock: Arc<dyn Clock>,
}

/// The defaults of the flags.
impl Default for LimitSettings {
    fn default() -> Self {
        Self::parse_from([""])
    }
}

/// Parses a network and its requests per day.
fn parse_override(text: &str) -> Result<(IpNet, u32), String> {
    let usage = || "write NETWORK=N, for example 203.0.113.0/24=5000".to_owned();
    let (network, requests) = text.split_once('=').ok_or_else(usage)?;
    let limit = requests.trim().parse().ok().filter(|n| *n > 0);
    Ok((parse_network(network)?, limit.ok_or_else(usage)?))
}

/// Parses `10.0.0.0/8`, or one address.
fn parse_network(text: &str) -> Result<IpNet, String> {
    let network = text.trim();
    network
        .parse()
        .or_else(|_| network.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| format!("{network} is not a network; write 10.0.0.0/8 or an address"))
}

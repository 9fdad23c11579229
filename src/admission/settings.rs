//! How much is allowed, and to whom.

use super::redis::RedisAddress;
use econoscope_core::clock::{Clock, SystemClock};
use ipnet::IpNet;
use std::path::PathBuf;
use std::sync::Arc;

/// How much is allowed, and to whom.
#[derive(Debug, Clone)]
pub struct LimitSettings {
    /// Requests a day and address, time series aside.
    pub general: u32,
    /// Requests for time series a day and address.
    pub data: u32,
    /// Pages, widgets and pictures made a day for one address; what is held already costs nothing.
    pub pages: u32,
    /// Requests a second that may go on for ever.
    pub per_second: u32,
    /// Requests that may come at once.
    pub burst: u32,
    /// Networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Networks with another number of requests a day.
    pub overrides: Vec<(IpNet, u32)>,
    /// Whether loopback is counted like everybody else.
    pub count_loopback: bool,
    /// Addresses remembered at most.
    pub addresses: usize,
    /// Where the day's counts outlive a restart.
    pub file: Option<PathBuf>,
    /// Where the counts lie that many machines share; none when this one counts by itself. Wants a runtime.
    pub shared: Option<RedisAddress>,
    /// What tells how much time has passed.
    pub clock: Arc<dyn Clock>,
}

impl LimitSettings {
    /// Requests a day and address, time series aside, unless told otherwise.
    pub const GENERAL: u32 = 100;
    /// The same for time series.
    pub const DATA: u32 = 200;
    /// The same for what must be made.
    pub const PAGES: u32 = 1_000;
    /// Requests a second that may go on for ever, unless told otherwise.
    pub const PER_SECOND: u32 = 10;
    /// Requests that may come at once, unless told otherwise.
    pub const BURST: u32 = 20;
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            general: Self::GENERAL,
            data: Self::DATA,
            pages: Self::PAGES,
            per_second: Self::PER_SECOND,
            burst: Self::BURST,
            trusted_proxies: Vec::new(),
            overrides: Vec::new(),
            count_loopback: false,
            addresses: 1_000_000,
            file: None,
            shared: None,
            clock: Arc::new(SystemClock::new()),
        }
    }
}

//! Where the upstream is and what it may cost.

use crate::postgres::Address;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Where the upstream is and what it may cost.
#[derive(Debug, Clone)]
pub struct UpstreamConfig {
    /// Address above `/api/public`; http(s), no credentials.
    pub base: Url,
    /// Calls allowed in any 24 hours.
    pub daily_limit: u32,
    /// File for the ledger and the cache, shared by all processes of this machine; `None` = memory only.
    pub state: Option<PathBuf>,
    /// Database for what many machines share: the ledger, the answers, and who asks; `None` = the file alone.
    pub(crate) database: Option<Address>,
    /// A caller that holds nothing waits at most so long.
    pub patience: Duration,
    /// Shortest and longest pause before the one retry.
    pub retry_pause: (Duration, Duration),
}

impl UpstreamConfig {
    /// The documented allowance of 100 calls a day.
    pub fn new(base: Url) -> Self {
        Self {
            base,
            daily_limit: 100,
            state: None,
            database: None,
            patience: Duration::from_secs(9),
            retry_pause: (Duration::from_millis(200), Duration::from_secs(2)),
        }
    }
}

//! How a server behaves: who may call, how many connections it takes, how it leaves.

use crate::admission::LimitSettings;
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

/// Connections and their end.
#[derive(Debug, Clone)]
pub struct Connections {
    /// Connections at once.
    pub max: usize,
    /// Connections at once from one address that is counted.
    pub max_per_address: usize,
    /// A request head must be complete this long after the connection began or the last answer ended.
    pub head_time: Duration,
    /// How long requests are still taken after a stop, while `/ready` says no.
    pub linger: Duration,
    /// How long open answers may then take.
    pub drain: Duration,
}

impl Connections {
    /// Connections at once, unless told otherwise.
    pub const MAX: usize = 4_096;
    /// The same for one address that is counted.
    pub const MAX_PER_ADDRESS: usize = 256;
    /// Longer than proxies keep an idle connection, which is a minute.
    pub const HEAD_TIME: Duration = Duration::from_secs(75);
    /// How long requests are still taken after a stop: long enough for connections that wait in the kernel's queue.
    pub const LINGER: Duration = Duration::from_millis(100);
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            max: Self::MAX,
            max_per_address: Self::MAX_PER_ADDRESS,
            head_time: Self::HEAD_TIME,
            linger: Self::LINGER,
            drain: Duration::from_secs(10),
        }
    }
}

/// How a server is told to end.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Take no more work, finish what is open.
    pub stop: CancellationToken,
    /// Cancelled by the server shortly before the drain is over: open-ended streams should close.
    pub cut: CancellationToken,
}

//! How much one address may ask for: a number per UTC day, and a guard against bursts.
//!
//! Addresses are counted by IPv4 address or IPv6 /64 and kept only as a keyed hash whose key lives one day.
//! Loopback is not counted unless told so; what a reverse proxy says about its clients is believed only from
//! the networks that were named.

mod address;
mod file;
pub(super) mod layer;
mod ledger;
pub(super) mod reply;

#[cfg(test)]
mod tests;

pub use address::peer;
pub use ledger::{Refusal, Standing};

use crate::desk::Now;
use axum::http::HeaderMap;
use ipnet::IpNet;
use jiff::Timestamp;
use ledger::Ledger;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much is allowed, and to whom.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Requests a day and address, time series aside.
    pub general: u32,
    /// Requests for time series a day and address.
    pub data: u32,
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
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            general: 100,
            data: 200,
            per_second: 10,
            burst: 20,
            trusted_proxies: Vec::new(),
            overrides: Vec::new(),
            count_loopback: false,
            addresses: 1_000_000,
            file: None,
        }
    }
}

/// Which allowance a request is charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Everything but time series: `daily`.
    General,
    /// Time series: `data`.
    Data,
}

impl Policy {
    /// Name in headers and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "daily",
            Self::Data => "data",
        }
    }

    /// The allowance that pays for a REST path.
    pub fn of_path(path: &str) -> Self {
        if path.starts_with("/api/public/data/") {
            Self::Data
        } else {
            Self::General
        }
    }
}

/// Who asks, as far as counting goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Not counted: loopback, or no address at all (a test, a pipe).
    Exempt,
    /// Counted under this address.
    At(IpAddr),
}

/// The limits and what of them is used up.
pub struct Limits {
    settings: Settings,
    now: Now,
    ledger: Ledger,
    warned: AtomicBool,
}

impl Limits {
    /// Limits with the day's counts as they were left, when they are kept in a file.
    pub fn new(settings: Settings, now: Now) -> Self {
        let today = now();
        let ledger = settings
            .file
            .as_deref()
            .and_then(|path| file::load(path, today, settings.addresses))
            .unwrap_or_else(|| Ledger::new(today, settings.addresses));
        Self {
            settings,
            now,
            ledger,
            warned: AtomicBool::new(false),
        }
    }

    /// Who a request is counted for.
    pub fn client(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Client {
        let Some(peer) = peer else {
            return Client::Exempt;
        };
        let peer = address::plain(peer.ip());
        let found = address::client(peer, headers, &self.settings.trusted_proxies);
        if found == peer && peer.is_loopback() && !self.settings.count_loopback {
            if headers.contains_key("x-forwarded-for") && !self.warned.swap(true, Ordering::Relaxed)
            {
                tracing::warn!(
                    "requests come from loopback with X-Forwarded-For, which is not believed; \
                     behind a reverse proxy start with --trusted-proxy 127.0.0.1/32"
                );
            }
            return Client::Exempt;
        }
        Client::At(found)
    }

    /// Whether connections of an address are counted: not those of proxies, and of loopback as of its requests.
    pub(super) fn counts_connections_of(&self, address: IpAddr) -> bool {
        let address = address::plain(address);
        let is_proxy = self
            .settings
            .trusted_proxies
            .iter()
            .any(|net| net.contains(&address));
        !is_proxy && (self.settings.count_loopback || !address.is_loopback())
    }

    /// Charges the guard against bursts.
    ///
    /// # Errors
    /// [`Refusal`] when too many came at once.
    pub fn burst(&self, client: Client) -> Result<(), Refusal> {
        let Client::At(address) = client else {
            return Ok(());
        };
        self.ledger.burst(
            (self.now)(),
            address,
            self.settings.per_second,
            self.settings.burst,
        )
    }

    /// Charges one request to the day's allowance; `None` for who is not counted.
    ///
    /// # Errors
    /// [`Refusal`] when nothing is left; that costs nothing.
    pub fn spend(&self, client: Client, policy: Policy) -> Result<Option<Standing>, Refusal> {
        let Client::At(address) = client else {
            return Ok(None);
        };
        let most = self.most(address, policy);
        self.ledger
            .spend((self.now)(), address, policy, most)
            .map(Some)
    }

    /// Gives one request back: the failure was ours.
    pub fn refund(&self, client: Client, policy: Policy) {
        if let Client::At(address) = client {
            self.ledger.refund((self.now)(), address, policy);
        }
    }

    /// A short name for an address in logs: a keyed hash that means nothing tomorrow.
    pub fn pseudonym(&self, client: Client) -> String {
        match client {
            Client::Exempt => "local".into(),
            Client::At(address) => self.ledger.pseudonym((self.now)(), address),
        }
    }

    /// Addresses remembered now.
    pub fn addresses(&self) -> usize {
        self.ledger.len()
    }

    /// Writes the day's counts to their file, when there is one and something changed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self) -> std::io::Result<()> {
        match &self.settings.file {
            Some(path) if self.ledger.take_changed() => file::save(path, &self.ledger),
            Some(_) | None => Ok(()),
        }
    }

    fn most(&self, address: IpAddr, policy: Policy) -> u32 {
        let usual = match policy {
            Policy::General => self.settings.general,
            Policy::Data => self.settings.data,
        };
        let given = self
            .settings
            .overrides
            .iter()
            .filter(|(net, _)| net.contains(&address))
            .max_by_key(|(net, _)| net.prefix_len());
        match (given, policy) {
            (Some((_, most)), Policy::General) => *most,
            (Some((_, most)), Policy::Data) => usual.max(*most),
            (None, _) => usual,
        }
    }
}

/// Start of the next UTC day.
fn midnight_after(now: Timestamp) -> Timestamp {
    let day = now.as_second().div_euclid(86_400);
    Timestamp::from_second((day + 1).saturating_mul(86_400)).unwrap_or(Timestamp::MAX)
}

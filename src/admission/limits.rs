//! How much one address may ask for: a number per UTC day, and a guard against bursts. What is charged and to whom, and
//! a count of who was refused.
//!
//! Addresses are counted by IPv4 address or IPv6 /64 and kept only as a keyed hash whose key lives one day.
//! Loopback is not counted unless told so; what a reverse proxy says about its clients is believed only from
//! the networks that were named. Time is the counters' own: setting the wall clock neither grants nor refuses.

use super::address;
use super::counters::{Counters, hex};
use super::permits::{Full, MAX_LISTENERS_PER_ADDRESS, Permit, Permits};
use super::policy::{Burst, Charge, Policy, Refusal, Standing};
use super::redis::{Shared, SharedState};
use super::reply;
use super::settings::LimitSettings;
use super::tally::NamedCounters;
use crate::rest::status;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use econoscope_core::clock::Moment;
use econoscope_core::error::Error;
use econoscope_data::pool::Caller;
use ipnet::{IpNet, Ipv6Net};
use parking_lot::Mutex;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(test)]
mod tests;

/// The part of all connections that may be streams of those who listen: the rest is for requests.
const LISTENING_SHARE: usize = 4;
/// What is charged to the day, held or not; documents are free.
const CHARGED: &str = "/api/public/";
/// What a supervisor asks every few seconds.
const PROBES: [&str; 2] = ["/health", "/ready"];
/// What a proxy adds to a request.
const SPOKEN_FOR: [HeaderName; 3] = [
    HeaderName::from_static("x-forwarded-for"),
    header::FORWARDED,
    header::VIA,
];

/// What is charged and to whom, and a count of who was refused.
pub struct Admission {
    settings: LimitSettings,
    counters: Arc<Mutex<Counters>>,
    shared: Option<Arc<Shared>>,
    /// Refusals by limit.
    pub(crate) refused: NamedCounters,
    /// Calls of tools over `/mcp`.
    pub(crate) called: NamedCounters,
    warned: AtomicBool,
    listeners: Arc<Permits>,
}

impl Admission {
    /// Limits with the day's counts as they were left, when they are kept in a file; and permits to listen beside so
    /// many connections.
    pub fn new(mut settings: LimitSettings, connections: usize) -> Self {
        let (now, max) = (settings.clock.now(), settings.addresses);
        let address = settings.shared.as_ref();
        let file = settings.file.as_deref();
        let kept = file.and_then(|file| Counters::read(file, &now, max));
        let counters = kept.unwrap_or_else(|| Counters::new(now, max));
        let counters = Arc::new(Mutex::new(counters));
        let shared = address.and_then(|address| {
            Shared::begin(address, Arc::clone(&settings.clock), Arc::clone(&counters))
        });
        for (network, _) in &mut settings.overrides {
            *network = counted(*network);
        }
        let streams = (connections / LISTENING_SHARE).max(1);
        Self {
            settings,
            counters,
            shared,
            refused: NamedCounters::default(),
            called: NamedCounters::default(),
            warned: AtomicBool::new(false),
            listeners: Arc::new(Permits::new(streams, MAX_LISTENERS_PER_ADDRESS)),
        }
    }

    /// Who a request is counted for. A proxy speaks for others, so that what comes from it is counted even from
    /// loopback, and under its own address when it does not say for whom it asks.
    pub fn caller(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Caller {
        match peer.map(|peer| peer.ip().to_canonical()) {
            Some(peer) if !self.is_own(peer) => {
                let trusted = &self.settings.trusted_proxies;
                Caller::at(address::client(peer, headers, trusted))
            }
            Some(_) | None => Caller::OWN,
        }
    }

    /// Warns once when somebody on loopback speaks for others and is not named as a proxy: they would all pass as this
    /// machine, under no limit. A proxy that says nothing at all is known by its old protocol.
    pub(crate) fn watch<B>(&self, request: &Request<B>, peer: Option<SocketAddr>) {
        let is_own = peer.is_some_and(|peer| self.is_own(peer.ip().to_canonical()));
        if !is_own || self.warned.load(Ordering::Relaxed) {
            return;
        }
        let is_old = request.version() <= Version::HTTP_10;
        let speaks = || {
            let mut names = SPOKEN_FOR.into_iter();
            names.any(|name| request.headers().contains_key(name))
        };
        if (is_old || speaks()) && !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "requests come from loopback for others, as a reverse proxy sends them: whoever asks through it passes \
                 as this machine, without limits. Start with --trusted-proxy 127.0.0.1/32, and let the proxy pass on \
                 Host and X-Forwarded-For (deploy/ has examples)"
            );
        }
    }

    /// For whom the connections of an address are counted: for nobody those of proxies.
    pub(crate) fn connecting(&self, address: IpAddr) -> Caller {
        let address = address.to_canonical();
        match self.is_own(address) || self.is_proxy(address) {
            true => Caller::OWN,
            false => Caller::at(address),
        }
    }

    /// Whether an address is this machine's own, and nobody asks through it.
    fn is_own(&self, address: IpAddr) -> bool {
        address.is_loopback() && !self.settings.count_loopback && !self.is_proxy(address)
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        let proxies = &self.settings.trusted_proxies;
        proxies.iter().any(|net| net.contains(&address))
    }

    /// Charges a request to the guard against bursts, and to the day's allowance where one pays: to both or to none.
    /// What is left of the day, where one pays; nothing for who is not counted.
    ///
    /// # Errors
    /// [`Refusal`] when too many came at once, or nothing is left; that costs nothing.
    pub(crate) async fn charge(
        &self,
        caller: Caller,
        policy: Option<Policy>,
    ) -> Result<Option<Standing>, Refusal> {
        self.take(caller, Some(self.pace()), policy).await
    }

    /// Charges a request to the day's allowance alone.
    ///
    /// # Errors
    /// [`Refusal`] when nothing is left; that costs nothing.
    pub(crate) async fn spend(
        &self,
        caller: Caller,
        policy: Policy,
    ) -> Result<Option<Standing>, Refusal> {
        self.take(caller, None, Some(policy)).await
    }

    async fn take(
        &self,
        caller: Caller,
        burst: Option<Burst>,
        policy: Option<Policy>,
    ) -> Result<Option<Standing>, Refusal> {
        let Some(address) = caller.address() else {
            return Ok(None);
        };
        let day = policy.map(|policy| (policy, self.limit(address, policy)));
        let charge = Charge { burst, day };
        let charged = match &self.shared {
            None => self.counters.lock().charge(address, &charge, &self.now()),
            // In a box, so that the future of a request is no larger where nothing is shared.
            Some(shared) => Box::pin(shared.charge(address, &charge)).await,
        };
        charged.inspect_err(|refusal| self.refused.add(refusal.limit()))
    }

    fn pace(&self) -> Burst {
        Burst::of(self.settings.per_second, self.settings.burst)
    }

    /// Gives one request back: the failure was ours.
    pub(crate) fn refund(&self, caller: Caller, policy: Policy) {
        match (caller.address(), &self.shared) {
            (None, _) => {}
            (Some(address), None) => self.counters.lock().refund(address, policy, &self.now()),
            (Some(address), Some(shared)) => shared.refund(address, policy),
        }
    }

    /// A permit to listen: a stream that stays open for hours costs more than a request, so there are few.
    ///
    /// # Errors
    /// [`Full`] when the caller or all together have as many as they may.
    pub(crate) fn listen(&self, caller: Caller) -> Result<Permit, Full> {
        self.listeners.take(caller).inspect_err(|full| {
            self.refused.add(match full {
                Full::Caller => "listeners_of_address",
                Full::All => "listeners",
            });
        })
    }

    /// Charges a caller for what must be made (a page, a widget, a picture, or an upstream's answer behind one), does
    /// the work, and gives the charge back when the failure is ours.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the caller's day is used up, and whatever the work says.
    pub(crate) async fn paid<T>(
        &self,
        caller: Caller,
        policy: Policy,
        work: impl Future<Output = econoscope_core::Result<T>>,
    ) -> econoscope_core::Result<T> {
        let charged = self.spend(caller, policy).await;
        charged.map_err(|refusal| Error::RateLimited {
            what: reply::sentence(&refusal),
            retry_after: refusal.retry_after,
        })?;
        let done = work.await;
        if done.as_ref().is_err_and(|e| status(e).is_server_error()) {
            self.refund(caller, policy);
        }
        done
    }

    /// A short name for a caller in logs: a keyed hash that means nothing tomorrow.
    pub(crate) fn pseudonym(&self, caller: Caller) -> String {
        let Some(address) = caller.address() else {
            return "local".to_owned();
        };
        let now = self.now();
        let [a, b, c, d, ..] = self.counters.lock().key(address, &now);
        hex(&[a, b, c, d])
    }

    /// Addresses remembered now.
    pub(crate) fn addresses(&self) -> usize {
        self.counters.lock().len()
    }

    /// How the counts are doing that many machines share, where they do.
    pub(crate) fn shared(&self) -> Option<SharedState> {
        self.shared.as_ref().map(|shared| shared.state())
    }

    /// Writes the day's counts to their file, when there is one and something changed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn save(&self) -> std::io::Result<()> {
        let Some(path) = &self.settings.file else {
            return Ok(());
        };
        let now = self.now();
        self.counters.lock().write(path, &now)
    }

    fn now(&self) -> Moment {
        self.settings.clock.now()
    }

    /// Requests a day of an address: those of the narrowest network that has a number of its own.
    fn limit(&self, address: IpAddr, policy: Policy) -> u32 {
        let overrides = self.settings.overrides.iter();
        let given = overrides
            .filter(|(network, _)| network.contains(&address))
            .max_by_key(|(network, _)| network.prefix_len())
            .map(|(_, limit)| *limit);
        let usual = match policy {
            Policy::General => return given.unwrap_or(self.settings.general),
            Policy::Data => self.settings.data,
            Policy::Pages => self.settings.pages,
        };
        given.map_or(usual, |given| usual.max(given))
    }
}

/// Charges a request, answers 429 when nothing is left, tells the standing otherwise. Whoever makes something later
/// finds the caller in the request's extensions.
pub(crate) async fn charge(
    State(admission): State<Arc<Admission>>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if PROBES.contains(&path) {
        return next.run(request).await;
    }
    let peer = address::peer(request.extensions());
    let caller = admission.caller(peer, request.headers());
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_charged = is_read && path.starts_with(CHARGED);
    let policy = is_charged.then(|| Policy::of_path(path));
    let standing = match admission.charge(caller, policy).await {
        Ok(standing) => standing,
        Err(refusal) => return reply::too_many(&refusal),
    };
    let Some(policy) = policy else {
        request.extensions_mut().insert(caller);
        return caller.scope(next.run(request)).await;
    };
    let mut response = caller.scope(next.run(request)).await;
    // A form that is not spoken (501) is the asker's mistake, and paid for.
    let is_ours =
        response.status().is_server_error() && response.status() != StatusCode::NOT_IMPLEMENTED;
    if is_ours {
        admission.refund(caller, policy);
    } else if let Some(standing) = standing {
        reply::tell(&mut response, &standing);
    }
    response
}

/// A network as its addresses are counted: 64 bits of IPv6 are one address.
fn counted(network: IpNet) -> IpNet {
    match network {
        IpNet::V6(v6) if v6.prefix_len() > 64 => {
            Ipv6Net::new(v6.network(), 64).map_or(network, |wider| wider.trunc().into())
        }
        IpNet::V6(_) | IpNet::V4(_) => network,
    }
}

//! Rate limits per address: daily allowances and a burst limit, with a count of refusals.
//!
//! An address is an IPv4 address or an IPv6 /64. Only its keyed hash is stored, and the key is valid for one day. Loopback is not
//! counted by default. `X-Forwarded-For` is trusted only from the configured proxies.

use super::counters::{Counters, NamedCounters, hex};
use super::permits::{MAX_LISTENERS_PER_ADDRESS, NoPermit, Permit, Permits};
use super::policy::{Burst, Charge, LimitExceeded, Policy, Price, Quota};
use super::redis::{SharedCounters, SharedCountersStatus};
use super::reply;
use super::settings::LimitSettings;
use super::{address, callers};
use crate::rest::status;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
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

/// The streams of listeners may take one in this many connections; the rest is for requests.
const LISTENER_SHARE: usize = 4;
/// Paths that are charged to a daily allowance, cached or not. Documents are free.
const CHARGED_PREFIX: &str = "/api/public/";
/// Paths that a supervisor requests every few seconds.
pub(super) const PROBES: [&str; 2] = ["/health", "/ready"];

/// Charges requests to their callers, and counts refusals.
pub struct Admission {
    settings: LimitSettings,
    counters: Arc<Mutex<Counters>>,
    shared: Option<Arc<SharedCounters>>,
    /// Refusals by limit.
    pub(crate) refusals: NamedCounters,
    /// Calls of tools over `/mcp`.
    pub(crate) tool_calls: NamedCounters,
    has_warned: AtomicBool,
    listeners: Arc<Permits>,
}

impl Admission {
    /// Creates empty counts, and permits for listeners as a share of the `connections`.
    pub fn new(mut settings: LimitSettings, connections: usize) -> Self {
        let now = settings.clock.now();
        let max = settings.addresses;
        let counters = Arc::new(Mutex::new(Counters::new(now, max)));
        let shared = settings.shared.as_ref().and_then(|address| {
            SharedCounters::connect(address, Arc::clone(&settings.clock), Arc::clone(&counters))
        });
        for (network, _) in &mut settings.overrides {
            *network = widen_to_counted(*network);
        }
        let streams = (connections / LISTENER_SHARE).max(1);
        Self {
            settings,
            counters,
            shared,
            refusals: NamedCounters::default(),
            tool_calls: NamedCounters::default(),
            has_warned: AtomicBool::new(false),
            listeners: Arc::new(Permits::new(streams, MAX_LISTENERS_PER_ADDRESS)),
        }
    }

    /// Returns the caller that pays for a request. A trusted proxy that reports no client pays itself, even on loopback.
    pub fn caller(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Caller {
        match peer.map(|peer| peer.ip().to_canonical()) {
            Some(peer) if !self.is_uncounted(peer) => {
                let trusted = &self.settings.trusted_proxies;
                Caller::from_address(address::client(peer, headers, trusted))
            }
            Some(_) | None => Caller::LOCAL,
        }
    }

    /// Warns once of a proxy on loopback that is not configured: its clients would have no limits.
    pub(crate) fn warn_of_unknown_proxy<B>(&self, request: &Request<B>, peer: Option<SocketAddr>) {
        let is_uncounted = peer.is_some_and(|peer| self.is_uncounted(peer.ip().to_canonical()));
        if !is_uncounted || self.has_warned.load(Ordering::Relaxed) {
            return;
        }
        if callers::sign_of_proxy(request).is_some()
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "requests from loopback look forwarded by a reverse proxy: its clients count as this machine and have no \
                 limits. Start with --trusted-proxy 127.0.0.1/32, and let the proxy forward Host and X-Forwarded-For \
                 (deploy/ has examples)"
            );
        }
    }

    /// Returns the caller that pays for a connection; proxies do not.
    pub(crate) fn connection_caller(&self, address: IpAddr) -> Caller {
        let canonical = address.to_canonical();
        if self.is_uncounted(canonical) || self.is_proxy(canonical) {
            Caller::LOCAL
        } else {
            Caller::from_address(canonical)
        }
    }

    /// Whether an address is this machine's own, and not that of a proxy.
    fn is_uncounted(&self, address: IpAddr) -> bool {
        address.is_loopback() && !self.settings.count_loopback && !self.is_proxy(address)
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        let proxies = &self.settings.trusted_proxies;
        proxies.iter().any(|net| net.contains(&address))
    }

    /// Charges a request to the burst limit and, if `policy` is given, to that daily allowance: to both or to neither.
    /// Returns what is left of the allowance; `None` without one, or for an uncounted caller.
    ///
    /// # Errors
    /// [`LimitExceeded`] for too many requests at once, or an exhausted allowance. Nothing is charged then.
    pub(crate) async fn charge(
        &self,
        caller: Caller,
        policy: Option<Policy>,
    ) -> Result<Option<Quota>, LimitExceeded> {
        let burst = Burst::new(self.settings.per_second, self.settings.burst);
        self.charge_limits(caller, Some(burst), policy).await
    }

    /// Charges a request to a daily allowance alone.
    ///
    /// # Errors
    /// [`LimitExceeded`] for an exhausted allowance. Nothing is charged then.
    pub(crate) async fn spend(
        &self,
        caller: Caller,
        price: impl Into<Price>,
    ) -> Result<Option<Quota>, LimitExceeded> {
        let Price { policy, units } = price.into();
        let mut quota = None;
        for spent in 0..units {
            quota = match self.charge_limits(caller, None, Some(policy)).await {
                Ok(quota) => quota,
                Err(exceeded) => {
                    let units = spent;
                    self.refund(caller, Price { policy, units });
                    return Err(exceeded);
                }
            };
        }
        Ok(quota)
    }

    async fn charge_limits(
        &self,
        caller: Caller,
        burst: Option<Burst>,
        policy: Option<Policy>,
    ) -> Result<Option<Quota>, LimitExceeded> {
        let Some(address) = caller.address() else {
            return Ok(None);
        };
        let daily = policy.map(|policy| (policy, self.daily_limit(address, policy)));
        let charge = Charge { burst, daily };
        let outcome = match &self.shared {
            None => self.counters.lock().charge(address, &charge, &self.now()),
            // Boxed, so that the future of a request stays small without shared counters.
            Some(shared) => Box::pin(shared.charge(address, &charge)).await,
        };
        outcome.inspect_err(|exceeded| self.refusals.add(exceeded.limit_name()))
    }

    /// Refunds a charged request if the server failed to answer it, and reports the allowance in the headers otherwise.
    pub(crate) fn settle(
        &self,
        caller: Caller,
        price: impl Into<Price>,
        quota: Option<Quota>,
        response: &mut Response,
    ) {
        // 501 means that the client requested an unsupported format, which is charged.
        let status = response.status();
        if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
            self.refund(caller, price);
        } else if let Some(quota) = quota {
            reply::set_quota_headers(response, &quota);
        }
    }

    /// Refunds a request.
    pub(crate) fn refund(&self, caller: Caller, price: impl Into<Price>) {
        let Price { policy, units } = price.into();
        for _ in 0..units {
            match (caller.address(), &self.shared) {
                (None, _) => {}
                (Some(address), None) => self.counters.lock().refund(address, policy, &self.now()),
                (Some(address), Some(shared)) => shared.refund(address, policy),
            }
        }
    }

    /// Acquires a permit for a stream, which may stay open for hours.
    ///
    /// # Errors
    /// [`NoPermit`] if the caller, or all callers together, have the maximum.
    pub(crate) fn listen(&self, caller: Caller) -> Result<Permit, NoPermit> {
        self.listeners.acquire(caller).inspect_err(|reason| {
            self.refusals.add(match reason {
                NoPermit::CallerFull => "listeners_of_address",
                NoPermit::AllFull => "listeners",
            });
        })
    }

    /// Charges a caller for work, such as rendering a page or fetching from an upstream, does the work, and refunds the
    /// charge if the server fails.
    ///
    /// # Errors
    /// [`Error::RateLimited`] for an exhausted allowance, and the errors of the work.
    pub(crate) async fn charge_for<T>(
        &self,
        caller: Caller,
        what: impl Into<Price>,
        work: impl Future<Output = econoscope_core::Result<T>>,
    ) -> econoscope_core::Result<T> {
        let price = what.into();
        let charged = self.spend(caller, price).await;
        charged.map_err(|exceeded| Error::RateLimited {
            what: reply::describe(&exceeded),
            retry_after: exceeded.retry_after,
        })?;
        let result = work.await;
        if result.as_ref().is_err_and(|e| status(e).is_server_error()) {
            self.refund(caller, price);
        }
        result
    }

    /// Returns a short name of a caller for logs: the start of its keyed hash of the day.
    pub(crate) fn pseudonym(&self, caller: Caller) -> String {
        let Some(address) = caller.address() else {
            return "local".to_owned();
        };
        let now = self.now();
        let [a, b, c, d, ..] = self.counters.lock().key(address, &now);
        hex(&[a, b, c, d])
    }

    /// Returns the number of addresses in memory.
    pub(crate) fn addresses(&self) -> usize {
        self.counters.lock().len()
    }

    /// Returns the status of the shared counters, if there are any.
    pub(crate) fn shared(&self) -> Option<SharedCountersStatus> {
        self.shared.as_ref().map(|shared| shared.status())
    }

    fn now(&self) -> Moment {
        self.settings.clock.now()
    }

    /// Returns an address' requests per day. The narrowest network with an override counts.
    fn daily_limit(&self, address: IpAddr, policy: Policy) -> u32 {
        let networks = self.settings.overrides.iter();
        let overrides = networks.filter(|(network, _)| network.contains(&address));
        let narrowest = overrides.max_by_key(|(network, _)| network.prefix_len());
        let general = narrowest.map_or(self.settings.general, |(_, limit)| *limit);
        let default = match policy {
            Policy::General => return general,
            Policy::Data => self.settings.data,
            Policy::Pages => self.settings.pages,
        };
        narrowest.map_or(default, |(_, limit)| default.max(*limit))
    }
}

/// Middleware that charges a request, answers 429 if a limit is exceeded, and reports the allowance otherwise. It puts the
/// caller into the extensions of a free request, whose handler may charge later.
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
    let is_charged = is_read && path.starts_with(CHARGED_PREFIX);
    let policy = is_charged.then(|| Policy::of_path(path));
    let quota = match admission.charge(caller, policy).await {
        Ok(quota) => quota,
        Err(exceeded) => return reply::too_many_requests(&exceeded),
    };
    let Some(policy) = policy else {
        request.extensions_mut().insert(caller);
        return caller.scope(next.run(request)).await;
    };
    let mut response = caller.scope(next.run(request)).await;
    admission.settle(caller, policy, quota, &mut response);
    response
}

/// Widens an IPv6 network to 64 bits, which are counted as one address.
fn widen_to_counted(network: IpNet) -> IpNet {
    match network {
        IpNet::V6(v6) if v6.prefix_len() > 64 => {
            Ipv6Net::new(v6.network(), 64).map_or(network, |wider| wider.trunc().into())
        }
        IpNet::V6(_) | IpNet::V4(_) => network,
    }
}

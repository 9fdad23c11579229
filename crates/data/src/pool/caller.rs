//! The caller of the request that is being answered.

use std::future::Future;
use std::net::{IpAddr, Ipv6Addr};

/// Who asks: a network, or the program's own user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Caller(Option<IpAddr>);

/// Who waits for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// A request.
    Request,
    /// Nobody: it follows a change of the data.
    Background,
}

tokio::task_local! {
    static CALLER: Caller;
    static PRIORITY: Priority;
}

/// Runs a future whose jobs nobody waits for: each starts when no request waits in the queue, or after two seconds there.
/// A batch is one job for each of its items.
pub fn in_background<F: Future>(work: F) -> impl Future<Output = F::Output> {
    PRIORITY.scope(Priority::Background, work)
}

impl Priority {
    /// Returns the priority of the current task.
    pub(super) fn current() -> Self {
        PRIORITY.try_get().unwrap_or(Self::Request)
    }
}

impl Caller {
    /// The program's own user, whom no limit counts.
    pub const LOCAL: Self = Self(None);

    /// Returns the caller of an address: one IPv4 address, or a /64 network of IPv6.
    pub fn from_address(address: IpAddr) -> Self {
        Self(Some(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        }))
    }

    /// Returns the address under which limits count it; `None` for the program's own user.
    pub fn address(self) -> Option<IpAddr> {
        self.0
    }

    /// Returns the caller of the current task; the program's own user outside of a request.
    pub fn current() -> Self {
        CALLER.try_get().unwrap_or(Self::LOCAL)
    }

    /// Runs a future for this caller. Tasks that it spawns do not inherit the caller.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CALLER.scope(self, work)
    }

    /// Whether it is the program's own user.
    pub fn is_local(self) -> bool {
        self.0.is_none()
    }
}

//! For whom work is done: told once, where a request comes in, and known wherever its answer is made.

use std::future::Future;
use std::net::{IpAddr, Ipv6Addr};

/// Who asks: a network, or the program's own user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Caller(Option<IpAddr>);

tokio::task_local! {
    static CALLER: Caller;
}

impl Caller {
    /// The one at the keyboard, or whom no limit counts.
    pub const OWN: Self = Self(None);

    /// Who asks from an address: one IPv4 address, or an IPv6 network of 64 bits, which is one household.
    pub fn at(address: IpAddr) -> Self {
        Self(Some(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        }))
    }

    /// Under which address it is counted; nobody counts the program's own user.
    pub fn address(self) -> Option<IpAddr> {
        self.0
    }

    /// Whose request is being answered; without a request it is the program's own user.
    pub fn current() -> Self {
        CALLER.try_with(|caller| *caller).unwrap_or(Self::OWN)
    }

    /// Does everything in a future for this caller. What the future spawns must be told anew.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CALLER.scope(self, work)
    }

    /// Whether the server itself asks.
    pub fn is_own(self) -> bool {
        self.0.is_none()
    }
}

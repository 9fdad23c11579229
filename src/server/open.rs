//! The open connections of strangers, and which of them gives way to a newcomer when there is no room.

use econoscope_data::pool::Caller;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Every open connection that may have to give way.
#[derive(Default)]
pub(super) struct OpenConnections {
    all: Mutex<HashMap<u64, Arc<Activity>>>,
    next: AtomicU64,
}

/// What a connection does, and the word to end it.
pub(super) struct Activity {
    block: IpAddr,
    busy: AtomicUsize,
    last: Mutex<Instant>,
    pub(super) close: CancellationToken,
}

/// A connection in the list, until it is dropped.
pub(super) struct Listed {
    open: Arc<OpenConnections>,
    number: u64,
    pub(super) activity: Arc<Activity>,
}

/// A request that is being answered on a connection, until it is dropped.
pub(super) struct Busy(Arc<Activity>);

impl OpenConnections {
    /// Lists a connection. That of a caller whom nobody counts never gives way.
    pub(super) fn list(self: &Arc<Self>, caller: Caller) -> Option<Listed> {
        let activity = Arc::new(Activity {
            block: block(caller.address()?),
            busy: AtomicUsize::new(0),
            last: Mutex::new(Instant::now()),
            close: CancellationToken::new(),
        });
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.all.lock().insert(number, Arc::clone(&activity));
        Some(Listed {
            open: Arc::clone(self),
            number,
            activity,
        })
    }

    /// Ends one connection: of the block of addresses that holds most, the one that has been idle longest, or else the one
    /// whose request is oldest. False where there is none.
    pub(super) fn end_one(&self) -> bool {
        let all = self.all.lock();
        let open = all.values().filter(|a| !a.close.is_cancelled());
        let mut held: HashMap<IpAddr, usize> = HashMap::new();
        for activity in open.clone() {
            *held.entry(activity.block).or_default() += 1;
        }
        let Some((largest, _)) = held.into_iter().max_by_key(|(_, count)| *count) else {
            return false;
        };
        let own = open.filter(|activity| activity.block == largest);
        let idlest = own.min_by_key(|a| (a.busy.load(Ordering::Relaxed).min(1), *a.last.lock()));
        idlest.inspect(|activity| activity.close.cancel()).is_some()
    }
}

impl Activity {
    /// A request begins.
    pub(super) fn begin(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        *self.last.lock() = Instant::now();
        Busy(Arc::clone(self))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
        *self.0.last.lock() = Instant::now();
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.open.all.lock().remove(&self.number);
    }
}

/// The addresses that one operator usually has: 256 of IPv4, 2^80 of IPv6.
fn block(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_idlest_connection_of_the_largest_block_gives_way() {
        let open = Arc::new(OpenConnections::default());
        let list = |address: &str| open.list(Caller::at(address.parse().unwrap())).unwrap();
        let many = ["192.0.2.1", "192.0.2.9", "192.0.2.200"].map(list);
        let few = ["198.51.100.1", "2001:db8:0:1::1"].map(list);
        let _busy = many[0].activity.begin();
        let ended = |l: &Listed| l.activity.close.is_cancelled();
        assert!(open.end_one());
        assert_eq!(
            many.each_ref().map(ended),
            [false, true, false],
            "the oldest idle one"
        );
        assert!(open.end_one());
        assert_eq!(
            many.each_ref().map(ended),
            [false, true, true],
            "before one that is answered"
        );
        assert!(!few.iter().any(ended));
        drop((many, few));
        assert!(!open.end_one(), "none is left");
        assert!(open.list(Caller::OWN).is_none());
    }

    #[test]
    fn one_operator_is_one_block() {
        let of = |address: &str| block(address.parse().unwrap());
        assert_eq!(of("192.0.2.1"), of("192.0.2.254"));
        assert_ne!(of("192.0.2.1"), of("192.0.3.1"));
        assert_eq!(of("2001:db8:1:1::1"), of("2001:db8:1:ffff::2"));
        assert_ne!(of("2001:db8:1::1"), of("2001:db8:2::1"));
    }
}

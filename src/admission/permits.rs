//! Limits how many connections and streams are open at once, in all and per caller. When no connection is free, an idle one
//! is evicted.

use econoscope_data::pool::Caller;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Maximum number of open streams per counted address.
pub(crate) const MAX_LISTENERS_PER_ADDRESS: usize = 16;

/// Permits beyond the limit, for uncounted callers and for connections that replace an evicted one.
const RESERVE: usize = 32;

/// A semaphore with a limit in all and one per caller.
pub(crate) struct Permits {
    open: Mutex<HashMap<usize, Arc<Activity>>>,
    next_number: AtomicUsize,
    max: usize,
    max_per_caller: usize,
}

/// A permit, returned when dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    number: usize,
    /// The activity of the holder.
    pub(crate) activity: Arc<Activity>,
}

/// The activity of a permit's holder.
pub(crate) struct Activity {
    caller: Caller,
    /// Whether a request is being answered, and since when that has not changed.
    state: Mutex<(bool, Instant)>,
    /// Cancelled when the holder is evicted.
    pub(crate) evicted: CancellationToken,
}

/// A request that is being answered, until it is dropped. HTTP/1.1 answers one request of a connection at a time.
pub(crate) struct ActiveRequest(Arc<Activity>);

/// Why there is no permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPermit {
    /// The caller has its maximum.
    CallerFull,
    /// All permits are taken.
    AllFull,
}

impl Permits {
    pub(crate) fn new(max: usize, max_per_caller: usize) -> Self {
        Self {
            open: Mutex::default(),
            next_number: AtomicUsize::new(0),
            max,
            max_per_caller,
        }
    }

    /// Acquires a permit. Uncounted callers may have all permits and the reserve, so that a supervisor on this machine is
    /// always answered.
    pub(crate) fn acquire(self: &Arc<Self>, caller: Caller) -> Result<Permit, NoPermit> {
        let reserve = if caller.is_local() { RESERVE } else { 0 };
        self.acquire_up_to(caller, self.max.saturating_add(reserve))
    }

    /// Acquires a permit from the reserve, for a connection that replaces one that is being evicted.
    pub(crate) fn acquire_reserve(self: &Arc<Self>, caller: Caller) -> Result<Permit, NoPermit> {
        self.acquire_up_to(caller, self.max.saturating_add(RESERVE))
    }

    fn acquire_up_to(self: &Arc<Self>, caller: Caller, max: usize) -> Result<Permit, NoPermit> {
        let mut open = self.open.lock();
        if open.len() >= max {
            return Err(NoPermit::AllFull);
        }
        let of_caller = open.values().filter(|activity| activity.caller == caller);
        if !caller.is_local() && of_caller.count() >= self.max_per_caller {
            return Err(NoPermit::CallerFull);
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let activity = Arc::new(Activity {
            caller,
            state: Mutex::new((false, Instant::now())),
            evicted: CancellationToken::new(),
        });
        open.insert(number, Arc::clone(&activity));
        Ok(Permit {
            permits: Arc::clone(self),
            number,
            activity,
        })
    }

    /// Evicts one connection of a counted caller, from the block of addresses with the most: the one that has been idle
    /// longest, or else the one with the oldest request. Returns whether there was one.
    pub(crate) fn evict_one(&self) -> bool {
        let open = self.open.lock();
        let candidates = open
            .values()
            .filter(|a| !a.evicted.is_cancelled())
            .filter_map(|a| Some((block(a.caller.address()?), a)));
        let mut sizes: HashMap<IpAddr, usize> = HashMap::new();
        for (block, _) in candidates.clone() {
            *sizes.entry(block).or_default() += 1;
        }
        let largest = sizes.into_iter().max_by_key(|(_, size)| *size);
        let in_largest = candidates.filter(|(block, _)| largest.is_some_and(|(b, _)| b == *block));
        let victim = in_largest.min_by_key(|(_, activity)| *activity.state.lock());
        if let Some((_, activity)) = victim {
            activity.evicted.cancel();
        }
        victim.is_some()
    }
}

impl Activity {
    /// Marks the start of a request.
    pub(crate) fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        *self.state.lock() = (true, Instant::now());
        ActiveRequest(Arc::clone(self))
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        *self.0.state.lock() = (false, Instant::now());
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.open.lock().remove(&self.number);
    }
}

/// Returns the block of addresses that one operator usually has: 256 of IPv4, 2^80 of IPv6.
fn block(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(address: &str) -> Caller {
        Caller::from_address(address.parse().unwrap())
    }

    #[test]
    fn permits_are_limited_per_caller_and_returned() {
        let permits = Arc::new(Permits::new(3, 2));
        let acquire = |caller| permits.acquire(caller);
        let first = acquire(caller("2001:db8::1")).ok().unwrap();
        let second = acquire(caller("2001:db8::ffff")).ok().unwrap();
        let full = acquire(caller("2001:db8::1")).err();
        assert_eq!(full, Some(NoPermit::CallerFull), "its /64 is full");
        let third = acquire(Caller::LOCAL).ok().unwrap();
        assert_eq!(acquire(caller("192.0.2.1")).err(), Some(NoPermit::AllFull));
        let reserve: Vec<Permit> = (0..RESERVE)
            .filter_map(|_| acquire(Caller::LOCAL).ok())
            .collect();
        assert_eq!(
            (reserve.len(), acquire(Caller::LOCAL).err()),
            (RESERVE, Some(NoPermit::AllFull))
        );
        assert_eq!(
            permits.acquire_reserve(caller("192.0.2.1")).err(),
            Some(NoPermit::AllFull)
        );
        drop((reserve, first));
        assert!(acquire(caller("2001:db8::1")).is_ok());
        drop((second, third));
        assert!(permits.open.lock().is_empty());
    }

    #[test]
    fn the_idlest_connection_of_the_largest_block_is_evicted() {
        let permits = Arc::new(Permits::new(9, 9));
        let acquire = |address: &str| permits.acquire(caller(address)).ok().unwrap();
        let own = [Caller::LOCAL; 4].map(|caller| permits.acquire(caller).ok().unwrap());
        let many = ["192.0.2.1", "192.0.2.9", "192.0.2.200"].map(acquire);
        let few = ["198.51.100.1", "2001:db8:0:1::1"].map(acquire);
        let _request = many[0].activity.begin_request();
        let is_evicted = |permit: &Permit| permit.activity.evicted.is_cancelled();
        assert!(permits.evict_one());
        assert_eq!(
            many.each_ref().map(is_evicted),
            [false, true, false],
            "the oldest idle one"
        );
        assert!(permits.evict_one());
        assert_eq!(
            many.each_ref().map(is_evicted),
            [false, true, true],
            "before one with a request"
        );
        assert!(!few.iter().chain(&own).any(is_evicted));
        drop((many, few));
        assert!(!permits.evict_one(), "only uncounted ones are left");
    }

    #[test]
    fn addresses_of_one_operator_form_a_block() {
        let block_of = |address: &str| block(address.parse().unwrap());
        assert_eq!(block_of("192.0.2.1"), block_of("192.0.2.254"));
        assert_ne!(block_of("192.0.2.1"), block_of("192.0.3.1"));
        assert_eq!(block_of("2001:db8:1:1::1"), block_of("2001:db8:1:ffff::2"));
        assert_ne!(block_of("2001:db8:1::1"), block_of("2001:db8:2::1"));
    }
}

//! What may be open at once, in all and for one caller: connections, and streams of those who listen. When there is no room
//! for a connection, one that is idle gives way.

use econoscope_data::pool::Caller;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Streams open at once for one address that is counted.
pub(crate) const MAX_LISTENERS_PER_ADDRESS: usize = 16;

/// Permits beyond the limit, for callers whom no limit counts and for those to whom another gives way.
const RESERVE: usize = 32;

/// So many permits at once, and so many of them for one caller.
pub(crate) struct Permits {
    open: Mutex<HashMap<usize, Arc<Activity>>>,
    next: AtomicUsize,
    max: usize,
    max_per_caller: usize,
}

/// Something may be open; given back when dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    number: usize,
    /// What is done with it.
    pub(crate) activity: Arc<Activity>,
}

/// What is done with a permit, and the word to give it back.
pub(crate) struct Activity {
    caller: Caller,
    busy: AtomicUsize,
    last: Mutex<Instant>,
    /// Cancelled when it is to give way.
    pub(crate) close: CancellationToken,
}

/// A request that is being answered on a connection, until it is dropped.
pub(crate) struct Busy(Arc<Activity>);

/// Why there is no permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// The caller has all it may have.
    Caller,
    /// Nobody gets another one.
    All,
}

impl Permits {
    pub(crate) fn new(max: usize, max_per_caller: usize) -> Self {
        Self {
            open: Mutex::default(),
            next: AtomicUsize::new(0),
            max,
            max_per_caller,
        }
    }

    /// A permit, while there is one. A caller whom no limit counts may have all, and some beyond: a supervisor on the
    /// machine must get an answer however many strangers hold.
    pub(crate) fn take(self: &Arc<Self>, caller: Caller) -> Result<Permit, Full> {
        let reserve = if caller.is_own() { RESERVE } else { 0 };
        self.take_of(caller, self.max.saturating_add(reserve))
    }

    /// A permit for somebody for whom another has just been told to give way, and will in a moment.
    pub(crate) fn take_beyond(self: &Arc<Self>, caller: Caller) -> Result<Permit, Full> {
        self.take_of(caller, self.max.saturating_add(RESERVE))
    }

    fn take_of(self: &Arc<Self>, caller: Caller, max: usize) -> Result<Permit, Full> {
        let mut open = self.open.lock();
        if open.len() >= max {
            return Err(Full::All);
        }
        let own = open.values().filter(|activity| activity.caller == caller);
        if !caller.is_own() && own.count() >= self.max_per_caller {
            return Err(Full::Caller);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let activity = Arc::new(Activity {
            caller,
            busy: AtomicUsize::new(0),
            last: Mutex::new(Instant::now()),
            close: CancellationToken::new(),
        });
        open.insert(number, Arc::clone(&activity));
        Ok(Permit {
            permits: Arc::clone(self),
            number,
            activity,
        })
    }

    /// Ends one connection of a caller who is counted: of the block of addresses that holds most, the one that has been
    /// idle longest, or else the one whose request is oldest. False where there is none.
    pub(crate) fn end_one(&self) -> bool {
        let all = self.open.lock();
        let open = all
            .values()
            .filter(|activity| !activity.close.is_cancelled());
        let open = open.filter_map(|activity| Some((block(activity.caller.address()?), activity)));
        let mut held: HashMap<IpAddr, usize> = HashMap::new();
        for (block, _) in open.clone() {
            *held.entry(block).or_default() += 1;
        }
        let largest = held.into_iter().max_by_key(|(_, count)| *count);
        let own = open.filter(|(block, _)| largest.is_some_and(|(largest, _)| largest == *block));
        let idlest =
            own.min_by_key(|(_, a)| (a.busy.load(Ordering::Relaxed).min(1), *a.last.lock()));
        idlest
            .inspect(|(_, activity)| activity.close.cancel())
            .is_some()
    }
}

impl Activity {
    /// A request begins.
    pub(crate) fn begin(self: &Arc<Self>) -> Busy {
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

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.open.lock().remove(&self.number);
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

    fn caller(address: &str) -> Caller {
        Caller::at(address.parse().unwrap())
    }

    #[test]
    fn permits_are_counted_by_caller_and_given_back() {
        let permits = Arc::new(Permits::new(3, 2));
        let take = |caller| permits.take(caller);
        let first = take(caller("2001:db8::1")).ok().unwrap();
        let second = take(caller("2001:db8::ffff")).ok().unwrap();
        let full = take(caller("2001:db8::1")).err();
        assert_eq!(full, Some(Full::Caller), "its /64 is full");
        let third = take(Caller::OWN).ok().unwrap();
        assert_eq!(take(caller("192.0.2.1")).err(), Some(Full::All));
        let reserve: Vec<Permit> = (0..RESERVE)
            .filter_map(|_| take(Caller::OWN).ok())
            .collect();
        assert_eq!(
            (reserve.len(), take(Caller::OWN).err()),
            (RESERVE, Some(Full::All))
        );
        assert_eq!(
            permits.take_beyond(caller("192.0.2.1")).err(),
            Some(Full::All)
        );
        drop((reserve, first));
        assert!(take(caller("2001:db8::1")).is_ok());
        drop((second, third));
        assert!(permits.open.lock().is_empty());
    }

    #[test]
    fn the_idlest_connection_of_the_largest_block_gives_way() {
        let permits = Arc::new(Permits::new(9, 9));
        let take = |address: &str| permits.take(caller(address)).ok().unwrap();
        let own = [Caller::OWN; 4].map(|caller| permits.take(caller).ok().unwrap());
        let many = ["192.0.2.1", "192.0.2.9", "192.0.2.200"].map(take);
        let few = ["198.51.100.1", "2001:db8:0:1::1"].map(take);
        let _busy = many[0].activity.begin();
        let ended = |permit: &Permit| permit.activity.close.is_cancelled();
        assert!(permits.end_one());
        assert_eq!(
            many.each_ref().map(ended),
            [false, true, false],
            "the oldest idle one"
        );
        assert!(permits.end_one());
        assert_eq!(
            many.each_ref().map(ended),
            [false, true, true],
            "before one that is answered"
        );
        assert!(!few.iter().chain(&own).any(ended));
        drop((many, few));
        assert!(!permits.end_one(), "none is left but our own");
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

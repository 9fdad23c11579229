//! What may be open at once, in all and for one caller: connections, and streams of those who listen.

use econoscope_data::pool::Caller;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Streams open at once for one address that is counted.
pub(crate) const MAX_LISTENERS_PER_ADDRESS: usize = 16;

/// So many permits at once, and so many of them for one caller.
#[derive(Debug)]
pub(crate) struct Permits {
    open: Mutex<Open>,
    max: usize,
    max_per_caller: usize,
}

#[derive(Debug)]
struct Open {
    all: usize,
    by_caller: HashMap<Caller, usize>,
}

/// Permits beyond the limit, for callers whom no limit counts and for those to whom another gives way.
const RESERVE: usize = 32;

/// Something may be open; given back when dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    caller: Caller,
}

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
        let open = Open {
            all: 0,
            by_caller: HashMap::new(),
        };
        Self {
            open: Mutex::new(open),
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
        if open.all >= max {
            return Err(Full::All);
        }
        if !caller.is_own() {
            let count = open.by_caller.entry(caller).or_default();
            if *count >= self.max_per_caller {
                return Err(Full::Caller);
            }
            *count += 1;
        }
        open.all += 1;
        Ok(Permit {
            permits: Arc::clone(self),
            caller,
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.permits.open.lock();
        open.all = open.all.saturating_sub(1);
        if let Some(count) = open.by_caller.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                open.by_caller.remove(&self.caller);
            }
        }
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
        let open = permits.open.lock();
        assert!(open.all == 0 && open.by_caller.is_empty());
    }
}

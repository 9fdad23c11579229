//! Limits how many connections and streams are open at once, in all and per caller.

use econoscope_data::pool::Caller;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of open streams per counted address.
pub(crate) const MAX_LISTENERS_PER_ADDRESS: usize = 16;

/// Permits beyond the limit for uncounted callers, so that a supervisor on this machine is always answered.
const RESERVE: usize = 32;

/// A semaphore with a limit in all and one per caller.
pub(crate) struct Permits {
    /// Number of open permits by caller.
    open: Mutex<HashMap<Caller, usize>>,
    max: usize,
    max_per_caller: usize,
}

/// A permit, returned when dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    caller: Caller,
}

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
            max,
            max_per_caller,
        }
    }

    /// Acquires a permit. Uncounted callers may have all permits and the reserve.
    ///
    /// # Errors
    /// [`NoPermit`] if the caller, or all callers together, have the maximum.
    pub(crate) fn acquire(self: &Arc<Self>, caller: Caller) -> Result<Permit, NoPermit> {
        let (max, max_per_caller) = match caller.is_local() {
            true => (self.max.saturating_add(RESERVE), usize::MAX),
            false => (self.max, self.max_per_caller),
        };
        let mut open = self.open.lock();
        if open.values().sum::<usize>() >= max {
            return Err(NoPermit::AllFull);
        }
        let count = open.entry(caller).or_default();
        if *count >= max_per_caller {
            return Err(NoPermit::CallerFull);
        }
        *count += 1;
        Ok(Permit {
            permits: Arc::clone(self),
            caller,
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.permits.open.lock();
        if let Some(count) = open.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.caller);
            }
        }
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
        drop((reserve, first));
        assert!(acquire(caller("2001:db8::1")).is_ok());
        drop((second, third));
        assert!(permits.open.lock().is_empty());
    }
}

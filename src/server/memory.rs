//! The memory that open requests may hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes that open requests may hold in all: their own state, bodies that come, answers that wait to be taken.
const MAX_HELD: u64 = 256 * 1024 * 1024;
/// One address may hold this part of what is still free, so that many cannot leave nothing to the next. A connection
/// of an address that is not counted, which may be a proxy, has a larger part for itself.
pub(super) const PART_OF_ADDRESS: u64 = 8;
pub(super) const PART_OF_CONNECTION: u64 = 2;

/// Bytes held for all.
#[derive(Debug, Default)]
pub(super) struct Held(Arc<AtomicU64>);

/// What one address, or one connection, makes us hold.
#[derive(Debug)]
pub(super) struct Share {
    all: Arc<AtomicU64>,
    own: AtomicU64,
    part: u64,
}

/// Bytes held for one request; given back when dropped.
#[derive(Debug)]
pub(super) struct Charge {
    share: Arc<Share>,
    bytes: AtomicU64,
}

impl Held {
    /// A share that may hold one part of so many.
    pub(super) fn share(&self, part: u64) -> Arc<Share> {
        Arc::new(Share {
            all: Arc::clone(&self.0),
            own: AtomicU64::new(0),
            part,
        })
    }
}

impl Share {
    /// A request that holds nothing yet.
    pub(super) fn nothing(self: &Arc<Self>) -> Charge {
        Charge {
            share: Arc::clone(self),
            bytes: AtomicU64::new(0),
        }
    }
}

impl Charge {
    /// The request will hold so many bytes, unless its share holds more already than it may. Who holds nothing is
    /// always admitted.
    pub(super) fn admit(&self, bytes: u64) -> bool {
        let free = MAX_HELD.saturating_sub(self.share.all.load(Relaxed));
        let admitted = self.share.own.load(Relaxed) <= free / self.share.part;
        if admitted {
            self.add(bytes);
        }
        admitted
    }

    /// More is held for the request.
    pub(super) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
        self.share.own.fetch_add(bytes, Relaxed);
        self.share.all.fetch_add(bytes, Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let bytes = self.bytes.load(Relaxed);
        self.share.own.fetch_sub(bytes, Relaxed);
        self.share.all.fetch_sub(bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(share: &Arc<Share>, held: &mut Vec<Charge>) {
        loop {
            let charge = share.nothing();
            if !charge.admit(256 * 1024) {
                return;
            }
            held.push(charge);
        }
    }

    #[test]
    fn a_thousand_who_hold_all_they_can_leave_room_for_the_next() {
        let all = Held::default();
        let mut held = Vec::new();
        for _ in 0..1_000 {
            fill(&all.share(PART_OF_ADDRESS), &mut held);
        }
        let bytes = all.0.load(Relaxed);
        assert!(bytes < 2 * MAX_HELD, "{bytes}");
        assert!(all.share(PART_OF_ADDRESS).nothing().admit(700_000));
        drop(held);
        assert_eq!(all.0.load(Relaxed), 0);
        let (alone, mut held) = (all.share(PART_OF_ADDRESS), Vec::new());
        fill(&alone, &mut held);
        let own = alone.own.load(Relaxed);
        assert!(own < MAX_HELD / PART_OF_ADDRESS, "{own}");
    }
}

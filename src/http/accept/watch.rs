//! When a connection has been slow for too long. Its streams note what happens; one timer judges.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A connection's first request must have come by then, and every request's head this long after its first byte.
const HEAD_TIME: u64 = 10_000;
/// A connection without a request is kept this long.
const IDLE_TIME: u64 = 60_000;
/// A reader must take [`LEAST_READ`] bytes in this time while we wait for it.
const READ_TIME: u64 = 30_000;
const LEAST_READ: u64 = 64 * 1024;
/// Milliseconds between two looks at most.
const LONGEST_SLEEP: u64 = 5_000;

/// What a connection did, in milliseconds since it began; 0 = not.
#[derive(Debug)]
pub(super) struct Pulse {
    start: Instant,
    requests: AtomicU64,
    active: AtomicU32,
    head_since: AtomicU64,
    idle_since: AtomicU64,
    last_write: AtomicU64,
    blocked: AtomicBool,
    blocked_since: AtomicU64,
    read_since: AtomicU64,
    multiplexed: AtomicBool,
}

/// A request being answered.
pub(super) struct Busy(Arc<Pulse>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.idle_since.store(self.0.now(), Relaxed);
        self.0.active.fetch_sub(1, Relaxed);
    }
}

impl Pulse {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            requests: AtomicU64::new(0),
            active: AtomicU32::new(0),
            head_since: AtomicU64::new(0),
            idle_since: AtomicU64::new(0),
            last_write: AtomicU64::new(0),
            blocked: AtomicBool::new(false),
            blocked_since: AtomicU64::new(0),
            read_since: AtomicU64::new(0),
            multiplexed: AtomicBool::new(false),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).map_or(u64::MAX, |ms| ms.max(1))
    }

    /// A request's head is complete.
    pub(super) fn request(self: &Arc<Self>) -> Busy {
        self.requests.fetch_add(1, Relaxed);
        self.active.fetch_add(1, Relaxed);
        self.head_since.store(0, Relaxed);
        Busy(Arc::clone(self))
    }

    /// Whether no request has come yet.
    pub(super) fn is_new(&self) -> bool {
        self.requests.load(Relaxed) == 0
    }

    /// Bytes came; `first` are the first of the connection.
    pub(super) fn read(&self, first: Option<&[u8]>) {
        if first.is_some_and(|bytes| bytes.starts_with(b"PRI")) {
            self.multiplexed.store(true, Relaxed);
        }
        if self.active.load(Relaxed) == 0 && self.head_since.load(Relaxed) == 0 {
            self.head_since.store(self.now(), Relaxed);
        }
    }

    /// Bytes were taken by the other side.
    pub(super) fn wrote(&self, bytes: usize) {
        self.last_write.store(self.now(), Relaxed);
        self.blocked.store(false, Relaxed);
        let taken = u64::try_from(bytes).unwrap_or(u64::MAX);
        if self
            .read_since
            .fetch_add(taken, Relaxed)
            .saturating_add(taken)
            >= LEAST_READ
        {
            self.read_since.store(0, Relaxed);
            self.blocked_since.store(0, Relaxed);
        }
    }

    /// The other side takes nothing at the moment.
    pub(super) fn stuck(&self) {
        self.blocked.store(true, Relaxed);
        if self.blocked_since.load(Relaxed) == 0 {
            self.read_since.store(0, Relaxed);
            self.blocked_since.store(self.now(), Relaxed);
        }
    }

    /// Resolves when the connection has been slow for too long, with what it was slow at.
    pub(super) async fn overdue(&self) -> &'static str {
        loop {
            match self.judge(self.now()) {
                Ok(wait) => tokio::time::sleep(Duration::from_millis(wait)).await,
                Err(why) => return why,
            }
        }
    }

    /// Milliseconds until the next look, or what took too long.
    fn judge(&self, now: u64) -> Result<u64, &'static str> {
        let mut wait = LONGEST_SLEEP;
        let mut check = |since: u64, most: u64, why: &'static str| {
            let left = since.saturating_add(most).saturating_sub(now);
            wait = wait.min(left.max(1));
            if left == 0 { Err(why) } else { Ok(()) }
        };
        if self.requests.load(Relaxed) == 0 {
            check(0, HEAD_TIME, "no_request")?;
        }
        if self.blocked.load(Relaxed) {
            check(self.blocked_since.load(Relaxed), READ_TIME, "slow_reader")?;
            return Ok(wait);
        }
        if self.active.load(Relaxed) > 0 {
            return Ok(wait);
        }
        let last_write = self.last_write.load(Relaxed);
        let head = self.head_since.load(Relaxed);
        if head > 0 && !self.multiplexed.load(Relaxed) {
            check(head.max(last_write), HEAD_TIME, "slow_header")?;
        }
        let quiet = self.idle_since.load(Relaxed).max(last_write);
        check(quiet, IDLE_TIME, "idle")?;
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slowness_has_its_time() {
        let pulse = Arc::new(Pulse::new());
        assert!(pulse.judge(9_999).is_ok());
        assert_eq!(pulse.judge(10_000), Err("no_request"));
        pulse.read(Some(b"GET"));
        drop(pulse.request());
        assert!(pulse.judge(59_000).is_ok());
        assert_eq!(pulse.judge(61_000), Err("idle"));
        pulse.read(None);
        assert_eq!(pulse.judge(11_000), Err("slow_header"));
        let busy = pulse.request();
        assert!(
            pulse.judge(600_000).is_ok(),
            "a slow answer is ours, not theirs"
        );
        pulse.stuck();
        assert_eq!(pulse.judge(31_000), Err("slow_reader"));
        pulse.wrote(100);
        pulse.stuck();
        assert_eq!(
            pulse.judge(31_000),
            Err("slow_reader"),
            "a trickle is no progress"
        );
        pulse.wrote(100_000);
        assert!(pulse.judge(31_000).is_ok());
        drop(busy);
    }

    #[test]
    fn a_multiplexed_connection_has_no_heads_to_wait_for() {
        let pulse = Arc::new(Pulse::new());
        pulse.read(Some(b"PRI * HTTP/2.0"));
        drop(pulse.request());
        pulse.read(None);
        assert!(pulse.judge(30_000).is_ok());
        assert_eq!(pulse.judge(61_000), Err("idle"));
    }
}

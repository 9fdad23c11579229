//! CPU time of this thread instead of wall time: other load on the machine does not count.

use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::time::Duration;

/// CPU time of so many runs of `work`.
pub(crate) fn of<T>(times: u64, mut work: impl FnMut() -> T) -> Duration {
    let start = now();
    for _ in 0..times {
        black_box(work());
    }
    now().saturating_sub(start)
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}

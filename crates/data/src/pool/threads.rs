//! The threads of the pool.

use super::caller::{Caller, Priority};
use super::queue::{Counts, Job, Queue};
use econoscope_core::error::{Error, Result};
use parking_lot::{Condvar, Mutex};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How much the nice value of the threads exceeds the executor's: a third of its share where both want a processor, and
/// not so little that any other program on the machine would stop them.
#[cfg(any(target_os = "linux", test))]
pub(super) const NICENESS: i32 = 5;

/// Threads for computed answers, with a queue.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Notified when a job arrives or the queue is closed.
    changed: Condvar,
}

impl Default for Pool {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // One is left to the executor: even a thread of low priority keeps its processor for some milliseconds, and
        // cheap requests would wait for it.
        Self::with_threads(processors - 1)
    }
}

impl Pool {
    /// Creates a pool with so many threads, at least one. When the system starts none, every job is refused.
    pub(super) fn with_threads(threads: usize) -> Self {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        let start = |_| {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("computed".into());
            let started = thread.spawn(move || shared.run_jobs());
            started
                .inspect_err(
                    |error| tracing::error!(%error, "a thread of the pool cannot be started"),
                )
                .is_ok()
        };
        if (0..threads.max(1)).filter(|n| start(*n)).count() == 0 {
            shared.queue.lock().close();
        }
        Self { shared }
    }

    /// Runs work for the current [`Caller`]. Work whose future is dropped before it starts is never run.
    ///
    /// # Errors
    /// [`Error::Busy`] when the queue is full, [`Error::Internal`] when the work panics, and those of the work.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.submit(work).1.await
    }

    /// Returns the counters of the pool.
    pub fn counts(&self) -> Counts {
        self.shared.queue.lock().counts()
    }

    /// Queues a job. Returns its number and its result; dropping the future removes the job from the queue. Jobs of the
    /// program's own user are never refused, because its requests are limited where they are read.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> (u64, impl Future<Output = Result<T>> + Send + 'static) {
        let (sender, result) = oneshot::channel();
        let work = Box::new(move || {
            let _ = sender.send(catch_panic(work));
        });
        let caller = Caller::current();
        let mut queue = self.shared.queue.lock();
        let (number, refused) = queue.push(caller, Priority::current(), work, Instant::now());
        drop(queue);
        // Dropped outside the lock, because the work may own much memory.
        drop(refused);
        let guard = JobGuard {
            shared: Arc::clone(&self.shared),
            number,
        };
        self.shared.changed.notify_one();
        let result = async move {
            let _guard = guard;
            result.await.unwrap_or_else(|_| Err(Error::Busy))
        };
        (number, result)
    }

    /// Adds the current caller to a queued job.
    pub(super) fn join(&self, number: u64) {
        let caller = Caller::current();
        let mut queue = self.shared.queue.lock();
        queue.join(number, caller, Priority::current(), Instant::now());
    }
}

fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        let text = cause
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| cause.downcast_ref::<&str>().copied())
            .unwrap_or("a panic without a message");
        Err(Error::internal("making an answer failed", text))
    })
}

/// Removes a job from the queue when it is dropped.
struct JobGuard {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for JobGuard {
    fn drop(&mut self) {
        let removed = self.shared.queue.lock().remove(self.number, Instant::now());
        // Dropped outside the lock, because the work may own much memory.
        drop(removed);
    }
}

impl Shared {
    /// Runs jobs until the pool is dropped.
    fn run_jobs(&self) {
        // Below the executor's priority, where the system allows it: on Linux the nice value belongs to a thread.
        #[cfg(target_os = "linux")]
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::debug!(%error, "the priority of a pool thread cannot be lowered");
        }
        while let Some(job) = self.next_job() {
            let start = thread_time();
            (job.work)();
            let cost = thread_time().saturating_sub(start);
            let mut queue = self.queue.lock();
            queue.finish(job.reservation, cost, Instant::now());
        }
    }

    /// Waits for a job; `None` when the queue is closed.
    fn next_job(&self) -> Option<Job> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.pop(Instant::now()) {
                return Some(job);
            }
            if queue.is_closed {
                return None;
            }
            self.changed.wait(&mut queue);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let jobs = self.shared.queue.lock().close();
        self.shared.changed.notify_all();
        drop(jobs);
    }
}

/// Returns the processor time of this thread.
#[cfg(target_os = "linux")]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the wall-clock time, where the processor time of a thread is not available.
#[cfg(not(target_os = "linux"))]
fn thread_time() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

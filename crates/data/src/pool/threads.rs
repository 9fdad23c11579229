//! The threads, and the door to the queue before them.

use super::caller::Caller;
use super::queue::{Counts, Job, Queue};
use econoscope_core::error::{Error, Result};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How much lower than the executor's the threads' priority is: a third of its share where both want a processor, and not
/// so little that any other program on the machine would stop us.
pub(super) const NICER: i32 = 5;

/// Threads for computed work, and the queue before them.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    came: Condvar,
    max_threads: usize,
}

impl Default for Pool {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // One is left to the executor: whatever its priority, a thread that computes keeps its processor for some
        // milliseconds, and that would be the wait of every cheap request behind it.
        Self::with_threads(processors - 1)
    }
}

impl Pool {
    /// So many threads, at least one. Where the system gives none at all, every job is refused.
    pub(super) fn with_threads(max_threads: usize) -> Self {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            came: Condvar::new(),
            max_threads: max_threads.max(1),
        });
        let start = |_| {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("computed".into());
            let started = thread.spawn(move || shared.work());
            started
                .inspect_err(|error| tracing::error!(%error, "no thread for computed answers"))
                .is_ok()
        };
        if (0..shared.max_threads).filter(|n| start(*n)).count() == 0 {
            shared.queue().close();
        }
        Self { shared }
    }

    /// Does work for the present [`Caller`]. Work whose future is dropped before its turn is never begun.
    ///
    /// # Errors
    /// [`Error::Busy`] when there is more to do than can wait, [`Error::Internal`] when the work panics, and whatever
    /// the work says.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.submit(work).1.await
    }

    /// Threads that compute at one time, at most.
    pub fn max_threads(&self) -> usize {
        self.shared.max_threads
    }

    /// What is counted of the pool.
    pub fn counts(&self) -> Counts {
        self.shared.queue().counts()
    }

    /// Puts a job into the queue: its number, and its result. The job leaves the queue when the future is dropped.
    /// Those of the program's own user are never refused: his requests are bounded where they are read.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> (u64, impl Future<Output = Result<T>> + Send + 'static) {
        let (sender, result) = oneshot::channel();
        let start = Box::new(move || {
            let _ = sender.send(attempt(work));
        });
        let caller = Caller::current();
        let (number, refused) = self.shared.queue().admit(caller, start, Instant::now());
        // Outside the lock: what a job holds may be large.
        drop(refused);
        let place = QueueEntry {
            shared: Arc::clone(&self.shared),
            number,
        };
        self.shared.came.notify_one();
        let result = async move {
            let _place = place;
            result.await.unwrap_or_else(|_| Err(Error::busy()))
        };
        (number, result)
    }

    /// One more waits for a job that is in the queue, which stands there for whoever has cost less.
    pub(super) fn join(&self, number: u64) {
        let caller = Caller::current();
        self.shared.queue().join(number, caller, Instant::now());
    }
}

/// The work, with a panic as an error.
fn attempt<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("a panic without words");
        Err(Error::internal("making an answer failed", text))
    })
}

/// The place of a job in the queue; left when it is dropped.
struct QueueEntry {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for QueueEntry {
    fn drop(&mut self) {
        let left = self.shared.queue().remove(self.number, Instant::now());
        // Outside the lock: what the work holds may be large.
        drop(left);
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    /// A thread's life: the next job, until the pool is dropped.
    fn work(&self) {
        give_way();
        while let Some(job) = self.next_job() {
            let before = spent_here();
            (job.start)();
            let cost = spent_here().saturating_sub(before);
            self.queue().finish(job.promise, cost, Instant::now());
        }
    }

    fn next_job(&self) -> Option<Job> {
        let mut queue = self.queue();
        loop {
            if let Some(job) = queue.pop(Instant::now()) {
                return Some(job);
            }
            if queue.is_closed() {
                return None;
            }
            self.came.wait(&mut queue);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let left = self.shared.queue().close();
        self.shared.came.notify_all();
        drop(left);
    }
}

/// Lets the executor's threads go first. Where the system does not allow it, all are equal.
#[cfg(target_os = "linux")]
fn give_way() {
    // On Linux a priority is a thread's own.
    if let Err(error) = rustix::process::nice(NICER) {
        tracing::debug!(%error, "computed answers have the priority of all others");
    }
}

#[cfg(not(target_os = "linux"))]
fn give_way() {
    let _ = NICER;
}

/// Processor time of this thread.
#[cfg(target_os = "linux")]
fn spent_here() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The time of a clock on the wall stands for processor time where a thread's own is not known.
#[cfg(not(target_os = "linux"))]
fn spent_here() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

//! When a connection has been slow for too long. Its streams note what happens; one timer judges.
//!
//! A reader is judged by the bytes of answers that it takes. What else it sends or takes (pings, a window that opens
//! by a byte, acknowledgements) is talk, and no talk keeps a connection open.

use super::frames::Frames;
use super::memory::Charge;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// A connection's first request must have come by then, and every request's head this long after its first byte.
const HEAD_TIME: u64 = 10_000;
/// A connection without a request is kept this long.
const IDLE_TIME: u64 = 60_000;
/// A reader must take [`MIN_READ`] bytes, or all there are, in this time while we wait for it.
const READ_TIME: u64 = 30_000;
const MIN_READ: usize = 64 * 1024;
/// One answer of several on a connection may wait this long for its turn: a slow line serves them one after another.
const TURN_TIME: u64 = 120_000;
/// Milliseconds between two looks at most.
const MAX_SLEEP: u64 = 5_000;

/// What a connection does; times are milliseconds since it began.
#[derive(Debug)]
pub(super) struct Activity {
    start: Instant,
    record: Mutex<Record>,
    /// Who waits to be told that the other side sends no more.
    reader: AtomicWaker,
}

#[derive(Debug, Default)]
struct Record {
    /// Requests so far.
    requests: u64,
    /// Those whose answer is not wholly taken, by number.
    open: Vec<(u64, OpenAnswer)>,
    /// All their answers together.
    answers: Progress,
    /// Bytes of answers taken so far.
    taken: u64,
    /// When the first byte of a head came that is not complete.
    head_since: Option<u64>,
    idle_since: u64,
    socket: Socket,
    frames: Frames,
}

#[derive(Debug, Default)]
struct OpenAnswer {
    progress: Progress,
    /// Whether it has no end of its own.
    is_endless: bool,
}

/// Bytes that wait to be taken, and since when too few of them were.
#[derive(Debug, Default)]
struct Progress {
    waiting: usize,
    since: u64,
    taken: usize,
}

impl Progress {
    fn offer(&mut self, bytes: usize, now: u64) {
        if self.waiting == 0 {
            (self.since, self.taken) = (now, 0);
        }
        self.waiting += bytes;
    }

    fn take(&mut self, bytes: usize, now: u64) {
        self.waiting = self.waiting.saturating_sub(bytes);
        self.taken += bytes;
        if self.waiting == 0 || self.taken >= MIN_READ {
            (self.since, self.taken) = (now, 0);
        }
    }

    fn stalled_since(&self) -> Option<u64> {
        (self.waiting > 0).then_some(self.since)
    }
}

/// Whether the other side's socket takes bytes of whatever kind.
#[derive(Debug, Default)]
struct Socket {
    is_blocked: bool,
    /// Since when it has taken too few.
    since: Option<u64>,
    written: usize,
}

impl Record {
    fn answer(&mut self, number: u64) -> Option<&mut OpenAnswer> {
        let mut open = self.open.iter_mut();
        open.find_map(|(n, answer)| (*n == number).then_some(answer))
    }

    /// Changes the progress of one answer, and of all together.
    fn progress(&mut self, number: u64, change: impl Fn(&mut Progress)) {
        change(&mut self.answers);
        if let Some(answer) = self.answer(number) {
            change(&mut answer.progress);
        }
    }

    /// Milliseconds until the next look, or what took too long.
    fn judge(&self, now: u64) -> Result<u64, &'static str> {
        let mut wait = MAX_SLEEP;
        let mut check = |since: Option<u64>, max: u64, why: &'static str| {
            let Some(since) = since else { return Ok(()) };
            let left = since.saturating_add(max).saturating_sub(now);
            wait = wait.min(left.max(1));
            if left == 0 { Err(why) } else { Ok(()) }
        };
        let is_blocked = self.socket.is_blocked;
        let stalled = self.open.iter();
        let stalled = stalled.filter_map(|(_, answer)| answer.progress.stalled_since());
        check((self.requests == 0).then_some(0), HEAD_TIME, "no_request")?;
        let blocked = self.socket.since.filter(|_| is_blocked);
        check(blocked, READ_TIME, "slow_reader")?;
        check(self.answers.stalled_since(), READ_TIME, "slow_reader")?;
        check(stalled.min(), TURN_TIME, "slow_reader")?;
        if self.open.is_empty() && !is_blocked {
            let head = self.head_since.filter(|_| !self.frames.are_http2());
            check(head, HEAD_TIME, "slow_header")?;
            check(Some(self.idle_since), IDLE_TIME, "idle")?;
        }
        Ok(wait)
    }
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            record: Mutex::default(),
            reader: AtomicWaker::new(),
        }
    }

    /// Milliseconds since the connection began.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// A request's head is complete.
    pub(super) fn request(self: &Arc<Self>, charge: Charge) -> Arc<Exchange> {
        let mut record = self.record.lock();
        record.requests += 1;
        record.head_since = None;
        let number = record.requests;
        record.open.push((number, OpenAnswer::default()));
        Arc::new(Exchange {
            activity: Arc::clone(self),
            number,
            charge,
        })
    }

    /// Whether no request has come yet.
    pub(super) fn is_new(&self) -> bool {
        self.record.lock().requests == 0
    }

    /// Requests so far, and bytes of answers that were taken.
    #[cfg(test)]
    pub(super) fn earned(&self) -> (u64, u64) {
        let record = self.record.lock();
        (record.requests, record.taken)
    }

    /// Whether more frames came than the work of this connection explains.
    pub(super) fn is_flooded(&self) -> bool {
        self.record.lock().frames.are_too_many()
    }

    /// Bytes came; whether they are frames that nothing accounts for.
    pub(super) fn read(&self, bytes: &[u8]) -> bool {
        let now = self.now();
        let mut record = self.record.lock();
        if record.open.is_empty() {
            record.head_since.get_or_insert(now);
        }
        let earned = (record.requests, record.taken);
        record.frames.read(bytes, now, earned);
        record.frames.are_too_many()
    }

    /// The other side will send no more. It may still read, so this is told only when what it asked for is answered,
    /// and nothing has begun between two looks; `seen` is the count of the last.
    pub(super) fn end(&self, seen: &mut Option<u64>, context: &mut Context<'_>) -> Poll<()> {
        // Before the record is looked at: the last answer may be taken in between.
        self.reader.register(context.waker());
        let record = self.record.lock();
        let is_owed = record.open.iter().any(|(_, answer)| !answer.is_endless);
        if is_owed || record.socket.is_blocked {
            return Poll::Pending;
        }
        if seen.replace(record.requests) == Some(record.requests) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Whether part of an answer waits to be taken.
    pub(super) fn is_answering(&self) -> bool {
        self.record.lock().answers.waiting > 0
    }

    /// Bytes of whatever kind were taken by the other side's socket.
    pub(super) fn wrote(&self, bytes: usize) {
        let socket = &mut self.record.lock().socket;
        socket.is_blocked = false;
        socket.written += bytes;
        if socket.written >= MIN_READ {
            *socket = Socket::default();
        }
    }

    /// The other side's socket takes nothing at the moment.
    pub(super) fn stuck(&self) {
        let socket = &mut self.record.lock().socket;
        socket.is_blocked = true;
        if socket.since.is_none() {
            (socket.since, socket.written) = (Some(self.now()), 0);
        }
    }

    /// Resolves when the connection has been slow for too long, with what it was slow at.
    pub(super) async fn overdue(&self) -> &'static str {
        loop {
            let judged = self.record.lock().judge(self.now());
            match judged {
                Ok(wait) => tokio::time::sleep(Duration::from_millis(wait)).await,
                Err(why) => return why,
            }
        }
    }
}

/// A request that is answered, until its answer is taken or given up.
#[derive(Debug)]
pub(super) struct Exchange {
    activity: Arc<Activity>,
    number: u64,
    charge: Charge,
}

impl Exchange {
    /// Whether the request may be answered, and hold so many bytes meanwhile.
    pub(super) fn admit(&self, bytes: u64) -> bool {
        self.charge.admit(bytes)
    }

    /// The answer is there: `bytes` of it are held, unless it has no end of its own.
    pub(super) fn answered(&self, bytes: Option<u64>) {
        if let Some(bytes) = bytes {
            return self.charge.add(bytes);
        }
        let mut record = self.activity.record.lock();
        if let Some(answer) = record.answer(self.number) {
            answer.is_endless = true;
        }
        self.activity.reader.wake();
    }

    /// Bytes of the answer wait to be taken.
    pub(super) fn offer(&self, bytes: usize) {
        let now = self.activity.now();
        let mut record = self.activity.record.lock();
        record.progress(self.number, |progress| progress.offer(bytes, now));
    }

    /// Bytes of the answer were taken.
    pub(super) fn take(&self, bytes: usize) {
        let now = self.activity.now();
        let mut record = self.activity.record.lock();
        record.progress(self.number, |progress| progress.take(bytes, now));
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        record.taken = record.taken.saturating_add(bytes);
    }

    /// Bytes that waited are dropped: nobody wants them any more.
    pub(super) fn withdraw(&self, bytes: usize) {
        let mut record = self.activity.record.lock();
        record.progress(self.number, |p| p.waiting = p.waiting.saturating_sub(bytes));
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut record = self.activity.record.lock();
        record.open.retain(|(number, _)| *number != self.number);
        record.idle_since = self.activity.now();
        self.activity.reader.wake();
    }
}

#[cfg(test)]
mod tests;

//! What is counted of the pool.

/// What the pool has done and is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Jobs that wait.
    pub(crate) waiting: usize,
    /// Jobs done.
    pub(crate) done: u64,
    /// Callers sent away because the queue was full.
    pub(crate) refused: u64,
    /// Jobs sent away from the queue for somebody who had cost less.
    pub(crate) evicted: u64,
}

//! Computed answers are made by a few threads of their own, for whoever has cost least.
//!
//! A cheap answer is given at once by the executor; what takes longer waits here, so that the executor is always free
//! for the next request. The threads are one fewer than the processors, at least one, and give way to the executor. The
//! queue is short: who finds it full is told so at once, and who leaves takes his work along.

mod caller;
mod queue;
mod single_flight;
#[cfg(test)]
mod tests;
mod threads;

pub use caller::Caller;
pub use queue::Counts;
pub use single_flight::SingleFlight;
pub use threads::Pool;

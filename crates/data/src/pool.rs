//! A few threads that compute answers, for the caller first who has used least.
//!
//! The executor returns cheap answers at once. Longer work waits here, so that the executor stays free for the next
//! request. There is one thread less than processors, at least one, at a lower priority than the executor. The queue is
//! short: a caller that finds it full is refused at once, and the work of a caller that leaves is dropped. Work that nobody
//! waits for ([`in_background`]) gives way to work that somebody waits for.

mod caller;
mod queue;
mod single_flight;
#[cfg(test)]
mod tests;
mod threads;

pub use caller::{Caller, in_background};
pub use queue::Counts;
pub use single_flight::SingleFlight;
pub use threads::Pool;

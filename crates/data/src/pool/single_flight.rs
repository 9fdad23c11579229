//! Single flight: concurrent requests for the same key share one computation.

use super::threads::Pool;
use econoscope_core::error::Result;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Running computations by key.
pub struct SingleFlight<K, T>(Arc<Mutex<Flights<K, T>>>);

type Flights<K, T> = HashMap<K, Flight<T>>;

/// A job of the pool, with its result for as long as anybody waits for it.
struct Flight<T> {
    job: u64,
    result: WeakShared<BoxFuture<'static, Result<T>>>,
}

impl<K, T> Default for SingleFlight<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> std::fmt::Debug for SingleFlight<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SingleFlight(..)")
    }
}

impl<K, T> SingleFlight<K, T>
where
    K: Eq + Hash + Clone + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    /// Returns the `cached` result of a key, or that of the work, which runs once for all callers that wait. The job is
    /// queued for the caller with the lowest usage, and dropped when all have left.
    ///
    /// # Errors
    /// Those of [`Pool::run`], for everybody who waits. They are not cached.
    pub async fn run(
        &self,
        pool: &Pool,
        key: K,
        cached: impl Fn() -> Option<T>,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let result = {
            let mut flights = self.0.lock();
            if let Some(value) = cached() {
                return Ok(value);
            }
            let running = flights
                .get(&key)
                .and_then(|flight| Some((flight.job, flight.result.upgrade()?)));
            match running {
                Some((job, result)) => {
                    pool.join(job);
                    result
                }
                None => {
                    // Removes computations that every caller has abandoned: at most those that the pool had accepted.
                    flights.retain(|_, flight| flight.result.upgrade().is_some());
                    let (job, output) = pool.submit(work);
                    let all_flights = Arc::clone(&self.0);
                    let own_key = key.clone();
                    let flight = async move {
                        let result = output.await;
                        all_flights.lock().remove(&own_key);
                        result
                    };
                    let result: Shared<BoxFuture<'static, _>> = flight.boxed().shared();
                    if let Some(weak) = result.downgrade() {
                        flights.insert(key, Flight { job, result: weak });
                    }
                    result
                }
            }
        };
        result.await
    }
}

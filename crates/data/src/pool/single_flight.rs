//! Equal work is done once (single flight): who asks first leads, who asks for the same meanwhile follows.

use super::threads::Pool;
use econoscope_core::error::Result;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Work under way, by what it is for.
pub struct SingleFlight<K, T>(Arc<Mutex<Flights<K, T>>>);

type Flights<K, T> = HashMap<K, Flight<T>>;

/// A job of the pool, and its result for as long as anybody waits for it.
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
    /// The result for a key: `held` when it was made a moment ago, else that of the work, which is done once for all
    /// who wait. The job stands in the queue for whoever of them has cost least, and is dropped when all have left.
    ///
    /// # Errors
    /// Those of [`Pool::run`], told to everybody who waits and to nobody who comes later.
    pub async fn run(
        &self,
        pool: &Pool,
        key: K,
        held: impl Fn() -> Option<T>,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let result = {
            let mut flights = self.0.lock();
            if let Some(made) = held() {
                return Ok(made);
            }
            let underway = flights
                .get(&key)
                .and_then(|flight| Some((flight.job, flight.result.upgrade()?)));
            match underway {
                Some((job, result)) => {
                    pool.join(job);
                    result
                }
                None => {
                    let (job, made) = pool.submit(work);
                    let leaving = FlightGuard {
                        flights: Arc::clone(&self.0),
                        key: key.clone(),
                        job,
                    };
                    let result = async move {
                        let _leaving = leaving;
                        made.await
                    };
                    let result: Shared<BoxFuture<'static, _>> = result.boxed().shared();
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

/// Takes a flight off the list when its result is there, or when nobody waits for it any more.
struct FlightGuard<K: Eq + Hash, T> {
    flights: Arc<Mutex<Flights<K, T>>>,
    key: K,
    job: u64,
}

impl<K: Eq + Hash, T> Drop for FlightGuard<K, T> {
    fn drop(&mut self) {
        let mut flights = self.flights.lock();
        // The next may have taken its place already.
        if flights.get(&self.key).is_some_and(|f| f.job == self.job) {
            flights.remove(&self.key);
        }
    }
}

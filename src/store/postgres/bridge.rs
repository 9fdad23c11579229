//! A thread of its own for the asynchronous client, so that whoever calls waits here and no executor does.

use crate::error::{Error, Result};
use crate::postgres::Database;
use std::future::Future;
use tokio::runtime::{Builder, Handle, Runtime};

/// What is shared by all who write through one process: the connections, and the thread they live on for as long as
/// anyone holds this.
#[derive(Debug)]
pub(in crate::store) struct Shared {
    pub(in crate::store) db: Database,
    runtime: Option<Runtime>,
}

impl Shared {
    /// Starts the thread.
    pub(super) fn over(db: Database) -> Result<Self> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("postgres");
        let runtime = runtime.enable_all().build();
        let runtime = runtime.map_err(|e| Error::store("cannot start a thread.", e))?;
        Ok(Self {
            db,
            runtime: Some(runtime),
        })
    }

    /// For work that goes on beside.
    pub(in crate::store) fn handle(&self) -> Option<Handle> {
        self.runtime
            .as_ref()
            .map(|runtime| runtime.handle().clone())
    }

    /// Has work done on a thread beside that of the connections and waits for it: the caller's own may be one of an
    /// executor, which must not block by itself.
    ///
    /// # Errors
    /// What the work says; [`Error::Internal`] when it panicked.
    pub(in crate::store) fn wait<T: Send>(
        &self,
        work: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        let ended = |why: &'static str| Error::internal("work with the database ended", why);
        let runtime = self.runtime.as_ref().ok_or_else(|| ended("too late"))?;
        let done = std::thread::scope(|scope| scope.spawn(move || runtime.block_on(work)).join());
        done.map_err(|_| ended("it panicked"))?
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last holder may be on an executor, which must not wait.
            runtime.shutdown_background();
        }
    }
}

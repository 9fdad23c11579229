//! The runtime on which connections live, for the life of the process.

use econoscope_core::error::{Error, Result};
use std::future::Future;
use std::io;
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).thread_name("postgres");
    builder.enable_all().build()
});

fn runtime() -> Result<&'static Runtime> {
    RUNTIME
        .as_ref()
        .map_err(|e| Error::store("cannot start a thread.", e.to_string()))
}

/// Spawns a task.
///
/// # Errors
/// [`Error::Store`] when the runtime has no thread.
pub(super) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(runtime()?.spawn(task))
}

/// Runs work on a new thread and waits for it: the caller's thread may belong to an executor, which must not block.
///
/// # Errors
/// The error of the work; [`Error::Store`] when there is no thread, [`Error::Internal`] when the work panicked.
pub(super) fn block_on<T: Send>(work: impl Future<Output = Result<T>> + Send) -> Result<T> {
    let runtime = runtime()?;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .spawn_scoped(scope, move || runtime.block_on(work))
            .map_err(|e| Error::store("cannot start a thread.", e))?
            .join()
            .map_err(|_| Error::internal("work with the database ended", "it panicked"))?
    })
}

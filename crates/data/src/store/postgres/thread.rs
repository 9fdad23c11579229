//! The thread that connections live on, for as long as the process does.

use econoscope_core::error::{Error, Result};
use std::future::Future;
use std::io;
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).thread_name("postgres");
    runtime.enable_all().build()
});

fn runtime() -> Result<&'static Runtime> {
    let failed = |e: &io::Error| Error::store("cannot start a thread.", e.to_string());
    RUNTIME.as_ref().map_err(failed)
}

/// Has work done beside whatever else goes on.
///
/// # Errors
/// [`Error::Store`] when there is no thread for it.
pub(super) fn beside(work: impl Future<Output = ()> + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(runtime()?.spawn(work))
}

/// Has work done on a thread beside that of the connections and waits for it: the caller's own may be one of an
/// executor, which must not block by itself.
///
/// # Errors
/// What the work says; [`Error::Store`] when there is no thread for it, [`Error::Internal`] when it panicked.
pub(super) fn wait<T: Send>(work: impl Future<Output = Result<T>> + Send) -> Result<T> {
    let runtime = runtime()?;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new();
        let done = thread.spawn_scoped(scope, move || runtime.block_on(work));
        let done = done.map_err(|e| Error::store("cannot start a thread.", e))?;
        let ended = |_| Error::internal("work with the database ended", "it panicked");
        done.join().map_err(ended)?
    })
}

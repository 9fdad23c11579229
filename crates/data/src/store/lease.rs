//! The lease on syncing, held by one of the processes that share a store file. It expires unless it is renewed, so that
//! another process takes over after a crash.

use super::Store;
use super::postgres::{HEARTBEAT, LEASE, process_name};
use econoscope_core::error::Result;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

/// The lease of a running sync. It is renewed until it is dropped, which ends it.
pub struct SyncLease {
    store: Arc<dyn Store>,
    holder: String,
    heartbeat: JoinHandle<()>,
}

impl SyncLease {
    /// Takes the lease of a store, or returns the process that holds it. Another process that takes it over, because this
    /// one did not run for a while, cancels `sync`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be written.
    pub fn take(
        store: &Arc<dyn Store>,
        sync: CancellationToken,
    ) -> Result<std::result::Result<Self, String>> {
        let holder = process_name();
        if let Some(other) = store.lease(&holder, LEASE)? {
            return Ok(Err(other));
        }
        let renewed_store = Arc::clone(store);
        let name = holder.clone();
        let heartbeat = tokio::spawn(async move {
            while !sync.is_cancelled() {
                tokio::time::sleep(HEARTBEAT).await;
                let store = Arc::clone(&renewed_store);
                let holder = name.clone();
                let renewed = spawn_blocking(move || store.lease(&holder, LEASE)).await;
                if let Ok(Ok(Some(other))) = renewed {
                    tracing::info!(other, "another process has taken over the sync");
                    sync.cancel();
                }
            }
        });
        Ok(Ok(Self {
            store: Arc::clone(store),
            holder,
            heartbeat,
        }))
    }
}

impl Drop for SyncLease {
    fn drop(&mut self) {
        self.heartbeat.abort();
        if let Err(error) = self.store.lease(&self.holder, Duration::ZERO) {
            let error = error.operator_message();
            tracing::debug!(error, "the lease on syncing expires by itself");
        }
    }
}

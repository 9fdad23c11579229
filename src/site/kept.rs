//! Documents are kept, and made once for all who wait for them.

use super::document::{Document, MAX_AGE};
use crate::cache::Cache;
use crate::desk::State;
use crate::error::Result;
use crate::pool::{Once, Pool};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of documents kept in memory.
const KEPT_BYTES: u64 = 16 << 20;

/// What a document depends on: the state of the data, and what was asked for.
pub(super) type Key = (State, String);

/// Documents, rendered once.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    documents: Arc<Cache<Key, Made>>,
    underway: Arc<Once<Key, Arc<Document>>>,
}

/// When a document was made, and the document.
type Made = (Instant, Arc<Document>);

impl Kept {
    /// An empty place.
    pub(super) fn new() -> Self {
        let weigh = |(_, key): &Key, (_, document): &Made| key.len() as u64 + document.weight();
        Self {
            documents: Arc::new(Cache::weighed(KEPT_BYTES, weigh)),
            underway: Arc::default(),
        }
    }

    /// The document of a key, when it is there and not too old.
    pub(super) fn held(&self, key: &Key) -> Option<Arc<Document>> {
        // Figures of an upstream change without a new state of our own data.
        let (made, found) = self.documents.get(key)?;
        (made.elapsed() < MAX_AGE).then_some(found)
    }

    fn keep(&self, key: Key, document: Document) -> Arc<Document> {
        let document = Arc::new(document);
        let made = (Instant::now(), Arc::clone(&document));
        self.documents.insert(key, made);
        document
    }

    /// Makes the document of a key in the pool, once for all who wait for it. Failures are not kept.
    ///
    /// # Errors
    /// Whatever making it says, and [`Error::Busy`].
    pub(super) async fn make(
        &self,
        pool: &Pool,
        key: Key,
        make: impl FnOnce() -> Result<Document> + Send + 'static,
    ) -> Result<Arc<Document>> {
        let (this, name) = (self.clone(), key.clone());
        let held = || self.held(&key);
        let work = move || Ok(this.keep(name, make()?));
        self.underway.run(pool, key.clone(), held, work).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::{Desk, Settings};

    #[test]
    fn long_addresses_are_kept_within_the_same_bound() -> Result<()> {
        let kept = Kept::new();
        let store = Arc::new(crate::store::Sqlite::in_memory().unwrap());
        let desk = Desk::open(store, Settings::default(), Desk::system_clock());
        for n in 0..4_000 {
            let key = (desk.state()?, format!("{n}{}", "x".repeat(8_000)));
            let picture = Document::picture("image/svg+xml", vec![b'x'; 100]);
            kept.keep(key, picture);
        }
        let held = (0..4_000)
            .filter(|n| {
                kept.held(&(desk.state().unwrap(), format!("{n}{}", "x".repeat(8_000))))
                    .is_some()
            })
            .count();
        assert!(held > 100 && held * 8_000 < 16 << 20, "{held}");
        Ok(())
    }
}

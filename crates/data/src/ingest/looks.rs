//! When each series and each feed was looked at: a note of the store, so that a broken-off run goes on where it was.

use crate::store::Store;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Observation, SeriesId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Looks by series or by feed.
pub(super) type Looks<L> = BTreeMap<String, L>;

/// The looks in a note of the store. One of another version of this program only costs looking once more.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) async fn read<L: DeserializeOwned>(
    store: &Arc<dyn Store>,
    note: &'static str,
) -> Result<Looks<L>> {
    let text = blocking(store, move |store| store.note(note)).await?;
    let looks = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(looks.unwrap_or_default())
}

/// Keeps them.
///
/// # Errors
/// [`Error::Store`] when the store cannot be written.
pub(super) async fn keep<L: Serialize>(
    looks: &Looks<L>,
    store: &Arc<dyn Store>,
    note: &'static str,
) -> Result<()> {
    let text = serde_json::to_string(looks).map_err(|e| Error::internal("keeping looks", e))?;
    blocking(store, move |store| store.set_note(note, &text)).await
}

/// The newest figures that the store holds of a series; none where it has none.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) async fn latest(store: &Arc<dyn Store>, id: &SeriesId) -> Result<Vec<Observation>> {
    let id = id.clone();
    let held = blocking(store, move |store| store.read(&id)).await?;
    Ok(held.unwrap_or_default().latest())
}

/// Runs a piece of store work off the async threads.
///
/// # Errors
/// Those of the work, and [`Error::Internal`] when it broke off.
pub(super) async fn blocking<T: Send + 'static>(
    store: &Arc<dyn Store>,
    work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
) -> Result<T> {
    let store = Arc::clone(store);
    let done = tokio::task::spawn_blocking(move || work(store.as_ref())).await;
    done.map_err(|e| Error::internal("work on the store broke off", e))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sqlite;

    #[tokio::test]
    async fn looks_survive_their_note_and_one_of_another_shape_is_forgotten() {
        let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
        let mut looks = Looks::default();
        looks.insert("DGS10".to_owned(), 1);
        keep(&looks, &store, "x").await.unwrap();
        assert_eq!(read::<i32>(&store, "x").await.unwrap(), looks);
        for other in ["", "DGS10 1 2\n", "{\"DGS10\":\"x\"}"] {
            store.set_note("x", other).unwrap();
            assert!(read::<i32>(&store, "x").await.unwrap().is_empty());
        }
    }
}

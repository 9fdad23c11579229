//! Fetch state: when each series and each feed was read and how that went, kept in notes of the store, so that a
//! broken-off sync goes on where it was.

use super::fetch::Validators;
use super::write::day_of;
use crate::store::Store;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Date, Observation, SeriesId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Note of the store: when each series was read.
pub(super) const SERIES: &str = "sync_looks";
/// Note of the store: how each feed fared.
pub(super) const FEEDS: &str = "sync_feeds";

/// Note of the store: the units of series whose base has changed since they came, each from the day of the change on.
pub(crate) const BASES: &str = "bases";

/// State by series or by feed.
pub(crate) type States<S> = BTreeMap<String, S>;

/// When a series was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeriesState {
    /// Last time.
    pub(super) at: Timestamp,
    /// Last time in full.
    pub(super) full: Timestamp,
    /// Whether its history of revisions is in.
    pub(super) vintages: bool,
}

/// How a feed fared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FeedState {
    /// How to ask whether its answer has changed.
    pub(super) validators: Validators,
    /// Series whose rows were accepted from it.
    pub(super) trusted: BTreeSet<SeriesId>,
    /// What it answered for series of which nothing was held that could confirm it: the day and the newest figures.
    #[serde(default)]
    pub(super) unconfirmed: BTreeMap<SeriesId, (Date, Vec<Observation>)>,
    /// The last answer, when it was refused.
    pub(super) refused: Option<RefusedAnswer>,
}

impl FeedState {
    /// Notes what was wrong with an answer, for the operator.
    pub(super) fn refuse(&mut self, at: Timestamp, why: String, head: String) {
        self.refused = Some(RefusedAnswer { at, why, head });
    }
}

/// An answer that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedAnswer {
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
    /// Its beginning.
    pub head: String,
}

/// When a series was last read from a source, in a sync of everything or of a part.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn last_read(store: &dyn Store) -> Result<Option<Timestamp>> {
    let states: States<SeriesState> = load(store, SERIES)?;
    Ok(states.values().map(|state| state.at).max())
}

/// What a note of the store holds. One of another version of this program only costs reading once more.
fn load<T: DeserializeOwned + Default>(store: &dyn Store, note: &str) -> Result<T> {
    let text = store.note(note)?;
    let held = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(held.unwrap_or_default())
}

fn as_text<T: Serialize>(held: &T) -> Result<String> {
    serde_json::to_string(held).map_err(|e| Error::internal("writing a note of a sync", e))
}

/// As [`load`], off the async threads.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) async fn read<T: DeserializeOwned + Default + Send + 'static>(
    store: &Arc<dyn Store>,
    note: &'static str,
) -> Result<T> {
    blocking(store, move |store| load(store, note)).await
}

/// Writes a note.
///
/// # Errors
/// [`Error::Store`] when the store cannot be written.
pub(super) async fn write<T: Serialize>(
    held: &T,
    store: &Arc<dyn Store>,
    note: &'static str,
) -> Result<()> {
    let text = as_text(held)?;
    blocking(store, move |store| store.set_note(note, &text)).await
}

/// Notes the unit that a series has from today, and returns it; an empty `base` is one that nobody states.
///
/// # Errors
/// [`Error::Store`] when it cannot be noted.
pub(super) fn note_base(
    store: &dyn Store,
    id: &SeriesId,
    base: &str,
    now: Timestamp,
) -> Result<String> {
    let day = day_of(now);
    let known = Catalogue::embedded().get(id.as_str());
    let units = known.map_or("in its own unit", |info| &info.units);
    let unit = match base {
        "" => format!("{units} (base or unit changed on {day})"),
        stated => stated.to_owned(),
    };
    let mut bases: States<Vec<(Date, String)>> = load(store, BASES)?;
    let of = bases.entry(id.to_string()).or_default();
    of.push((day, unit.clone()));
    store.set_note(BASES, &as_text(&bases)?)?;
    Ok(unit)
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
    async fn states_survive_their_note_and_one_of_another_shape_is_forgotten() {
        let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
        let mut states = States::default();
        states.insert("DGS10".to_owned(), 1);
        write(&states, &store, "x").await.unwrap();
        assert_eq!(read::<States<i32>>(&store, "x").await.unwrap(), states);
        for other in ["", "DGS10 1 2\n", "{\"DGS10\":\"x\"}"] {
            store.set_note("x", other).unwrap();
            assert!(read::<States<i32>>(&store, "x").await.unwrap().is_empty());
        }
    }
}

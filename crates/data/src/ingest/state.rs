//! Fetch state: when each series and each feed was read, with what result. Stored as JSON notes of the store, so that
//! an interrupted sync continues where it stopped.

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

/// Name of the note with the [`SeriesState`] of each series.
pub(super) const SERIES: &str = "sync_looks";
/// Name of the note with the [`FeedState`] of each feed.
pub(super) const FEEDS: &str = "sync_feeds";

/// Name of the note with the time of the last complete sync.
pub const LAST_SYNC: &str = "last_sync";

/// Name of the note with the end of the last whole sync that reached the network, and whether it left FRED out.
pub(super) const ATTEMPT: &str = "sync_attempt";

/// Returns when the last whole sync ended that reached the network, with or without FRED.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn last_attempt(store: &dyn Store, no_fred: bool) -> Result<Option<Timestamp>> {
    let note: Option<(Timestamp, bool)> = read(store, ATTEMPT)?;
    Ok(note.and_then(|(at, without)| (without == no_fred).then_some(at)))
}

/// Name of the note with the units of series whose base has changed, each with the day of the change.
pub const BASES: &str = "bases";

/// State by series or by feed.
pub(crate) type States<S> = BTreeMap<String, S>;

/// When a series was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeriesState {
    /// The last time.
    #[serde(rename = "at")]
    pub(super) read_at: Timestamp,
    /// The last time in full.
    #[serde(rename = "full")]
    pub(super) fully_read_at: Timestamp,
    /// Whether its vintages are stored.
    #[serde(rename = "vintages")]
    pub(super) has_vintages: bool,
}

/// What is known of a feed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FeedState {
    /// Validators of its last response.
    pub(super) validators: Validators,
    /// Series whose rows were accepted from the response that carried the validators. For any other series, even an
    /// unchanged response may have new figures.
    #[serde(default)]
    pub(super) accepted: BTreeSet<SeriesId>,
    /// Series whose rows were accepted from any response of the feed.
    pub(super) trusted: BTreeSet<SeriesId>,
    /// Rows that no stored figure could confirm: their day and the newest figures.
    #[serde(default)]
    pub(super) unconfirmed: BTreeMap<SeriesId, (Date, Vec<Observation>)>,
    /// A response that the last sync refused.
    pub(super) refused: Option<RefusedResponse>,
}

impl FeedState {
    /// Records a refused response for the operator.
    pub(super) fn refuse(&mut self, at: Timestamp, why: &Error, head: String) {
        self.refused = Some(RefusedResponse {
            at,
            why: why.to_string(),
            head,
        });
    }
}

/// A response that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedResponse {
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
    /// Its first bytes.
    pub head: String,
}

/// Returns when a sync last read any series from a source.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn last_read(store: &dyn Store) -> Result<Option<Timestamp>> {
    let states: States<SeriesState> = read(store, SERIES)?;
    Ok(states.values().map(|state| state.read_at).max())
}

/// Reads a note. A note that cannot be parsed counts as empty, which only costs another read of the sources.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) fn read<T: DeserializeOwned + Default>(store: &dyn Store, name: &str) -> Result<T> {
    let text = store.note(name)?;
    let value = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(value.unwrap_or_default())
}

/// Writes a note.
///
/// # Errors
/// [`Error::Store`] when the store cannot be written.
pub(super) fn write<T: Serialize>(value: &T, store: &dyn Store, name: &str) -> Result<()> {
    let text =
        serde_json::to_string(value).map_err(|e| Error::internal("writing a note of a sync", e))?;
    store.set_note(name, &text)
}

/// Records that a series has another unit from today on, and returns the unit. `stated` is the source's name of the
/// unit; empty when it states none.
///
/// # Errors
/// [`Error::Store`] when the store cannot be written.
pub(super) fn record_base_change(
    store: &dyn Store,
    id: &SeriesId,
    stated: &str,
    now: Timestamp,
) -> Result<String> {
    let day = day_of(now);
    let info = Catalogue::embedded().get(id.as_str());
    let units = info.map_or("in its own unit", |info| &info.units);
    let unit = match stated {
        "" => format!("{units} (base or unit changed on {day})"),
        stated => stated.to_owned(),
    };
    let mut bases: States<Vec<(Date, String)>> = read(store, BASES)?;
    let changes = bases.entry(id.to_string()).or_default();
    changes.push((day, unit.clone()));
    write(&bases, store, BASES)?;
    Ok(unit)
}

/// Returns the stored rows of a series as known now; empty when it has none.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub(super) fn stored_rows(store: &dyn Store, id: &SeriesId) -> Result<Vec<Observation>> {
    Ok(store.read(id)?.unwrap_or_default().latest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sqlite;

    #[test]
    fn states_round_trip_and_unreadable_notes_count_as_empty() {
        let store = &Sqlite::in_memory().unwrap();
        let mut states = States::default();
        states.insert("DGS10".to_owned(), 1);
        write(&states, store, "x").unwrap();
        assert_eq!(read::<States<i32>>(store, "x").unwrap(), states);
        for other in ["", "DGS10 1 2\n", "{\"DGS10\":\"x\"}"] {
            store.set_note("x", other).unwrap();
            assert!(read::<States<i32>>(store, "x").unwrap().is_empty());
        }
    }
}

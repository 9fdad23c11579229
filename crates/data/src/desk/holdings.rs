//! What the store holds at a state of the data, and the day for which it can speak.

use super::kept::State;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::words::fold;
use econoscope_core::model::{Date, Frequency, Observation, SeriesId};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The note under which a sync leaves its time.
pub const LAST_SYNC: &str = "last_sync";

/// What is held, by series.
#[derive(Debug)]
pub struct Holdings {
    /// State it was read at.
    pub state: State,
    /// Whether nothing but the bundled history is held.
    pub bundled: bool,
    /// Time of the last sync, if there was one.
    pub last_sync: Option<Timestamp>,
    /// How many series are held, listed or not.
    pub count: u64,
    pub(super) by_id: BTreeMap<SeriesId, Status>,
    /// Units of series whose base has changed, by the day of the change.
    pub(super) bases: BTreeMap<String, Vec<(Date, String)>>,
    /// Those that the catalogue does not know, by identifier, each with its name folded; listed when first asked for.
    pub(super) others: OnceLock<Vec<(String, SeriesId)>>,
}

/// The day an answer speaks for, and how old that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataDate {
    /// Reference day of docs/METHODS.md#reference-day.
    pub as_of: Date,
    /// Days from then to today.
    pub age_days: i64,
    /// Whether a sync within 48 hours stands behind it.
    pub live: bool,
}

impl DataDate {
    /// The word for the answer: `live` or `snapshot`.
    pub fn freshness(&self) -> &'static str {
        if self.live { "live" } else { "snapshot" }
    }
}

impl Holdings {
    /// What is held of a series of the built-in catalogue; of others where the list is not long
    /// ([`crate::desk::Desk::held`] asks for any).
    pub fn get(&self, id: &SeriesId) -> Option<&Status> {
        self.by_id.get(id)
    }

    /// Whether every series held stands in the list.
    pub fn is_whole(&self) -> bool {
        self.by_id.len() as u64 >= self.count
    }

    /// Everything held, by identifier; of a long list the series of the built-in catalogue.
    pub fn iter(&self) -> impl Iterator<Item = &Status> {
        self.by_id.values()
    }

    /// Series that the built-in catalogue does not know, by identifier, with the identifier as names are compared.
    pub fn others(&self) -> &[(String, SeriesId)] {
        self.others.get_or_init(|| {
            let catalogue = Catalogue::embedded();
            let unknown = |id: &&SeriesId| catalogue.get(id.as_str()).is_none();
            let others = self.by_id.keys().filter(unknown);
            others.map(|id| (fold(id.as_str()), id.clone())).collect()
        })
    }

    /// The newest time at which any source was read.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.by_id.values().map(|s| s.fetched_at).max()
    }

    /// The day of the last sync.
    pub(super) fn synced_on(&self) -> Option<Date> {
        self.last_sync.map(|t| t.to_zoned(TimeZone::UTC).date())
    }
}

/// The frequency that the median gap between rows suggests.
pub fn guess_frequency(rows: &[Observation]) -> Frequency {
    let mut gaps: Vec<i64> = rows
        .windows(2)
        .filter_map(|w| Some(days_between(w.first()?.date, w.last()?.date)))
        .collect();
    gaps.sort_unstable();
    match gaps.get(gaps.len() / 2).copied().unwrap_or(1) {
        ..=4 => Frequency::Daily,
        5..=20 => Frequency::Weekly,
        21..=60 => Frequency::Monthly,
        61..=200 => Frequency::Quarterly,
        _ => Frequency::Annual,
    }
}

//! A series: what is known about it, and its observations.

use super::frequency::{Date, Frequency};
use super::observation::Observation;
use super::series_id::SeriesId;
use super::series_info::SeriesInfo;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A series in memory: ascending dates, one value each, gaps absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Title, unit, frequency, lag, rights.
    pub info: Arc<SeriesInfo>,
    /// Ascending, unique dates, finite values.
    pub observations: Vec<Observation>,
}

impl Series {
    /// Puts observations under their description.
    pub fn new(info: Arc<SeriesInfo>, observations: Vec<Observation>) -> Self {
        debug_assert!(observations.is_sorted_by(|a, b| a.date < b.date));
        Self { info, observations }
    }

    /// Period length.
    pub fn frequency(&self) -> Frequency {
        self.info.frequency
    }

    /// The part that is not stamped later than a day (docs/METHODS.md#newest-figure).
    ///
    /// A series holds what was known on its day, so nothing else is cut: a figure that came before its typical
    /// publication day is known all the same.
    pub fn up_to(&self, day: Date) -> &[Observation] {
        let end = self.observations.partition_point(|o| o.date <= day);
        self.observations.get(..end).unwrap_or(&[])
    }

    /// Newest observation dated on or before `day` (docs/METHODS.md#newest-figure), however old.
    pub fn last_on_or_before(&self, day: Date) -> Option<Observation> {
        self.up_to(day).last().copied()
    }

    /// As-of lookup L(s, d) (docs/METHODS.md#staleness): the newest observation on or before `day`, unless stale.
    pub fn lookup(&self, day: Date) -> Option<Observation> {
        self.last_on_or_before(day)
            .filter(|o| !self.is_stale(o.date, day))
    }

    /// Whether a figure stamped `last` is too old to speak for `day`.
    pub fn is_stale(&self, last: Date, day: Date) -> bool {
        self.late_since(last, day).is_some()
    }

    /// The day since when a newer figure than that of `last` should be there; `None` where it is not late on `day`.
    pub fn late_since(&self, last: Date, day: Date) -> Option<Date> {
        self.info.late_since(last, day)
    }

    /// The observation stamped exactly `date`.
    pub fn at(&self, date: Date) -> Option<f64> {
        let i = self
            .observations
            .binary_search_by_key(&date, |o| o.date)
            .ok()?;
        self.observations.get(i).map(|o| o.value)
    }

    /// Observations from `start` to `end`, both included.
    pub fn between(&self, start: Date, end: Date) -> &[Observation] {
        let from = self.observations.partition_point(|o| o.date < start);
        let to = self.observations.partition_point(|o| o.date <= end);
        self.observations.get(from..to.max(from)).unwrap_or(&[])
    }
}

/// Series by identifier: what an indicator is given to compute from.
#[derive(Debug, Clone, Default)]
pub struct SeriesSet {
    series: BTreeMap<SeriesId, Arc<Series>>,
}

impl SeriesSet {
    /// The series of that identifier (upper case), if it is there and holds an observation.
    pub fn get(&self, id: &str) -> Option<&Series> {
        self.series
            .get(id)
            .map(Arc::as_ref)
            .filter(|s| !s.observations.is_empty())
    }

    /// [`Series::up_to`] of a series that may not be there at all.
    pub fn up_to(&self, id: &str, day: Date) -> &[Observation] {
        self.get(id).map_or(&[], |s| s.up_to(day))
    }

    /// Adds or replaces a series.
    pub fn insert(&mut self, series: Arc<Series>) {
        self.series.insert(series.info.id.clone(), series);
    }

    /// All series, by identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Series>> {
        self.series.values()
    }
}

impl FromIterator<Arc<Series>> for SeriesSet {
    fn from_iter<I: IntoIterator<Item = Arc<Series>>>(iter: I) -> Self {
        let mut set = Self::default();
        iter.into_iter().for_each(|s| set.insert(s));
        set
    }
}

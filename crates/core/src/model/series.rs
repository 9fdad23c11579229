//! A series with its observations.

use super::frequency::{Date, Frequency};
use super::observation::Observation;
use super::series_id::SeriesId;
use super::series_info::SeriesInfo;
use super::timeliness::Timeliness;
use crate::error::Absence;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A series with its observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Description of the series.
    pub info: Arc<SeriesInfo>,
    /// Ascending by date, one finite value per date, gaps absent.
    pub observations: Vec<Observation>,
    /// Day that the agency announced for the figure after the newest one.
    pub next_announced: Option<Date>,
}

impl Series {
    /// Creates a series.
    pub fn new(info: Arc<SeriesInfo>, observations: Vec<Observation>) -> Self {
        debug_assert!(observations.is_sorted_by(|a, b| a.date < b.date));
        Self {
            info,
            observations,
            next_announced: None,
        }
    }

    /// Returns the frequency.
    pub fn frequency(&self) -> Frequency {
        self.info.frequency
    }

    /// Returns the observations dated on or before `day` (docs/METHODS.md#newest-figure).
    ///
    /// A series contains what was known on its reference day, so a figure is included even if it was published before its
    /// typical publication day.
    pub fn up_to(&self, day: Date) -> &[Observation] {
        let end = self.observations.partition_point(|o| o.date <= day);
        self.observations.get(..end).unwrap_or(&[])
    }

    /// Returns the newest observation dated on or before `day` (docs/METHODS.md#newest-figure), however old.
    pub fn last_on_or_before(&self, day: Date) -> Option<Observation> {
        self.up_to(day).last().copied()
    }

    /// Returns the newest observation on or before `day` unless it is stale: L(s, d) in docs/METHODS.md#staleness.
    pub fn fresh_observation(&self, day: Date) -> Option<Observation> {
        self.last_on_or_before(day)
            .filter(|o| Timeliness::new(&self.info, o.date, day, None) == Timeliness::Current)
    }

    /// Returns the timeliness on `day` of a figure dated `last`, by the announced day where there is one.
    pub fn timeliness(&self, last: Date, day: Date) -> Timeliness {
        let is_newest = self.observations.last().is_some_and(|o| o.date == last);
        let announced = self.next_announced.filter(|_| is_newest);
        Timeliness::new(&self.info, last, day, announced)
    }

    /// Returns the value dated exactly `date`.
    pub fn value_on(&self, date: Date) -> Option<f64> {
        let index = self.observations.binary_search_by_key(&date, |o| o.date);
        self.observations.get(index.ok()?).map(|o| o.value)
    }

    /// Returns the observations from `start` to `end`, both included.
    pub fn between(&self, start: Date, end: Date) -> &[Observation] {
        let from = self.observations.partition_point(|o| o.date < start);
        let to = self.observations.partition_point(|o| o.date <= end);
        self.observations.get(from..to.max(from)).unwrap_or(&[])
    }
}

/// Series by identifier, the input of an indicator.
#[derive(Debug, Clone, Default)]
pub struct SeriesSet {
    series: BTreeMap<SeriesId, Arc<Series>>,
    /// Why stored series are not in the set.
    withheld: BTreeMap<SeriesId, Absence>,
}

impl SeriesSet {
    /// Returns the series with this identifier in upper case, if it has observations.
    pub fn get(&self, id: &str) -> Option<&Series> {
        let series = self.series.get(id).map(Arc::as_ref);
        series.filter(|s| !s.observations.is_empty())
    }

    /// Returns [`Series::up_to`] of a series; empty if the set does not have it.
    pub fn up_to(&self, id: &str, day: Date) -> &[Observation] {
        self.get(id).map_or(&[], |s| s.up_to(day))
    }

    /// Adds or replaces a series.
    pub fn insert(&mut self, series: Arc<Series>) {
        self.series.insert(series.info.id.clone(), series);
    }

    /// Records why a stored series is not in the set.
    pub fn withhold(&mut self, id: &SeriesId, reason: Absence) {
        self.withheld.insert(id.clone(), reason);
    }

    /// Returns why a series has no figure that is current on `day`.
    pub fn absence(&self, id: &str, day: Date) -> Absence {
        if !self.up_to(id, day).is_empty() {
            return Absence::NotAvailable;
        }
        let held_back = self.withheld.get(id).copied();
        held_back.unwrap_or(Absence::NotLoaded)
    }

    /// Explains why a series has no figure that is current on `day`.
    pub fn describe_missing(&self, id: &str, day: Date) -> String {
        let newest = self.up_to(id, day).last().map(|o| o.date);
        match (newest, self.withheld.get(id)) {
            (Some(newest), _) => format!("{id} has no current figure (newest: {newest})"),
            (None, Some(Absence::NotPermitted)) => format!("{id} may not be passed on here"),
            (None, Some(_)) => format!("{id} has no figure known by then"),
            (None, None) => format!("{id} is not loaded"),
        }
    }

    /// Iterates over all series, by identifier.
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

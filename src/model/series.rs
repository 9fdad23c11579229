//! A series: its identifier, what is known about it, and its observations.

use super::{Date, Frequency, Observation, SeriesInfo};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Identifier in FRED's style: upper case, `A-Z 0-9 _ . -`, 1 to 64 characters.
/// FRED-MD constructs keep FRED-MD's lower-case final `x` in the catalogue's spelling.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeriesId(Arc<str>);

impl SeriesId {
    /// Takes an identifier in any case; stored upper-case.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] when a character or the length is not allowed.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        let fits = (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
            && !text.bytes().all(|b| b == b'.');
        if !fits {
            return Err(Error::invalid(
                "seriesId",
                text,
                "is not an identifier",
                "1 to 64 of A-Z, 0-9, underscore, dot and hyphen, for example DGS10",
            ));
        }
        Ok(Self(Arc::from(text.to_ascii_uppercase())))
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SeriesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SeriesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for SeriesId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

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

    /// Newest observation dated on or before `day` (METHODS 0.3), however old.
    pub fn last_on_or_before(&self, day: Date) -> Option<Observation> {
        let end = self.observations.partition_point(|o| o.date <= day);
        end.checked_sub(1)
            .and_then(|i| self.observations.get(i))
            .copied()
    }

    /// As-of lookup L(s, d) of METHODS 0.4: the newest observation on or before `day`, unless stale.
    pub fn lookup(&self, day: Date) -> Option<Observation> {
        self.last_on_or_before(day)
            .filter(|o| !self.is_stale(o.date, day))
    }

    /// Whether a figure stamped `last` is too old to speak for `day`.
    pub fn is_stale(&self, last: Date, day: Date) -> bool {
        super::observation::is_stale(
            last,
            day,
            self.info.frequency,
            self.info.publication_lag_days,
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_folded_and_cannot_escape_a_path() {
        assert_eq!(
            SeriesId::new(" dgs10 ")
                .map(|i| i.to_string())
                .ok()
                .as_deref(),
            Some("DGS10")
        );
        for bad in [
            "",
            "..",
            "../x",
            "a b",
            "a/b",
            "a%2fb",
            "é",
            &"A".repeat(65),
        ] {
            assert!(SeriesId::new(bad).is_err(), "{bad:?}");
        }
    }
}

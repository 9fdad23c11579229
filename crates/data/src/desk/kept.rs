//! What the desk works out and keeps: the state of the data it holds for, and what is kept of each.

use econoscope_core::error::Result;
use econoscope_core::indicators::base_rates::BaseRate;
use econoscope_core::indicators::expectation::Expectation;
use econoscope_core::indicators::regime;
use econoscope_core::model::Date;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// State of the data an answer was made from; a new one makes every cached answer old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) version: u64,
    pub(super) today: Date,
}

/// What a series in memory was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stamp {
    /// A series of a source, of which one store only ever gets more rows; it is as it was while they are as many, on
    /// the base that they had.
    Rows {
        incarnation: u64,
        rows: u64,
        bases: usize,
        today: Date,
    },
    /// Anything else rests on the whole of the data.
    All(State),
}

/// What was made of the newest state of the data; who asks while it is made waits for it.
pub(super) struct LatestCache<T>(Mutex<Option<(State, Arc<T>)>>);

impl<T> LatestCache<T> {
    /// As it is kept for this state, or else made; of what there was before, where that is of use.
    pub(super) fn or_make(
        &self,
        state: State,
        make: impl FnOnce(Option<Arc<T>>) -> Result<Arc<T>>,
    ) -> Result<Arc<T>> {
        let mut slot = self.0.lock();
        // Stays where making the next one fails.
        let before = match &*slot {
            Some((of, kept)) if *of == state => return Ok(Arc::clone(kept)),
            before => before.as_ref().map(|(_, kept)| Arc::clone(kept)),
        };
        let kept = make(before)?;
        *slot = Some((state, Arc::clone(&kept)));
        Ok(kept)
    }
}

impl<T> Default for LatestCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

/// The regime month by month, and what it is at the reference day.
#[derive(Debug)]
pub struct RegimeHistory {
    /// Every month that can be classified, ascending.
    pub months: Vec<regime::RegimeMonth>,
    /// The answer at the reference day.
    pub now: regime::Outlook,
}

/// The newest figure of a series as it was printed first, beside what could be expected the day before.
#[derive(Debug, Clone, PartialEq)]
pub struct Print {
    /// Stamp of the period.
    pub period: Date,
    /// Day by which it was known.
    pub day: Date,
    /// Whether that day is on record; else it is the period's end and the usual lag.
    pub is_recorded: bool,
    /// In the formula's measure.
    pub value: f64,
    /// What could be expected of it, or why nothing.
    pub expected: std::result::Result<Expectation, String>,
}

impl Print {
    /// The print less the expectation.
    pub fn surprise(&self) -> Option<f64> {
        let expected = self.expected.as_ref().ok()?;
        Some(self.value - expected.value)
    }

    /// The surprise in standard deviations.
    pub fn deviations(&self) -> Option<f64> {
        let sd = self.expected.as_ref().ok()?.sd;
        Some(self.surprise()? / sd).filter(|z| z.is_finite())
    }
}

/// A series with a formula at a state of knowledge.
#[derive(Debug, Clone, PartialEq)]
pub struct Awaited {
    /// What the next release can be expected to say, or why nothing.
    pub next: std::result::Result<Expectation, String>,
    /// The newest figure known; `None` where none is, or its measure cannot be taken.
    pub last: Option<Print>,
}

/// Measured base rates by the scenario's slug.
pub type BaseRates = BTreeMap<String, BaseRate>;

/// Whose values an answer about a past day has.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Values {
    /// As published up to that day: recorded vintages, and series that are never revised.
    #[serde(rename = "values as known then")]
    AsKnownThen,
    /// No vintage is held of that day: values of today, of periods that were out by then.
    #[serde(rename = "values as last revised")]
    AsLastRevised,
}

/// From which day on a figure counts as known.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Rule {
    /// The day on which it was released, or was seen by a sync.
    #[serde(rename = "release day")]
    ReleaseDay,
    /// The strict rule, for series without a pattern of releases: the end of the month in which it came.
    #[serde(rename = "end of month")]
    EndOfMonth,
    /// The end of its period and the series' usual lag.
    #[serde(rename = "publication lag")]
    PublicationLag,
}

/// The figures of an indicator at a date.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// What they are stamped with.
    pub date: Date,
    /// The value; of the regime growth and inflation.
    pub scores: Vec<f64>,
    /// Band or regime.
    pub label: Option<&'static str>,
}

/// An indicator as known at the end of each month, ascending; one for each date, the first that was known.
pub type Path = Vec<(Date, Figures)>;

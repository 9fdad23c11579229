//! Definitions of indicators, and the computation of a composite.
//!
//! Each composite is computed in a file of its own. Its texts, inputs and bands are in `data/indicators.toml`, its units and
//! frequency in its row of the catalogue, its meaning in its term of the glossary.

use super::alarm::AlarmRule;
use super::blend::DailyIndex;
use super::reading::Reading;
use crate::catalogue::Catalogue;
use crate::model::series_info::DEFAULT_PREFIX;
use crate::model::{Date, Frequency, Observation, SeriesInfo, SeriesSet, SeriesVintages};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// An indicator that Econoscope computes: a composite, the index of texts, or the regime.
#[derive(Debug, Clone, Copy)]
pub struct Indicator {
    /// Series identifier, `SERVICE_CRPI`; "regime" for the regime, which is no series.
    pub id: &'static str,
}

/// What an indicator is, in words: an entry of `data/indicators.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Full name.
    pub title: &'static str,
    /// Name and version of the method; stored figures carry it and are never recomputed under another.
    pub method: &'static str,
    /// What it is and what it is made of, in a line.
    pub summary: String,
    /// The formula as one line of plain text.
    pub formula: String,
    /// Source of the method.
    pub source: String,
    /// Named ranges of the value by their lower ends, which are included, ascending; empty when the level alone has no
    /// meaning. Each reaches up to the next.
    #[serde(default)]
    pub bands: Vec<(f64, &'static str)>,
    /// Every series that a formula may read; empty for a blended index, whose parts name theirs.
    #[serde(default)]
    pub inputs: Vec<&'static str>,
    /// Its alarm, if it has one.
    pub alarm: Option<AlarmRule>,
    /// Whether it is on trial: available as a series, but without a gauge.
    #[serde(default)]
    pub experimental: bool,
}

impl Definition {
    /// Reads the definitions of all indicators.
    pub(super) fn read_all() -> Result<BTreeMap<&'static str, Self>, toml::de::Error> {
        toml::from_str(include_str!("../../data/indicators.toml"))
    }
}

impl Indicator {
    /// Returns its definition; an empty one for an indicator that has none, which a test rules out.
    pub fn definition(&self) -> &'static Definition {
        static ALL: LazyLock<BTreeMap<&str, Definition>> =
            LazyLock::new(|| Definition::read_all().unwrap_or_default());
        static NONE: LazyLock<Definition> = LazyLock::new(Definition::default);
        ALL.get(self.id).unwrap_or(&NONE)
    }

    /// Returns the short name: "CRPI", "regime".
    pub fn ticker(&self) -> &'static str {
        self.id.strip_prefix(DEFAULT_PREFIX).unwrap_or(self.id)
    }

    /// Returns the last part of the addresses of its method and term: `crpi`.
    pub fn slug(&self) -> String {
        self.ticker().to_ascii_lowercase()
    }
}

/// How a composite is computed; a past day uses only figures that were available on it.
#[derive(Debug, Clone, Copy)]
pub enum Computation {
    /// Parts scored against their past and averaged. A reading is ranked in the whole history.
    Blend(fn() -> &'static DailyIndex),
    /// A formula that needs no other day of the composite.
    Formula {
        /// Computes the figure at a day and its inputs.
        reading: fn(&SeriesSet, Date) -> Reading,
        /// Computes every figure up to a day, ascending.
        history: fn(&SeriesSet, Date) -> Vec<Observation>,
    },
    /// A formula whose history has each period as it was known at its own time (real-time data).
    RealTime {
        /// Computes the figure at a day and its inputs.
        reading: fn(&SeriesSet, Date) -> Reading,
        /// Computes every figure up to a day, ascending, each from the figures known on its release day.
        path: fn(&[SeriesVintages], Date) -> Vec<Observation>,
        /// Returns the release day of a period's figure.
        release_day: fn(Date) -> Date,
    },
}

/// A composite indicator: one row of [`super::COMPOSITES`].
#[derive(Debug, Clone, Copy)]
pub struct Composite {
    /// Its definition.
    pub indicator: Indicator,
    /// How it is computed.
    pub computation: Computation,
    /// Explains a reading in sentences, with the evidence.
    pub interpret: fn(&Reading) -> String,
}

impl Composite {
    /// Returns every series it may read.
    pub fn inputs(&self) -> Vec<&'static str> {
        match self.computation {
            Computation::Blend(index) => index().inputs(),
            Computation::Formula { .. } | Computation::RealTime { .. } => {
                self.indicator.definition().inputs.clone()
            }
        }
    }

    /// Computes the figure at a day, and the whole history up to it where that is a by-product.
    pub fn compute(&self, set: &SeriesSet, day: Date) -> (Reading, Option<Vec<Observation>>) {
        match self.computation {
            Computation::Blend(index) => {
                let (reading, history) = index().compute(set, day);
                (reading, Some(history))
            }
            Computation::Formula { reading, .. } | Computation::RealTime { reading, .. } => {
                (reading(set, day), None)
            }
        }
    }

    /// Computes the figure at a day and its inputs.
    pub fn reading(&self, set: &SeriesSet, day: Date) -> Reading {
        self.compute(set, day).0
    }

    /// Returns its reference day where `last` is the newest figure of an input: of a monthly composite the month, else
    /// the day on which that figure became known. A monthly figure does not date a daily or weekly composite (`None`).
    pub fn reference_day(&self, input: &SeriesInfo, last: Date) -> Option<Date> {
        let is_monthly = |frequency| frequency >= Frequency::Monthly;
        match Catalogue::of_indicator(&self.indicator) {
            Some(info) if is_monthly(info.frequency) => Some(last),
            _ if is_monthly(input.frequency) => None,
            _ => Some(input.publication_day(last)),
        }
    }

    /// Returns the reading of the last day before `day` for which the inputs suffice: the last of the history, where that
    /// is at hand, else the newest on which one of the inputs has a figure.
    pub fn last_reading(
        &self,
        set: &SeriesSet,
        day: Date,
        history: Option<&[Observation]>,
    ) -> Option<Reading> {
        let days: BTreeSet<Date> = match history {
            Some(rows) => rows.last().map(|o| o.date).into_iter().collect(),
            None => {
                let newest = |id| {
                    let last = set.up_to(id, day).last()?.date;
                    Some(self.reference_day(&set.get(id)?.info, last)?.min(day))
                };
                self.inputs().into_iter().filter_map(newest).collect()
            }
        };
        let mut readings = days.into_iter().rev().map(|day| self.reading(set, day));
        readings.find(|reading| reading.value.is_some())
    }

    /// Computes the whole history up to a day, ascending; it ends with the reading of that day, where there is one. Empty
    /// for a history of real-time data, which a set does not hold.
    pub fn history(&self, set: &SeriesSet, day: Date) -> Vec<Observation> {
        match self.computation {
            Computation::Blend(index) => index().compute(set, day).1,
            Computation::Formula { history, .. } => history(set, day),
            Computation::RealTime { .. } => Vec::new(),
        }
    }

    /// Whether its history has each period as it was known at its own time.
    pub fn is_real_time(&self) -> bool {
        matches!(self.computation, Computation::RealTime { .. })
    }

    /// Returns the name of the band that holds `value`, below the first band the first; `None` without bands.
    pub fn band(&self, value: f64) -> Option<&'static str> {
        let bands = &self.indicator.definition().bands;
        let above = bands.partition_point(|(from, _)| *from <= value);
        bands.get(above.saturating_sub(1)).map(|(_, name)| *name)
    }
}

/// Replaces the end of a real-time history, from the date of the day's reading on, by that reading.
pub fn with_latest_reading(mut path: Vec<Observation>, now: &Reading) -> Vec<Observation> {
    if let Some(value) = now.value {
        path.truncate(path.partition_point(|o| o.date < now.date));
        path.push(Observation::new(now.date, value));
    }
    path
}

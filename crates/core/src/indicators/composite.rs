//! What is fixed about an indicator, and how a composite is computed.
//!
//! All that is said of a composite stands in its row, one per file: catalogue and glossary take it from there.

use super::alarm::AlarmRule;
use super::blend::Index;
use super::reading::Reading;
use crate::error::Result;
use crate::model::series_info::{COMPOSITE, DEFAULT_PREFIX};
use crate::model::{
    Date, Frequency, Observation, Recorded, Rights, SeriesId, SeriesInfo, SeriesSet,
};
use std::collections::BTreeSet;

/// What is fixed about an indicator of ours: a composite, the index of texts, or the regime.
#[derive(Debug, Clone, Copy)]
pub struct Indicator {
    /// Series identifier, `SERVICE_CRPI`; "regime" for the regime, which is no series.
    pub id: &'static str,
    /// Full name.
    pub title: &'static str,
    /// Name and version of the method; stored figures carry it and are never recomputed under another.
    pub method: &'static str,
    /// What it is and what it is made of, in a line.
    pub summary: &'static str,
    /// The formula as one line of plain text.
    pub formula: &'static str,
    /// Where the method comes from.
    pub source: &'static str,
    /// How its figures are listed; `None` for the regime, which has none.
    pub listing: Option<Listing>,
}

/// What catalogue and glossary say of an indicator's figures.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    /// Unit in words: "Percent".
    pub units: &'static str,
    /// Unit for a narrow place: "%".
    pub units_short: &'static str,
    /// Period length.
    pub frequency: Frequency,
    /// What it is made from, in words: "yields, NFCI and permits".
    pub made_from: &'static str,
    /// Days from a period's end to its figure.
    pub publication_lag_days: i64,
    /// Decimals that are shown; changes are rounded to two more.
    pub decimals: u8,
    /// What it is called as a term.
    pub term: &'static str,
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// What it means, in one to three sentences.
    pub meaning: &'static str,
    /// Slugs of the terms near it.
    pub related: &'static [&'static str],
    /// Series that the term is about besides its own.
    pub series: &'static [&'static str],
}

impl Indicator {
    /// The name it is asked for by: "CRPI", "regime".
    pub fn ticker(&self) -> &'static str {
        self.id.strip_prefix(DEFAULT_PREFIX).unwrap_or(self.id)
    }

    /// The last part of its method's address, and its term's: `crpi`.
    pub fn slug(&self) -> String {
        self.ticker().to_ascii_lowercase()
    }

    /// Its row in the catalogue; `None` for the regime.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParam`] for an identifier no series may have, which a test rules out.
    pub fn described(&self) -> Result<Option<SeriesInfo>> {
        let Some(listing) = self.listing else {
            return Ok(None);
        };
        Ok(Some(SeriesInfo {
            id: SeriesId::new(self.id)?,
            title: self.title.to_owned(),
            units: listing.units.to_owned(),
            units_short: listing.units_short.to_owned(),
            frequency: listing.frequency,
            seasonally_adjusted: false,
            category: COMPOSITE.to_owned(),
            source: format!("Econoscope, from {}", listing.made_from),
            publication_lag_days: listing.publication_lag_days,
            metric: true,
            rights: Rights::Ok,
            decimals: listing.decimals,
            by_others: false,
        }))
    }
}

/// A range of a figure that has a name; it reaches up to the next band's `from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Lower end, included.
    pub from: f64,
    /// Its name, lower case: "elevated".
    pub name: &'static str,
}

/// The band that begins at `from`.
pub const fn band(from: f64, name: &'static str) -> Band {
    Band { from, name }
}

/// How a composite is computed; a past day uses only what was available on it.
#[derive(Debug, Clone, Copy)]
pub enum Computation {
    /// Parts scored against their past and averaged. A reading ranks itself in the whole history.
    Blend(&'static Index),
    /// A formula of its own, for which a day stands alone.
    Own {
        /// Every series it may read.
        inputs: &'static [&'static str],
        /// The figure at a day and what it is made of.
        reading: fn(&SeriesSet, Date) -> Reading,
        /// Every figure up to a day, ascending.
        history: fn(&SeriesSet, Date) -> Vec<Observation>,
    },
    /// A formula of its own, whose history has each period as it was known at its own time.
    AsKnown {
        /// Every series it may read.
        inputs: &'static [&'static str],
        /// The figure at a day and what it is made of.
        reading: fn(&SeriesSet, Date) -> Reading,
        /// Every figure up to a day, ascending, each from what was known when it came.
        path: fn(&[Recorded], Date) -> Vec<Observation>,
        /// The day from which on the figure of a period is out.
        out_on: fn(Date) -> Date,
    },
}

/// A composite indicator: one row of [`super::COMPOSITES`].
#[derive(Debug, Clone, Copy)]
pub struct Composite {
    /// What is fixed about it.
    pub about: Indicator,
    /// Unit beside a headline figure: "of 100".
    pub unit: &'static str,
    /// Named ranges of the value, ascending; empty when the level alone says nothing.
    pub bands: &'static [Band],
    /// How it is computed.
    pub computation: Computation,
    /// When its alarm rings, if it has one.
    pub alarm: Option<AlarmRule>,
    /// Whether it is on trial: a series that can be asked for, and no gauge.
    pub experimental: bool,
    /// What a reading means, in sentences, with the evidence.
    pub interpret: fn(&Reading) -> String,
}

impl Composite {
    /// Every series it may read.
    pub fn inputs(&self) -> Vec<&'static str> {
        match self.computation {
            Computation::Blend(index) => index.inputs(),
            Computation::Own { inputs, .. } | Computation::AsKnown { inputs, .. } => {
                inputs.to_vec()
            }
        }
    }

    /// The figure at a day, and the whole history up to it where that was computed on the way.
    pub fn at(&self, set: &SeriesSet, day: Date) -> (Reading, Option<Vec<Observation>>) {
        match self.computation {
            Computation::Blend(index) => {
                let (reading, history) = index.at(set, day);
                (reading, Some(history))
            }
            Computation::Own { reading, .. } | Computation::AsKnown { reading, .. } => {
                (reading(set, day), None)
            }
        }
    }

    /// The figure at a day and what it is made of.
    pub fn reading(&self, set: &SeriesSet, day: Date) -> Reading {
        self.at(set, day).0
    }

    /// The day for which it speaks where `last` is the newest figure of an input: that on which the figure came, of a
    /// monthly composite its stamp. A month's figure, which is read weeks after its stamp, does not date a daily one.
    pub fn dated_by(&self, input: &SeriesInfo, last: Date) -> Option<Date> {
        let is_monthly = |frequency| frequency >= Frequency::Monthly;
        match self
            .about
            .listing
            .is_some_and(|own| is_monthly(own.frequency))
        {
            true => Some(last),
            false if is_monthly(input.frequency) => None,
            false => Some(input.known_by(last)),
        }
    }

    /// The reading of the last day before `day` for which the inputs suffice: the last of the history, where that is at
    /// hand, else the newest on which one of the inputs has a figure.
    pub fn last(
        &self,
        set: &SeriesSet,
        day: Date,
        history: Option<&[Observation]>,
    ) -> Option<Reading> {
        let days = match history {
            Some(rows) => rows.last().map(|o| o.date).into_iter().collect(),
            None => {
                let newest = |id| {
                    let dated = self.dated_by(&set.get(id)?.info, set.up_to(id, day).last()?.date);
                    dated.map(|dated| dated.min(day))
                };
                self.inputs()
                    .into_iter()
                    .filter_map(newest)
                    .collect::<BTreeSet<_>>()
            }
        };
        let readings = days.into_iter().rev().map(|day| self.reading(set, day));
        readings.into_iter().find(|reading| reading.value.is_some())
    }

    /// The whole history up to a day, ascending; it ends with the reading of that day, where there is one. Nothing where
    /// each period stands as it was known at its own time, which no set can tell.
    pub fn history(&self, set: &SeriesSet, day: Date) -> Vec<Observation> {
        match self.computation {
            Computation::Blend(index) => index.at(set, day).1,
            Computation::Own { history, .. } => history(set, day),
            Computation::AsKnown { .. } => Vec::new(),
        }
    }

    /// Whether its history has each period as it was known at its own time.
    pub fn is_as_known(&self) -> bool {
        matches!(self.computation, Computation::AsKnown { .. })
    }

    /// The name of the band that holds `value`, below the first band the first; `None` without bands.
    pub fn band(&self, value: f64) -> Option<&'static str> {
        let above = self.bands.partition_point(|b| b.from <= value);
        self.bands.get(above.saturating_sub(1)).map(|b| b.name)
    }
}

/// A history of figures as they were known, with its newest one as the reading of the day has it.
pub fn ended(mut path: Vec<Observation>, now: &Reading) -> Vec<Observation> {
    if let Some(value) = now.value {
        path.truncate(path.partition_point(|o| o.date < now.date));
        path.push(Observation::new(now.date, value));
    }
    path
}

//! The basis of an answer about a past day: recorded vintages, or today's values cut off by publication lags.

use crate::desk::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators;
use econoscope_core::model::{AsOf, Date, SeriesId, SeriesInfo, release};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Beginnings of series whose past states are known without vintages: the unadjusted consumer prices of the BLS, their
/// weights and the real-time Sahm rule are never revised, and the days on which recessions were announced are on record.
const NEVER_REVISED: [&str; 6] = [
    "CPIAUCNS",
    "CPILFENS",
    "CUUR",
    "CPIW_",
    "SAHMREALTIME",
    "USREC",
];

/// The vintage of the values in an answer about a past day.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Values {
    /// As published up to that day: recorded vintages and series that are never revised.
    #[serde(rename = "values as known then")]
    AsKnownThen,
    /// Today's values of the periods that were published by that day.
    #[serde(rename = "values as last revised")]
    AsLastRevised,
}

/// The rule for the day from which a value counts as known.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Rule {
    /// The day of its release, or of the sync that first saw it.
    #[serde(rename = "release day")]
    ReleaseDay,
    /// The end of the month of its release, for series without a pattern of releases.
    #[serde(rename = "end of month")]
    EndOfMonth,
    /// The end of its period plus the usual lag of the series.
    #[serde(rename = "publication lag")]
    PublicationLag,
}

/// Series with the same basis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Basis {
    /// Vintage of their values.
    pub values: Values,
    /// Rule for the day from which they count.
    pub rule: Rule,
    /// Identifiers; composites by their inputs.
    pub series: Vec<String>,
}

impl Desk {
    /// Returns the basis of each series' newest value on a past day; nothing for the present, and for series without known
    /// values. Composites count by their inputs.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn basis<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<Vec<Basis>> {
        self.basis_of_range(ids, as_of, Date::MAX..=Date::MAX)
    }

    /// Returns the basis as [`Self::basis`] does, for the values of a range: as known then only if every one of them is.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn basis_of_range<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
        range: RangeInclusive<Date>,
    ) -> Result<Vec<Basis>> {
        let AsOf::Day(day) = as_of else {
            return Ok(Vec::new());
        };
        let mut groups: BTreeMap<(Values, Rule), Vec<String>> = BTreeMap::new();
        for id in self.inputs(ids)? {
            if let Some(info) = Catalogue::embedded().get(id)
                && let Some(vintages) = self.cached_vintages(&info.id)?
            {
                let publication_day = |date| info.publication_day(date);
                let rows = vintages.known_rows(day, publication_day, range.clone());
                let first = rows.iter().filter_map(|row| row.known_from).min();
                let estimated_days = |since| vintages.estimated_days(since, publication_day);
                let estimated = first.map(estimated_days).unwrap_or_default();
                let is_recorded = |day: &Date| !estimated.contains(day);
                let bases = rows
                    .iter()
                    .map(|row| values_and_rule(info, row.date, row.known_from.filter(is_recorded)));
                // Of values as known then the newest one's rule counts.
                let basis = bases.reduce(|newer, older| match older.0 {
                    Values::AsLastRevised => older,
                    Values::AsKnownThen => newer,
                });
                if let Some(basis) = basis {
                    groups.entry(basis).or_default().push(id.to_owned());
                }
            }
        }
        let basis = |((values, rule), series)| Basis {
            values,
            rule,
            series,
        };
        Ok(groups.into_iter().map(basis).collect())
    }

    /// Returns the series, with composites and computed identities replaced by their inputs.
    pub(super) fn inputs<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeSet<&'a str>> {
        let mut inputs = BTreeSet::new();
        let mut pending = Vec::from_iter(ids);
        while let Some(id) = pending.pop() {
            if let Some(composite) = indicators::composite(id) {
                inputs.extend(composite.inputs());
            } else if let Some(identity) = self.identity_of(&SeriesId::new(id)?)? {
                pending.extend(identity.inputs());
            } else {
                inputs.insert(id);
            }
        }
        Ok(inputs)
    }
}

/// Whether the figures of a series are never revised, so that today's are the first prints.
pub fn is_never_revised(info: &SeriesInfo) -> bool {
    let id = info.id.as_str();
    NEVER_REVISED.iter().any(|start| id.starts_with(start))
}

fn values_and_rule(info: &SeriesInfo, date: Date, recorded: Option<Date>) -> (Values, Rule) {
    match recorded {
        None if is_never_revised(info) => (Values::AsKnownThen, Rule::PublicationLag),
        None => (Values::AsLastRevised, Rule::PublicationLag),
        Some(day)
            if day == day.last_of_month() && release::publication_day(info, date) != Some(day) =>
        {
            (Values::AsKnownThen, Rule::EndOfMonth)
        }
        Some(_) => (Values::AsKnownThen, Rule::ReleaseDay),
    }
}

//! On what the knowledge of a past day rests: recorded vintages, or today's values cut by publication lags where none
//! are held.

use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators;
use econoscope_core::model::{AsOf, Known, SeriesId, SeriesInfo, release};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Series that are never revised after their first print: the unadjusted consumer prices of the BLS, and the Sahm rule
/// that was computed from what was known in each month.
const NEVER_REVISED: [&str; 2] = ["CPIAUCNS", "SAHMREALTIME"];

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

/// Series whose knowledge on a past day rests on the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Basis {
    /// Whose values they have.
    pub values: Values,
    /// From which day on their figures count.
    pub rule: Rule,
    /// Their identifiers; composites stand as their inputs.
    pub series: Vec<String>,
}

impl Desk {
    /// How it is known what was known on that day, for each series; nothing for the present, for which everything
    /// held counts, and for series of which nothing was known. Composites stand for their inputs.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn basis<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<Vec<Basis>> {
        let AsOf::Day(day) = as_of else {
            return Ok(Vec::new());
        };
        let mut groups: BTreeMap<(Values, Rule), Vec<String>> = BTreeMap::new();
        for id in self.inputs(ids)? {
            if let Some(info) = Catalogue::embedded().get(id)
                && let Some(held) = self.kept_vintages(&info.id)?
                && let Some(newest) = held.newest(day, |date| info.known_by(date))
            {
                let group = groups.entry(how(info, newest)).or_default();
                group.push(id.to_owned());
            }
        }
        let basis = |((values, rule), series)| Basis {
            values,
            rule,
            series,
        };
        Ok(groups.into_iter().map(basis).collect())
    }

    /// The series themselves, and the inputs of composites among them and of those that are made by an identity.
    pub(super) fn inputs<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeSet<&'a str>> {
        let (mut all, mut rest) = (BTreeSet::new(), Vec::from_iter(ids));
        while let Some(id) = rest.pop() {
            if let Some(composite) = indicators::composite(id) {
                all.extend(composite.inputs());
            } else if let Some(identity) = self.made_by(&SeriesId::new(id)?)? {
                rest.extend(identity.inputs());
            } else {
                all.insert(id);
            }
        }
        Ok(all)
    }
}

/// How a figure is known.
fn how(info: &SeriesInfo, row: &Known) -> (Values, Rule) {
    match row.known_from {
        None if NEVER_REVISED.contains(&info.id.as_str()) => {
            (Values::AsKnownThen, Rule::PublicationLag)
        }
        None => (Values::AsLastRevised, Rule::PublicationLag),
        Some(day)
            if day == day.last_of_month() && release::published(info, row.date) != Some(day) =>
        {
            (Values::AsKnownThen, Rule::EndOfMonth)
        }
        Some(_) => (Values::AsKnownThen, Rule::ReleaseDay),
    }
}

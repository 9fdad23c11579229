//! On what the knowledge of a past day rests: recorded vintages, or today's values cut by publication lags where none
//! are held.

use super::kept::{Rule, State, Values};
use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators;
use econoscope_core::model::{AsOf, Date, Known, SeriesId, SeriesInfo, release};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Series that are never revised after their first print: the unadjusted consumer prices of the BLS, and the Sahm rule
/// that was computed from what was known in each month.
const NEVER_REVISED: [&str; 2] = ["CPIAUCNS", "SAHMREALTIME"];

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
        let state = self.state()?;
        let mut groups: BTreeMap<(Values, Rule), Vec<String>> = BTreeMap::new();
        for id in self.inputs(ids)? {
            if let Some(info) = Catalogue::embedded().get(id)
                && let Some(how) = self.how_known(info, day, state)?
            {
                groups.entry(how).or_default().push(id.to_owned());
            }
        }
        let basis = |((values, rule), series)| Basis {
            values,
            rule,
            series,
        };
        Ok(groups.into_iter().map(basis).collect())
    }

    /// How the newest figure known on `day` is known; `None` when there is none.
    fn how_known(
        &self,
        info: &Arc<SeriesInfo>,
        day: Date,
        state: State,
    ) -> Result<Option<(Values, Rule)>> {
        let key = (state, info.id.clone(), day);
        self.how_recorded.or_make(key, || {
            let held = self.kept_vintages(&info.id, state)?;
            let newest = held
                .as_ref()
                .and_then(|v| v.newest(day, |date| info.known_by(date)));
            Ok(newest.map(|row| how(info, row)))
        })
    }
}

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

impl Desk {
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

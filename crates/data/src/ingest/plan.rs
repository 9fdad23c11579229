//! What a sync is to do, and the steps it has to take: from the catalogue, what is held and when we last looked. Pure.
//!
//! A [`Step`] then goes from source to source and carries what it has met there.

use super::due::{fresh_until, later};
use super::looks::Looks;
use super::news::day_of;
use super::sources::SourceSettings;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Error;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesId, SeriesInfo};
use econoscope_core::recipe::{Recipes, Release};
use jiff::{Span, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// After this many days a series is read in full again, however far back its revisions usually go.
const FULL_EVERY_HOURS: i32 = 30 * 24;

/// One series that is due.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// Series.
    pub(super) id: SeriesId,
    /// What the catalogue says; a series asked for by name may be outside it.
    pub(super) info: Option<Arc<SeriesInfo>>,
    /// Whether FRED is asked when no recipe brings it.
    pub(super) on_fred: bool,
    /// First date to ask for; `None` = all.
    pub(super) from: Option<Date>,
    /// The last look.
    pub(super) look: Option<Look>,
    /// Whether the history of revisions is to be read as well.
    pub(super) vintages: bool,
    /// Where its newest rows are from; empty where it has none.
    pub(super) origin: String,
    /// The place of the next recipe among those that bring it.
    pub(super) next: usize,
    /// Whether a first source brought figures already, if old ones.
    pub(super) covered: bool,
    /// What the sources said that were asked before, the first one first.
    pub(super) said: Vec<Error>,
}

/// When a series was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Look {
    /// Last time.
    pub(super) at: Timestamp,
    /// Last time in full.
    pub(super) full: Timestamp,
    /// Whether its history of revisions is in.
    pub(super) vintages: bool,
}

impl Step {
    /// Another source did not bring it.
    pub(super) fn missed(mut self, error: &Error) -> Self {
        self.said.push(error.clone());
        self
    }

    /// The look after it was asked for, in `full` or not.
    pub(super) fn looked(&self, at: Timestamp, full: bool) -> Look {
        Look {
            at,
            full: self.look.filter(|_| !full).map_or(at, |look| look.full),
            vintages: self.vintages || self.look.is_some_and(|look| look.vintages),
        }
    }
}

/// What is to be done and what is not.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Due, in the catalogue's order.
    pub(super) steps: Vec<Step>,
    /// Looked at so recently that asking again would bring nothing, and until when that holds.
    pub(super) fresh: Vec<(SeriesId, Timestamp)>,
    /// Asked for by name, but no source carries them.
    pub(super) refused: Vec<(SeriesId, Error)>,
}

/// What a sync is to do; by default the whole catalogue, today.
#[derive(Debug, Clone)]
pub struct SyncConfig {
    /// How sources are asked.
    pub sources: SourceSettings,
    /// These series and no others; `None` = the catalogue.
    pub only: Option<Vec<SeriesId>>,
    /// Ask also for what was asked for recently.
    pub force: bool,
    /// Read the history of revisions as well (needs a key); of daily series, which are hardly revised, only of those
    /// in `only`.
    pub vintages: bool,
    /// Only say what would be asked of whom; ask nobody.
    pub only_plan: bool,
    /// What time it is.
    pub clock: fn() -> Timestamp,
}

impl Default for SyncConfig {
    fn default() -> Self {
        Self {
            sources: SourceSettings::default(),
            only: None,
            force: false,
            vintages: false,
            only_plan: false,
            clock: econoscope_core::clock::wall,
        }
    }
}

/// Decides what is due at `now`.
pub(super) fn plan(
    held: &[Status],
    looks: &Looks<Look>,
    config: &SyncConfig,
    now: Timestamp,
) -> Plan {
    let catalogue = Catalogue::embedded();
    let held: HashMap<&SeriesId, &Status> = held.iter().map(|s| (&s.id, s)).collect();
    let recipes = &config.sources.recipes;
    let mut plan = Plan::default();
    let all: Vec<SeriesId> = match &config.only {
        Some(only) => only.clone(),
        None => everything(recipes),
    };
    for id in all {
        let info = catalogue.get(id.as_str());
        let release = release(recipes, &id);
        let off_fred = off_fred(&id, info.map(AsRef::as_ref), config.sources.no_fred);
        let on_fred = off_fred.is_none();
        if let (Some(error), None) = (off_fred, release) {
            if config.only.is_some() {
                plan.refused.push((id, error));
            }
            continue;
        }
        let frequency = info.map(|info| info.frequency);
        let held = held.get(&id);
        let look = looks.get(id.as_str()).copied().filter(|_| held.is_some());
        let vintages = config.vintages
            && on_fred
            && (frequency != Some(Frequency::Daily) || config.only.is_some())
            && (config.force || !look.is_some_and(|look| look.vintages));
        // A look of the "future" is of a clock that was wrong, and would last until that clock is right.
        let last = held.map(|held| held.last);
        let until = look.filter(|look| look.at <= now).map(|look| {
            let release = release.flatten();
            fresh_until(look.at, info.map(AsRef::as_ref), last, release)
        });
        match until.filter(|until| *until > now && !config.force && !vintages) {
            Some(until) => plan.fresh.push((id, until)),
            None => plan.steps.push(Step {
                from: start(look, last, frequency, now),
                info: info.cloned(),
                on_fred,
                look,
                vintages,
                origin: held.map(|held| held.origin.clone()).unwrap_or_default(),
                next: 0,
                covered: false,
                said: Vec::new(),
                id,
            }),
        }
    }
    plan
}

/// The catalogue, and what recipes of an operator bring beyond it.
pub(super) fn everything(recipes: &Recipes) -> Vec<SeriesId> {
    let catalogue = Catalogue::embedded();
    let mut all: Vec<SeriesId> = catalogue.iter().map(|info| info.id.clone()).collect();
    for line in recipes.feeds().flat_map(|at| &at.feed.series) {
        if catalogue.get(line.id.as_str()).is_none() && !all.contains(&line.id) {
            all.push(line.id.clone());
        }
    }
    all
}

/// Whether a recipe or a formula has a series, and when its figures are said to come.
fn release(recipes: &Recipes, id: &SeriesId) -> Option<Option<Release>> {
    let first = recipes.routes(id).next().map(|at| at.feed.release);
    first.or_else(|| recipes.formula(id).map(|_| None))
}

/// Why FRED is not asked for a series, if so. It carries 800,000: one that the catalogue does not know is asked for.
fn off_fred(id: &SeriesId, info: Option<&SeriesInfo>, no_fred: bool) -> Option<Error> {
    let reason = match info {
        Some(info) if info.is_composite() => {
            "it is computed here from other series and not fetched"
        }
        Some(info) if !info.is_on_fred() => "FRED does not carry it; import it from a file",
        _ if no_fred => {
            "only FRED carries it, and FRED is not asked (--no-fred); import it from a file"
        }
        _ => return None,
    };
    Some(Error::no_data(id, reason))
}

/// How far back revisions usually reach.
fn window(frequency: Frequency) -> Span {
    match frequency {
        Frequency::Daily => 45.days(),
        Frequency::Weekly | Frequency::Biweekly => 120.days(),
        Frequency::Monthly => 5.years(),
        Frequency::Quarterly | Frequency::Semiannual => 10.years(),
        Frequency::Annual => 20.years(),
    }
}

fn start(
    look: Option<Look>,
    last: Option<Date>,
    frequency: Option<Frequency>,
    now: Timestamp,
) -> Option<Date> {
    let look = look.filter(|look| later(look.full, FULL_EVERY_HOURS) > now)?;
    // A clock that was set back must not make a look of the "future" last for ever.
    if look.at > later(now, 24) {
        return None;
    }
    let newest = last?.min(day_of(now));
    Some(shift(newest, -window(frequency?)))
}

#[cfg(test)]
mod tests;

//! What a sync is to do: from the catalogue, what is held and when it was last read. Pure.
//!
//! A series is worth another read at its release, then again and again until the figure is there. A [`Step`] goes from
//! source to source and carries the errors it met there.

use super::sources::SourceSettings;
use super::state::{SeriesState, States};
use super::write::day_of;
use crate::desk::identities;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Error;
use econoscope_core::model::calendar::ZONE;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesId, SeriesInfo, release};
use econoscope_core::recipe::{FeedRef, Recipes, Release, SeriesRecipe};
use jiff::civil::{Time, time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp, ToSpan};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// After this many days a series is read in full again, however far back its revisions usually go.
const FULL_EVERY_HOURS: i32 = 30 * 24;
/// Revisions are looked for at least so often, whether a figure is due or not.
const LONGEST_REST_HOURS: i32 = 7 * 24;
/// When figures come whose hour is unknown: with the first releases of a business day.
const MORNING: Time = time(8, 30, 0, 0);

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
    /// When it was last read.
    pub(super) state: Option<SeriesState>,
    /// Whether the history of revisions is to be read as well.
    pub(super) vintages: bool,
    /// Where its newest rows are from; empty where it has none.
    pub(super) origin: String,
    /// The next of the recipes that bring it.
    pub(super) next_route: usize,
    /// Whether a source brought figures already, if old ones.
    pub(super) is_covered: bool,
    /// Errors of the sources that were asked before, the first one first.
    pub(super) errors: Vec<Error>,
}

impl Step {
    /// The same after a source that did not bring it.
    pub(super) fn failed(mut self, error: &Error) -> Self {
        self.errors.push(error.clone());
        self
    }

    /// The state after it was read, in `full` or not.
    pub(super) fn state_after(&self, at: Timestamp, full: bool) -> SeriesState {
        SeriesState {
            at,
            full: self.state.filter(|_| !full).map_or(at, |state| state.full),
            vintages: self.vintages || self.state.is_some_and(|state| state.vintages),
        }
    }
}

/// What is to be done and what is not.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Due, in the catalogue's order.
    pub(super) steps: Vec<Step>,
    /// Read so recently that asking again would bring nothing, and until when that holds.
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
    /// Series and sources that the operator takes at their word.
    pub accept: Vec<String>,
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
            accept: Vec::new(),
            only_plan: false,
            clock: econoscope_core::clock::wall,
        }
    }
}

impl SyncConfig {
    /// Whether the operator takes a source at its word for a series.
    pub(super) fn accepts(&self, id: &SeriesId, source: &str) -> bool {
        let mut names = self.accept.iter();
        names
            .any(|name| name.eq_ignore_ascii_case(id.as_str()) || name.eq_ignore_ascii_case(source))
    }
}

impl Plan {
    /// The plan in lines: who would be asked how often, for what, and what is left alone and why.
    pub(super) fn describe(&self, settings: &SourceSettings, now: Timestamp) -> Vec<String> {
        let recipes = &settings.recipes;
        let mut feeds: BTreeMap<String, (FeedRef<'_>, Vec<&SeriesRecipe>)> = BTreeMap::new();
        let (mut fred, mut computed, mut keyed) = (Vec::new(), Vec::new(), Vec::new());
        for step in &self.steps {
            let mut routes = recipes.routes(&step.id);
            let id = step.id.as_str();
            match routes.find(|at| settings.is_open(at.source)) {
                Some(at) if !step.vintages => {
                    let (_, lines) = feeds.entry(at.name()).or_insert((at, Vec::new()));
                    lines.extend(at.feed.series.iter().filter(|line| line.id == step.id));
                }
                _ if identities::synced_from(&step.id).is_some() => computed.push(id),
                _ if step.on_fred => fred.push(id),
                _ => keyed.push(id),
            }
        }
        let mut out = Vec::new();
        let mut addresses: BTreeMap<&str, String> = BTreeMap::new();
        for (name, (at, lines)) in feeds {
            let requests = at.feed.requests(&lines, None, day_of(now));
            let url = requests
                .first()
                .and_then(|ask| url::Url::parse(&ask.url).ok());
            let host = url
                .as_ref()
                .and_then(url::Url::host_str)
                .unwrap_or_default();
            let pace = at.source.pace_ms;
            let mut ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
            ids.dedup();
            let first = addresses.entry(&at.feed.url).or_insert(name.clone());
            let how = match requests.len() {
                _ if *first != name => format!("the answer of {first}"),
                0 | 1 => format!("1 request to {host}"),
                n => format!("at most {n} requests to {host}, {pace} ms apart"),
            };
            out.push(format!("{name}: {how}, for {}", ids.join(" ")));
        }
        for (what, ids) in [
            ("computed here", computed),
            ("fred: one request a series", fred),
            ("needs a key of your own", keyed),
        ] {
            if !ids.is_empty() {
                out.push(format!("{what}: {} series: {}", ids.len(), ids.join(" ")));
            }
        }
        let fresh = self.fresh.iter();
        out.extend(fresh.map(|(id, until)| {
            format!("{id}: not before {until:.0}, when its next figure is due")
        }));
        let refused = self.refused.iter();
        out.extend(refused.map(|(id, error)| format!("{id}: {error}")));
        out
    }
}

/// Decides what is due at `now`.
pub(super) fn plan(
    held: &[Status],
    states: &States<SeriesState>,
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
        let release = release_of(recipes, &id);
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
        let state = states.get(id.as_str()).copied().filter(|_| held.is_some());
        let vintages = config.vintages
            && on_fred
            && (frequency != Some(Frequency::Daily) || config.only.is_some())
            && (config.force || !state.is_some_and(|state| state.vintages));
        // A read of the "future" is of a clock that was wrong, and would last until that clock is right.
        let last = held.map(|held| held.last);
        let until = state.filter(|state| state.at <= now).map(|state| {
            let release = release.flatten();
            fresh_until(state.at, info.map(AsRef::as_ref), last, release)
        });
        match until.filter(|until| *until > now && !config.force && !vintages) {
            Some(until) => plan.fresh.push((id, until)),
            None => plan.steps.push(Step {
                from: start(state, last, frequency, now),
                info: info.cloned(),
                on_fred,
                state,
                vintages,
                origin: held.map(|held| held.origin.clone()).unwrap_or_default(),
                next_route: 0,
                is_covered: false,
                errors: Vec::new(),
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

/// Whether a recipe or an identity has a series, and when its figures come.
fn release_of(recipes: &Recipes, id: &SeriesId) -> Option<Option<Release>> {
    let first = recipes.routes(id).next().map(|at| at.feed.release);
    first.or_else(|| identities::synced_from(id).map(|_| None))
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
    state: Option<SeriesState>,
    last: Option<Date>,
    frequency: Option<Frequency>,
    now: Timestamp,
) -> Option<Date> {
    let state = state.filter(|state| later(state.full, FULL_EVERY_HOURS) > now)?;
    // A clock that was set back must not make a read of the "future" last for ever.
    if state.at > later(now, 24) {
        return None;
    }
    let newest = last?.min(day_of(now));
    Some(shift(newest, -window(frequency?)))
}

/// Until when nothing new is due. `last` is the newest figure held.
fn fresh_until(
    read_at: Timestamp,
    info: Option<&SeriesInfo>,
    last: Option<Date>,
    release: Option<Release>,
) -> Timestamp {
    let retry = later(read_at, rest_hours(info.map(|info| info.frequency)));
    let (Some(info), Some(last)) = (info, last) else {
        return retry;
    };
    let due = due(info, last, release);
    if read_at >= due {
        return retry;
    }
    due.min(later(read_at, LONGEST_REST_HOURS))
}

/// When the figure after the one stamped `last` comes.
fn due(info: &SeriesInfo, last: Date, pattern: Option<Release>) -> Timestamp {
    let mut day = match pattern.and_then(|pattern| pattern.after_business_days) {
        Some(days) => {
            // The next business day has a figure, which comes so many business days later.
            (0..=days).fold(last, |day, _| release::business_day_after(day))
        }
        None => release::next(info, last),
    };
    if let Some(weekday) = pattern.and_then(|pattern| pattern.weekday) {
        while day.weekday() != weekday {
            day = shift(day, 1.day());
        }
    }
    let at = pattern.map_or(MORNING, |pattern| pattern.at);
    let zoned = day.to_datetime(at).to_zoned(new_york());
    zoned.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

/// Where no time zones are installed, winter time: then a read comes an hour late in summer.
pub(super) fn new_york() -> TimeZone {
    TimeZone::get(ZONE).unwrap_or_else(|_| TimeZone::fixed(Offset::constant(-5)))
}

/// Hours until a figure that is overdue is looked for again.
fn rest_hours(frequency: Option<Frequency>) -> i32 {
    match frequency {
        Some(Frequency::Daily) | None => 4,
        Some(Frequency::Weekly | Frequency::Biweekly) => 6,
        Some(Frequency::Monthly) => 12,
        Some(Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual) => 20,
    }
}

fn later(at: Timestamp, hours: i32) -> Timestamp {
    at.checked_add(hours.hours()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;

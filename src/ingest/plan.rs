//! Decides what a sync has to ask, from the catalogue, what is held and when we last looked. Pure.

use super::board;
use super::news::day_of;
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use crate::model::{Catalogue, Date, Frequency, SeriesId, SeriesInfo};
use crate::store::Status;
use jiff::{Span, Timestamp, ToSpan};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// After this many days a series is read in full again, however far back its revisions usually go.
const FULL_EVERY_HOURS: i32 = 30 * 24;

/// Who carries a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// FRED.
    Fred,
    /// The Federal Reserve Board's bond premium file.
    Board,
}

/// One series that is due.
#[derive(Debug, Clone)]
pub struct Step {
    /// Series.
    pub id: SeriesId,
    /// What the catalogue says; a series asked for by name may be outside it.
    pub info: Option<Arc<SeriesInfo>>,
    /// Who is asked.
    pub source: Source,
    /// First date to ask for; `None` = all.
    pub from: Option<Date>,
    /// Day of the last look.
    pub last_look: Option<Date>,
    /// Whether the history of revisions is to be read as well.
    pub vintages: bool,
}

/// What is to be done and what is not.
#[derive(Debug, Default)]
pub struct Plan {
    /// Due, in the catalogue's order.
    pub steps: Vec<Step>,
    /// Looked at so recently that asking again would bring nothing, and until when that holds.
    pub fresh: Vec<(SeriesId, Timestamp)>,
    /// Asked for by name, but no source carries them.
    pub refused: Vec<(SeriesId, Error)>,
}

/// What the caller wants.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice<'a> {
    /// These and no others.
    pub only: Option<&'a [SeriesId]>,
    /// Fresh ones too.
    pub force: bool,
    /// The history of revisions too; of daily series, which are hardly revised, only those in `only`.
    pub vintages: bool,
}

/// When a series was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Last time.
    pub at: Timestamp,
    /// Last time in full.
    pub full: Timestamp,
    /// Whether its history of revisions is in.
    pub vintages: bool,
}

/// When each series was looked at: kept as one note of the store, so that a broken-off sync goes on where it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks(BTreeMap<SeriesId, Look>);

impl Looks {
    /// Reads the note; a line that cannot be read means that its series is looked at again.
    pub fn read(text: &str) -> Self {
        let line = |line: &str| {
            let mut words = line.split(' ');
            let id = SeriesId::new(words.next()?).ok()?;
            let (at, full) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let vintages = words.next() == Some("vintages");
            Some((id, Look { at, full, vintages }))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// The note's text: a line per series, `ID at full [vintages]`.
    pub fn text(&self) -> String {
        let line = |(id, look): (&SeriesId, &Look)| {
            let vintages = if look.vintages { " vintages" } else { "" };
            format!("{id} {:.0} {:.0}{vintages}\n", look.at, look.full)
        };
        self.0.iter().map(line).collect()
    }

    /// The look at a series, if there was one.
    pub fn get(&self, id: &SeriesId) -> Option<Look> {
        self.0.get(id).copied()
    }

    /// Notes a look.
    pub fn note(&mut self, id: &SeriesId, look: Look) {
        self.0.insert(id.clone(), look);
    }
}

/// Who carries a series of the catalogue.
///
/// # Errors
/// [`Error::NoData`] saying why none does: computed here, or to be imported.
pub fn source_of(info: &SeriesInfo) -> Result<Source> {
    let none = |reason: &str| {
        Err(Error::NoData {
            what: info.id.to_string(),
            reason: reason.to_owned(),
        })
    };
    if info.is_composite() {
        return none("it is computed here from other series and not fetched");
    }
    if board::SERIES.contains(&info.id.as_str()) {
        return Ok(Source::Board);
    }
    // The catalogue says in the source's name when FRED has no such series.
    let source = info.source.as_str();
    let elsewhere = ["not FRED", "not on FRED"]
        .iter()
        .any(|w| source.contains(w));
    if elsewhere || source.starts_with("FRED-MD") {
        return none("FRED does not carry it; import it from a file");
    }
    Ok(Source::Fred)
}

/// Decides what is due at `now`.
pub fn plan(
    catalogue: &Catalogue,
    held: &[Status],
    looks: &Looks,
    choice: Choice<'_>,
    now: Timestamp,
) -> Plan {
    let held: HashMap<&SeriesId, Date> = held.iter().map(|s| (&s.id, s.last)).collect();
    let mut plan = Plan::default();
    let all: Vec<SeriesId> = match choice.only {
        Some(only) => only.to_vec(),
        None => catalogue.iter().map(|info| info.id.clone()).collect(),
    };
    for id in all {
        let info = catalogue.get(id.as_str());
        // FRED carries 800,000 series; one that is named and not in the catalogue is asked for.
        let source = match info.map_or(Ok(Source::Fred), |info| source_of(info)) {
            Ok(source) => source,
            Err(error) if choice.only.is_some() => {
                plan.refused.push((id, error));
                continue;
            }
            Err(_) => continue,
        };
        let frequency = info.map(|info| info.frequency);
        let look = looks.get(&id).filter(|_| held.contains_key(&id));
        let vintages = choice.vintages
            && source == Source::Fred
            && (frequency != Some(Frequency::Daily) || choice.only.is_some())
            && (choice.force || !look.is_some_and(|look| look.vintages));
        let fresh_until = look.map(|look| later(look.at, rest_hours(frequency)));
        match fresh_until.filter(|until| *until > now && !choice.force && !vintages) {
            Some(until) => plan.fresh.push((id, until)),
            None => plan.steps.push(Step {
                from: start(look, held.get(&id).copied(), frequency, now),
                last_look: look.map(|look| day_of(look.at)),
                info: info.cloned(),
                source,
                vintages,
                id,
            }),
        }
    }
    plan
}

/// Hours for which a look stays fresh. Releases come on weekday mornings, so even monthly ones are
/// looked for more than once a day.
fn rest_hours(frequency: Option<Frequency>) -> i32 {
    match frequency {
        Some(Frequency::Daily) | None => 4,
        Some(Frequency::Weekly) => 6,
        Some(Frequency::Monthly) => 12,
        Some(Frequency::Quarterly | Frequency::Annual) => 20,
    }
}

/// How far back revisions usually reach.
fn window(frequency: Frequency) -> Span {
    match frequency {
        Frequency::Daily => 45.days(),
        Frequency::Weekly => 120.days(),
        Frequency::Monthly => 5.years(),
        Frequency::Quarterly => 10.years(),
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

fn later(at: Timestamp, hours: i32) -> Timestamp {
    at.checked_add(hours.hours()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;

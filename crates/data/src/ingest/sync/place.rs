//! What a source may write of a series: by its place in the order, by whether it has been confirmed, by what is held.

use crate::ingest::guard;
use crate::ingest::judge::{Verdict, compare};
use crate::ingest::news::{self, News, day_of};
use crate::ingest::plan::Step;
use crate::store::{Store, Written};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Known, Observation};
use econoscope_core::recipe::{Line, formula};
use jiff::{Timestamp, ToSpan};

/// Why a source behind another adds nothing.
const TOO_FEW: &str = "the two have too few dates in common to be compared";

/// A source's place for a series.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) origin: String,
    /// Whether nobody has seen it answer, and no figure has confirmed it.
    pub(super) is_unsure: bool,
    /// The sources before it.
    pub(super) earlier: Vec<String>,
    /// Whether it computes its whole past anew each time.
    pub(super) rewrites: bool,
    /// Whether everything was asked for.
    pub(super) full: bool,
    pub(super) now: Timestamp,
}

/// Why a source that was asked for everything failed.
pub(super) const NO_FIGURE: &str = "its source answered without a single figure";

/// What became of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Taken {
    /// It is in; how it differs from what another source had brought.
    Written(Written, Option<String>),
    /// It is not: nothing held confirms it, or what is held differs.
    Unconfirmed(String),
}

/// Writes what came, as far as its place allows.
///
/// # Errors
/// [`Error::NoData`] when nothing came or what came is not believed; [`Error::Store`].
pub(super) fn settle(
    store: &dyn Store,
    step: &Step,
    place: &Place,
    mut rows: Vec<Observation>,
) -> Result<Taken> {
    let tomorrow = shift(day_of(place.now), 1.day());
    rows.retain(|row| row.date <= tomorrow);
    let origin = store.status_of(&step.id)?.map(|status| status.origin);
    let held = store.read(&step.id)?.unwrap_or_default().latest();
    if place.full && rows.is_empty() {
        return Err(Error::no_data(&step.id, NO_FIGURE));
    }
    let is_own = origin.as_deref() == Some(place.origin.as_str());
    let is_second = origin.is_some_and(|origin| place.earlier.contains(&origin));
    let mut difference = None;
    if !is_own {
        match compare(step.info.as_deref(), &held, &rows) {
            Verdict::Agrees => {}
            Verdict::Unknown if place.is_unsure => {
                return Ok(Taken::Unconfirmed(
                    "nothing is held that could confirm it".to_owned(),
                ));
            }
            Verdict::Unknown if is_second => {
                return Ok(Taken::Unconfirmed(TOO_FEW.to_owned()));
            }
            Verdict::Differs(why) if place.is_unsure || is_second => {
                return Ok(Taken::Unconfirmed(why));
            }
            Verdict::Differs(why) => difference = Some(why),
            Verdict::Unknown => {}
        }
    }
    if is_second {
        let last = held.last().map(|row| row.date);
        rows.retain(|row| Some(row.date) > last);
        if rows.is_empty() {
            return Ok(Taken::Written(Written::default(), None));
        }
    }
    let days = rows.first().zip(rows.last());
    let days = days.map(|(first, last)| (first.date, last.date));
    if place.rewrites {
        drop_dust(step, &held, &mut rows);
    }
    let (told, came) = ((place.origin.as_str(), ""), undated(&rows));
    let written = write(store, step, told, (&held, &came), (is_own, place.now))?;
    // It is believed by now: what it says as others had said it is its own, too.
    if let Some(days) = days {
        store.attribute(&step.id, &place.origin, days)?;
    }
    Ok(Taken::Written(written, difference))
}

/// Leaves out what differs from what is held by less than is published.
fn drop_dust(step: &Step, held: &[Observation], rows: &mut Vec<Observation>) {
    let decimals = step.info.as_ref().map_or(5, |info| info.decimals);
    let digit = 10f64.powi(-i32::from(decimals));
    rows.retain(|row| {
        let same = held.binary_search_by_key(&row.date, |o| o.date);
        let same = same.ok().and_then(|at| held.get(at));
        same.is_none_or(|o| (o.value - row.value).abs() >= digit)
    });
}

fn undated(rows: &[Observation]) -> Vec<Known> {
    rows.iter().map(|row| Known::new(row, None)).collect()
}

/// Writes what came from `origin`, unless it looks like figures in another unit: then what is held stays, `hint` says
/// what to do, and nothing is written.
///
/// # Errors
/// [`Error::NoData`] when it is not believed; [`Error::Store`].
pub(super) fn write(
    store: &dyn Store,
    step: &Step,
    (origin, hint): (&str, &str),
    (held, rows): (&[Observation], &[Known]),
    (is_own, now): (bool, Timestamp),
) -> Result<Written> {
    if let Some(doubt) = guard::doubt(held, rows) {
        let why = format!("its source's answer is not believed: {doubt}. What is held stays{hint}");
        return Err(Error::no_data(&step.id, why));
    }
    news::write(
        store,
        &News {
            id: &step.id,
            info: step.info.as_deref(),
            rows,
            is_new: held.is_empty(),
            // What another source had not, it may have had for long.
            last_look: step.look.filter(|_| is_own).map(|look| day_of(look.at)),
            now,
            origin,
        },
    )
}

/// Computes a series from others of the store; `None` where one of them is missing, or what is held differs.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written.
pub(super) fn compute(
    store: &dyn Store,
    step: &Step,
    line: &Line,
    now: Timestamp,
) -> Result<Option<Written>> {
    const ORIGIN: &str = "formula";
    let inputs = line
        .of
        .iter()
        .map(|id| Ok(store.read(id)?.unwrap_or_default().latest()));
    let inputs: Vec<Vec<Observation>> = inputs.collect::<Result<_>>()?;
    let mut rows = formula(line, &inputs);
    let held = store.read(&step.id)?.unwrap_or_default().latest();
    let is_own = store
        .status_of(&step.id)?
        .is_some_and(|status| status.origin == ORIGIN);
    if !is_own
        && matches!(
            compare(step.info.as_deref(), &held, &rows),
            Verdict::Differs(_)
        )
    {
        return Ok(None);
    }
    // Only what is new: the past stays as its agency printed it.
    let last = held.last().map(|row| row.date).filter(|_| !is_own);
    rows.retain(|row| Some(row.date) > last);
    if rows.is_empty() {
        return Ok((!held.is_empty()).then(Written::default));
    }
    let came = undated(&rows);
    match write(store, step, (ORIGIN, ""), (&held, &came), (is_own, now)) {
        Ok(written) => Ok(Some(written)),
        Err(Error::NoData { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What FRED may add to a series of a first source: newer figures, when the common ones agree.
///
/// # Errors
/// [`Error::NoData`] when they do not.
pub(super) fn behind(step: &Step, held: &[Observation], rows: &mut Vec<Known>) -> Result<()> {
    let came = rows.iter();
    let came = came.filter_map(|row| Some(Observation::new(row.date, row.value?)));
    let came: Vec<Observation> = came.collect();
    let why = match compare(step.info.as_deref(), held, &came) {
        Verdict::Agrees => None,
        Verdict::Differs(why) => Some(format!("differs from its first source: {why}")),
        Verdict::Unknown => Some(TOO_FEW.to_owned()),
    };
    if let Some(why) = why {
        let why = format!("what FRED says is not mixed with what is held: {why}");
        return Err(Error::no_data(&step.id, why));
    }
    let last = held.last().map(|row| row.date);
    rows.retain(|row| Some(row.date) > last);
    Ok(())
}

//! What the composites rest on, and from when on it has changed since they were computed.
//!
//! A store only ever adds rows to a series, so that their number tells whether it has changed. What was added
//! carries the day it became known; from the rows known since the last time comes the earliest date they
//! touch. Rows that carry no such day, or an earlier one, may be of any date: then the whole is computed anew.

use super::super::Desk;
use crate::error::{Error, Result};
use crate::indicators::Composite;
use crate::model::frequency::shift;
use crate::model::{Date, Known, SeriesId, Vintages};
use jiff::ToSpan;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The note under which it is kept.
const NOTE: &str = "composite_inputs";
/// Months before a change, or before the last reference day, in which a figure may still settle: a daily index
/// drops days once daily figures come in late, and a month stops borrowing when it is over.
const SETTLING_MONTHS: i64 = 2;

/// What every composite was computed from.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SeenAll(BTreeMap<String, Seen>);

/// What one composite was computed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Which of its definitions applied.
    profile: String,
    /// Reference day.
    day: Date,
    inputs: BTreeMap<SeriesId, Input>,
}

/// An input as it was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Input {
    /// Rows of all vintages.
    rows: u64,
    /// The calendar day on which they were counted, and how many of them were known from that day on.
    counted: Date,
    todays: u64,
    /// Newest date.
    last: Date,
}

impl SeenAll {
    /// As noted; empty when there is no note, or one that is no longer understood.
    pub(super) fn noted(desk: &Desk) -> Result<Self> {
        let note = desk.store().note(NOTE)?;
        let read = note.and_then(|text| serde_json::from_str(&text).ok());
        Ok(read.unwrap_or_default())
    }

    pub(super) fn note(&self, desk: &Desk) -> Result<()> {
        let text = serde_json::to_string(self)
            .map_err(|e| Error::internal("keeping what composites rest on", e))?;
        desk.store().set_note(NOTE, &text)
    }

    pub(super) fn of(&self, composite: &str) -> Option<&Seen> {
        self.0.get(composite)
    }

    pub(super) fn put(&mut self, composite: &str, seen: Seen) {
        self.0.insert(composite.to_owned(), seen);
    }
}

impl Seen {
    /// What the composite rests on now, and from when on that may change it; `None` = it is as it was.
    pub(super) fn now(
        desk: &Desk,
        composite: &Composite,
        day: Date,
        profile: &str,
        before: Option<&Self>,
    ) -> Result<(Self, Option<Date>)> {
        let before = before.filter(|b| b.profile == profile && b.day <= day);
        let mut now = Self {
            profile: profile.to_owned(),
            day,
            inputs: BTreeMap::new(),
        };
        let mut from = match before {
            Some(before) => (before.day != day).then_some(before.day),
            None => Some(Date::MIN),
        };
        let mut changed = |date: Date| from = Some(from.map_or(date, |from| from.min(date)));
        let holdings = desk.holdings()?;
        for name in composite.inputs {
            let id = SeriesId::new(name)?;
            let was = before.and_then(|b| b.inputs.get(&id));
            let rows = holdings.get(&id).map(|s| s.rows);
            let input = match (was, rows) {
                (None, None) => continue,
                (Some(_), None) => {
                    changed(Date::MIN);
                    continue;
                }
                (Some(was), Some(rows)) if was.rows == rows => *was,
                (was, Some(_)) => {
                    let vintages = desk.vintages(&id)?.unwrap_or_default();
                    changed(was.map_or(Date::MIN, |was| was.touched(&vintages)));
                    Input::count(&vintages, desk.today())
                }
            };
            now.inputs.insert(id, input);
        }
        let settling = |from| shift(from, (-SETTLING_MONTHS).months());
        Ok((now, from.map(settling)))
    }
}

impl Input {
    fn count(vintages: &Vintages, today: Date) -> Self {
        let rows = vintages.rows();
        Self {
            rows: rows.len() as u64,
            counted: today,
            todays: known_since(vintages, today).count() as u64,
            last: rows.last().map_or(Date::MIN, |r| r.date),
        }
    }

    /// The earliest date that rows which have come since can have any effect on.
    fn touched(&self, vintages: &Vintages) -> Date {
        let came = (vintages.rows().len() as u64).checked_sub(self.rows);
        let dated = known_since(vintages, self.counted).count() as u64;
        if came.is_none() || came != dated.checked_sub(self.todays) {
            return Date::MIN;
        }
        let dates = known_since(vintages, self.counted).map(|r| r.date);
        dates.fold(self.last, Date::min)
    }
}

/// Rows that became known on `day` or later.
fn known_since(vintages: &Vintages, day: Date) -> impl Iterator<Item = &Known> {
    let recent = move |row: &&Known| row.known_from.is_some_and(|known| known >= day);
    vintages.rows().iter().filter(recent)
}

//! The row of a series in table `series`: its summary and checksums.

use super::query::{RowResult, checksum, damage_error};
use crate::store::change::to_microseconds;
use crate::store::{Status, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::frequency::{day_from_number, day_number, shift};
use econoscope_core::model::{Date, SeriesId, VintageObservation};
use jiff::{Timestamp, ToSpan};
use rusqlite::Row;
use std::ops::RangeInclusive;

/// A row of table `series`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeriesRow {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) rows: i64,
    pub(super) segments: i64,
    /// Day number of the oldest date.
    pub(super) first: i32,
    /// Day number of the newest date.
    pub(super) last: i32,
    /// Microseconds since 1970.
    pub(super) fetched_at: i64,
    /// [`Origins`] as text.
    pub(super) origin: String,
    /// Checksum over the checksums of all row groups, in their order.
    pub(super) content: u32,
}

impl SeriesRow {
    /// Returns the checksum over all columns.
    pub(super) fn checksum(&self) -> i64 {
        let numbers = [
            self.id,
            self.rows,
            self.segments,
            self.first.into(),
            self.last.into(),
            self.fetched_at,
            self.content.into(),
        ];
        checksum(&[Some(&self.name), Some(&self.origin)], &numbers)
    }

    /// Reads and verifies the first ten columns: id, name, rows, segments, first, last, fetched_at, origin, content,
    /// crc.
    pub(super) fn from_row(row: &Row<'_>) -> RowResult<Self> {
        let series = Self {
            id: row.get(0)?,
            name: row.get(1)?,
            rows: row.get(2)?,
            segments: row.get(3)?,
            first: row.get(4)?,
            last: row.get(5)?,
            fetched_at: row.get(6)?,
            origin: row.get(7)?,
            content: row.get(8)?,
        };
        if row.get::<_, i64>(9)? != series.checksum() {
            let problem = "the checksum of its entry does not match";
            return Err(damage_error(&series.name, problem).into());
        }
        Ok(series)
    }

    /// Converts to the summary that a store returns.
    pub(super) fn to_status(&self) -> Result<Status> {
        let (origin, earlier_origins) = Origins::parse(&self.origin).split_newest();
        let status = || {
            Some(Status {
                id: SeriesId::new(&self.name).ok()?,
                rows: self.rows.unsigned_abs(),
                checksum: self.content,
                first: day_from_number(self.first)?,
                last: day_from_number(self.last)?,
                fetched_at: Timestamp::from_microsecond(self.fetched_at).ok()?,
                origin,
                earlier_origins,
            })
        };
        status().ok_or_else(|| damage_error(&self.name, "its entry cannot be"))
    }

    /// Extends dates, time and origin by added rows, which ascend by date and are not empty. The counts and checksums
    /// stay for the caller.
    pub(super) fn with_added_rows(
        self,
        write: &WriteVintages<'_>,
        rows: &[VintageObservation],
    ) -> Self {
        let (first, last) = date_range(rows);
        let fetched_at = to_microseconds(write.fetched_at).as_microsecond();
        Self {
            origin: self.assign_origin(write.origin, date(first), date(last)),
            first: self.first.min(first),
            last: self.last.max(last),
            fetched_at: self.fetched_at.max(fetched_at),
            ..self
        }
    }

    /// Returns the origins as text after the rows from `first` to `last` were assigned to `origin`.
    pub(super) fn assign_origin(&self, origin: &str, first: Date, last: Date) -> String {
        let stored = date(self.first)..=date(self.last);
        let origins = Origins::parse(&self.origin);
        origins.assign(origin, first..=last, stored).to_text()
    }
}

fn date(number: i32) -> Date {
    day_from_number(number).unwrap_or(Date::MIN)
}

/// Returns the day numbers of the first and the last row.
pub(super) fn date_range(rows: &[VintageObservation]) -> (i32, i32) {
    let day = |row: Option<&VintageObservation>| row.map_or(0, |r| day_number(r.date));
    (day(rows.first()), day(rows.last()))
}

const SEPARATOR: &str = " | ";

/// The origins of a series' rows, oldest first, each with its first date ([`Date::MIN`] for the oldest). As text:
/// `bundled from cpi 2.1.0 | 2026-09-18 treasury | 2026-11-14 fred`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origins(Vec<(Date, String)>);

impl Origins {
    fn parse(text: &str) -> Self {
        let part = |part: &str| {
            let (day, name) = part.split_once(' ').unwrap_or_default();
            match day.parse() {
                Ok(day) => (day, name.to_owned()),
                Err(_) => (Date::MIN, part.to_owned()),
            }
        };
        Self(text.split(SEPARATOR).map(part).collect())
    }

    fn to_text(&self) -> String {
        let part = |(day, name): &(Date, String)| match *day {
            Date::MIN => name.clone(),
            day => format!("{day} {name}"),
        };
        let parts: Vec<String> = self.0.iter().map(part).collect();
        parts.join(SEPARATOR)
    }

    /// Returns the newest origin and the earlier ones, each with the date at which its rows end.
    fn split_newest(mut self) -> (String, Vec<(String, Date)>) {
        let ends: Vec<Date> = self.0.iter().skip(1).map(|(day, _)| *day).collect();
        let (_, newest) = self.0.pop().unwrap_or_default();
        let names = self.0.into_iter().map(|(_, name)| name);
        (newest, names.zip(ends).collect())
    }

    /// Assigns the rows of `days` to `name`. `stored` are the dates of the series before.
    fn assign(
        mut self,
        name: &str,
        days: RangeInclusive<Date>,
        stored: RangeInclusive<Date>,
    ) -> Self {
        let first = *days.start();
        let last = *days.end();
        let rest = (last < *stored.end()).then(|| shift(last, 1.day()));
        let later = rest.and_then(|rest| {
            let next = self.0.partition_point(|(day, _)| *day <= rest);
            let mut later = self.0.get(next.checked_sub(1)?..)?.to_vec();
            later.first_mut()?.0 = rest;
            Some(later)
        });
        self.0
            .retain(|(day, _)| *day < first && first > *stored.start());
        let start = if self.0.is_empty() { Date::MIN } else { first };
        self.0.push((start, name.replace(SEPARATOR, " ")));
        self.0.extend(later.unwrap_or_default());
        self.0.dedup_by(|b, a| a.1 == b.1);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn every_row_keeps_its_origin() {
        let first = date(1990, 1, 2);
        let last = date(2026, 9, 17);
        let day = |d| date(2026, 11, d);
        let bundled = Origins::parse("bundled from cpi 2.1.0");
        let treasury = bundled.assign("treasury", date(2026, 9, 1)..=day(13), first..=last);
        let fred = treasury.assign("fred", day(14)..=day(20), first..=day(13));
        let text = "bundled from cpi 2.1.0 | 2026-09-01 treasury | 2026-11-14 fred";
        assert_eq!(fred.to_text(), text);
        assert_eq!(Origins::parse(text), fred);
        let (newest, earlier) = fred.clone().split_newest();
        assert_eq!(newest, "fred");
        assert_eq!(
            earlier,
            [
                ("bundled from cpi 2.1.0".to_owned(), date(2026, 9, 1)),
                ("treasury".to_owned(), day(14)),
            ]
        );
        // The first source confirms some days of the second one: these become its own.
        let back = fred.assign("treasury", day(1)..=day(17), first..=day(20));
        let text = "bundled from cpi 2.1.0 | 2026-09-01 treasury | 2026-11-18 fred";
        assert_eq!(back.to_text(), text);
        let whole = back.assign("import", first..=day(20), first..=day(20));
        assert_eq!(whole.to_text(), "import");
    }
}

//! The entry of a series: what it holds, in numbers that vouch for each other.

use super::failure::damaged;
use super::query::checksum;
use crate::error::Result;
use crate::model::frequency::{day_from_number, day_number};
use crate::model::{Date, Known, SeriesId};
use crate::store::change::kept;
use crate::store::origins::Origins;
use crate::store::seam::{Status, WriteVintages};
use jiff::Timestamp;
use rusqlite::Row;

/// One line of table `series`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) rows: i64,
    pub(super) segments: i64,
    pub(super) first: i32,
    pub(super) last: i32,
    pub(super) fetched_at: i64,
    pub(super) origin: String,
    /// Over the checksums of all segments, in their order.
    pub(super) content: u32,
}

impl Line {
    /// Checksum over all columns.
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

    /// The line in the first ten columns, verified: id, name, rows, segments, first, last, fetched_at, origin,
    /// content, crc.
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Result<Self>> {
        let line = Self {
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
        let whole = row.get::<_, i64>(9)? == line.checksum();
        Ok(if whole {
            Ok(line)
        } else {
            let problem = "the checksum of its entry does not match";
            Err(damaged(&line.name, problem))
        })
    }

    /// The entry as the contract tells it.
    pub(super) fn status(&self) -> Result<Status> {
        let (origin, before) = Origins::read(&self.origin).newest();
        let status = || {
            Some(Status {
                id: SeriesId::new(&self.name).ok()?,
                rows: self.rows.unsigned_abs(),
                first: day_from_number(self.first)?,
                last: day_from_number(self.last)?,
                fetched_at: Timestamp::from_microsecond(self.fetched_at).ok()?,
                origin,
                before,
            })
        };
        status().ok_or_else(|| damaged(&self.name, "its entry cannot be"))
    }

    /// When the series was last read; the beginning of time where the line cannot be.
    pub(super) fn read_at(&self) -> Timestamp {
        Timestamp::from_microsecond(self.fetched_at).unwrap_or(Timestamp::MIN)
    }

    /// The line after rows were added; rows ascend by date and are not empty.
    pub(super) fn written(self, write: &WriteVintages<'_>, rows: &[Known]) -> Self {
        let (first, last) = ends(rows);
        let origin = self.origins(write.origin, (day(first), day(last)));
        Self {
            rows: self.rows.saturating_add_unsigned(rows.len() as u64),
            first: self.first.min(first),
            last: self.last.max(last),
            fetched_at: self.fetched_at.max(kept(write.fetched_at).as_microsecond()),
            origin,
            ..self
        }
    }

    /// Whose rows it holds once those from one day to another are of `origin`.
    pub(super) fn origins(&self, origin: &str, days: (Date, Date)) -> String {
        let held = (day(self.first), day(self.last));
        let origins = Origins::read(&self.origin);
        origins.brought(origin, days, held).text()
    }
}

fn day(number: i32) -> Date {
    day_from_number(number).unwrap_or(Date::MIN)
}

/// Oldest and newest day of rows that ascend.
pub(super) fn ends(rows: &[Known]) -> (i32, i32) {
    let day = |row: Option<&Known>| row.map_or(0, |r| day_number(r.date));
    (day(rows.first()), day(rows.last()))
}

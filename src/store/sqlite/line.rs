//! The entry of a series: what it holds, in numbers that vouch for each other.

use super::failure::{damaged, unreadable};
use crate::error::Result;
use crate::model::frequency::{day_from_number, day_number};
use crate::model::{Known, SeriesId};
use crate::store::change::kept;
use crate::store::seam::{Status, Write};
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
    pub(super) fn crc(&self) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        for text in [&self.name, &self.origin] {
            crc.update(&(text.len() as u64).to_le_bytes());
            crc.update(text.as_bytes());
        }
        let numbers = [
            self.id,
            self.rows,
            self.segments,
            self.first.into(),
            self.last.into(),
            self.fetched_at,
            self.content.into(),
        ];
        numbers
            .iter()
            .for_each(|number| crc.update(&number.to_le_bytes()));
        crc.finalize()
    }

    /// The line in the first ten columns, verified: id, name, rows, segments, first, last, fetched_at, origin,
    /// content, crc.
    pub(super) fn from_row(row: &Row<'_>) -> Result<Self> {
        let text = |i| row.get::<_, String>(i);
        let line = || {
            Ok(Self {
                id: row.get(0)?,
                name: text(1)?,
                rows: row.get(2)?,
                segments: row.get(3)?,
                first: row.get(4)?,
                last: row.get(5)?,
                fetched_at: row.get(6)?,
                origin: text(7)?,
                content: row.get(8)?,
            })
        };
        let name = || text(1).unwrap_or_else(|_| "A series".to_owned());
        let line = line().map_err(|e| unreadable(&name(), e))?;
        let crc: i64 = row.get(9).map_err(|e| unreadable(&name(), e))?;
        if crc == i64::from(line.crc()) {
            Ok(line)
        } else {
            Err(damaged(&name(), "the checksum of its entry does not match"))
        }
    }

    /// The entry as the contract tells it; `None` when it cannot be.
    pub(super) fn status(&self) -> Option<Status> {
        Some(Status {
            id: SeriesId::new(&self.name).ok()?,
            rows: self.rows.unsigned_abs(),
            first: day_from_number(self.first)?,
            last: day_from_number(self.last)?,
            fetched_at: Timestamp::from_microsecond(self.fetched_at).ok()?,
            origin: self.origin.clone(),
        })
    }

    /// The line after rows were added; rows ascend by date and are not empty.
    pub(super) fn written(self, write: &Write<'_>, rows: &[Known]) -> Self {
        let (first, last) = ends(rows);
        Self {
            rows: self.rows.saturating_add_unsigned(rows.len() as u64),
            first: self.first.min(first),
            last: self.last.max(last),
            fetched_at: self.fetched_at.max(kept(write.fetched_at).as_microsecond()),
            origin: write.origin.to_owned(),
            ..self
        }
    }
}

/// Oldest and newest day of rows that ascend.
pub(super) fn ends(rows: &[Known]) -> (i32, i32) {
    let day = |row: Option<&Known>| row.map_or(0, |r| day_number(r.date));
    (day(rows.first()), day(rows.last()))
}

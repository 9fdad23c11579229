//! The entry of a series: what it holds, in numbers that vouch for each other.

use super::query::{checksum, damaged};
use crate::store::change::kept;
use crate::store::{Status, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::frequency::{day_from_number, day_number, shift};
use econoscope_core::model::{Date, Known, SeriesId};
use jiff::{Timestamp, ToSpan};
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

    /// The line after rows were added, but for what vouches for them; they ascend by date and are not empty.
    pub(super) fn written(self, write: &WriteVintages<'_>, rows: &[Known]) -> Self {
        let (first, last) = ends(rows);
        let origin = self.origins(write.origin, (day(first), day(last)));
        Self {
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

/// Between two of them.
const BETWEEN: &str = " | ";

/// Who brought the rows of a series: the first from its beginning, every other from its date on. Kept as one text:
/// `bundled from cpi 2.1.0 | 2026-09-18 treasury | 2026-11-14 fred`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origins(Vec<(Date, String)>);

impl Origins {
    /// As kept.
    fn read(text: &str) -> Self {
        let part = |part: &str| {
            let (day, name) = part.split_once(' ').unwrap_or_default();
            match day.parse() {
                Ok(day) => (day, name.to_owned()),
                Err(_) => (Date::MIN, part.to_owned()),
            }
        };
        Self(text.split(BETWEEN).map(part).collect())
    }

    /// As it is to be kept.
    fn text(&self) -> String {
        let part = |(day, name): &(Date, String)| match *day {
            Date::MIN => name.clone(),
            day => format!("{day} {name}"),
        };
        let parts: Vec<String> = self.0.iter().map(part).collect();
        parts.join(BETWEEN)
    }

    /// Who brought the newest rows, and before them whose rows end where.
    fn newest(mut self) -> (String, Vec<(String, Date)>) {
        let ends: Vec<Date> = self.0.iter().skip(1).map(|(day, _)| *day).collect();
        let (_, newest) = self.0.pop().unwrap_or_default();
        let names = self.0.into_iter().map(|(_, name)| name);
        (newest, names.zip(ends).collect())
    }

    /// After `name` brought rows from `first` to `last` where rows from `held.0` to `held.1` were.
    fn brought(mut self, name: &str, (first, last): (Date, Date), held: (Date, Date)) -> Self {
        let name = name.replace(BETWEEN, " ");
        let rest = (last < held.1).then(|| shift(last, 1.day()));
        let later = rest.and_then(|rest| {
            let at = self.0.partition_point(|(day, _)| *day <= rest);
            let mut later = self.0.get(at.checked_sub(1)?..)?.to_vec();
            later.first_mut()?.0 = rest;
            Some(later)
        });
        self.0.retain(|(day, _)| *day < first && first > held.0);
        let first = if self.0.is_empty() { Date::MIN } else { first };
        self.0.push((first, name));
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
    fn every_row_keeps_who_brought_it() {
        let (first, last) = (date(1990, 1, 2), date(2026, 9, 17));
        let day = |d| date(2026, 11, d);
        let bundled = Origins::read("bundled from cpi 2.1.0");
        let filled = bundled.brought("treasury", (date(2026, 9, 1), day(13)), (first, last));
        let second = filled.brought("fred", (day(14), day(20)), (first, day(13)));
        let text = "bundled from cpi 2.1.0 | 2026-09-01 treasury | 2026-11-14 fred";
        assert_eq!(second.text(), text);
        assert_eq!(Origins::read(text), second);
        let (newest, before) = second.clone().newest();
        assert_eq!(newest, "fred");
        assert_eq!(
            before,
            [
                ("bundled from cpi 2.1.0".to_owned(), date(2026, 9, 1)),
                ("treasury".to_owned(), day(14)),
            ]
        );
        // The first source says of some days what the second had said: they are its own then, and no others.
        let back = second.brought("treasury", (day(1), day(17)), (first, day(20)));
        let text = "bundled from cpi 2.1.0 | 2026-09-01 treasury | 2026-11-18 fred";
        assert_eq!(back.text(), text);
        let whole = back.brought("import", (first, day(20)), (first, day(20)));
        assert_eq!(whole.text(), "import");
    }
}

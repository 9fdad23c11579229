//! Series and their row groups: read and verify, append, merge.

use super::failure::{damaged, failed, unreadable};
use crate::error::Result;
use crate::model::frequency::{day_from_number, day_number};
use crate::model::{Known, SeriesId, Vintages};
use crate::store::change::kept;
use crate::store::seam::{Status, Write};
use crate::store::segment;
use jiff::Timestamp;
use rusqlite::{Connection, Row};

/// Row groups of one series before they are merged into one.
const MOST_SEGMENTS: i64 = 32;
/// A segment's id is its series' id times this, plus its place: they lie side by side in the file.
const PLACES: i64 = 64;

/// One line of table `series`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) rows: i64,
    pub(super) segments: i64,
    first: i32,
    last: i32,
    fetched_at: i64,
    pub(super) origin: String,
    /// Over the checksums of all segments, in their order.
    content: u32,
}

/// Checksums of the segments of a series, in their order.
pub(super) type Checksums = Vec<u8>;

impl Line {
    fn crc(&self) -> u32 {
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

    /// The first nine columns of [`COLUMNS`] and their checksum.
    fn from_row(row: &Row<'_>) -> Result<Self> {
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
        let name = text(1).unwrap_or_else(|_| "A series".to_owned());
        let line = line().map_err(|e| unreadable(&name, e))?;
        let crc: i64 = row.get(9).map_err(|e| unreadable(&name, e))?;
        if crc == i64::from(line.crc()) {
            Ok(line)
        } else {
            Err(damaged(&name, "the checksum of its entry does not match"))
        }
    }

    fn status(&self) -> Option<Status> {
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

fn ends(rows: &[Known]) -> (i32, i32) {
    let day = |row: Option<&Known>| row.map_or(0, |r| day_number(r.date));
    (day(rows.first()), day(rows.last()))
}

/// One statement, so that line and segments are of one moment.
const READ: &str = "SELECT s.id, s.name, s.rows, s.segments, s.first, s.last, s.fetched_at, s.origin, s.content, s.crc,
     g.id, g.data
     FROM series s LEFT JOIN segment g ON g.id BETWEEN s.id * 64 AND s.id * 64 + 63
     WHERE s.name = ?1 ORDER BY g.id";

/// A series with all its rows, verified; `None` when it is not held.
pub(super) fn read(db: &Connection, id: &SeriesId) -> Result<Option<(Line, Vintages, Checksums)>> {
    let name = id.as_str();
    let mut statement = db.prepare_cached(READ).map_err(|e| unreadable(name, e))?;
    let mut found = statement.query([name]).map_err(|e| unreadable(name, e))?;
    let mut reading: Option<Reading> = None;
    while let Some(row) = found.next().map_err(|e| unreadable(name, e))? {
        let reading = match &mut reading {
            Some(reading) => reading,
            None => reading.insert(Reading::new(Line::from_row(row)?)),
        };
        reading.segment(row)?;
    }
    match reading {
        Some(reading) if reading.line.name == name => reading.finish().map(Some),
        Some(_) => Err(damaged(name, "the index leads to another series")),
        None => Ok(None),
    }
}

/// A series while its segments come in.
struct Reading {
    line: Line,
    rows: Vec<Known>,
    checksums: Checksums,
}

impl Reading {
    fn new(line: Line) -> Self {
        Self {
            line,
            rows: Vec::new(),
            checksums: Vec::new(),
        }
    }

    /// Takes the segment in the last two columns of [`READ`].
    fn segment(&mut self, row: &Row<'_>) -> Result<()> {
        let name = &self.line.name;
        let id: i64 = row.get(10).map_err(|e| unreadable(name, e))?;
        let data = row.get_ref(11).map_err(|e| unreadable(name, e))?;
        let (checksum, packed) = data
            .as_blob()
            .ok()
            .and_then(<[u8]>::split_first_chunk)
            .ok_or_else(|| damaged(name, "a row group is cut off"))?;
        if u32::from_le_bytes(*checksum) != segment_crc(id, packed) {
            return Err(damaged(name, "the checksum of a row group does not match"));
        }
        self.checksums.extend_from_slice(checksum);
        segment::decode(packed, &mut self.rows).map_err(|e| damaged(name, &e.to_string()))
    }

    fn finish(self) -> Result<(Line, Vintages, Checksums)> {
        let line = &self.line;
        let segments = line.segments.unsigned_abs();
        let whole = self.checksums.len() as u64 == 4 * segments
            && self.rows.len() as u64 == line.rows.unsigned_abs()
            && crc32fast::hash(&self.checksums) == line.content;
        if whole {
            Ok((self.line, Vintages::new(self.rows), self.checksums))
        } else {
            Err(damaged(&line.name, "row groups are missing or mixed up"))
        }
    }
}

/// Covers the place of the segment too, so that one under another's id is found out.
fn segment_crc(id: i64, packed: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&id.to_le_bytes());
    crc.update(packed);
    crc.finalize()
}

/// Only the line of a series; `None` when it is not held.
pub(super) fn line(db: &Connection, id: &SeriesId) -> Result<Option<Line>> {
    let sql = "SELECT id, name, rows, segments, first, last, fetched_at, origin, content, crc
         FROM series WHERE name = ?1";
    let name = id.as_str();
    let mut statement = db.prepare_cached(sql).map_err(|e| unreadable(name, e))?;
    let mut found = statement.query([name]).map_err(|e| unreadable(name, e))?;
    let row = found.next().map_err(|e| unreadable(name, e))?;
    row.map(Line::from_row).transpose()
}

/// Every line, by name.
pub(super) fn lines(db: &Connection, mut each: impl FnMut(Result<Line>)) -> Result<()> {
    let what = "The list of series";
    let sql = "SELECT id, name, rows, segments, first, last, fetched_at, origin, content, crc
         FROM series ORDER BY id";
    let mut statement = db.prepare_cached(sql).map_err(|e| unreadable(what, e))?;
    let mut found = statement.query([]).map_err(|e| unreadable(what, e))?;
    while let Some(row) = found.next().map_err(|e| unreadable(what, e))? {
        each(Line::from_row(row));
    }
    Ok(())
}

/// What is held, by identifier.
pub(super) fn status(db: &Connection) -> Result<Vec<Status>> {
    let mut all = Vec::new();
    lines(db, |line| {
        all.push(line.and_then(|l| {
            l.status()
                .ok_or_else(|| damaged(&l.name, "its entry cannot be"))
        }));
    })?;
    let mut all: Vec<Status> = all.into_iter().collect::<Result<_>>()?;
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// A new series with its first rows, which are not empty and ascend by date.
pub(super) fn create(db: &Connection, write: &Write<'_>, rows: &[Known]) -> Result<()> {
    let next = "SELECT coalesce(max(id), 0) + 1 FROM series";
    let id: i64 = db
        .prepare_cached(next)
        .and_then(|mut s| s.query_row([], |row| row.get(0)))
        .map_err(|e| failed("write", e))?;
    let (first, last) = ends(rows);
    let line = Line {
        id,
        name: write.id.as_str().to_owned(),
        rows: 0,
        segments: 0,
        first,
        last,
        fetched_at: kept(write.fetched_at).as_microsecond(),
        origin: write.origin.to_owned(),
        content: 0,
    };
    put_segment(db, line.written(write, rows), Vec::new(), rows)
}

/// Adds rows to a series; when its segments have piled up, all become one.
pub(super) fn append(
    db: &Connection,
    line: Line,
    held: &Vintages,
    checksums: Checksums,
    rows: Vec<Known>,
) -> Result<()> {
    if line.segments < MOST_SEGMENTS {
        return put_segment(db, line, checksums, &rows);
    }
    let mut all = held.rows().to_vec();
    all.extend(rows);
    drop_segments(db, line.id)?;
    let line = Line {
        segments: 0,
        ..line
    };
    put_segment(db, line, Vec::new(), Vintages::new(all).rows())
}

/// Writes the next segment and the line that vouches for it.
fn put_segment(
    db: &Connection,
    line: Line,
    mut checksums: Checksums,
    rows: &[Known],
) -> Result<()> {
    let id = line
        .id
        .checked_mul(PLACES)
        .and_then(|first| first.checked_add(line.segments))
        .ok_or_else(|| damaged(&line.name, "its number is too large"))?;
    let packed = segment::encode(rows);
    let checksum = segment_crc(id, &packed).to_le_bytes();
    let mut data = Vec::with_capacity(4 + packed.len());
    data.extend_from_slice(&checksum);
    data.extend_from_slice(&packed);
    db.prepare_cached("INSERT INTO segment (id, data) VALUES (?1, ?2)")
        .and_then(|mut s| s.execute((id, data)))
        .map_err(|e| failed("write", e))?;
    checksums.extend_from_slice(&checksum);
    put_line(
        db,
        &Line {
            segments: line.segments + 1,
            content: crc32fast::hash(&checksums),
            ..line
        },
    )
}

fn put_line(db: &Connection, line: &Line) -> Result<()> {
    let sql = "INSERT INTO series (id, name, rows, segments, first, last, fetched_at, origin, content, crc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE SET rows = ?3, segments = ?4, first = ?5, last = ?6,
         fetched_at = ?7, origin = ?8, content = ?9, crc = ?10";
    db.prepare_cached(sql)
        .and_then(|mut s| {
            s.execute(rusqlite::params![
                line.id,
                line.name,
                line.rows,
                line.segments,
                line.first,
                line.last,
                line.fetched_at,
                line.origin,
                line.content,
                line.crc(),
            ])
        })
        .map(|_| ())
        .map_err(|e| failed("write", e))
}

/// Notes that the source was read, when that is news.
pub(super) fn note_reading(db: &Connection, line: Line, at: Timestamp) -> Result<()> {
    let fetched_at = at.as_microsecond();
    if fetched_at <= line.fetched_at {
        return Ok(());
    }
    put_line(db, &Line { fetched_at, ..line })
}

/// Drops a series and all its rows.
pub(super) fn remove(db: &Connection, line: &Line) -> Result<()> {
    drop_segments(db, line.id)?;
    db.execute("DELETE FROM series WHERE id = ?1", [line.id])
        .map(|_| ())
        .map_err(|e| failed("write", e))
}

fn drop_segments(db: &Connection, series: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM segment WHERE id BETWEEN ?1 * 64 AND ?1 * 64 + 63")
        .and_then(|mut s| s.execute([series]))
        .map(|_| ())
        .map_err(|e| failed("write", e))
}

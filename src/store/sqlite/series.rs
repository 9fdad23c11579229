//! Series and their row groups: read and verified.

use super::failure::{damaged, unreadable};
use super::line::Line;
use super::state::state;
use crate::error::Result;
use crate::model::{Known, SeriesId, Vintages};
use crate::store::seam::Status;
use crate::store::segment;
use rusqlite::{Connection, Row};

/// Checksums of the segments of a series, in their order.
pub(super) type Checksums = Vec<u8>;

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
        reading.segment(row, 10)?;
    }
    match reading {
        Some(reading) if reading.line.name == name => reading.finish().map(Some),
        Some(_) => Err(damaged(name, "the index leads to another series")),
        None => Ok(None),
    }
}

/// All rows under a line, verified, whatever the index says.
pub(super) fn read_line(db: &Connection, line: &Line) -> Result<Vintages> {
    let name = &line.name;
    let sql = "SELECT id, data FROM segment WHERE id BETWEEN ?1 * 64 AND ?1 * 64 + 63 ORDER BY id";
    let mut statement = db.prepare_cached(sql).map_err(|e| unreadable(name, e))?;
    let mut found = statement
        .query([line.id])
        .map_err(|e| unreadable(name, e))?;
    let mut reading = Reading::new(line.clone());
    while let Some(row) = found.next().map_err(|e| unreadable(name, e))? {
        reading.segment(row, 0)?;
    }
    reading.finish().map(|(_, vintages, _)| vintages)
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

    /// Takes the segment whose id and data stand in column `at` and the next.
    fn segment(&mut self, row: &Row<'_>, at: usize) -> Result<()> {
        let name = &self.line.name;
        let id: i64 = row.get(at).map_err(|e| unreadable(name, e))?;
        let data = row.get_ref(at + 1).map_err(|e| unreadable(name, e))?;
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
pub(super) fn segment_crc(id: i64, packed: &[u8]) -> u32 {
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

/// Every line, by identifier; from the last one backwards if asked.
pub(super) fn lines(
    db: &Connection,
    backwards: bool,
    mut each: impl FnMut(Result<Line>),
) -> Result<()> {
    let sql = if backwards {
        "SELECT id, name, rows, segments, first, last, fetched_at, origin, content, crc
         FROM series NOT INDEXED ORDER BY id DESC"
    } else {
        "SELECT id, name, rows, segments, first, last, fetched_at, origin, content, crc
         FROM series NOT INDEXED ORDER BY id"
    };
    let mut statement = db.prepare_cached(sql).map_err(|e| unreadable(LIST, e))?;
    let mut found = statement.query([]).map_err(|e| unreadable(LIST, e))?;
    while let Some(row) = found.next().map_err(|e| unreadable(LIST, e))? {
        each(Line::from_row(row));
    }
    Ok(())
}

const LIST: &str = "The list of series";
/// A longer list is left to the doctor: checking it would be felt.
const LONG_LIST: i64 = 20_000;

/// Checks that no series is hidden by a damaged list or index.
pub(super) fn check_list(db: &Connection) -> Result<()> {
    if state(db)?.series > LONG_LIST {
        return Ok(());
    }
    status(db)?;
    let verdict: String = db
        .query_row("PRAGMA integrity_check('series')", [], |row| row.get(0))
        .map_err(|e| unreadable(LIST, e))?;
    match verdict.as_str() {
        "ok" => Ok(()),
        other => Err(damaged(LIST, other)),
    }
}

/// What is held, by identifier.
pub(super) fn status(db: &Connection) -> Result<Vec<Status>> {
    let mut all = Vec::new();
    lines(db, false, |line| {
        all.push(line.and_then(|l| {
            l.status()
                .ok_or_else(|| damaged(&l.name, "its entry cannot be"))
        }));
    })?;
    let mut all: Vec<Status> = all.into_iter().collect::<Result<_>>()?;
    if state(db)?.series.unsigned_abs() != all.len() as u64 {
        return Err(damaged(LIST, "entries are missing"));
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

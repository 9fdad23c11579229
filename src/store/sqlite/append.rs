//! Series and their row groups: begun, appended to, merged, dropped. All inside the caller's transaction.

use super::failure::{damaged, failed};
use super::line::{Line, ends};
use super::series::{Checksums, segment_crc};
use crate::error::Result;
use crate::model::{Known, Vintages};
use crate::store::change::kept;
use crate::store::seam::Write;
use crate::store::segment;
use jiff::Timestamp;
use rusqlite::Connection;

/// Row groups of one series before they are merged into one.
const MOST_SEGMENTS: i64 = 32;
/// A segment's id is its series' id times this, plus its place: they lie side by side in the file.
const PLACES: i64 = 64;

/// A new series with its first rows, which are not empty and ascend by date.
pub(super) fn create(db: &Connection, write: &Write<'_>, rows: &[Known]) -> Result<()> {
    let (first, last) = ends(rows);
    let line = Line {
        id: next_id(db)?,
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

fn next_id(db: &Connection) -> Result<i64> {
    db.prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM series")
        .and_then(|mut s| s.query_row([], |row| row.get(0)))
        .map_err(|e| failed("write", e))
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

/// Writes a series as it was read elsewhere, all its rows in one segment.
pub(super) fn adopt(db: &Connection, line: Line, vintages: &Vintages) -> Result<()> {
    let id = next_id(db)?;
    let line = Line {
        id,
        segments: 0,
        ..line
    };
    put_segment(db, line, Vec::new(), vintages.rows())
}

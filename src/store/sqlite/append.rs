//! Series and their row groups: begun, appended to, merged, dropped. All inside the caller's transaction.

use super::failure::damaged;
use super::line::{Line, ends};
use super::query::{Query, execute};
use super::series::{Held, segment_crc};
use crate::error::Result;
use crate::model::{Date, Known};
use crate::store::change::{Change, kept};
use crate::store::seam::WriteVintages;
use crate::store::segment;
use jiff::Timestamp;
use rusqlite::Connection;

/// Row groups of one series before they are merged into one.
const MAX_SEGMENTS: i64 = 32;
/// A segment's id is its series' id times this, plus its place: they lie side by side in the file.
const PLACES: i64 = 64;

/// A new series with its first rows, which are not empty and ascend by date.
pub(super) fn create(db: &Connection, write: &WriteVintages<'_>, rows: &[Known]) -> Result<()> {
    let next = Query::new(
        "The list of series",
        "SELECT coalesce(max(id), 0) + 1 FROM series",
    );
    let (first, last) = ends(rows);
    let line = Line {
        id: next.first(db, [], |row| Ok(Ok(row.get(0)?)))?.unwrap_or(1),
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

/// Adds what came to a series; when its segments have piled up or a row of them goes, all become one.
pub(super) fn append(
    db: &Connection,
    held: Held,
    write: &WriteVintages<'_>,
    change: &Change,
) -> Result<()> {
    let line = held.line.written(write, &change.rows);
    if line.segments < MAX_SEGMENTS && change.displaced.is_empty() {
        return put_segment(db, line, held.checksums, &change.rows);
    }
    let all = change.onto(&held.vintages);
    drop_segments(db, line.id)?;
    let line = Line {
        segments: 0,
        rows: i64::try_from(all.rows().len()).unwrap_or(i64::MAX),
        ..line
    };
    put_segment(db, line, Vec::new(), all.rows())
}

/// Writes the next segment and the line that vouches for it.
fn put_segment(db: &Connection, line: Line, mut checksums: Vec<u8>, rows: &[Known]) -> Result<()> {
    let id = line
        .id
        .checked_mul(PLACES)
        .and_then(|first| first.checked_add(line.segments))
        .ok_or_else(|| damaged(&line.name, "its number is too large"))?;
    let packed = segment::encode(rows);
    let checksum = segment_crc(id, &packed).to_le_bytes();
    let data = [&checksum, packed.as_slice()].concat();
    execute(
        db,
        "INSERT INTO segment (id, data) VALUES (?1, ?2)",
        (id, data),
    )?;
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
    let sql = "INSERT INTO series VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE SET rows = ?3, segments = ?4, first = ?5, last = ?6,
         fetched_at = ?7, origin = ?8, content = ?9, crc = ?10";
    let columns = rusqlite::params![
        line.id,
        line.name,
        line.rows,
        line.segments,
        line.first,
        line.last,
        line.fetched_at,
        line.origin,
        line.content,
        line.checksum(),
    ];
    execute(db, sql, columns)
}

/// Notes that the source was read, when that is news.
pub(super) fn note_reading(db: &Connection, line: Line, at: Timestamp) -> Result<()> {
    let fetched_at = kept(at).as_microsecond();
    if fetched_at <= line.fetched_at {
        return Ok(());
    }
    put_line(db, &Line { fetched_at, ..line })
}

/// Notes whose the rows of some days are; says whether that was news.
pub(super) fn attribute(
    db: &Connection,
    line: Line,
    origin: &str,
    days: (Date, Date),
) -> Result<bool> {
    let origin = line.origins(origin, days);
    let is_news = origin != line.origin;
    if is_news {
        put_line(db, &Line { origin, ..line })?;
    }
    Ok(is_news)
}

/// Drops a series and all its rows.
pub(super) fn remove(db: &Connection, line: &Line) -> Result<()> {
    drop_segments(db, line.id)?;
    execute(db, "DELETE FROM series WHERE id = ?1", [line.id])
}

fn drop_segments(db: &Connection, series: i64) -> Result<()> {
    let sql = "DELETE FROM segment WHERE id BETWEEN ?1 * 64 AND ?1 * 64 + 63";
    execute(db, sql, [series])
}

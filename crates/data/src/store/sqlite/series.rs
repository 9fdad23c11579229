//! Series and their row groups: read and verified; begun, added to, dropped, all inside the caller's transaction.

use super::line::{Line, ends};
use super::query::{Query, damaged, execute};
use super::state::state;
use crate::store::change::{Change, kept};
use crate::store::segment;
use crate::store::{Status, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, Known, SeriesId, Vintages};
use jiff::Timestamp;
use rusqlite::Connection;

/// A series with all its rows.
pub(super) struct Held {
    pub(super) line: Line,
    pub(super) vintages: Vintages,
}

/// One statement, so that line and segments are of one moment.
const WITH_SEGMENTS: &str =
    "SELECT s.*, g.* FROM series s LEFT JOIN segment g ON g.id BETWEEN s.id * 64 AND s.id * 64 + 63
     WHERE s.name = ?1 ORDER BY g.id";
const LIST: Query<'_> = Query::new(
    "The list of series",
    "SELECT * FROM series NOT INDEXED ORDER BY id",
);

/// A series with all its rows, verified; `None` when it is not held.
pub(super) fn read(db: &Connection, id: &SeriesId) -> Result<Option<Held>> {
    let what = id.as_str();
    let query = Query::new(what, WITH_SEGMENTS);
    let (mut line, mut rows, mut checksums) = (None, Vec::<Known>::new(), Vec::new());
    query.each(db, [what], |row| {
        if line.is_none() {
            match Line::from_row(row)? {
                Ok(found) => line = Some(found),
                Err(damaged) => return Ok(Err(damaged)),
            }
        }
        let (id, data): (i64, _) = (row.get(10)?, row.get_ref(11)?);
        let stored = data.as_blob().ok().and_then(<[u8]>::split_first_chunk);
        let Some((checksum, packed)) = stored else {
            return Ok(Err(damaged(what, "a row group is cut off")));
        };
        if u32::from_le_bytes(*checksum) != segment_crc(id, packed) {
            let problem = "the checksum of a row group does not match";
            return Ok(Err(damaged(what, problem)));
        }
        checksums.extend_from_slice(checksum);
        Ok(segment::decode(packed, &mut rows).map_err(|e| damaged(what, &e.to_string())))
    })?;
    let Some(line) = named(what, line)? else {
        return Ok(None);
    };
    let whole = checksums.len() as u64 == 4 * line.segments.unsigned_abs()
        && rows.len() as u64 == line.rows.unsigned_abs()
        && crc32fast::hash(&checksums) == line.content;
    if !whole {
        return Err(damaged(what, "row groups are missing or mixed up"));
    }
    Ok(Some(Held {
        line,
        vintages: Vintages::new(rows),
    }))
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
    let what = id.as_str();
    let query = Query::new(what, "SELECT * FROM series WHERE name = ?1");
    named(what, query.first(db, [what], Line::from_row)?)
}

/// Refuses the line of another series.
fn named(name: &str, line: Option<Line>) -> Result<Option<Line>> {
    match line {
        Some(line) if line.name != name => Err(damaged(name, "the index leads to another series")),
        found => Ok(found),
    }
}

/// Takes every line, by identifier, or what is wrong with it.
pub(super) fn lines(db: &Connection, mut take: impl FnMut(Result<Line>)) -> Result<()> {
    LIST.each(db, [], |row| {
        take(Line::from_row(row)?);
        Ok(Ok(()))
    })
}

/// A longer list is left to the doctor: checking it would be felt.
const LONG_LIST: i64 = 20_000;

/// Checks that no series is hidden by a damaged list or index.
pub(super) fn check_list(db: &Connection) -> Result<()> {
    if state(db)?.series > LONG_LIST {
        return Ok(());
    }
    status(db)?;
    let check = Query::new(LIST.what, "PRAGMA integrity_check('series')");
    let found = check.all(db, [], |row| Ok(Ok(row.get::<_, String>(0)?)))?;
    match found.iter().find(|line| *line != "ok") {
        None => Ok(()),
        Some(problem) => Err(damaged(LIST.what, problem)),
    }
}

/// What is held, by identifier.
pub(super) fn status(db: &Connection) -> Result<Vec<Status>> {
    let read = |row: &rusqlite::Row<'_>| Ok(Line::from_row(row)?.and_then(|line| line.status()));
    let mut all = LIST.all(db, [], read)?;
    if state(db)?.series.unsigned_abs() != all.len() as u64 {
        return Err(damaged(LIST.what, "entries are missing"));
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// A segment's id is its series' id times this. Programs of before wrote up to 33 of a series, at the next places.
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
    put_rows(db, line.written(write, rows), rows)
}

/// Adds what came to a series.
pub(super) fn append(
    db: &Connection,
    held: Held,
    write: &WriteVintages<'_>,
    change: &Change,
) -> Result<()> {
    let line = held.line.written(write, &change.rows);
    put_rows(db, line, change.onto(&held.vintages).rows())
}

/// Writes all rows of a series in the place of those it has, and the line that vouches for them.
fn put_rows(db: &Connection, line: Line, rows: &[Known]) -> Result<()> {
    let id = line.id.checked_mul(PLACES);
    let id = id.ok_or_else(|| damaged(&line.name, "its number is too large"))?;
    let packed = segment::encode(rows);
    let checksum = segment_crc(id, &packed).to_le_bytes();
    let data = [&checksum, packed.as_slice()].concat();
    drop_segments(db, line.id)?;
    let sql = "INSERT INTO segment (id, data) VALUES (?1, ?2)";
    execute(db, sql, (id, data))?;
    let line = Line {
        rows: i64::try_from(rows.len()).unwrap_or(i64::MAX),
        segments: 1,
        content: crc32fast::hash(&checksum),
        ..line
    };
    put_line(db, &line)
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

/// Drops a series and all its rows, by its number.
pub(super) fn remove(db: &Connection, series: i64) -> Result<()> {
    drop_segments(db, series)?;
    execute(db, "DELETE FROM series WHERE id = ?1", [series])
}

fn drop_segments(db: &Connection, series: i64) -> Result<()> {
    let sql = "DELETE FROM segment WHERE id BETWEEN ?1 * 64 AND ?1 * 64 + 63";
    execute(db, sql, [series])
}

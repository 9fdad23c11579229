//! Series and their row groups: read and verified.

use super::failure::damaged;
use super::line::Line;
use super::query::Query;
use super::state::state;
use crate::error::Result;
use crate::model::{Known, SeriesId, Vintages};
use crate::store::seam::Status;
use crate::store::segment;
use rusqlite::Connection;

/// A series with all its rows.
pub(super) struct Held {
    pub(super) line: Line,
    pub(super) vintages: Vintages,
    /// Checksums of the segments, in their order.
    pub(super) checksums: Vec<u8>,
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
        checksums,
    }))
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

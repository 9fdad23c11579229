//! Reading and writing series with their row groups. Writes run inside the caller's transaction.

use super::query::{Query, damage_error, execute};
use super::series_row::{SeriesRow, date_range};
use super::state;
use crate::store::change::to_microseconds;
use crate::store::row_group;
use crate::store::{Status, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::{SeriesId, VintageObservation, Vintages};
use jiff::Timestamp;
use rusqlite::Connection;

/// A series with all its rows.
pub(super) struct StoredSeries {
    pub(super) row: SeriesRow,
    pub(super) vintages: Vintages,
}

/// One statement, so that the series and its row groups are of one moment.
const WITH_ROW_GROUPS: &str =
    "SELECT s.*, g.* FROM series s LEFT JOIN segment g ON g.id BETWEEN s.id * 64 AND s.id * 64 + 63
     WHERE s.name = ?1 ORDER BY g.id";
pub(super) const LIST: Query<'_> = Query::new(
    "The list of series",
    "SELECT * FROM series NOT INDEXED ORDER BY id",
);

/// Reads and verifies a series with all its rows; `None` when it is not stored.
pub(super) fn read(db: &Connection, id: &SeriesId) -> Result<Option<StoredSeries>> {
    let name = id.as_str();
    let query = Query::new(name, WITH_ROW_GROUPS);
    let mut series = None;
    let mut rows = Vec::<VintageObservation>::new();
    let mut checksums = Vec::new();
    query.for_each(db, [name], |row| {
        if series.is_none() {
            series = Some(SeriesRow::from_row(row)?);
        }
        let id: i64 = row.get(10)?;
        let data = row.get_ref(11)?;
        let parts = data.as_blob().ok().and_then(<[u8]>::split_first_chunk);
        let Some((checksum, bytes)) = parts else {
            return Err(damage_error(name, "a row group is cut off").into());
        };
        if u32::from_le_bytes(*checksum) != row_group_crc(id, bytes) {
            let problem = "the checksum of a row group does not match";
            return Err(damage_error(name, problem).into());
        }
        checksums.extend_from_slice(checksum);
        let decoded = row_group::decode(bytes).map_err(|e| damage_error(name, &e.to_string()))?;
        rows.extend(decoded);
        Ok(())
    })?;
    let Some(row) = check_name(name, series)? else {
        return Ok(None);
    };
    let is_whole = checksums.len() as u64 == 4 * row.segments.unsigned_abs()
        && rows.len() as u64 == row.rows.unsigned_abs()
        && crc32fast::hash(&checksums) == row.content;
    if !is_whole {
        return Err(damage_error(name, "row groups are missing or mixed up"));
    }
    Ok(Some(StoredSeries {
        row,
        vintages: Vintages::new(rows),
    }))
}

/// Includes the id of the row group, so that one under another id is noticed.
fn row_group_crc(id: i64, bytes: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&id.to_le_bytes());
    crc.update(bytes);
    crc.finalize()
}

/// Reads the row of a series without its row groups; `None` when it is not stored.
pub(super) fn read_row(db: &Connection, id: &SeriesId) -> Result<Option<SeriesRow>> {
    let name = id.as_str();
    let query = Query::new(name, "SELECT * FROM series WHERE name = ?1");
    check_name(name, query.first(db, [name], SeriesRow::from_row)?)
}

fn check_name(name: &str, row: Option<SeriesRow>) -> Result<Option<SeriesRow>> {
    match row {
        Some(row) if row.name != name => {
            Err(damage_error(name, "the index leads to another series"))
        }
        row => Ok(row),
    }
}

/// A longer list is left to the doctor: the check would be noticeable.
const LONG_LIST: i64 = 20_000;

/// Checks that a damaged list or index hides no series.
pub(super) fn check_list(db: &Connection) -> Result<()> {
    if state::read(db)?.series > LONG_LIST {
        return Ok(());
    }
    status(db)?;
    let check = Query::new(LIST.subject, "PRAGMA integrity_check('series')");
    let report = check.all(db, [], |row| Ok(row.get::<_, String>(0)?))?;
    match report.iter().find(|line| *line != "ok") {
        None => Ok(()),
        Some(problem) => Err(damage_error(LIST.subject, problem)),
    }
}

/// Returns the summaries of all series, ordered by identifier.
pub(super) fn status(db: &Connection) -> Result<Vec<Status>> {
    let mut all = LIST.all(db, [], |row| Ok(SeriesRow::from_row(row)?.to_status()?))?;
    if state::read(db)?.series.unsigned_abs() != all.len() as u64 {
        return Err(damage_error(LIST.subject, "entries are missing"));
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// A row group's id is its series' id times this. Older versions wrote up to 33 row groups per series, with the next ids.
const IDS_PER_SERIES: i64 = 64;

/// Creates a series with its first rows, which are not empty and ascend by date.
pub(super) fn create(
    db: &Connection,
    write: &WriteVintages<'_>,
    rows: &[VintageObservation],
) -> Result<()> {
    let sql = "SELECT coalesce(max(id), 0) + 1 FROM series";
    let next = Query::new(LIST.subject, sql).first(db, [], |row| Ok(row.get(0)?))?;
    let (first, last) = date_range(rows);
    let row = SeriesRow {
        id: next.unwrap_or(1),
        name: write.id.as_str().to_owned(),
        rows: 0,
        segments: 0,
        first,
        last,
        fetched_at: to_microseconds(write.fetched_at).as_microsecond(),
        origin: write.origin.to_owned(),
        content: 0,
    };
    write_rows(db, row.with_added_rows(write, rows), rows)
}

/// Replaces all rows of a series, and its own row with their count and checksum.
pub(super) fn write_rows(
    db: &Connection,
    row: SeriesRow,
    rows: &[VintageObservation],
) -> Result<()> {
    let id = row
        .id
        .checked_mul(IDS_PER_SERIES)
        .ok_or_else(|| damage_error(&row.name, "its number is too large"))?;
    let bytes = row_group::encode(rows);
    let checksum = row_group_crc(id, &bytes).to_le_bytes();
    let data = [&checksum, bytes.as_slice()].concat();
    delete_row_groups(db, row.id)?;
    let sql = "INSERT INTO segment (id, data) VALUES (?1, ?2)";
    execute(db, sql, (id, data))?;
    let row = SeriesRow {
        rows: i64::try_from(rows.len()).unwrap_or(i64::MAX),
        segments: 1,
        content: crc32fast::hash(&checksum),
        ..row
    };
    write_row(db, &row)
}

/// Writes the row of a series in place of its former one.
pub(super) fn write_row(db: &Connection, row: &SeriesRow) -> Result<()> {
    let sql = "INSERT INTO series VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE SET rows = ?3, segments = ?4, first = ?5, last = ?6,
         fetched_at = ?7, origin = ?8, content = ?9, crc = ?10";
    let columns = rusqlite::params![
        row.id,
        row.name,
        row.rows,
        row.segments,
        row.first,
        row.last,
        row.fetched_at,
        row.origin,
        row.content,
        row.checksum(),
    ];
    execute(db, sql, columns)
}

/// Records that the source was read at `time`, unless a later time is stored.
pub(super) fn record_fetch(db: &Connection, row: SeriesRow, time: Timestamp) -> Result<()> {
    let fetched_at = to_microseconds(time).as_microsecond();
    if fetched_at <= row.fetched_at {
        return Ok(());
    }
    write_row(db, &SeriesRow { fetched_at, ..row })
}

/// Deletes a series and all its rows by its id.
pub(super) fn delete(db: &Connection, series: i64) -> Result<()> {
    delete_row_groups(db, series)?;
    execute(db, "DELETE FROM series WHERE id = ?1", [series])
}

fn delete_row_groups(db: &Connection, series: i64) -> Result<()> {
    let sql = "DELETE FROM segment WHERE id BETWEEN ?1 * 64 AND ?1 * 64 + 63";
    execute(db, sql, [series])
}

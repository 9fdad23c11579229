//! Descriptions of series outside the built-in catalogue, with an index of the words in their titles.
//!
//! The tables are created with the first description. The index is SQLite's FTS5 without positions: a query merges
//! the lists of its words and stops at its limit. Answers come from the rows, which have checksums.

use super::query::{Query, RowResult, checksum, damage_error, execute, has_table, write_error};
use crate::store::Description;
use econoscope_core::error::Result;
use econoscope_core::model::SeriesId;
use rusqlite::{Connection, Row, ToSql};

const TABLES: &str = include_str!("descriptions.sql");

const SUBJECT: &str = "A description";
const BY_NAME: Query<'_> = Query::new(SUBJECT, "SELECT * FROM description WHERE name = ?1");
const BY_WORDS: Query<'_> = Query::new(
    SUBJECT,
    "SELECT * FROM description WHERE id IN
     (SELECT rowid FROM description_words WHERE description_words MATCH ?1 ORDER BY rowid LIMIT ?2)
     ORDER BY id",
);
const ALL: Query<'_> = Query::new(
    "The list of descriptions",
    "SELECT * FROM description NOT INDEXED ORDER BY id",
);

/// Returns whether the tables exist.
pub(super) fn exist(db: &Connection) -> Result<bool> {
    has_table(db, "description")
}

/// Adds or replaces descriptions. Returns the number of new ones, and whether anything changed. A damaged one is
/// replaced.
pub(super) fn write(db: &Connection, descriptions: &[Description]) -> Result<(usize, bool)> {
    if descriptions.is_empty() {
        return Ok((0, false));
    }
    create_tables(db)?;
    let mut added = 0;
    let mut is_changed = false;
    for new in descriptions {
        let stored = BY_NAME.first(db, [new.id.as_str()], |row| {
            let is_same = read(row).is_ok_and(|description| description == *new);
            Ok((row.get::<_, i64>(0)?, is_same))
        })?;
        if stored.is_some_and(|(_, is_same)| is_same) {
            continue;
        }
        added += usize::from(stored.is_none());
        is_changed = true;
        let replaced = stored.map(|(id, _)| id);
        unindex(db, replaced)?;
        let sql = "INSERT OR REPLACE INTO description VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let columns = rusqlite::params![
            replaced,
            new.id.as_str(),
            new.title,
            new.units,
            new.frequency.code(),
            new.seasonally_adjusted,
            new.source,
            crc(new),
        ];
        execute(db, sql, columns)?;
        index(db, db.last_insert_rowid())?;
    }
    Ok((added, is_changed))
}

/// Creates the tables if they do not exist.
pub(super) fn create_tables(db: &Connection) -> Result<()> {
    db.execute_batch(TABLES).map_err(write_error)
}

/// Removes the words of a row that is about to be replaced from the index.
pub(super) fn unindex(db: &Connection, id: impl ToSql) -> Result<()> {
    let sql = "INSERT INTO description_words (description_words, rowid, name, title)
         SELECT 'delete', id, name, title FROM description WHERE id = ?1";
    execute(db, sql, [id])
}

/// Adds the words of a row to the index.
pub(super) fn index(db: &Connection, id: impl ToSql) -> Result<()> {
    let sql = "INSERT INTO description_words (rowid, name, title)
         SELECT id, name, title FROM description WHERE id = ?1";
    execute(db, sql, [id])
}

/// Deletes every description.
pub(super) fn clear(db: &Connection) -> Result<()> {
    let sql = "DROP TABLE IF EXISTS description_words; DROP TABLE IF EXISTS description";
    db.execute_batch(sql).map_err(write_error)
}

/// Reads and verifies the description of a series.
pub(super) fn description(db: &Connection, id: &SeriesId) -> Result<Option<Description>> {
    if !exist(db)? {
        return Ok(None);
    }
    BY_NAME.first(db, [id.as_str()], read)
}

/// Returns the descriptions with all words, first those with the last word whole, then those where it is a prefix.
pub(super) fn find(db: &Connection, words: &[String], limit: usize) -> Result<Vec<Description>> {
    if words.is_empty() || limit == 0 || !exist(db)? {
        return Ok(Vec::new());
    }
    // In quotes, no word is an operator.
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("\"{}\"", word.replace('"', "")))
        .collect();
    let whole = quoted.join(" ");
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut matches = BY_WORDS.all(db, (&whole, rows), read)?;
    if matches.len() < limit {
        // A prefix matches the whole words again.
        let by_prefix = BY_WORDS.all(db, (format!("{whole}*"), rows), read)?;
        let ids: Vec<SeriesId> = matches.iter().map(|d| d.id.clone()).collect();
        matches.extend(by_prefix.into_iter().filter(|d| !ids.contains(&d.id)));
        matches.truncate(limit);
    }
    Ok(matches)
}

/// Describes the damage of descriptions.
pub(super) fn damages(db: &Connection) -> Vec<String> {
    match exist(db) {
        Ok(true) => ALL.damages(db, read),
        Ok(false) => Vec::new(),
        Err(e) => vec![e.operator_message()],
    }
}

/// Reads and verifies the eight columns.
fn read(row: &Row<'_>) -> RowResult<Description> {
    let name: String = row.get(1)?;
    let frequency: String = row.get(4)?;
    let title = row.get(2)?;
    let units = row.get(3)?;
    let source = row.get(6)?;
    let seasonally_adjusted = row.get(5)?;
    let stored_crc: i64 = row.get(7)?;
    let description = || {
        Some(Description {
            id: SeriesId::new(&name).ok()?,
            title,
            units,
            frequency: frequency.parse().ok()?,
            seasonally_adjusted,
            source,
        })
    };
    let problem = "the checksum of its description does not match";
    description()
        .filter(|d| crc(d) == stored_crc)
        .ok_or_else(|| damage_error(&name, problem).into())
}

fn crc(d: &Description) -> i64 {
    let adjusted = if d.seasonally_adjusted { "SA" } else { "" };
    let parts = [
        d.id.as_str(),
        &d.title,
        &d.units,
        d.frequency.code(),
        adjusted,
        &d.source,
    ];
    checksum(&parts.map(Some), &[])
}

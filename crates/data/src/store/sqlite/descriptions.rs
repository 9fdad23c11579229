//! Titles of series that the built-in catalogue does not know, and the words in them.
//!
//! The tables come into being with the first title. The index of words is SQLite's FTS5 over the titles
//! themselves, without positions: a query walks the lists of its words side by side and stops at its limit.
//! The index only finds; what is answered is the line, which its checksum vouches for.

use super::query::{Query, checksum, damaged, execute, failed, has_table};
use crate::store::Description;
use econoscope_core::error::Result;
use econoscope_core::model::SeriesId;
use rusqlite::{Connection, Row, ToSql};

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS description (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    units TEXT NOT NULL,
    frequency TEXT NOT NULL,
    adjusted INTEGER NOT NULL,
    source TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS description_words USING fts5(
    name, title, content = 'description', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 0', detail = none, columnsize = 0, prefix = '2 3'
);
";

const WHAT: &str = "A description";
const BY_NAME: Query<'_> = Query::new(WHAT, "SELECT * FROM description WHERE name = ?1");
const BY_WORDS: Query<'_> = Query::new(
    WHAT,
    "SELECT * FROM description WHERE id IN
     (SELECT rowid FROM description_words WHERE description_words MATCH ?1 ORDER BY rowid LIMIT ?2)
     ORDER BY id",
);
const ALL: Query<'_> = Query::new(
    "The list of descriptions",
    "SELECT * FROM description NOT INDEXED ORDER BY id",
);

/// Whether anything was ever described.
pub(super) fn is_there(db: &Connection) -> Result<bool> {
    has_table(db, "description")
}

/// Adds or replaces; how many were new, and whether anything changed. A damaged one is replaced like an old one.
pub(super) fn describe(db: &Connection, descriptions: &[Description]) -> Result<(usize, bool)> {
    if descriptions.is_empty() {
        return Ok((0, false));
    }
    make_tables(db)?;
    let (mut added, mut changed) = (0, false);
    for new in descriptions {
        let held = BY_NAME.first(db, [new.id.as_str()], |row| {
            let same = read(row)?.is_ok_and(|held| held == *new);
            Ok(Ok((row.get(0)?, same)))
        })?;
        let place = match held {
            Some((_, true)) => continue,
            Some((place, false)) => Some(place),
            None => {
                added += 1;
                None
            }
        };
        changed = true;
        put(db, new, place)?;
    }
    Ok((added, changed))
}

/// Makes the tables where there are none.
pub(super) fn make_tables(db: &Connection) -> Result<()> {
    db.execute_batch(TABLES).map_err(|e| failed("write", e))
}

/// Makes the index forget the words of a line that is about to be replaced.
pub(super) fn forget_words(db: &Connection, id: impl ToSql) -> Result<()> {
    let sql = "INSERT INTO description_words (description_words, rowid, name, title)
         SELECT 'delete', id, name, title FROM description WHERE id = ?1";
    execute(db, sql, [id])
}

/// Puts the words of a line into the index.
pub(super) fn learn_words(db: &Connection, id: impl ToSql) -> Result<()> {
    let sql = "INSERT INTO description_words (rowid, name, title)
         SELECT id, name, title FROM description WHERE id = ?1";
    execute(db, sql, [id])
}

/// Drops every description.
pub(super) fn clear(db: &Connection) -> Result<()> {
    let sql = "DROP TABLE IF EXISTS description_words; DROP TABLE IF EXISTS description";
    db.execute_batch(sql).map_err(|e| failed("write", e))
}

/// Writes a description; `before` is the place of the one it replaces.
fn put(db: &Connection, new: &Description, before: Option<i64>) -> Result<()> {
    forget_words(db, before)?;
    let sql = "INSERT OR REPLACE INTO description VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let columns = rusqlite::params![
        before,
        new.id.as_str(),
        new.title,
        new.units,
        new.frequency.code(),
        new.seasonally_adjusted,
        new.source,
        crc(new),
    ];
    execute(db, sql, columns)?;
    learn_words(db, db.last_insert_rowid())
}

/// The description of a series, verified.
pub(super) fn description(db: &Connection, id: &SeriesId) -> Result<Option<Description>> {
    if !is_there(db)? {
        return Ok(None);
    }
    BY_NAME.first(db, [id.as_str()], read)
}

/// Those that hold all words, the last one whole or else as a beginning.
pub(super) fn find(db: &Connection, words: &[String], limit: usize) -> Result<Vec<Description>> {
    if words.is_empty() || limit == 0 || !is_there(db)? {
        return Ok(Vec::new());
    }
    // Quoted, nothing in a word is an operator.
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("\"{}\"", word.replace('"', "")))
        .collect();
    let whole = quoted.join(" ");
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found = BY_WORDS.all(db, (&whole, rows), read)?;
    if found.len() < limit {
        // A beginning finds the whole words again.
        let begun = BY_WORDS.all(db, (format!("{whole}*"), rows), read)?;
        let known: Vec<SeriesId> = found.iter().map(|d| d.id.clone()).collect();
        found.extend(begun.into_iter().filter(|d| !known.contains(&d.id)));
        found.truncate(limit);
    }
    Ok(found)
}

/// What is wrong with descriptions.
pub(super) fn damages(db: &Connection) -> Vec<String> {
    match is_there(db) {
        Ok(true) => ALL.damages(db, read),
        Ok(false) => Vec::new(),
        Err(e) => vec![e.for_operator()],
    }
}

/// The description in the eight columns, verified.
fn read(row: &Row<'_>) -> rusqlite::Result<Result<Description>> {
    let (name, frequency): (String, String) = (row.get(1)?, row.get(4)?);
    let (title, units, source) = (row.get(2)?, row.get(3)?, row.get(6)?);
    let seasonally_adjusted = row.get(5)?;
    let held: i64 = row.get(7)?;
    let whole = || {
        Some(Description {
            id: SeriesId::new(&name).ok()?,
            title,
            units,
            frequency: frequency.parse().ok()?,
            seasonally_adjusted,
            source,
        })
    };
    Ok(whole()
        .filter(|d| crc(d) == held)
        .ok_or_else(|| damaged(&name, "the checksum of its description does not match")))
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

//! Titles of series that the built-in catalogue does not know, and the words in them.
//!
//! The tables come into being with the first title. The index of words is SQLite's FTS5 over the titles
//! themselves, without positions: a query walks the lists of its words side by side and stops at its limit.
//! The index only finds; what is answered is the line, which its checksum vouches for.

use super::failure::{damaged, failed, unreadable};
use super::texts::crc_of;
use crate::error::Result;
use crate::model::SeriesId;
use crate::store::seam::Description;
use rusqlite::{Connection, OptionalExtension, Row};

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

const BY_NAME: &str = "SELECT id, name, title, units, frequency, adjusted, source, crc
     FROM description WHERE name = ?1";
const BY_WORDS: &str = "SELECT id, name, title, units, frequency, adjusted, source, crc
     FROM description WHERE id IN
     (SELECT rowid FROM description_words WHERE description_words MATCH ?1 ORDER BY rowid LIMIT ?2)
     ORDER BY id";
const ALL: &str = "SELECT id, name, title, units, frequency, adjusted, source, crc
     FROM description NOT INDEXED ORDER BY id";
const WHAT: &str = "A description";

/// Whether anything was ever described.
fn is_there(db: &Connection) -> Result<bool> {
    db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'description'")
        .and_then(|mut s| s.exists([]))
        .map_err(|e| unreadable("The list of tables", e))
}

/// Adds or replaces; how many were new, and whether anything changed.
pub(super) fn describe(db: &Connection, descriptions: &[Description]) -> Result<(usize, bool)> {
    if descriptions.is_empty() {
        return Ok((0, false));
    }
    if !is_there(db)? {
        db.execute_batch(TABLES).map_err(|e| failed("write", e))?;
    }
    let (mut added, mut changed) = (0, false);
    for new in descriptions {
        let held = db
            .prepare_cached(BY_NAME)
            .and_then(|mut s| {
                s.query_row([new.id.as_str()], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(2)?, read(row)))
                })
                .optional()
            })
            .map_err(|e| unreadable(WHAT, e))?;
        match &held {
            Some((_, _, Ok(held))) if held == new => continue,
            Some(_) => {}
            None => added += 1,
        }
        changed = true;
        let before = held.map(|(id, title, _)| (id, title));
        put(db, new, before).map_err(|e| failed("write", e))?;
    }
    Ok((added, changed))
}

fn put(db: &Connection, new: &Description, before: Option<(i64, String)>) -> rusqlite::Result<()> {
    let name = new.id.as_str();
    if let Some((id, title)) = &before {
        // The index must be told which words it is to forget.
        let sql = "INSERT INTO description_words (description_words, rowid, name, title)
             VALUES ('delete', ?1, ?2, ?3)";
        db.prepare_cached(sql)?.execute((id, name, title))?;
    }
    let sql = "INSERT OR REPLACE INTO description
         (id, name, title, units, frequency, adjusted, source, crc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    db.prepare_cached(sql)?.execute(rusqlite::params![
        before.map(|(id, _)| id),
        name,
        new.title,
        new.units,
        new.frequency.code(),
        new.seasonally_adjusted,
        new.source,
        crc(new),
    ])?;
    let sql = "INSERT INTO description_words (rowid, name, title) VALUES (?1, ?2, ?3)";
    let id = db.last_insert_rowid();
    db.prepare_cached(sql)?.execute((id, name, &new.title))?;
    Ok(())
}

/// The description of a series, verified.
pub(super) fn description(db: &Connection, id: &SeriesId) -> Result<Option<Description>> {
    if !is_there(db)? {
        return Ok(None);
    }
    db.prepare_cached(BY_NAME)
        .and_then(|mut s| s.query_row([id.as_str()], |row| Ok(read(row))).optional())
        .map_err(|e| unreadable(WHAT, e))?
        .transpose()
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
    let mut found = matching(db, &whole, limit)?;
    if found.len() < limit {
        // A beginning finds the whole words again.
        let begun = matching(db, &format!("{whole}*"), limit)?;
        let known: Vec<SeriesId> = found.iter().map(|d| d.id.clone()).collect();
        found.extend(begun.into_iter().filter(|d| !known.contains(&d.id)));
        found.truncate(limit);
    }
    Ok(found)
}

fn matching(db: &Connection, query: &str, limit: usize) -> Result<Vec<Description>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db
        .prepare_cached(BY_WORDS)
        .map_err(|e| unreadable(WHAT, e))?;
    let mut found = statement
        .query((query, limit))
        .map_err(|e| unreadable(WHAT, e))?;
    let mut all = Vec::new();
    while let Some(row) = found.next().map_err(|e| unreadable(WHAT, e))? {
        all.push(read(row)?);
    }
    Ok(all)
}

/// Every description that can be read and passes its check; none where the table cannot be read.
pub(super) fn intact(db: &Connection) -> Vec<Description> {
    every(db).into_iter().flatten().flatten().collect()
}

/// What is wrong with descriptions.
pub(super) fn damages(db: &Connection) -> Vec<String> {
    match every(db) {
        Ok(all) => all
            .into_iter()
            .filter_map(|read| read.err().map(|e| e.to_string()))
            .collect(),
        Err(e) => vec![e.to_string()],
    }
}

fn every(db: &Connection) -> Result<Vec<Result<Description>>> {
    if !is_there(db)? {
        return Ok(Vec::new());
    }
    let unreadable = |e| unreadable("The list of descriptions", e);
    let mut statement = db.prepare(ALL).map_err(unreadable)?;
    let mut found = statement.query([]).map_err(unreadable)?;
    let mut all = Vec::new();
    while let Some(row) = found.next().map_err(unreadable)? {
        all.push(read(row));
    }
    Ok(all)
}

/// The description in the eight columns, verified.
fn read(row: &Row<'_>) -> Result<Description> {
    let name = || row.get(1).unwrap_or_else(|_| WHAT.to_owned());
    let columns = || -> rusqlite::Result<_> {
        let text = |i| row.get::<_, String>(i);
        let adjusted = row.get::<_, bool>(5)?;
        Ok((text(1)?, text(2)?, text(3)?, text(4)?, adjusted, text(6)?))
    };
    let (id, title, units, frequency, seasonally_adjusted, source) =
        columns().map_err(|e| unreadable(&name(), e))?;
    let held: i64 = row.get(7).map_err(|e| unreadable(&name(), e))?;
    let whole = || {
        Some(Description {
            id: SeriesId::new(&id).ok()?,
            title,
            units,
            frequency: frequency.parse().ok()?,
            seasonally_adjusted,
            source,
        })
    };
    whole()
        .filter(|d| i64::from(crc(d)) == held)
        .ok_or_else(|| damaged(&name(), "the checksum of its description does not match"))
}

fn crc(d: &Description) -> u32 {
    let adjusted = if d.seasonally_adjusted { "SA" } else { "" };
    let parts = [
        d.id.as_str(),
        &d.title,
        &d.units,
        d.frequency.code(),
        adjusted,
        &d.source,
    ];
    crc_of(&parts.map(Some)).finalize()
}

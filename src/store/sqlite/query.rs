//! Questions put to SQLite, with errors that name what was asked for; and the checksum that every line carries.

use super::failure::{failed, unreadable};
use crate::error::{Error, Result};
use rusqlite::{Connection, Params, Row};

/// A question, and what it asks for: the beginning of the message when that is damaged.
pub(super) struct Query<'a> {
    pub(super) what: &'a str,
    pub(super) sql: &'a str,
}

impl<'a> Query<'a> {
    pub(super) const fn new(what: &'a str, sql: &'a str) -> Self {
        Self { what, sql }
    }

    /// Takes row by row; the first error ends it. The outer result is that of reading the columns.
    pub(super) fn each(
        &self,
        db: &Connection,
        given: impl Params,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<Result<()>>,
    ) -> Result<()> {
        let failed = |e| unreadable(self.what, e);
        let mut statement = db.prepare_cached(self.sql).map_err(failed)?;
        let mut rows = statement.query(given).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            take(row).map_err(failed)??;
        }
        Ok(())
    }

    /// Every row.
    pub(super) fn all<T>(
        &self,
        db: &Connection,
        given: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each(db, given, |row| Ok(read(row)?.map(|found| all.push(found))))?;
        Ok(all)
    }

    /// The first row, if there is one.
    pub(super) fn first<T>(
        &self,
        db: &Connection,
        given: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Result<Option<T>> {
        Ok(self.all(db, given, read)?.into_iter().next())
    }

    /// What is wrong with any row, in words.
    pub(super) fn damages<T>(
        &self,
        db: &Connection,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let all = self.each(db, [], |row| {
            found.extend(read(row)?.err());
            Ok(Ok(()))
        });
        found.extend(all.err());
        found.iter().map(Error::for_operator).collect()
    }
}

/// Runs a statement that changes something.
pub(super) fn execute(db: &Connection, sql: &str, given: impl Params) -> Result<()> {
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(given))
        .map(|_| ())
        .map_err(|e| failed("write", e))
}

/// CRC-32 of a line. Lengths go in too, so that a letter cannot move from one text to the next; an absent text is no
/// empty one.
pub(super) fn checksum(texts: &[Option<&str>], numbers: &[i64]) -> i64 {
    let mut crc = crc32fast::Hasher::new();
    for text in texts {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        crc.update(&length.to_le_bytes());
        crc.update(text.unwrap_or_default().as_bytes());
    }
    for number in numbers {
        crc.update(&number.to_le_bytes());
    }
    crc.finalize().into()
}

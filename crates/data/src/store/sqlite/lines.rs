//! Lines as they lie in the tables, taken out and put in verbatim: how a store is held elsewhere, and copied.
//!
//! Each line carries its checksums along, so what is damaged on the way is found out by whoever reads it.

use super::file::{Sqlite, snapshot};
use super::query::{Query, execute, failed, has_table};
use super::state::{self, State};
use super::{descriptions, series};
use econoscope_core::error::Result;
use rusqlite::Connection;
use rusqlite::types::Value;

/// A table, and its columns in their order, as SQL has them; the first is its key.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) struct Table {
    pub(in crate::store) name: &'static str,
    pub(in crate::store) columns: &'static str,
}

impl Table {
    const fn of(name: &'static str, columns: &'static str) -> Self {
        Self { name, columns }
    }
}

pub(in crate::store) const SERIES: Table = Table::of(
    "series",
    "id, name, rows, segments, first, last, fetched_at, origin, content, crc",
);
pub(in crate::store) const SEGMENT: Table = Table::of("segment", "id, data");
pub(in crate::store) const ARTICLE: Table = Table::of(
    "article",
    "id, slug, title, subtitle, topic, summary, tags, published_at, url, source, crc",
);
pub(in crate::store) const NOTE: Table = Table::of("note", "key, value, crc");
pub(in crate::store) const DESCRIPTION: Table = Table::of(
    "description",
    "id, name, title, units, frequency, adjusted, source, crc",
);
/// Every table whose lines are held elsewhere; a series before its segments.
pub(in crate::store) const TABLES: [&Table; 5] = [&SERIES, &SEGMENT, &ARTICLE, &NOTE, &DESCRIPTION];

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::store) struct Line {
    pub(in crate::store) table: &'static Table,
    pub(in crate::store) values: Vec<Value>,
}

impl Line {
    /// Its key, where that is a number.
    pub(in crate::store) fn number(&self) -> Option<i64> {
        match self.values.first() {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    /// Its bytes, roughly.
    fn weight(&self) -> usize {
        let of = |value: &Value| match value {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            Value::Null | Value::Integer(_) | Value::Real(_) => 8,
        };
        self.values.iter().map(of).sum()
    }
}

/// Which state of which database a copy follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::store) struct Watermark {
    /// Tells one database from another in its place.
    pub(in crate::store) incarnation: String,
    /// How often anything changed there.
    pub(in crate::store) change: i64,
    /// How often that could be seen by a reader.
    pub(in crate::store) version: i64,
    /// How many series there are.
    pub(in crate::store) series: i64,
}

/// A copy while lines come to it, all or nothing.
pub(in crate::store) struct Receiving<'a> {
    db: &'a Connection,
    /// Which state it held before.
    pub(in crate::store) held: Option<Watermark>,
}

const MARK: &str = "CREATE TABLE IF NOT EXISTS follow (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    incarnation TEXT NOT NULL,
    change INTEGER NOT NULL,
    version INTEGER NOT NULL,
    series INTEGER NOT NULL
) STRICT";

impl Sqlite {
    /// A store in memory that holds these lines and says that there are so many series: for the work on a few
    /// lines of a store that is elsewhere. New series and descriptions get the numbers after those in `last`.
    pub(in crate::store) fn holding(
        lines: &[Line],
        series: i64,
        last: Option<(i64, i64)>,
    ) -> Result<Self> {
        let store = Self::in_memory()?;
        // What is not here is elsewhere, not lost.
        store.check_once(|| Ok(()))?;
        store.writing(|db| {
            lines.iter().try_for_each(|line| put(db, line))?;
            if let Some((series, description)) = last {
                // The number after the last is nobody's: a line that holds the last one may go in this very change.
                let sql = "INSERT INTO series VALUES (?1 + 1, '', 0, 0, 0, 0, 0, '', 0, 0)";
                execute(db, sql, [series])?;
                descriptions::make_tables(db)?;
                let sql = "INSERT INTO description VALUES (?1 + 1, '', '', '', '', 0, '', 0)";
                execute(db, sql, [description])?;
            }
            let state = State { version: 0, series };
            state::insert(db, state).map_err(|e| failed("write", e))
        })?;
        Ok(store)
    }

    /// Every line, table by table; and the version and how many series there are.
    pub(in crate::store) fn all_lines(&self) -> Result<(Vec<Line>, i64, i64)> {
        self.reading(|db| {
            let mut all = Vec::new();
            each_piece(db, |piece| {
                all.extend(piece);
                Ok(())
            })?;
            let state = state::state(db)?;
            Ok((all, state.version, state.series))
        })
    }

    /// Hands every line out in pieces of some bytes, all of one moment.
    pub(in crate::store) fn pieces(&self, take: impl FnMut(Vec<Line>) -> Result<()>) -> Result<()> {
        self.reading(|db| snapshot(db, |db| each_piece(db, take)))
    }

    /// Which state of which database this is a copy of; `None` when it is none.
    pub(in crate::store) fn watermark(&self) -> Result<Option<Watermark>> {
        self.reading(watermark)
    }

    /// Makes a store of its own of a copy.
    pub(in crate::store) fn cut_loose(&self) -> Result<()> {
        self.writing(|db| {
            let dropped = db.execute_batch("DROP TABLE IF EXISTS follow");
            dropped.map_err(|e| failed("write", e))
        })
    }

    /// Takes what `give` hands over, all or nothing.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the file cannot be written, or what `give` says.
    pub(in crate::store) fn receive<T>(
        &self,
        give: impl FnOnce(&Receiving<'_>) -> Result<T>,
    ) -> Result<T> {
        self.writing(|db| {
            db.execute_batch(MARK).map_err(|e| failed("write", e))?;
            let held = watermark(db)?;
            give(&Receiving { db, held })
        })
    }
}

impl Receiving<'_> {
    /// Empties every table.
    pub(in crate::store) fn clear(&self) -> Result<()> {
        let sql = "DELETE FROM series; DELETE FROM segment; DELETE FROM article; DELETE FROM note";
        let cleared = self.db.execute_batch(sql);
        cleared.map_err(|e| failed("write", e))?;
        descriptions::clear(self.db)
    }

    /// Drops a series, by its number.
    pub(in crate::store) fn drop_series(&self, id: i64) -> Result<()> {
        series::remove(self.db, id)
    }

    /// Puts a line in the place of the one with its key.
    pub(in crate::store) fn put(&self, line: &Line) -> Result<()> {
        put(self.db, line)
    }

    /// Notes what was reached, by all lines or by those that were new. The version never falls, also where a database
    /// with fewer changes took the place.
    pub(in crate::store) fn end(&self, watermark: &Watermark, is_whole: bool) -> Result<()> {
        let before = state::state(self.db)?.version;
        let is_same = |held: &Watermark| held.version == watermark.version;
        let is_news = is_whole || !self.held.as_ref().is_some_and(is_same);
        let state = State {
            version: watermark.version.max(before.saturating_add(is_news.into())),
            series: watermark.series,
        };
        state::insert(self.db, state).map_err(|e| failed("write", e))?;
        execute(
            self.db,
            "INSERT OR REPLACE INTO follow VALUES (1, ?1, ?2, ?3, ?4)",
            (
                &watermark.incarnation,
                watermark.change,
                watermark.version,
                watermark.series,
            ),
        )
    }
}

/// Bytes that go over at once.
const PIECE: usize = 1 << 20;

fn each_piece(db: &Connection, mut take: impl FnMut(Vec<Line>) -> Result<()>) -> Result<()> {
    let (mut lines, mut held) = (Vec::new(), 0);
    for table in TABLES {
        if table == &DESCRIPTION && !descriptions::is_there(db)? {
            continue;
        }
        let Table { name, columns } = table;
        let sql = format!("SELECT {columns} FROM {name} ORDER BY 1");
        Query::new(name, &sql).each(db, [], |row| {
            let count = row.as_ref().column_count();
            let values = (0..count)
                .map(|at| row.get(at))
                .collect::<rusqlite::Result<_>>()?;
            let line = Line { table, values };
            held += line.weight();
            lines.push(line);
            if held < PIECE {
                return Ok(Ok(()));
            }
            held = 0;
            Ok(take(std::mem::take(&mut lines)))
        })?;
    }
    take(lines)
}

/// Puts a line in the place of the one with its key. A series gives up the segments that it has no more.
fn put(db: &Connection, Line { table, values }: &Line) -> Result<()> {
    let Table { name, columns } = table;
    let places = vec!["?"; values.len()].join(", ");
    let sql = format!("INSERT OR REPLACE INTO {name} ({columns}) VALUES ({places})");
    let key = values.first();
    if *table == &DESCRIPTION {
        descriptions::make_tables(db)?;
        descriptions::forget_words(db, key)?;
    }
    execute(db, &sql, rusqlite::params_from_iter(values))?;
    if *table == &DESCRIPTION {
        descriptions::learn_words(db, key)?;
    }
    if *table == &SERIES {
        let sql = "DELETE FROM segment WHERE id BETWEEN ?1 * 64 + ?2 AND ?1 * 64 + 63";
        execute(db, sql, (key, values.get(3)))?;
    }
    Ok(())
}

fn watermark(db: &Connection) -> Result<Option<Watermark>> {
    if !has_table(db, "follow")? {
        return Ok(None);
    }
    let sql = "SELECT incarnation, change, version, series FROM follow WHERE id = 1";
    Query::new("What the copy follows", sql).first(db, [], |row| {
        Ok(Ok(Watermark {
            incarnation: row.get(0)?,
            change: row.get(1)?,
            version: row.get(2)?,
            series: row.get(3)?,
        }))
    })
}

//! Lines as they lie in the tables, taken out and put in verbatim: how a store is held elsewhere, and copied.
//!
//! Each line carries its checksums along, so what is damaged on the way is found out by whoever reads it.

use super::file::{Sqlite, snapshot, transaction};
use super::query::{Query, execute, failed, has_table};
use super::state::{self, State};
use super::{descriptions, series};
use econoscope_core::error::{Error, Result};
use parking_lot::Mutex;
use rusqlite::hooks::Action;
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;
use std::sync::Arc;

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
    fn read(table: &'static Table, row: &Row<'_>) -> rusqlite::Result<Self> {
        let values = 0..row.as_ref().column_count();
        let values: rusqlite::Result<_> = values.map(|at| row.get(at)).collect();
        let values = values?;
        Ok(Self { table, values })
    }
}

/// What work changed in a store, while it is still there to be read.
#[derive(Debug)]
pub(in crate::store) struct Changes<'a> {
    store: &'a Sqlite,
    /// Places in [`TABLES`] and row numbers.
    rows: BTreeSet<(usize, i64)>,
    /// Whether a reader could see any of it.
    pub(in crate::store) is_visible: bool,
    /// How many series came or went.
    pub(in crate::store) series: i64,
}

impl Changes<'_> {
    /// Whether nothing changed.
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Hands over each line that was written, or the key of each that is gone. Articles and notes do not go.
    pub(in crate::store) fn each<E: From<Error>>(
        &self,
        mut take: impl FnMut(&'static Table, i64, Option<Line>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        for (place, row) in &self.rows {
            let Some(&table) = TABLES.get(*place) else {
                continue;
            };
            let Table { name, columns } = table;
            let sql = format!("SELECT {columns} FROM {name} WHERE rowid = ?1");
            let line = self.store.reading(|db| {
                Query::new(name, &sql).first(db, [row], |row| Ok(Ok(Line::read(table, row)?)))
            })?;
            take(table, *row, line)?;
        }
        Ok(())
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
    /// Runs work in a transaction, hands over what it changed, and takes all of it back.
    ///
    /// # Errors
    /// What the work says.
    pub(in crate::store) fn rehearse<T, U>(
        &self,
        work: impl FnOnce(&Self) -> Result<T>,
        take: impl FnOnce(&Changes<'_>) -> U,
    ) -> Result<(T, U)> {
        self.in_one_transaction("ROLLBACK", |store| {
            let before = store.reading(state::state)?;
            let rows = Arc::new(Mutex::new(BTreeSet::new()));
            let heard = Arc::clone(&rows);
            store.hear(Some(move |_: Action, _: &str, table: &str, row: i64| {
                let place = TABLES.iter().position(|known| known.name == table);
                heard.lock().extend(place.map(|place| (place, row)));
            }))?;
            let answer = work(store);
            store.hear(None::<fn(Action, &str, &str, i64)>)?;
            let (answer, after) = (answer?, store.reading(state::state)?);
            let changes = Changes {
                store,
                rows: std::mem::take(&mut *rows.lock()),
                is_visible: after.version > before.version,
                series: after.series - before.series,
            };
            Ok((answer, take(&changes)))
        })
    }

    /// Has each row told that changes, by table and number.
    fn hear(
        &self,
        hook: Option<impl FnMut(Action, &str, &str, i64) + Send + 'static>,
    ) -> Result<()> {
        self.with_writer(|db| db.update_hook(hook).map_err(|e| failed("write", e)))
    }

    /// Takes every line of another store, unless it holds series already; whether it did.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when one cannot be read or the other not be written.
    pub(in crate::store) fn fill_from(&self, other: &Self) -> Result<bool> {
        let copy = |from: &Connection, into: &Connection| {
            if state::state(into)?.series > 0 {
                return Ok(false);
            }
            for table in TABLES {
                if table == &DESCRIPTION && !descriptions::is_there(from)? {
                    continue;
                }
                let Table { name, columns } = table;
                let sql = format!("SELECT {columns} FROM {name} ORDER BY 1");
                Query::new(name, &sql)
                    .each(from, [], |row| Ok(put(into, &Line::read(table, row)?)))?;
            }
            state::changed(into, state::state(from)?.series)?;
            Ok(true)
        };
        self.writing(|into| other.reading(|db| snapshot(db, |from| copy(from, into))))
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
    pub(in crate::store) fn receive<T, E: From<Error>>(
        &self,
        give: impl FnOnce(&Receiving<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let receive = |db: &Connection| {
            db.execute_batch(MARK).map_err(|e| failed("write", e))?;
            let held = watermark(db)?;
            give(&Receiving { db, held })
        };
        self.with_writer(|writer| transaction(writer, receive))
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

//! Rows of the store's tables, copied unchanged between stores.
//!
//! Each row includes its checksum, so that damage in transit is noticed when the row is read.

use super::handle::{Sqlite, snapshot, transaction};
use super::query::{Query, execute, has_table, write_error};
use super::state::{self, State};
use super::{descriptions, series};
use econoscope_core::error::{Error, Result};
use parking_lot::Mutex;
use rusqlite::hooks::Action;
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A table and its columns in their order, as SQL. The first column is the key.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) struct Table {
    pub(in crate::store) name: &'static str,
    pub(in crate::store) columns: &'static str,
}

impl Table {
    const fn new(name: &'static str, columns: &'static str) -> Self {
        Self { name, columns }
    }
}

pub(in crate::store) const SERIES: Table = Table::new(
    "series",
    "id, name, rows, segments, first, last, fetched_at, origin, content, crc",
);
const SEGMENT: Table = Table::new("segment", "id, data");
const ARTICLE: Table = Table::new(
    "article",
    "id, slug, title, subtitle, topic, summary, tags, published_at, url, source, crc",
);
const NOTE: Table = Table::new("note", "key, value, crc");
pub(in crate::store) const DESCRIPTION: Table = Table::new(
    "description",
    "id, name, title, units, frequency, adjusted, source, crc",
);
/// Every table that is copied, a series before its row groups.
pub(in crate::store) const TABLES: [&Table; 5] = [&SERIES, &SEGMENT, &ARTICLE, &NOTE, &DESCRIPTION];

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::store) struct TableRow {
    pub(in crate::store) table: &'static Table,
    pub(in crate::store) values: Vec<Value>,
}

impl TableRow {
    fn from_row(table: &'static Table, row: &Row<'_>) -> rusqlite::Result<Self> {
        let columns = 0..row.as_ref().column_count();
        let values = columns
            .map(|column| row.get(column))
            .collect::<rusqlite::Result<_>>()?;
        Ok(Self { table, values })
    }
}

/// The changes of a transaction that is still open.
#[derive(Debug)]
pub(in crate::store) struct Changes<'a> {
    store: &'a Sqlite,
    /// Index in [`TABLES`] and row id of each changed row.
    pub(in crate::store) rows: BTreeSet<(usize, i64)>,
    /// Whether readers could see any of it.
    pub(in crate::store) is_visible: bool,
    /// Number of series added, or removed if negative.
    pub(in crate::store) series: i64,
}

impl Changes<'_> {
    /// Passes each changed row to `take`, with its id and `None` for a deleted one. Articles and notes are never deleted.
    pub(in crate::store) fn for_each<E: From<Error>>(
        &self,
        mut take: impl FnMut(&'static Table, i64, Option<TableRow>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        for (index, id) in &self.rows {
            let Some(&table) = TABLES.get(*index) else {
                continue;
            };
            let Table { name, columns } = table;
            let sql = format!("SELECT {columns} FROM {name} WHERE rowid = ?1");
            let row = self.store.with_reader(|db| {
                let query = Query::new(name, &sql);
                query.first(db, [id], |row| Ok(TableRow::from_row(table, row)?))
            })?;
            take(table, *id, row)?;
        }
        Ok(())
    }
}

/// The state of a database that a replica has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::store) struct Watermark {
    /// Identifier of the database; another database in its place has another one.
    pub(in crate::store) incarnation: String,
    /// Number of changes.
    pub(in crate::store) change: i64,
    /// Number of visible changes.
    pub(in crate::store) version: i64,
    /// Number of series.
    pub(in crate::store) series: i64,
}

/// The transaction in which a replica receives rows.
pub(in crate::store) struct ReplicaTransaction<'a> {
    db: &'a Connection,
    /// Watermark before the transaction.
    pub(in crate::store) watermark: Option<Watermark>,
}

const WATERMARK_TABLE: &str = include_str!("watermark.sql");

impl Sqlite {
    /// Runs work in a transaction, passes its changes to `take`, and rolls back.
    ///
    /// # Errors
    /// The error of the work.
    pub(in crate::store) fn dry_run<T, U>(
        &self,
        work: impl FnOnce(&Self) -> Result<T>,
        take: impl FnOnce(&Changes<'_>) -> U,
    ) -> Result<(T, U)> {
        self.with_transaction_store("ROLLBACK", |store| {
            let before = store.with_reader(state::read)?;
            let rows = Arc::new(Mutex::new(BTreeSet::new()));
            let changed = Arc::clone(&rows);
            let hook = move |_: Action, _: &str, name: &str, id: i64| {
                let index = TABLES.iter().position(|table| table.name == name);
                changed.lock().extend(index.map(|index| (index, id)));
            };
            store.with_writer(|db| db.update_hook(Some(hook)).map_err(write_error))?;
            let result = work(store);
            let no_hook = None::<fn(Action, &str, &str, i64)>;
            store.with_writer(|db| db.update_hook(no_hook).map_err(write_error))?;
            let value = result?;
            let after = store.with_reader(state::read)?;
            let changes = Changes {
                store,
                rows: std::mem::take(&mut *rows.lock()),
                is_visible: after.version > before.version,
                series: after.series - before.series,
            };
            Ok((value, take(&changes)))
        })
    }

    /// Copies every row of another store, unless this one has series already. Returns whether it copied.
    ///
    /// # Errors
    /// [`Error::Store`] when a row cannot be read or written.
    pub(in crate::store) fn fill_from(&self, other: &Self) -> Result<bool> {
        let copy = |from: &Connection, to: &Connection| {
            if state::read(to)?.series > 0 {
                return Ok(false);
            }
            for table in TABLES {
                if table == &DESCRIPTION && !descriptions::exist(from)? {
                    continue;
                }
                let Table { name, columns } = table;
                let sql = format!("SELECT {columns} FROM {name} ORDER BY 1");
                Query::new(name, &sql).for_each(from, [], |row| {
                    Ok(write_row(to, &TableRow::from_row(table, row)?)?)
                })?;
            }
            state::record_change(to, state::read(from)?.series)?;
            Ok(true)
        };
        self.transact(|to| other.with_reader(|db| snapshot(db, |from| copy(from, to))))
    }

    /// Returns the watermark of a replica; `None` for a store that is none.
    pub(in crate::store) fn watermark(&self) -> Result<Option<Watermark>> {
        self.with_reader(watermark)
    }

    /// Turns a replica into an independent store.
    pub(in crate::store) fn drop_watermark(&self) -> Result<()> {
        self.transact(|db| execute(db, "DROP TABLE IF EXISTS follow", []))
    }

    /// Runs `update` in a transaction that can change the replica's rows.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be written, or the error of `update`.
    pub(in crate::store) fn replica_transaction<T, E: From<Error>>(
        &self,
        update: impl FnOnce(&ReplicaTransaction<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let run = |db: &Connection| {
            execute(db, WATERMARK_TABLE, [])?;
            let watermark = watermark(db)?;
            update(&ReplicaTransaction { db, watermark })
        };
        self.with_writer(|writer| transaction(writer, run))
    }
}

impl ReplicaTransaction<'_> {
    /// Empties every table.
    pub(in crate::store) fn clear(&self) -> Result<()> {
        let sql = "DELETE FROM series; DELETE FROM segment; DELETE FROM article; DELETE FROM note";
        self.db.execute_batch(sql).map_err(write_error)?;
        descriptions::clear(self.db)
    }

    /// Deletes a series by its id.
    pub(in crate::store) fn delete_series(&self, id: i64) -> Result<()> {
        series::delete(self.db, id)
    }

    /// Writes a row in place of the one with its key.
    pub(in crate::store) fn write(&self, row: &TableRow) -> Result<()> {
        write_row(self.db, row)
    }

    /// Stores the watermark that was reached. `is_full` tells that all rows were copied and not only new ones. The
    /// version never falls, even when a database with fewer changes replaced the former one.
    pub(in crate::store) fn finish(&self, reached: &Watermark, is_full: bool) -> Result<()> {
        let before = state::read(self.db)?.version;
        let is_same = |stored: &Watermark| stored.version == reached.version;
        let is_visible = is_full || !self.watermark.as_ref().is_some_and(is_same);
        let state = State {
            version: reached
                .version
                .max(before.saturating_add(is_visible.into())),
            series: reached.series,
        };
        state::write(self.db, state)?;
        execute(
            self.db,
            "INSERT OR REPLACE INTO follow VALUES (1, ?1, ?2, ?3, ?4)",
            (
                &reached.incarnation,
                reached.change,
                reached.version,
                reached.series,
            ),
        )
    }
}

/// Writes a row in place of the one with its key. A series loses the row groups that it no longer counts.
fn write_row(db: &Connection, row: &TableRow) -> Result<()> {
    let TableRow { table, values } = row;
    let Table { name, columns } = table;
    let placeholders = vec!["?"; values.len()].join(", ");
    let sql = format!("INSERT OR REPLACE INTO {name} ({columns}) VALUES ({placeholders})");
    let key = values.first();
    if *table == &DESCRIPTION {
        descriptions::create_tables(db)?;
        descriptions::unindex(db, key)?;
    }
    execute(db, &sql, rusqlite::params_from_iter(values))?;
    if *table == &DESCRIPTION {
        descriptions::index(db, key)?;
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
    Query::new("The watermark", sql).first(db, [], |row| {
        Ok(Watermark {
            incarnation: row.get(0)?,
            change: row.get(1)?,
            version: row.get(2)?,
            series: row.get(3)?,
        })
    })
}

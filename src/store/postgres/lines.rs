//! Lines between PostgreSQL's tables and SQLite's, which have the same columns.

use crate::postgres::{Database, Tried};
use crate::store::sqlite::lines::{Kind, Line, Lines, Mark, Table};
use deadpool_postgres::Transaction;
use futures_util::future::try_join_all;
use rusqlite::types::Value;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A value to be bound.
pub(super) type Bound = Box<dyn ToSql + Sync + Send>;

/// Statements that are under way at once.
const AT_ONCE: usize = 256;

/// `SELECT` of the table's columns; `rest` is what follows the table's name.
pub(super) fn select(table: &Table, rest: &str) -> String {
    let (list, name) = (table.list(), table.name);
    format!("SELECT {list} FROM econoscope.{name} {rest}")
}

/// A row of [`select`] as a line.
pub(super) fn line(row: &Row, table: &Table) -> Result<Line, tokio_postgres::Error> {
    let cell = |(at, (_, kind)): (usize, &(&str, Kind))| {
        Ok(match kind {
            Kind::Number => row.try_get::<_, Option<i64>>(at)?.map(Value::Integer),
            Kind::Text => row.try_get::<_, Option<String>>(at)?.map(Value::Text),
            Kind::Bytes => row.try_get::<_, Option<Vec<u8>>>(at)?.map(Value::Blob),
        }
        .unwrap_or(Value::Null))
    };
    table.columns.iter().enumerate().map(cell).collect()
}

/// The lines that a question finds.
pub(super) async fn found(
    tx: &Transaction<'_>,
    table: &'static Table,
    rest: &str,
    given: &[&(dyn ToSql + Sync)],
) -> Tried<Lines> {
    let statement = tx.prepare_cached(&select(table, rest)).await?;
    let rows = tx.query(&statement, given).await?;
    let lines = rows.iter().map(|row| line(row, table));
    let lines = lines.collect::<Result<_, _>>()?;
    Ok(Lines { table, lines })
}

/// Puts lines in the place of those with their keys, as part of this change.
pub(super) async fn put(tx: &Transaction<'_>, some: &Lines, change: i64) -> Tried<()> {
    let table = some.table;
    let places: Vec<String> = (1..=table.columns.len() + 1)
        .map(|n| format!("${n}"))
        .collect();
    let names = table.columns.iter().map(|(name, _)| *name);
    let set = names.chain(["changed"]).skip(1);
    let set: Vec<String> = set
        .map(|name| format!("{name} = EXCLUDED.{name}"))
        .collect();
    let sql = format!(
        "INSERT INTO econoscope.{} ({}, changed) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}",
        table.name,
        table.list(),
        places.join(", "),
        table.key(),
        set.join(", ")
    );
    let statement = tx.prepare_cached(&sql).await?;
    for some in some.lines.chunks(AT_ONCE) {
        // Sent one behind the other without waiting between them.
        try_join_all(some.iter().map(|line| {
            let mut given: Vec<Bound> = line.iter().zip(table.columns).map(bound).collect();
            given.push(Box::new(change));
            let statement = &statement;
            async move {
                let given: Vec<&(dyn ToSql + Sync)> =
                    given.iter().map(|v| &**v as &(dyn ToSql + Sync)).collect();
                tx.execute(statement, &given).await
            }
        }))
        .await?;
    }
    Ok(())
}

fn bound((value, (_, kind)): (&Value, &(&str, Kind))) -> Bound {
    match (kind, value) {
        (Kind::Number, Value::Integer(number)) => Box::new(*number),
        (Kind::Text, Value::Text(text)) => Box::new(text.clone()),
        (Kind::Bytes, Value::Blob(bytes)) => Box::new(bytes.clone()),
        (Kind::Number, _) => Box::new(None::<i64>),
        (Kind::Text, _) => Box::new(None::<String>),
        (Kind::Bytes, _) => Box::new(None::<Vec<u8>>),
    }
}

/// The state of the database now, by a transaction of its own.
///
/// # Errors
/// [`crate::Error::Store`] when it cannot be reached.
pub(in crate::store) async fn state(db: &Database) -> crate::Result<Mark> {
    db.transaction("read", |tx| Box::pin(mark(tx))).await
}

/// The state of the database now.
pub(super) async fn mark(tx: &Transaction<'_>) -> Tried<Mark> {
    let sql = "SELECT incarnation, change, version, series FROM econoscope.state WHERE id = 1";
    let statement = tx.prepare_cached(sql).await?;
    let row = tx.query_one(&statement, &[]).await?;
    Ok(Mark {
        incarnation: row.try_get(0)?,
        change: row.try_get(1)?,
        version: row.try_get(2)?,
        series: row.try_get(3)?,
    })
}

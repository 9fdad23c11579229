//! Lines between PostgreSQL's tables and SQLite's, which have the same columns.

use crate::postgres::{AttemptResult, Session};
use crate::store::sqlite::lines::{Line, Table, Watermark};
use futures_util::future::try_join_all;
use rusqlite::types::Value;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

/// Statements that are under way at once.
const AT_ONCE: usize = 256;

/// `SELECT` of the table's columns; `rest` is what follows the table's name.
pub(super) fn select(table: &Table, rest: &str) -> String {
    let Table { name, columns } = table;
    format!("SELECT {columns} FROM econoscope.{name} {rest}")
}

/// A row of [`select`] as a line.
pub(super) fn line(row: &Row, table: &'static Table) -> Result<Line, tokio_postgres::Error> {
    let cell = |at: usize| {
        let kind = row.columns().get(at).map(|column| column.type_().clone());
        Ok(match kind {
            Some(Type::INT8) => row.try_get::<_, Option<i64>>(at)?.map(Value::Integer),
            Some(Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(at)?.map(Value::Blob),
            _ => row.try_get::<_, Option<String>>(at)?.map(Value::Text),
        }
        .unwrap_or(Value::Null))
    };
    let values = (0..row.len()).map(cell).collect::<Result<_, _>>()?;
    Ok(Line { table, values })
}

/// Puts lines in the place of those with their keys, as part of this change.
pub(super) async fn put(tx: &Session, lines: &[Line], change: i64) -> AttemptResult<()> {
    for some in lines.chunk_by(|a, b| a.table == b.table) {
        let Some(Table { name, columns }) = some.first().map(|line| line.table) else {
            continue;
        };
        let names: Vec<&str> = columns.split(", ").chain(["changed"]).collect();
        let places: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
        let key = names.first().copied().unwrap_or_default();
        let set = names.iter().skip(1);
        let set: Vec<String> = set
            .map(|name| format!("{name} = EXCLUDED.{name}"))
            .collect();
        let sql = format!(
            "INSERT INTO econoscope.{name} ({columns}, changed) VALUES ({}) ON CONFLICT ({key}) DO UPDATE SET {}",
            places.join(", "),
            set.join(", ")
        );
        let statement = &tx.prepare_cached(&sql).await?;
        for some in some.chunks(AT_ONCE) {
            // Sent one behind the other without waiting between them.
            try_join_all(some.iter().map(|line| async move {
                let given = line.values.iter().map(bound);
                let given: Vec<_> = given.chain([&change as &(dyn ToSql + Sync)]).collect();
                tx.execute(statement, &given).await
            }))
            .await?;
        }
    }
    Ok(())
}

fn bound(value: &Value) -> &(dyn ToSql + Sync) {
    match value {
        // Only texts may be missing.
        Value::Null => &None::<&str>,
        Value::Integer(number) => number,
        Value::Real(number) => number,
        Value::Text(text) => text,
        Value::Blob(bytes) => bytes,
    }
}

/// The state of the database now.
pub(super) async fn watermark(tx: &Session) -> AttemptResult<Watermark> {
    let sql = "SELECT incarnation, change, version, series FROM econoscope.state WHERE id = 1";
    let statement = tx.prepare_cached(sql).await?;
    let row = tx.query_one(&statement, &[]).await?;
    Ok(Watermark {
        incarnation: row.try_get(0)?,
        change: row.try_get(1)?,
        version: row.try_get(2)?,
        series: row.try_get(3)?,
    })
}

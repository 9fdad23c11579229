//! Conversion of rows between PostgreSQL and SQLite, whose tables have the same columns.

use crate::postgres::{AttemptResult, Session};
use crate::store::sqlite::tables::{Table, TableRow, Watermark};
use futures_util::future::try_join_all;
use rusqlite::types::Value;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Column, Row};

/// Statements in flight, and rows that are collected for them.
pub(super) const BATCH: usize = 256;

/// Reads a row of a table's columns.
pub(super) fn read_row(row: &Row, table: &'static Table) -> AttemptResult<TableRow> {
    let value = |index: usize| {
        let column = row.columns().get(index);
        Ok(match column.map(Column::type_) {
            Some(&Type::INT8) => row.try_get::<_, Option<i64>>(index)?.map(Value::Integer),
            Some(&Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(index)?.map(Value::Blob),
            _ => row.try_get::<_, Option<String>>(index)?.map(Value::Text),
        }
        .unwrap_or(Value::Null))
    };
    let values = (0..row.len()).map(value).collect::<AttemptResult<_>>()?;
    Ok(TableRow { table, values })
}

/// Writes rows in place of those with their keys, as part of a change.
pub(super) async fn write_rows(tx: &Session, rows: &[TableRow], change: i64) -> AttemptResult<()> {
    for rows in rows.chunk_by(|a, b| a.table == b.table) {
        let Some(Table { name, columns }) = rows.first().map(|row| row.table) else {
            continue;
        };
        let names: Vec<&str> = columns.split(", ").chain(["changed"]).collect();
        let placeholders: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
        let key = names.first().copied().unwrap_or_default();
        let updates: Vec<String> = names
            .iter()
            .skip(1)
            .map(|name| format!("{name} = EXCLUDED.{name}"))
            .collect();
        let sql = format!(
            "INSERT INTO econoscope.{name} ({columns}, changed) VALUES ({}) ON CONFLICT ({key}) DO UPDATE SET {}",
            placeholders.join(", "),
            updates.join(", ")
        );
        let statement = &tx.prepare_cached(&sql).await?;
        for rows in rows.chunks(BATCH) {
            // Pipelined: sent without waiting for each response.
            try_join_all(rows.iter().map(|row| async move {
                let params: Vec<_> = row
                    .values
                    .iter()
                    .map(parameter)
                    .chain([&change as &(dyn ToSql + Sync)])
                    .collect();
                tx.execute(statement, &params).await
            }))
            .await?;
        }
    }
    Ok(())
}

fn parameter(value: &Value) -> &(dyn ToSql + Sync) {
    match value {
        // Only text columns are nullable.
        Value::Null => &None::<&str>,
        Value::Integer(number) => number,
        Value::Real(number) => number,
        Value::Text(text) => text,
        Value::Blob(bytes) => bytes,
    }
}

/// Reads the watermark of the database.
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

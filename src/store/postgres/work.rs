//! Work on a few lines: taken out of the database, handed to a store in memory that knows what to do, put back.
//!
//! So both kinds of store do the same by the same code.

use super::lines::{found, mark, put};
use crate::error::{Error, Result};
use crate::postgres::{Failure, Tried};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{
    ARTICLE, DESCRIPTION, Kind, Line, Lines, NOTE, SEGMENT, SERIES, Table,
};
use deadpool_postgres::Transaction;
use rusqlite::types::Value;

/// The lines some work needs.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// A series with its row groups.
    Series(String),
    /// The same, which gets a new number.
    Anew(String),
    /// Only the entry of a series.
    Entry(String),
    /// The entries of all.
    Entries,
    /// Articles by identifier.
    Articles(Vec<String>),
    /// The newest so many until a day.
    Newest(i64, i64),
    Note(String),
    /// Descriptions by the names of their series.
    Descriptions(Vec<String>),
    /// Descriptions that may hold all of these words.
    Worded(Vec<String>),
}

/// What came of the work.
#[derive(Debug, Clone)]
pub(super) struct Done<T> {
    pub(super) answer: T,
    /// Number of the change it made, if it made one.
    pub(super) change: Option<i64>,
}

/// Does work that only reads.
pub(super) async fn look<T>(
    tx: &Transaction<'_>,
    wanted: &Wanted,
    work: &(impl Fn(&Sqlite) -> Result<T> + Sync),
) -> Tried<T> {
    let lines = load(tx, wanted, "").await?;
    let is_list = matches!(wanted, Wanted::Entries);
    let series = if is_list { mark(tx).await?.series } else { 0 };
    Ok(work(&Sqlite::holding(&lines, series)?)?)
}

/// Does work that may change the lines, under the locks it needs: that of the series, then that of the state.
pub(super) async fn change<T>(
    tx: &Transaction<'_>,
    wanted: &Wanted,
    term: Option<i64>,
    work: &(impl Fn(&Sqlite) -> Result<T> + Sync),
) -> Tried<Done<T>> {
    if let Some(term) = term {
        in_term(tx, term).await?;
    }
    let mut before = load(tx, wanted, "FOR UPDATE").await?;
    let is_new = before.iter().all(|some| some.lines.is_empty());
    // What is only added to needs no number.
    let is_numbered = matches!(wanted, Wanted::Series(_)) && !is_new;
    if !is_numbered && !matches!(wanted, Wanted::Entry(_)) {
        before.extend(last(tx).await?);
    }
    let held = before.iter().filter(|some| some.table == &SERIES);
    let series: usize = held.map(|some| some.lines.len()).sum();
    let series = i64::try_from(series).unwrap_or_default();
    let store = Sqlite::holding(&before, series)?;
    let answer = work(&store)?;
    let (after, version, now) = store.all_lines()?;
    let (kept, mut left) = (keys(&after), keys(&before));
    left.retain(|key| !kept.contains(key));
    let fresh = differing(after, &before);
    if fresh.is_empty() && left.is_empty() {
        return Ok(Done {
            answer,
            change: None,
        });
    }
    let change = raise(tx, &fresh, (i64::from(version > 0), now - series)).await?;
    for (table, key) in &left {
        let sql = format!("DELETE FROM econoscope.{} WHERE id = $1", table.name);
        tx.execute(&sql, &[key]).await?;
        if *table == &SERIES {
            let sql = "INSERT INTO econoscope.gone VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET changed = EXCLUDED.changed";
            tx.execute(sql, &[key, &change]).await?;
        }
    }
    for some in &fresh {
        put(tx, some, change).await?;
    }
    Ok(Done {
        answer,
        change: Some(change),
    })
}

/// Refuses a writer whose term is over. Nobody can begin a new one before this transaction ends.
async fn in_term(tx: &Transaction<'_>, term: i64) -> Tried<()> {
    let sql = "SELECT term, holder FROM econoscope.lease WHERE id = 1 FOR SHARE";
    let statement = tx.prepare_cached(sql).await?;
    let row = tx.query_one(&statement, &[]).await?;
    let (now, holder): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    if now == term {
        return Ok(());
    }
    Err(Failure::Refused(Error::of_store(format!(
        "this server may not write any more: its term {term} is over, {holder} writes in term {now}. \
         Nothing was written."
    ))))
}

/// Raises the counts; the state stays locked until the end, so that changes can be seen in their order.
async fn raise(tx: &Transaction<'_>, fresh: &[Lines], (version, series): (i64, i64)) -> Tried<i64> {
    let last = |table: &Table| {
        let lines = fresh.iter().filter(|some| some.table == table);
        let keys = lines.flat_map(|some| &some.lines).filter_map(number);
        keys.max().unwrap_or_default()
    };
    let sql = "UPDATE econoscope.state SET change = change + 1, version = version + $1, series = series + $2,
         last_series = greatest(last_series, $3), last_description = greatest(last_description, $4)
         WHERE id = 1 RETURNING change";
    let statement = tx.prepare_cached(sql).await?;
    let given: [i64; 4] = [version, series, last(&SERIES), last(&DESCRIPTION)];
    let [a, b, c, d] = &given;
    let row = tx.query_one(&statement, &[a, b, c, d]).await?;
    Ok(row.try_get(0)?)
}

/// Lines without a name that hold the numbers after the last ones given, so that new ones follow.
async fn last(tx: &Transaction<'_>) -> Tried<Vec<Lines>> {
    let sql = "SELECT last_series, last_description FROM econoscope.state WHERE id = 1 FOR UPDATE";
    let statement = tx.prepare_cached(sql).await?;
    let row = tx.query_one(&statement, &[]).await?;
    let line = |table: &'static Table, id: i64| {
        let rest = table.columns.iter().skip(1);
        let rest = rest.map(|(_, kind)| match kind {
            Kind::Number => Value::Integer(0),
            Kind::Text | Kind::Bytes => Value::Text(String::new()),
        });
        let line: Line = std::iter::once(Value::Integer(id)).chain(rest).collect();
        Lines {
            table,
            lines: vec![line],
        }
    };
    let (series, description): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    // The number after the last is nobody's: a line that holds the last one itself may go in this very change.
    Ok(vec![
        line(&SERIES, series.saturating_add(1)),
        line(&DESCRIPTION, description.saturating_add(1)),
    ])
}

fn number(line: &Line) -> Option<i64> {
    match line.first() {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    }
}

/// Every line with its table.
fn flat(all: &[Lines]) -> Vec<(&'static Table, &Line)> {
    all.iter()
        .flat_map(|some| some.lines.iter().map(|line| (some.table, line)))
        .collect()
}

/// Lines that are not among others as they are.
fn differing(mut lines: Vec<Lines>, others: &[Lines]) -> Vec<Lines> {
    let others = flat(others);
    for some in &mut lines {
        let table = some.table;
        some.lines.retain(|line| !others.contains(&(table, line)));
    }
    lines.retain(|some| !some.lines.is_empty());
    lines
}

/// Numbers of all lines that have one.
fn keys(all: &[Lines]) -> Vec<(&'static Table, i64)> {
    let numbered = flat(all).into_iter();
    numbered
        .filter_map(|(table, line)| Some((table, number(line)?)))
        .collect()
}

/// Takes the lines out.
async fn load(tx: &Transaction<'_>, wanted: &Wanted, lock: &str) -> Tried<Vec<Lines>> {
    let one = |rest: &str| format!("{rest} {lock}");
    Ok(match wanted {
        Wanted::Series(name) | Wanted::Anew(name) => {
            let series = found(tx, &SERIES, &one("WHERE name = $1"), &[name]).await?;
            let Some(id) = series.lines.first().and_then(number) else {
                return Ok(vec![series]);
            };
            let between = "WHERE id BETWEEN $1 AND $1 + 63";
            let first = id.saturating_mul(64);
            vec![series, found(tx, &SEGMENT, between, &[&first]).await?]
        }
        Wanted::Entry(name) => vec![found(tx, &SERIES, &one("WHERE name = $1"), &[name]).await?],
        Wanted::Entries => vec![found(tx, &SERIES, "", &[]).await?],
        Wanted::Articles(ids) => {
            vec![found(tx, &ARTICLE, &one("WHERE id = ANY($1)"), &[ids]).await?]
        }
        Wanted::Newest(until, limit) => {
            let rest = "WHERE published_at <= $1 ORDER BY published_at DESC, id LIMIT $2";
            vec![found(tx, &ARTICLE, rest, &[until, limit]).await?]
        }
        Wanted::Note(key) => vec![found(tx, &NOTE, &one("WHERE key = $1"), &[key]).await?],
        Wanted::Descriptions(names) => {
            vec![found(tx, &DESCRIPTION, &one("WHERE name = ANY($1)"), &[names]).await?]
        }
        Wanted::Worded(words) => {
            let letters = |word: &String| -> String {
                let kept = word.chars().filter(|c| c.is_alphanumeric());
                format!("%{}%", kept.collect::<String>())
            };
            let like: Vec<String> = words.iter().map(letters).collect();
            let rest = "WHERE lower(name || ' ' || title) LIKE ALL($1) ORDER BY id";
            vec![found(tx, &DESCRIPTION, rest, &[&like]).await?]
        }
    })
}

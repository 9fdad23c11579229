//! Work on a few lines: taken out of the database, handed to a store in memory that knows what to do, put back.
//!
//! So both kinds of store do the same by the same code.

use super::lines::{found, put, watermark};
use crate::postgres::{AttemptResult, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{ARTICLE, DESCRIPTION, Line, NOTE, SEGMENT, SERIES, Table};
use crate::store::{BatchWork, PART};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use tokio_postgres::types::ToSql;

/// The lines some work needs.
#[derive(Debug)]
pub(super) enum WantedRows<'a> {
    /// A series with its row groups.
    Series(&'a SeriesId),
    /// The same, which gets a new number.
    Anew(&'a SeriesId),
    /// Several series with their row groups and descriptions, and some notes.
    Several(&'a [SeriesId], &'a [&'a str]),
    /// Only the entry of a series.
    Entry(&'a SeriesId),
    /// The entries of all.
    Entries,
    /// Articles by identifier.
    Articles(Vec<&'a str>),
    /// The newest so many until a day.
    Newest(i64, i64),
    Note(&'a str),
    /// Descriptions by the names of their series.
    Descriptions(Vec<&'a str>),
    /// Descriptions that may hold all of these words.
    Worded(&'a [String]),
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
    tx: Session,
    wanted: &WantedRows<'_>,
    work: impl Fn(&Sqlite) -> Result<T>,
) -> AttemptResult<T> {
    let lines = load(&tx, wanted, "").await?;
    let is_list = matches!(wanted, WantedRows::Entries);
    let series = if is_list {
        watermark(&tx).await?.series
    } else {
        0
    };
    Ok(work(&Sqlite::holding(&lines, series, None)?)?)
}

/// Does work that may change the lines, under the locks it needs: that of the series, then that of the state.
pub(super) async fn change<T>(
    tx: &Session,
    wanted: &WantedRows<'_>,
    term: Option<i64>,
    work: impl Fn(&Sqlite) -> Result<T>,
) -> AttemptResult<Done<T>> {
    if let Some(term) = term {
        in_term(tx, term).await?;
    }
    let held = load(tx, wanted, "FOR UPDATE").await?;
    // What is only added to needs no number.
    let is_numbered = matches!(wanted, WantedRows::Series(_)) && !held.is_empty();
    let last = match is_numbered || matches!(wanted, WantedRows::Entry(_)) {
        true => None,
        false => Some(last(tx).await?),
    };
    let (answer, difference) = worked(&held, last, work)?;
    if difference.is_empty() {
        return Ok(Done {
            answer,
            change: None,
        });
    }
    let change = raise(tx, difference.counts()).await?;
    difference.write(tx, change).await?;
    Ok(Done {
        answer,
        change: Some(change),
    })
}

/// Does work on many series as one change, part by part, so that memory holds one part at a time. Everything is locked
/// in the order in which single writes lock it, so that none of them and this one wait for each other.
pub(super) async fn change_batch(
    tx: &Session,
    (ids, notes): (&[SeriesId], &[&str]),
    term: Option<i64>,
    work: BatchWork<'_>,
) -> AttemptResult<Done<()>> {
    // The session is idle while a part is worked on.
    tx.batch_execute("SET LOCAL idle_in_transaction_session_timeout = '60s'")
        .await?;
    let names: Vec<&str> = ids.iter().map(SeriesId::as_str).collect();
    for (table, key, keys) in [
        (&SERIES, "name", names.as_slice()),
        (&DESCRIPTION, "name", names.as_slice()),
        (&NOTE, "key", notes),
    ] {
        let sql = format!(
            "SELECT 1 FROM econoscope.{} WHERE {key} = ANY($1) ORDER BY {key} FOR UPDATE",
            table.name
        );
        tx.execute(&sql, &[&keys]).await?;
    }
    let (mut last, change) = (last(tx).await?, watermark(tx).await?.change + 1);
    let (mut is_changed, mut sum) = (false, Counts::default());
    for part in ids.chunks(PART) {
        let held = load(tx, &WantedRows::Several(part, notes), "").await?;
        let ((), difference) = worked(&held, Some(last), |store| work(store, part))?;
        difference.write(tx, change).await?;
        is_changed |= !difference.is_empty();
        sum = sum.and(difference.counts());
        last = (
            last.0.max(sum.last_series),
            last.1.max(sum.last_description),
        );
    }
    if is_changed {
        raise(tx, sum).await?;
    }
    // Last, so that the term is held on to for a moment only.
    if let Some(term) = term {
        in_term(tx, term).await?;
    }
    Ok(Done {
        answer: (),
        change: is_changed.then_some(change),
    })
}

/// What work left otherwise than it found it.
struct Difference {
    fresh: Vec<Line>,
    left: Vec<Line>,
    is_visible: bool,
    series: i64,
}

/// What a change adds to the counts of the database.
#[derive(Clone, Copy, Default)]
struct Counts {
    version: i64,
    series: i64,
    last_series: i64,
    last_description: i64,
}

impl Counts {
    /// Of two parts of one change.
    fn and(self, other: Self) -> Self {
        Self {
            version: self.version.max(other.version),
            series: self.series + other.series,
            last_series: self.last_series.max(other.last_series),
            last_description: self.last_description.max(other.last_description),
        }
    }
}

/// Does work on lines in memory.
fn worked<T>(
    held: &[Line],
    last: Option<(i64, i64)>,
    work: impl FnOnce(&Sqlite) -> Result<T>,
) -> Result<(T, Difference)> {
    let store = Sqlite::holding(held, 0, last)?;
    let (before, ..) = store.all_lines()?;
    let answer = work(&store)?;
    let (after, version, series) = store.all_lines()?;
    let same_key = |a: &Line, b: &Line| a.table == b.table && a.number() == b.number();
    let is_left =
        |line: &Line| line.number().is_some() && !after.iter().any(|other| same_key(other, line));
    let fresh = after.iter().filter(|line| !before.contains(line));
    let fresh = fresh.cloned().collect();
    let left = before
        .iter()
        .filter(|line| is_left(line))
        .cloned()
        .collect();
    let difference = Difference {
        fresh,
        left,
        is_visible: version > 0,
        series,
    };
    Ok((answer, difference))
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.left.is_empty()
    }

    fn counts(&self) -> Counts {
        let last = |table: &Table| {
            let lines = self.fresh.iter().filter(|line| line.table == table);
            lines.filter_map(Line::number).max().unwrap_or_default()
        };
        Counts {
            version: self.is_visible.into(),
            series: self.series,
            last_series: last(&SERIES),
            last_description: last(&DESCRIPTION),
        }
    }

    /// Writes it into the database as part of a change.
    async fn write(&self, tx: &Session, change: i64) -> AttemptResult<()> {
        for line in &self.left {
            let key = line.number();
            let sql = format!("DELETE FROM econoscope.{} WHERE id = $1", line.table.name);
            tx.execute(&sql, &[&key]).await?;
            if line.table == &SERIES {
                let sql = "INSERT INTO econoscope.gone VALUES ($1, $2)
                     ON CONFLICT (id) DO UPDATE SET changed = EXCLUDED.changed";
                tx.execute(sql, &[&key, &change]).await?;
            }
        }
        put(tx, &self.fresh, change).await
    }
}

/// Refuses a writer whose term is over. Nobody can begin a new one before this transaction ends.
async fn in_term(tx: &Session, term: i64) -> AttemptResult<()> {
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
async fn raise(tx: &Session, counts: Counts) -> AttemptResult<i64> {
    let sql = "UPDATE econoscope.state SET change = change + 1, version = version + $1, series = series + $2,
         last_series = greatest(last_series, $3), last_description = greatest(last_description, $4)
         WHERE id = 1 RETURNING change";
    let statement = tx.prepare_cached(sql).await?;
    let Counts {
        version,
        series,
        last_series,
        last_description,
    } = &counts;
    let given: [&(dyn ToSql + Sync); 4] = [version, series, last_series, last_description];
    let row = tx.query_one(&statement, &given).await?;
    Ok(row.try_get(0)?)
}

/// The last numbers that were given, to series and to descriptions.
async fn last(tx: &Session) -> AttemptResult<(i64, i64)> {
    let sql = "SELECT last_series, last_description FROM econoscope.state WHERE id = 1 FOR UPDATE";
    let statement = tx.prepare_cached(sql).await?;
    let row = tx.query_one(&statement, &[]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

/// Takes the lines out.
async fn load(tx: &Session, wanted: &WantedRows<'_>, lock: &str) -> AttemptResult<Vec<Line>> {
    let one = |rest: &str| format!("{rest} {lock}");
    match wanted {
        WantedRows::Series(id) | WantedRows::Anew(id) => {
            let name = id.as_str();
            let mut lines = found(tx, &SERIES, &one("WHERE name = $1"), &[&name]).await?;
            if let Some(id) = lines.first().and_then(Line::number) {
                let (between, first) = ("WHERE id BETWEEN $1 AND $1 + 63", id.saturating_mul(64));
                lines.extend(found(tx, &SEGMENT, between, &[&first]).await?);
            }
            Ok(lines)
        }
        WantedRows::Several(ids, notes) => {
            let names: Vec<&str> = ids.iter().map(SeriesId::as_str).collect();
            let mut lines = found(tx, &SERIES, &one("WHERE name = ANY($1)"), &[&names]).await?;
            let numbers: Vec<i64> = lines.iter().filter_map(Line::number).collect();
            let theirs = ", unnest($1::int8[]) AS theirs (series)
                 WHERE id BETWEEN series * 64 AND series * 64 + 63";
            lines.extend(found(tx, &SEGMENT, theirs, &[&numbers]).await?);
            let named = one("WHERE name = ANY($1)");
            lines.extend(found(tx, &DESCRIPTION, &named, &[&names]).await?);
            lines.extend(found(tx, &NOTE, &one("WHERE key = ANY($1)"), &[notes]).await?);
            Ok(lines)
        }
        WantedRows::Entry(id) => found(tx, &SERIES, &one("WHERE name = $1"), &[&id.as_str()]).await,
        WantedRows::Entries => found(tx, &SERIES, "", &[]).await,
        WantedRows::Articles(ids) => found(tx, &ARTICLE, &one("WHERE id = ANY($1)"), &[ids]).await,
        WantedRows::Newest(until, limit) => {
            let rest = "WHERE published_at <= $1 ORDER BY published_at DESC, id LIMIT $2";
            found(tx, &ARTICLE, rest, &[until, limit]).await
        }
        WantedRows::Note(key) => found(tx, &NOTE, &one("WHERE key = $1"), &[key]).await,
        WantedRows::Descriptions(names) => {
            found(tx, &DESCRIPTION, &one("WHERE name = ANY($1)"), &[names]).await
        }
        WantedRows::Worded(words) => {
            let letters = |word: &String| -> String {
                let kept = word.chars().filter(|c| c.is_alphanumeric());
                format!("%{}%", kept.collect::<String>())
            };
            let like: Vec<String> = words.iter().map(letters).collect();
            let rest = "WHERE lower(name || ' ' || title) LIKE ALL($1) ORDER BY id";
            found(tx, &DESCRIPTION, rest, &[&like]).await
        }
    }
}

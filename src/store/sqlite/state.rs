//! The one line that says how often the content changed and how many series there are.

use super::failure::{damaged, failed, unreadable};
use crate::error::Result;
use rusqlite::{Connection, OptionalExtension};

/// What the line holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) version: i64,
    /// How many series there are; tells that one got lost.
    pub(super) series: i64,
}

impl State {
    fn crc(self) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        crc.update(b"state");
        crc.update(&self.version.to_le_bytes());
        crc.update(&self.series.to_le_bytes());
        crc.finalize()
    }
}

const WHAT: &str = "The state of the store";

/// The line as it is.
pub(super) fn state(db: &Connection) -> Result<State> {
    let line = db
        .prepare_cached("SELECT version, series, crc FROM state WHERE id = 1")
        .and_then(|mut s| {
            s.query_row([], |row| {
                let state = State {
                    version: row.get(0)?,
                    series: row.get(1)?,
                };
                Ok((state, row.get::<_, i64>(2)?))
            })
            .optional()
        })
        .map_err(|e| unreadable(WHAT, e))?;
    match line {
        Some((state, crc)) if i64::from(state.crc()) == crc => Ok(state),
        Some(_) => Err(damaged(WHAT, "its checksum does not match")),
        None => Err(damaged(WHAT, "it is missing")),
    }
}

/// Raises the version, inside the transaction of the change; `series` is how many came or went.
pub(super) fn changed(db: &Connection, series: i64) -> Result<()> {
    let before = state(db)?;
    let after = State {
        version: before.version.saturating_add(1),
        series: before.series.saturating_add(series),
    };
    insert(db, after).map_err(|e| failed("write", e))
}

/// Writes the line.
pub(super) fn insert(db: &Connection, state: State) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO state (id, version, series, crc) VALUES (1, ?1, ?2, ?3)";
    db.prepare_cached(sql)?
        .execute((state.version, state.series, state.crc()))?;
    Ok(())
}

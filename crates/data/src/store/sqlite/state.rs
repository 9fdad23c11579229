//! The one line that says how often the content changed and how many series there are.

use super::query::{Query, damaged, failed};
use econoscope_core::error::Result;
use rusqlite::Connection;

/// What the line holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    pub(super) version: i64,
    /// How many series there are; tells that one got lost.
    pub(super) series: i64,
}

impl State {
    fn checksum(self) -> i64 {
        let mut crc = crc32fast::Hasher::new();
        crc.update(b"state");
        crc.update(&self.version.to_le_bytes());
        crc.update(&self.series.to_le_bytes());
        crc.finalize().into()
    }
}

const LINE: Query<'_> = Query::new(
    "The state of the store",
    "SELECT version, series, crc FROM state WHERE id = 1",
);

/// The line as it is.
pub(super) fn state(db: &Connection) -> Result<State> {
    let line = LINE.first(db, [], |row| {
        let (version, series) = (row.get(0)?, row.get(1)?);
        let state = State { version, series };
        let whole = row.get::<_, i64>(2)? == state.checksum();
        Ok(whole
            .then_some(state)
            .ok_or_else(|| damaged(LINE.what, "its checksum does not match")))
    });
    line?.ok_or_else(|| damaged(LINE.what, "it is missing"))
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
        .execute((state.version, state.series, state.checksum()))?;
    Ok(())
}

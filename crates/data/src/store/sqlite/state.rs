//! The one row of table `state`: the version of the content and the number of series.

use super::query::{Query, damage_error, execute};
use econoscope_core::error::Result;
use rusqlite::Connection;

/// The row of table `state`.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) version: i64,
    /// Number of series; shows when one was lost.
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

const STATE: Query<'_> = Query::new(
    "The state of the store",
    "SELECT version, series, crc FROM state WHERE id = 1",
);

/// Reads and verifies the row.
pub(super) fn read(db: &Connection) -> Result<State> {
    let state = STATE.first(db, [], |row| {
        let version = row.get(0)?;
        let series = row.get(1)?;
        let state = State { version, series };
        if row.get::<_, i64>(2)? != state.checksum() {
            return Err(damage_error(STATE.subject, "its checksum does not match").into());
        }
        Ok(state)
    });
    state?.ok_or_else(|| damage_error(STATE.subject, "it is missing"))
}

/// Raises the version inside the transaction of a change. `series` is the number of series added, or removed if
/// negative.
pub(super) fn record_change(db: &Connection, series: i64) -> Result<()> {
    let before = read(db)?;
    let after = State {
        version: before.version.saturating_add(1),
        series: before.series.saturating_add(series),
    };
    write(db, after)
}

/// Writes the row.
pub(super) fn write(db: &Connection, state: State) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO state (id, version, series, crc) VALUES (1, ?1, ?2, ?3)";
    execute(db, sql, (state.version, state.series, state.checksum()))
}

//! Looking after the file: find damage, make a copy that is known to be good.

use super::connect::{self, beside};
use super::failure::{failed, unreadable};
use super::file::{Sqlite, snapshot};
use super::{descriptions, series, state, texts};
use crate::error::{Error, Result};
use crate::model::SeriesId;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;

/// Something in the file that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The series that cannot be read, where it is one.
    pub series: Option<SeriesId>,
    /// What was found.
    pub what: String,
}

impl Sqlite {
    /// Reads everything and checks it; what is damaged, none when all is well.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read at all.
    pub fn integrity(&self) -> Result<Vec<Damage>> {
        self.reading(|db| snapshot(db, |db| Ok(damages(db))))
    }

    /// Whether an error of [`Self::open`] says that the file's own content is to blame, and not its surroundings,
    /// its rights or its version: such a file may be set aside.
    pub fn is_damage(error: &Error) -> bool {
        let said = error.to_string();
        said.contains(super::failure::WAY_OUT) || said.contains(connect::NOT_OURS)
    }

    /// Copies the store as it is now into a new file, which is checked before it gets its name.
    /// Others may read and write meanwhile. An existing file is never replaced.
    ///
    /// # Errors
    /// [`Error::Store`] when there is a file already, the copy cannot be written, or what was copied is damaged.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let say = |problem: &str| format!("cannot back up to {}: {problem}", to.display());
        if to.exists() {
            return Err(Error::Store {
                what: say("there is a file already. Choose another name."),
                source: None,
            });
        }
        connect::make_folder(to)?;
        let part = beside(to, &format!(".part-{}", std::process::id()));
        let copied = self.reading(|db| copy(db, &part)).and_then(|()| {
            // A hard link fails where a file is, a rename would replace it.
            std::fs::hard_link(&part, to).map_err(|e| Error::store(say("it cannot be named."), e))
        });
        for left in [part.clone(), beside(&part, "-journal")] {
            match std::fs::remove_file(&left) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    tracing::warn!(file = %left.display(), error = %e, "a partial backup is left");
                }
                Ok(()) | Err(_) => {}
            }
        }
        copied
    }
}

/// A verified copy, on disk.
fn copy(db: &Connection, to: &Path) -> Result<()> {
    let fail = |e| failed("back up", e);
    let mut target = Connection::open(to).map_err(fail)?;
    // A plain journal, so that the copy is one file with nothing beside it.
    let step = Backup::new(db, &mut target)
        .and_then(|backup| backup.step(-1))
        .map_err(fail)?;
    if step != StepResult::Done {
        return Err(Error::Store {
            what: "cannot back up: another process holds the file. Try again.".to_owned(),
            source: None,
        });
    }
    target
        .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .map_err(fail)?;
    if let Some(damage) = damages(&target).into_iter().next() {
        return Err(Error::Store {
            what: format!("cannot back up: {}", damage.what),
            source: None,
        });
    }
    target.close().map_err(|(_, e)| fail(e))?;
    let io = |e| Error::store("cannot back up: the copy does not reach the disk.", e);
    std::fs::File::open(to)
        .and_then(|f| f.sync_all())
        .map_err(io)
}

fn damages(db: &Connection) -> Vec<Damage> {
    let mut found = structure(db);
    found.extend(rows(db));
    found.extend(texts::damages(db).into_iter().map(general));
    found.extend(descriptions::damages(db).into_iter().map(general));
    found
}

fn general(what: String) -> Damage {
    Damage { series: None, what }
}

/// What SQLite itself finds: pages, indices, types.
fn structure(db: &Connection) -> Vec<Damage> {
    let check = db.prepare("PRAGMA integrity_check(100)").and_then(|mut s| {
        s.query_map([], |row| row.get::<_, String>(0))?
            .collect::<rusqlite::Result<Vec<_>>>()
    });
    match check {
        Ok(lines) => lines
            .into_iter()
            .filter(|line| line != "ok")
            .map(general)
            .collect(),
        Err(e) => vec![general(unreadable("The file", e).to_string())],
    }
}

/// Every series read and verified, and that none is missing.
fn rows(db: &Connection) -> Vec<Damage> {
    let mut found = Vec::new();
    let (mut series, mut segments) = (0, 0);
    let mut names = Vec::new();
    let listed = series::lines(db, false, |line| {
        series += 1;
        match line {
            Ok(line) => {
                segments += line.segments;
                names.push(line.name);
            }
            Err(e) => found.push(general(e.to_string())),
        }
    });
    found.extend(listed.err().map(|e| general(e.to_string())));
    for name in names {
        let read = SeriesId::new(&name).and_then(|id| series::read(db, &id));
        let what = match read {
            Ok(Some(_)) => continue,
            Ok(None) => format!("{name} is listed but cannot be found."),
            Err(e) => e.to_string(),
        };
        let series = SeriesId::new(&name).ok();
        found.push(Damage { series, what });
    }
    let held: rusqlite::Result<i64> =
        db.query_row("SELECT count(*) FROM segment", [], |row| row.get(0));
    match held {
        Ok(held) if held == segments => {}
        Ok(held) => found.push(general(format!(
            "{held} row groups are held, but the series name {segments}."
        ))),
        Err(e) => found.push(general(unreadable("The row groups", e).to_string())),
    }
    match state::state(db) {
        Ok(state) if state.series == series => {}
        Ok(state) => found.push(general(format!(
            "{series} series are held, but there were {}.",
            state.series
        ))),
        Err(e) => found.push(general(e.to_string())),
    }
    found
}

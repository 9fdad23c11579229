//! Looking after the file: find damage, make a copy that is known to be good, set a broken one aside.

use super::connect;
use super::file::{Sqlite, snapshot};
use super::query::{Query, failed};
use super::{descriptions, series, state, texts};
use crate::disk::{self, shown};
use crate::sqlite::{self, beside};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

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
        let said = error.for_operator();
        said.contains(super::query::WAY_OUT) || said.contains(connect::NOT_OURS)
    }

    /// Moves an unusable store aside, with its side files: `NAME.corrupt-20261121T150405Z`.
    /// No process may have it open. Returns the new path.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be renamed.
    pub fn quarantine(path: &Path) -> Result<PathBuf> {
        let mark = econoscope_core::clock::wall().strftime(".corrupt-%Y%m%dT%H%M%SZ");
        sqlite::put_aside(path, &mark.to_string())
            .map_err(|e| Error::store(format!("cannot move {} aside.", shown(path)), e))
    }

    /// Copies the store as it is now into a new file, which is checked before it gets its name.
    /// Others may read and write meanwhile. An existing file is never replaced.
    ///
    /// # Errors
    /// [`Error::Store`] when there is a file already, the copy cannot be written, or what was copied is damaged.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let say = |problem: &str| format!("cannot back up to {}: {problem}", shown(to));
        if to.exists() {
            return Err(Error::of_store(say(
                "there is a file already. Choose another name.",
            )));
        }
        let (part, _) =
            disk::part_of(to).map_err(|e| Error::store(say("no file can be made there."), e))?;
        let copied = self.afresh(|db| copy(db, &part)).and_then(|()| {
            // A hard link fails where a file is, a rename would replace it.
            std::fs::hard_link(&part, to).map_err(|e| Error::store(say("it cannot be named."), e))
        });
        for left in [part.clone(), beside(&part, "-journal")] {
            match std::fs::remove_file(&left) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    tracing::warn!(file = shown(&left), error = %e, "a partial backup is left");
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
    let name = to.to_str();
    let name =
        name.ok_or_else(|| Error::of_store("cannot back up to a name that is no Unicode."))?;
    // One file with nothing beside it, of one moment. SQLite takes it for a write.
    db.execute_batch("PRAGMA query_only = OFF").map_err(fail)?;
    db.execute("VACUUM INTO ?1", [name]).map_err(fail)?;
    let target = Connection::open(to).map_err(fail)?;
    if let Some(damage) = damages(&target).into_iter().next() {
        return Err(Error::of_store(format!("cannot back up: {}", damage.what)));
    }
    target.close().map_err(|(_, e)| fail(e))?;
    std::fs::File::open(to)
        .and_then(|f| f.sync_all())
        .map_err(|e| Error::store("cannot back up: the copy does not reach the disk.", e))
}

/// Whether the rows of at least one of three series can be read: the first, the last, and one between them.
pub(super) fn probe(db: &Connection) -> Result<()> {
    if state::state(db)?.series == 0 {
        return Ok(());
    }
    let read = |sql| {
        let query = Query::new("The list of series", sql);
        let name = query.first(db, [], |row| Ok(Ok(row.get::<_, String>(0)?)))?;
        name.map(|name| series::read(db, &SeriesId::new(&name)?))
            .transpose()
    };
    read("SELECT name FROM series WHERE id >= (SELECT max(id) / 2 FROM series) ORDER BY id LIMIT 1")
        .or_else(|_| read("SELECT name FROM series ORDER BY id LIMIT 1"))
        .or_else(|_| read("SELECT name FROM series ORDER BY id DESC LIMIT 1"))
        .map(drop)
}

fn damages(db: &Connection) -> Vec<Damage> {
    let mut found = structure(db);
    found.extend(rows(db));
    let texts = texts::damages(db).into_iter();
    found.extend(texts.chain(descriptions::damages(db)).map(general));
    found
}

fn general(what: String) -> Damage {
    Damage { series: None, what }
}

/// What SQLite itself finds: pages, indices, types.
fn structure(db: &Connection) -> Vec<Damage> {
    let check = Query::new("The file", "PRAGMA integrity_check(100)");
    let found = check
        .all(db, [], |row| Ok(Ok(row.get::<_, String>(0)?)))
        .unwrap_or_else(|e| vec![e.for_operator()]);
    let found = found.into_iter().filter(|line| line != "ok");
    found.map(general).collect()
}

/// Every series read and verified, and that none is missing.
fn rows(db: &Connection) -> Vec<Damage> {
    let mut found = Vec::new();
    let (mut series, mut segments) = (0, 0);
    let mut names = Vec::new();
    let listed = series::lines(db, |line| {
        series += 1;
        match line {
            Ok(line) => {
                segments += line.segments;
                names.push(line.name);
            }
            Err(e) => found.push(general(e.for_operator())),
        }
    });
    found.extend(listed.err().map(|e| general(e.for_operator())));
    for name in names {
        let read = SeriesId::new(&name).and_then(|id| series::read(db, &id));
        let what = match read {
            Ok(Some(_)) => continue,
            Ok(None) => format!("{name} is listed but cannot be found."),
            Err(e) => e.for_operator(),
        };
        let series = SeriesId::new(&name).ok();
        found.push(Damage { series, what });
    }
    let counted = counts(db, series, segments).unwrap_or_else(|e| Some(e.for_operator()));
    found.extend(counted.map(general));
    found
}

/// What the file holds more or less than was found under the series' names, in words.
fn counts(db: &Connection, series: i64, segments: i64) -> Result<Option<String>> {
    let count = Query::new("The row groups", "SELECT count(*) FROM segment");
    let held: i64 = count
        .first(db, [], |row| Ok(Ok(row.get(0)?)))?
        .unwrap_or_default();
    let stated = state::state(db)?.series;
    Ok(if held != segments {
        Some(format!(
            "{held} row groups are held, but the series name {segments}."
        ))
    } else if stated != series {
        Some(format!(
            "{series} series are held, but there were {stated}."
        ))
    } else {
        None
    })
}

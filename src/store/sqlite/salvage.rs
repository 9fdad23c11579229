//! Out of a damaged file into a new one: everything that can still be vouched for.

use super::file::Sqlite;
use super::line::Line;
use super::{append, connect, descriptions, series, state, texts};
use crate::error::{Error, Result};
use crate::model::SeriesId;
use crate::store::seam::Store;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;

/// What came out of a damaged file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Series copied with all their rows.
    pub series: Vec<SeriesId>,
    /// Series whose name can still be read, but not their rows.
    pub lost: Vec<SeriesId>,
    /// Articles copied.
    pub articles: usize,
}

impl Sqlite {
    /// Copies all intact series, descriptions and articles of the file at `from`, which is only read, into a new store at `to`.
    /// Notes are left behind: they tell about the old file, and are found anew by the next sync.
    ///
    /// # Errors
    /// [`Error::Store`] when `to` exists or cannot be written, or when nothing can be read at `from`.
    pub fn salvage(from: &Path, to: &Path) -> Result<Salvaged> {
        connect::must_exist(from)?;
        if to.exists() {
            return Err(Error::Store {
                what: format!("{} exists already. Choose another name.", to.display()),
                source: None,
            });
        }
        let damaged = connect::untouching(from)?;
        let mut out = Salvaged::default();
        let lines = readable_lines(&damaged)?;
        let whole = Self::open(to)?;
        whole.writing(|db| {
            for (name, line) in lines {
                let Ok(id) = SeriesId::new(&name) else {
                    continue;
                };
                let Ok(vintages) = series::read_line(&damaged, &line) else {
                    out.lost.push(id);
                    continue;
                };
                append::adopt(db, line, &vintages)?;
                state::changed(db, 1)?;
                out.series.push(id);
            }
            Ok(())
        })?;
        whole.describe(&descriptions::intact(&damaged))?;
        out.articles = whole.write_articles(&texts::intact_articles(&damaged))?;
        Ok(out)
    }
}

/// Lines that pass their check, by name: from the front, then from the back, since a damaged page ends a scan.
fn readable_lines(db: &Connection) -> Result<BTreeMap<String, Line>> {
    let mut lines = BTreeMap::new();
    let mut take = |line: Result<Line>| {
        if let Ok(line) = line {
            lines.insert(line.name.clone(), line);
        }
    };
    let forwards = series::lines(db, false, &mut take);
    let backwards = series::lines(db, true, &mut take);
    if lines.is_empty() {
        forwards.and(backwards)?;
    }
    Ok(lines)
}

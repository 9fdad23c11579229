//! Imports a folder of CSV files into the store.
//!
//! Everything is read before anything is written: a broken row refuses its series in whichever file it
//! stands, and the rest goes in. The report carries every refusal, so that the caller can end with code 1.

use super::news::{self, News};
use super::progress::{Progress, StepResult};
use super::table::{self, Broken, Column, Dates, Row};
use super::titles;
use crate::error::{Error, Result};
use crate::model::{Catalogue, Observation, SeriesId};
use crate::store::{Description, Store, Written};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file that is read: 256 MiB, some ten million rows.
pub const MAX_FILE_BYTES: u64 = 256 << 20;
/// Most figures one import may hold in memory: 32 million, 512 MiB.
pub const MAX_IMPORT_ROWS: usize = 32_000_000;

/// What an import did.
#[derive(Debug, Default)]
pub struct ImportReport {
    /// CSV files found.
    pub files: usize,
    /// Series that were imported, by identifier.
    pub series: Vec<Imported>,
    /// Series outside the catalogue whose titles came with the files.
    pub described: usize,
    /// What was refused and why, with file and line. Empty = all is in.
    pub errors: Vec<Error>,
}

/// One series that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Series.
    pub id: SeriesId,
    /// Figures in the files.
    pub rows: usize,
    /// What the store took of them.
    pub written: Written,
}

impl ImportReport {
    /// Figures in the files, over all imported series.
    pub fn rows(&self) -> usize {
        self.series.iter().map(|s| s.rows).sum()
    }

    /// What the store took, over all imported series.
    pub fn written(&self) -> Written {
        Written {
            added: self.series.iter().map(|s| s.written.added).sum(),
            revised: self.series.iter().map(|s| s.written.revised).sum(),
        }
    }
}

/// Reads every `*.csv` of a folder (not of its sub-folders), or one file, into the store.
///
/// Layouts: `series_id,date,value` for any number of series; `date,value` in a file named after its
/// series; `DATE` or `observation_date` and a column per series. Missing: empty, `.`, `NaN`, `NA`.
/// Identifiers outside the catalogue are welcome; a file `series_id,title,frequency` and, if known, `units`,
/// `seasonal_adjustment`, `source` says what they are called. Files above [`MAX_FILE_BYTES`] are refused.
///
/// # Errors
/// [`Error::BadFile`] when there is no folder, no CSV file in it, or too much in all of them;
/// [`Error::Store`] when the store cannot be read or written. What is wrong with single files and
/// series stands in the report.
pub fn import(
    store: &dyn Store,
    path: &Path,
    on: &mut dyn FnMut(Progress),
) -> Result<ImportReport> {
    import_at(store, path, Timestamp::now(), on)
}

fn import_at(
    store: &dyn Store,
    path: &Path,
    now: Timestamp,
    on: &mut dyn FnMut(Progress),
) -> Result<ImportReport> {
    let files = csv_files(path)?;
    let gathered = gather(&files, on)?;
    let mut report = ImportReport {
        files: files.len(),
        series: Vec::new(),
        described: gathered.titles.len(),
        errors: gathered.errors,
    };
    store.describe(&gathered.titles)?;
    on(Progress::Started {
        task: "writing series",
        total: gathered.series.len(),
    });
    for (id, series) in gathered.series {
        let rows = series.observations();
        let written = news::write(
            store,
            &News {
                id: &id,
                info: Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref),
                observations: &rows,
                last_look: None,
                now,
                origin: "import",
            },
        )?;
        on(Progress::Done {
            name: id.to_string(),
            result: StepResult::Written(written),
        });
        report.series.push(Imported {
            id,
            rows: rows.len(),
            written,
        });
    }
    on(Progress::Finished {
        summary: summary(&report),
    });
    Ok(report)
}

fn summary(report: &ImportReport) -> String {
    let written = report.written();
    format!(
        "{} series with {} figures out of {} files: {} new, {} revised; {} refused.",
        report.series.len(),
        report.rows(),
        report.files,
        written.added,
        written.revised,
        report.errors.len()
    )
}

/// The CSV files of a folder, by name; a path to a file is that file.
fn csv_files(path: &Path) -> Result<Vec<PathBuf>> {
    let bad = |problem: String| Error::BadFile {
        file: path.display().to_string(),
        line: None,
        problem,
    };
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let listing = std::fs::read_dir(path).map_err(|e| bad(format!("cannot be listed: {e}")))?;
    let mut files = Vec::new();
    for entry in listing {
        let file = entry
            .map_err(|e| bad(format!("cannot be listed: {e}")))?
            .path();
        let hidden = file
            .file_name()
            .is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
        let csv = file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        if csv && !hidden && !file.is_dir() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(bad("holds no .csv file".to_owned()));
    }
    Ok(files)
}

/// What all files together say.
#[derive(Default)]
struct Gathered {
    series: BTreeMap<SeriesId, Part>,
    titles: Vec<Description>,
    refused: BTreeSet<SeriesId>,
    rows: usize,
    errors: Vec<Error>,
}

/// One series, and the file it came from first.
struct Part {
    file: String,
    rows: Vec<Row>,
}

impl Part {
    fn observations(&self) -> Vec<Observation> {
        let pair = |row: &Row| Observation::new(row.date, row.value);
        self.rows.iter().map(pair).collect()
    }
}

fn gather(files: &[PathBuf], on: &mut dyn FnMut(Progress)) -> Result<Gathered> {
    on(Progress::Started {
        task: "reading files",
        total: files.len(),
    });
    let mut all = Gathered::default();
    for path in files {
        let name = path.display().to_string();
        on(Progress::Step { name: name.clone() });
        let errors = all.errors.len();
        let mut rows = 0;
        match read_file(path, &name) {
            Ok(Content::Titles(titles)) => {
                rows = titles.len();
                all.titles.extend(titles);
            }
            Ok(Content::Figures(columns)) => {
                rows = columns.iter().map(|c| c.rows.len()).sum();
                all.take(&name, columns);
            }
            Err(error) => all.errors.push(error),
        }
        all.rows += rows;
        if all.rows > MAX_IMPORT_ROWS {
            return Err(Error::BadFile {
                file: name,
                line: None,
                problem: format!(
                    "with this file the import holds more than {MAX_IMPORT_ROWS} figures; import the folder in parts"
                ),
            });
        }
        let failed = all.errors.get(errors).map(ToString::to_string);
        on(Progress::Done {
            name,
            result: failed.map_or(StepResult::Read(rows), StepResult::Failed),
        });
    }
    let refused = std::mem::take(&mut all.refused);
    all.series.retain(|id, _| !refused.contains(id));
    Ok(all)
}

impl Gathered {
    fn take(&mut self, file: &str, columns: Vec<Column>) {
        for mut column in columns {
            let known = Catalogue::embedded().get(column.id.as_str());
            if known.is_some_and(|info| info.is_composite()) {
                self.errors.push(Error::BadFile {
                    file: file.to_owned(),
                    line: None,
                    problem: format!("{} is computed here and cannot be imported", column.id),
                });
                continue;
            }
            let earlier = self.series.remove(&column.id);
            if let Some(broken) = column.broken.take() {
                self.refuse(file, column.id, broken);
                continue;
            }
            let merged = match earlier {
                None => Ok(Part {
                    file: file.to_owned(),
                    rows: column.rows,
                }),
                Some(part) => merge(part, column.rows),
            };
            match merged {
                Ok(part) => drop(self.series.insert(column.id, part)),
                Err(broken) => self.refuse(file, column.id, broken),
            }
        }
    }

    fn refuse(&mut self, file: &str, id: SeriesId, broken: Broken) {
        let problem = format!("{}; nothing of {id} was imported", broken.problem);
        self.errors.push(bad_file(
            file,
            Broken {
                line: broken.line,
                problem,
            },
        ));
        self.refused.insert(id);
    }
}

/// Puts a second file's rows to the first one's.
fn merge(mut part: Part, rows: Vec<Row>) -> std::result::Result<Part, Broken> {
    for row in &rows {
        let twin = part.rows.binary_search_by_key(&row.date, |r| r.date);
        let twin = twin.ok().and_then(|i| part.rows.get(i));
        if let Some(twin) = twin.filter(|twin| twin.value != row.value) {
            let problem = format!(
                "{} for {}, but {} on line {} of {}",
                row.value, row.date, twin.value, twin.line, part.file
            );
            return Err(Broken {
                line: row.line,
                problem,
            });
        }
    }
    part.rows.extend(rows);
    part.rows.sort_by_key(|row| row.date);
    part.rows.dedup_by_key(|row| row.date);
    Ok(part)
}

/// What a file may hold.
enum Content {
    Figures(Vec<Column>),
    Titles(Vec<Description>),
}

fn read_file(path: &Path, name: &str) -> Result<Content> {
    let bad = |problem: String| Error::BadFile {
        file: name.to_owned(),
        line: None,
        problem,
    };
    let unreadable = |e: std::io::Error| bad(format!("cannot be read: {e}"));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_FILE_BYTES {
        return Err(bad(format!(
            "is larger than {} MiB; split it",
            MAX_FILE_BYTES >> 20
        )));
    }
    if titles::is_list(&bytes) {
        let read = titles::read(&bytes).map_err(|broken| bad_file(name, broken))?;
        return Ok(Content::Titles(read));
    }
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let columns = table::read(&bytes, stem.as_deref(), Dates::Iso)
        .map_err(|broken| bad_file(name, broken))?;
    let empty = |c: &Column| c.rows.is_empty() && c.broken.is_none();
    if columns.iter().all(empty) {
        return Err(bad("holds no figures".to_owned()));
    }
    let filled = columns.into_iter().filter(|c| !empty(c));
    Ok(Content::Figures(filled.collect()))
}

fn bad_file(file: &str, broken: Broken) -> Error {
    Error::BadFile {
        file: file.to_owned(),
        line: Some(u64::from(broken.line)),
        problem: broken.problem,
    }
}

#[cfg(test)]
mod tests;

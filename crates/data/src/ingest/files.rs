//! Imports a folder of CSV files into the store.
//!
//! All files are read before anything is written. A broken row refuses its series in every file; the rest is written as
//! one atomic change of the store. The report carries every refusal, so that the caller can exit with code 1.

mod series;

use super::progress::{Progress, format_outcome};
use super::table::{self, Column, LineError, Row, Table};
use super::titles;
use crate::disk::{self, format_path};
use crate::store::{Description, Store, WriteOutcome};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::model::SeriesId;
use jiff::Timestamp;
use parking_lot::Mutex;
use series::import_series;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest file: 256 MiB, some ten million rows.
const MAX_FILE_BYTES: usize = 256 << 20;
/// Most names in a warning.
const MAX_NAMES: usize = 10;
/// Most rows of one import: 32 million, which take 512 MiB of memory.
const MAX_IMPORT_ROWS: usize = 32_000_000;

/// The result of an import.
#[derive(Debug, Default)]
pub struct ImportReport {
    /// Number of CSV files.
    pub files: usize,
    /// Number of imported series.
    pub series: usize,
    /// Figures in the files, over all imported series.
    pub rows: usize,
    /// What the store wrote of them.
    pub written: WriteOutcome,
    /// Series outside the catalogue whose titles came with the files.
    pub described: usize,
    /// Imported series without a title in the catalogue, the store or the files.
    pub untitled: Vec<SeriesId>,
    /// What was refused and why, with file and line. Empty = everything was imported.
    pub errors: Vec<Error>,
    /// Warnings: implausible figures, another base, or figures older than the stored ones.
    pub warnings: Vec<String>,
}

/// The first names of a list, and how many more there are.
fn format_list(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).map(String::as_str);
    let more = names.len().saturating_sub(MAX_NAMES);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    shown.collect::<Vec<_>>().join(", ") + &rest
}

/// Reads every `*.csv` of a folder (not of its sub-folders), or one file, into the store.
///
/// Layouts: `series_id,date,value` for any number of series; `date,value` in a file named after its
/// series; `DATE` or `observation_date` and a column per series. Missing values: empty, `.`, `NaN`, `NA`.
/// The first two layouts may have a column `known_from`: the day from which the figure was known, or the month at whose
/// end the series first contained it. A missing figure with a `known_from` was withdrawn then.
/// Identifiers outside the catalogue are allowed; a file `series_id,title,frequency` with optional columns `units`,
/// `seasonal_adjustment` and `source` gives their titles. Files above 256 MiB are refused.
///
/// # Errors
/// [`Error::BadFile`] when there is no folder, no CSV file in it, or too many rows in all files;
/// [`Error::Store`] when the store cannot be read or written. Errors of single files and series are in the report.
pub fn import(store: &dyn Store, path: &Path, progress: &mut Progress) -> Result<ImportReport> {
    let provenance = Provenance {
        origin: "import",
        read_at: econoscope_core::clock::wall_time(),
        replace: false,
    };
    import_from(store, path, provenance, progress)
}

/// Where imported figures come from.
#[derive(Debug, Clone, Copy)]
pub struct Provenance<'a> {
    /// A short name, which the store keeps as the origin of the rows.
    pub origin: &'a str,
    /// When they were read there.
    pub read_at: Timestamp,
    /// Whether they replace stored figures that are newer or have another base.
    pub replace: bool,
}

/// Imports files as [`import`] does, with a given provenance.
///
/// # Errors
/// Those of [`import`].
pub fn import_from(
    store: &dyn Store,
    path: &Path,
    provenance: Provenance<'_>,
    progress: &mut Progress,
) -> Result<ImportReport> {
    let FolderFiles { files, passed_over } = csv_files(path)?;
    let mut content = read_files(&files, progress)?;
    if !passed_over.is_empty() {
        let names = format_list(&passed_over);
        let warning = format!("not read, because only .csv is: {names}");
        content.warnings.push(warning);
    }
    let mut report = ImportReport {
        warnings: content.warnings,
        files: files.len(),
        series: content.series.len(),
        described: content.titles.len(),
        errors: content.errors,
        ..ImportReport::default()
    };
    // Series with a title come first, in the order of their file, which is the order of search results.
    let mut seen = BTreeSet::new();
    let ids = content
        .titles
        .iter()
        .map(|title| &title.id)
        .chain(content.series.keys())
        .filter(|id| seen.insert(*id));
    let columns: Vec<(&SeriesId, &SeriesRows)> = ids
        .filter_map(|id| Some((id, content.series.get(id)?)))
        .collect();
    progress.start("writing series", columns.len());
    // When the store retries the batch, the first attempt counts, because it may have been committed.
    let results = Mutex::new(BTreeMap::new());
    let shared_progress = Mutex::new(&mut *progress);
    store.write_batch(&|store| {
        store.describe(&content.titles)?;
        for (id, column) in &columns {
            let result = import_series(store, id, column, provenance)?;
            let written = match &result.refusal {
                Some(error) => Err(error.to_string()),
                None => Ok(format_outcome(result.written)),
            };
            shared_progress.lock().finish_step(id.as_str(), written);
            results.lock().entry((*id).clone()).or_insert(result);
        }
        Ok(())
    })?;
    for (id, result) in results.into_inner() {
        report.rows += result.rows;
        report.written.added += result.written.added;
        report.written.revised += result.written.revised;
        report.warnings.extend(result.warnings);
        if let Some(error) = result.refusal {
            report.errors.push(error);
            report.series -= 1;
        } else if !result.has_title {
            report.untitled.push(id);
        }
    }
    progress.finish(&report.summary());
    Ok(report)
}

impl ImportReport {
    fn summary(&self) -> String {
        let series = self.series;
        let rows = self.rows;
        let files = self.files;
        let WriteOutcome { added, revised } = self.written;
        let refused = self.errors.len();
        format!(
            "{series} series with {rows} figures out of {files} files: {added} new, {revised} revised; {refused} refused."
        )
    }
}

/// The files of a folder.
struct FolderFiles {
    files: Vec<PathBuf>,
    /// Names of what is not read.
    passed_over: Vec<String>,
}

/// Returns the CSV files of a folder, by name; the path itself when it is a file.
fn csv_files(path: &Path) -> Result<FolderFiles> {
    let unlisted =
        |e: io::Error| Error::bad_file(format_path(path), format!("cannot be listed: {e}"));
    let mut folder = FolderFiles {
        files: Vec::new(),
        passed_over: Vec::new(),
    };
    if !std::fs::metadata(path).map_err(unlisted)?.is_dir() {
        folder.files.push(path.to_owned());
        return Ok(folder);
    }
    for file in disk::list_folder(path).map_err(unlisted)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let extension = file.extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("csv") && !name.starts_with('.') && !file.is_dir() {
            folder.files.push(file);
        } else if !name.starts_with('.') {
            folder.passed_over.push(quote(&name));
        }
    }
    if folder.files.is_empty() {
        return Err(Error::bad_file(format_path(path), "holds no .csv file"));
    }
    Ok(folder)
}

/// The content of all files.
#[derive(Default)]
struct Content {
    series: BTreeMap<SeriesId, SeriesRows>,
    titles: Vec<Description>,
    refused: BTreeSet<SeriesId>,
    errors: Vec<Error>,
    warnings: Vec<String>,
}

/// The rows of a series in all files.
struct SeriesRows {
    /// The first file with rows of the series, "and others".
    file: String,
    rows: Vec<Row>,
}

fn read_files(files: &[PathBuf], progress: &mut Progress) -> Result<Content> {
    progress.start("reading files", files.len());
    let mut content = Content::default();
    let mut total = 0;
    for path in files {
        let name = format_path(path);
        progress.start_step(&name);
        let errors_before = content.errors.len();
        let rows = content.read(path, &name).unwrap_or_else(|error| {
            content.errors.push(error);
            0
        });
        total += rows;
        if total > MAX_IMPORT_ROWS {
            let problem = format!(
                "with this file the import holds more than {MAX_IMPORT_ROWS} figures; import the folder in parts"
            );
            return Err(Error::bad_file(&name, problem));
        }
        let result = match content.errors.get(errors_before) {
            Some(error) => Err(error.to_string()),
            None => Ok(format!("{rows} figures")),
        };
        progress.finish_step(&name, result);
    }
    content.series.retain(|id, _| !content.refused.contains(id));
    Ok(content)
}

impl Content {
    /// Adds a file. Returns its number of figures or titles.
    fn read(&mut self, path: &Path, name: &str) -> Result<usize> {
        let unreadable = |e: io::Error| Error::bad_file(name, format!("cannot be read: {e}"));
        let bad_line = |e: LineError| Error::bad_line(name, e.line.into(), e.problem);
        let mut bytes = Vec::new();
        disk::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        if bytes.len() > MAX_FILE_BYTES {
            let problem = format!("is larger than {} MiB; split it", MAX_FILE_BYTES >> 20);
            return Err(Error::bad_file(name, problem));
        }
        if titles::is_title_list(&bytes) {
            let titles = titles::parse(&bytes).map_err(bad_line)?;
            self.titles.extend_from_slice(&titles);
            return Ok(titles.len());
        }
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        let Table {
            mut columns,
            unread,
        } = table::parse(&bytes, stem.as_deref()).map_err(bad_line)?;
        if !unread.is_empty() {
            let warning = format!(
                "{name}: columns that name no series are not read: {}",
                format_list(&unread)
            );
            self.warnings.push(warning);
        }
        columns.retain(|column| !column.rows.as_ref().is_ok_and(Vec::is_empty));
        if columns.is_empty() {
            return Err(Error::bad_file(name, "holds no figures"));
        }
        let rows = columns.iter().flat_map(|column| &column.rows);
        let count = rows.map(Vec::len).sum();
        for column in columns {
            self.add(name, column);
        }
        Ok(count)
    }

    fn add(&mut self, file: &str, column: Column) {
        let Column { id, rows } = column;
        let info = Catalogue::embedded().get(id.as_str());
        if info.is_some_and(|info| info.is_composite()) {
            let problem = format!("{id} is computed here and cannot be imported");
            self.errors.push(Error::bad_file(file, problem));
            return;
        }
        let merged = match (rows, self.series.remove(&id)) {
            (Ok(rows), Some(earlier)) => earlier.merge(rows),
            (Ok(rows), None) => Ok(SeriesRows {
                file: file.to_owned(),
                rows,
            }),
            (Err(error), _) => Err(error),
        };
        match merged {
            Ok(series) => drop(self.series.insert(id, series)),
            Err(LineError { line, problem }) => {
                let what = format!("{problem}; nothing of {id} was imported");
                self.errors.push(Error::bad_line(file, line.into(), what));
                self.refused.insert(id);
            }
        }
    }
}

impl SeriesRows {
    /// Adds the rows of another file.
    ///
    /// # Errors
    /// [`LineError`] when the files have two figures for the same key.
    fn merge(mut self, rows: Vec<Row>) -> std::result::Result<Self, LineError> {
        self.rows.extend(rows);
        // A stable sort leaves the row of the first file before that of the second.
        self.rows.sort_by_key(Row::key);
        if let Some([old, new]) = table::find_conflict(&self.rows) {
            let value = new.format_value();
            let old_value = old.format_value();
            return Err(LineError {
                line: new.line,
                problem: format!(
                    "{value} for {}, but {old_value} on line {} of {}",
                    new.date, old.line, self.file
                ),
            });
        }
        self.rows.dedup_by_key(|row| row.key());
        if !self.file.ends_with(" and others") {
            self.file += " and others";
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;

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
use series::{SeriesImport, import_series};
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
    /// Imported series without a title in the catalogue, the store or the files.
    pub untitled: Vec<SeriesId>,
    /// What was refused and why, with file and line. Empty = everything was imported.
    pub errors: Vec<Error>,
    /// Warnings: implausible figures, another base, or figures older than the stored ones.
    pub warnings: Vec<String>,
}

/// The first names of a list, and how many more there are.
fn format_list(names: &[String]) -> String {
    let (shown, rest) = names.split_at(names.len().min(MAX_NAMES));
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
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
    let folder = csv_files(path)?;
    let content = read_files(&folder, progress)?;
    // Series with a title come first, in the order of their file, which is the order of search results.
    let mut seen = BTreeSet::new();
    let titled = content.titles.iter().map(|title| &title.id);
    let columns: Vec<(&SeriesId, &SeriesRows)> = titled
        .chain(content.series.keys())
        .filter(|id| seen.insert(*id))
        .filter_map(|id| content.series.get_key_value(id))
        .collect();
    progress.start("writing series", columns.len());
    // When the store retries the batch, the first attempt counts, because it may have been committed.
    let results = Mutex::new(BTreeMap::new());
    let shared_progress = Mutex::new(&mut *progress);
    store.write_batch(&|store| {
        store.describe(&content.titles)?;
        for (id, column) in &columns {
            let result = import_series(store, id, column, provenance)?;
            let written = result
                .written
                .as_ref()
                .map(|written| format_outcome(*written));
            let shown = written.map_err(ToString::to_string);
            shared_progress.lock().finish_step(id.as_str(), shown);
            results.lock().entry((*id).clone()).or_insert(result);
        }
        Ok(())
    })?;
    let mut report = ImportReport {
        files: folder.files.len(),
        series: content.series.len(),
        errors: content.errors,
        warnings: content.warnings,
        ..ImportReport::default()
    };
    for (id, result) in results.into_inner() {
        report.add(id, result);
    }
    progress.finish();
    Ok(report)
}

impl ImportReport {
    fn add(&mut self, id: SeriesId, result: SeriesImport) {
        self.warnings.extend(result.warnings);
        match result.written {
            Ok(WriteOutcome { added, revised }) => {
                self.rows += result.rows;
                self.written.added += added;
                self.written.revised += revised;
                self.untitled.extend((!result.has_title).then_some(id));
            }
            Err(error) => {
                self.errors.push(error);
                self.series -= 1;
            }
        }
    }
}

/// The files of a folder.
#[derive(Default)]
struct FolderFiles {
    files: Vec<PathBuf>,
    /// Names of what is not read.
    passed_over: Vec<String>,
}

/// Returns the CSV files of a folder, by name; the path itself when it is a file.
fn csv_files(path: &Path) -> Result<FolderFiles> {
    let unlisted =
        |e: io::Error| Error::bad_file(format_path(path), format!("cannot be listed: {e}"));
    let mut folder = FolderFiles::default();
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

fn read_files(folder: &FolderFiles, progress: &mut Progress) -> Result<Content> {
    progress.start("reading files", folder.files.len());
    let mut content = Content::default();
    let mut total = 0;
    for path in &folder.files {
        let name = format_path(path);
        progress.start_step(&name);
        let errors_before = content.errors.len();
        let read = content.read(path, &name);
        let rows = *read.as_ref().unwrap_or(&0);
        content.errors.extend(read.err());
        total += rows;
        if total > MAX_IMPORT_ROWS {
            let problem = format!(
                "with this file the import holds more than {MAX_IMPORT_ROWS} figures; import the folder in parts"
            );
            return Err(Error::bad_file(&name, problem));
        }
        let error = content.errors.get(errors_before).map(Error::to_string);
        progress.finish_step(&name, error.map_or(Ok(format!("{rows} figures")), Err));
    }
    if !folder.passed_over.is_empty() {
        let names = format_list(&folder.passed_over);
        let warning = format!("not read, because only .csv is: {names}");
        content.warnings.push(warning);
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
        let before = self.series.remove(&id);
        let merged = rows.and_then(|rows| match before {
            Some(earlier) => earlier.merge(rows),
            None => Ok(SeriesRows {
                file: file.to_owned(),
                rows,
            }),
        });
        match merged {
            Ok(series) => drop(self.series.insert(id, series)),
            Err(error) => {
                self.errors.push(error.refusal_of(&id, file));
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
        table::merge(&mut self.rows, |old, new| {
            format!("{} of {}", new.conflict_with(old), self.file)
        })?;
        if !self.file.ends_with(" and others") {
            self.file += " and others";
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;

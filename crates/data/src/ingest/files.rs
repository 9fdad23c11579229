//! Imports a folder of CSV files into the store.
//!
//! Everything is read before anything is written: a broken row refuses its series in whichever file it
//! stands, and the rest goes in, as one change of the store that readers see whole or not at all. The report carries
//! every refusal, so that the caller can end with code 1.

use super::accept::{drop_older, implausible, rebased, undated};
use super::progress::{Progress, describe};
use super::state;
use super::table::{self, Broken, Column, Row};
use super::titles;
use super::write::{self, Update};
use crate::disk::{self, shown};
use crate::store::{Description, Store, WriteOutcome};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Known, Observation, SeriesId};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest file that is read: 256 MiB, some ten million rows.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Most figures one import may hold in memory: 32 million, 512 MiB.
const MAX_IMPORT_ROWS: usize = 32_000_000;

/// What an import did.
#[derive(Debug, Default)]
pub struct ImportReport {
    /// CSV files found.
    pub files: usize,
    /// Series that were imported.
    pub series: usize,
    /// Figures in the files, over all imported series.
    pub rows: usize,
    /// What the store took of them.
    pub written: WriteOutcome,
    /// Series outside the catalogue whose titles came with the files.
    pub described: usize,
    /// Imported series that neither the catalogue nor a file of titles knows.
    pub strangers: Vec<SeriesId>,
    /// What was refused and why, with file and line. Empty = all is in.
    pub errors: Vec<Error>,
    /// What may be wrong: figures far off the others, on another base, or older than what is held.
    pub doubts: Vec<String>,
}

/// Reads every `*.csv` of a folder (not of its sub-folders), or one file, into the store.
///
/// Layouts: `series_id,date,value` for any number of series; `date,value` in a file named after its
/// series; `DATE` or `observation_date` and a column per series. Missing: empty, `.`, `NaN`, `NA`.
/// The first two may have a column `known_from`: the day from which the figure was known, or the month at whose end it
/// stood there first; a missing figure with a day or month was withdrawn then.
/// Identifiers outside the catalogue are welcome; a file `series_id,title,frequency` and, if known, `units`,
/// `seasonal_adjustment`, `source` says what they are called. Files above 256 MiB are refused.
///
/// # Errors
/// [`Error::BadFile`] when there is no folder, no CSV file in it, or too much in all of them;
/// [`Error::Store`] when the store cannot be read or written. What is wrong with single files and
/// series stands in the report.
pub fn import(store: &dyn Store, path: &Path, progress: &mut Progress) -> Result<ImportReport> {
    let provenance = Provenance {
        origin: "import",
        read_at: econoscope_core::clock::wall(),
        replace: false,
    };
    import_from(store, path, provenance, progress)
}

/// Where imported figures come from.
#[derive(Debug, Clone, Copy)]
pub struct Provenance<'a> {
    /// In few words, as a store keeps it for each series.
    pub origin: &'a str,
    /// When they were read there.
    pub read_at: Timestamp,
    /// Whether they replace what is held even where that is newer, or stands on another base.
    pub replace: bool,
}

/// As [`import`], with a word on where the figures come from.
///
/// # Errors
/// As [`import`].
pub fn import_from(
    store: &dyn Store,
    path: &Path,
    provenance: Provenance<'_>,
    progress: &mut Progress,
) -> Result<ImportReport> {
    let files = csv_files(path)?;
    let gathered = gather(&files, progress)?;
    let mut report = ImportReport {
        files: files.len(),
        series: gathered.series.len(),
        described: gathered.titles.len(),
        errors: gathered.errors,
        ..ImportReport::default()
    };
    let titles = gathered.titles.iter().map(|title| (&title.id, title));
    let titles: BTreeMap<&SeriesId, &Description> = titles.collect();
    // Titles in the order of the file, which is that in which they are found.
    let (mut ids, mut seen) = (Vec::new(), BTreeSet::new());
    for id in (gathered.titles.iter().map(|title| &title.id)).chain(gathered.series.keys()) {
        if seen.insert(id) {
            ids.push(id.clone());
        }
    }
    progress.start("writing series", gathered.series.len());
    // Of a database that had to try again the first attempt counts: its commit may have been done.
    let done = Mutex::new(BTreeMap::new());
    let progress = Mutex::new(progress);
    store.write_batch(&|store| {
        let titled = ids.iter().filter_map(|id| titles.get(id).copied().cloned());
        store.describe(&titled.collect::<Vec<_>>())?;
        for id in &ids {
            if let Some((_, column)) = gathered.series.get(id) {
                let imported = import_series(store, id, column, provenance)?;
                let written = Ok(describe(imported.written));
                progress.lock().done(id.as_str(), written);
                done.lock().entry(id.clone()).or_insert(imported);
            }
        }
        Ok(())
    })?;
    for (id, imported) in done.into_inner() {
        report.rows += imported.rows;
        report.written.added += imported.written.added;
        report.written.revised += imported.written.revised;
        report.doubts.extend(imported.doubts);
        if imported.is_stranger {
            report.strangers.push(id);
        }
    }
    progress.into_inner().finish(&report.summary());
    Ok(report)
}

/// What became of one series.
struct Imported {
    rows: usize,
    written: WriteOutcome,
    doubts: Vec<String>,
    is_stranger: bool,
}

fn import_series(
    store: &dyn Store,
    id: &SeriesId,
    column: &Column,
    provenance: Provenance<'_>,
) -> Result<Imported> {
    let info = Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref);
    let mut rows = column.known(info);
    let held = store.read(id)?;
    let is_new = held.is_none();
    let held = held.unwrap_or_default().latest();
    let mut doubts = Vec::new();
    if !provenance.replace {
        doubts.extend(keep_newer(id, &held, &mut rows));
    }
    let base = rebased(&held, &undated(&rows));
    let is_stranger = info.is_none() && store.description(id)?.is_none();
    if let Some(doubt) = implausible(&held, &rows) {
        doubts.push(format!("{id}: {doubt}; is its unit right?"));
    }
    let update = Update {
        id,
        info,
        rows: &rows,
        is_new,
        last_read: None,
        now: provenance.read_at,
        origin: provenance.origin,
    };
    let written = write::write(store, &update)?;
    if base.is_some() {
        state::note_base(store, id, "", provenance.read_at)?;
    }
    Ok(Imported {
        rows: rows.len(),
        written,
        doubts,
        is_stranger,
    })
}

/// Leaves out what is older than what is held or stands on another base, and says so. A whole history on another base
/// goes in: then nothing of the old one stays.
fn keep_newer(id: &SeriesId, held: &[Observation], rows: &mut Vec<Known>) -> Option<String> {
    let came = undated(rows);
    if let Some((factor, _)) = rebased(held, &came) {
        let is_whole = came.first().map(|o| o.date) <= held.first().map(|o| o.date)
            && came.last().map(|o| o.date) >= held.last().map(|o| o.date);
        let what = format!(
            "{id}: every figure is {factor:.4} times what was held, which is another base or unit"
        );
        if is_whole {
            return Some(what);
        }
        rows.clear();
        return Some(format!(
            "{what}, and not the whole history: left out; --replace puts it in"
        ));
    }
    let older = drop_older(held, rows)?;
    Some(format!("{id}: {older}; --replace puts them in"))
}

impl ImportReport {
    fn summary(&self) -> String {
        format!(
            "{} series with {} figures out of {} files: {} new, {} revised; {} refused.",
            self.series,
            self.rows,
            self.files,
            self.written.added,
            self.written.revised,
            self.errors.len()
        )
    }
}

/// The CSV files of a folder, by name; a path to a file is that file.
fn csv_files(path: &Path) -> Result<Vec<PathBuf>> {
    let unlisted = |e: io::Error| Error::bad_file(shown(path), format!("cannot be listed: {e}"));
    if !std::fs::metadata(path).map_err(unlisted)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = crate::disk::entries(path).map_err(unlisted)?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        let ending = file.extension().unwrap_or_default();
        ending.eq_ignore_ascii_case("csv") && !name.starts_with(b".") && !file.is_dir()
    });
    if files.is_empty() {
        return Err(Error::bad_file(shown(path), "holds no .csv file"));
    }
    Ok(files)
}

/// What all files together say.
#[derive(Default)]
struct Gathered {
    /// Each with the file it came from first.
    series: BTreeMap<SeriesId, (String, Column)>,
    titles: Vec<Description>,
    refused: BTreeSet<SeriesId>,
    errors: Vec<Error>,
}

fn gather(files: &[PathBuf], progress: &mut Progress) -> Result<Gathered> {
    progress.start("reading files", files.len());
    let mut all = Gathered::default();
    let mut rows = 0;
    for path in files {
        let name = shown(path);
        progress.step(&name);
        let before = all.errors.len();
        let came = all.read(path, &name).unwrap_or_else(|error| {
            all.errors.push(error);
            0
        });
        rows += came;
        if rows > MAX_IMPORT_ROWS {
            let problem = format!(
                "with this file the import holds more than {MAX_IMPORT_ROWS} figures; import the folder in parts"
            );
            return Err(Error::bad_file(&name, problem));
        }
        let result = match all.errors.get(before) {
            Some(error) => Err(error.to_string()),
            None => Ok(format!("{came} figures")),
        };
        progress.done(&name, result);
    }
    all.series.retain(|id, _| !all.refused.contains(id));
    Ok(all)
}

impl Gathered {
    /// Takes what a file holds; how many figures or titles those are.
    fn read(&mut self, path: &Path, name: &str) -> Result<usize> {
        let unreadable = |e: io::Error| Error::bad_file(name, format!("cannot be read: {e}"));
        let broken = |broken: Broken| bad_line(name, broken);
        let mut bytes = Vec::new();
        disk::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_FILE_BYTES {
            let problem = format!("is larger than {} MiB; split it", MAX_FILE_BYTES >> 20);
            return Err(Error::bad_file(name, problem));
        }
        if titles::is_list(&bytes) {
            let titles = titles::read(&bytes).map_err(broken)?;
            self.titles.extend_from_slice(&titles);
            return Ok(titles.len());
        }
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        let mut columns = table::read(&bytes, stem.as_deref()).map_err(broken)?;
        columns.retain(|c| !c.rows.is_empty() || c.broken.is_some());
        if columns.is_empty() {
            return Err(Error::bad_file(name, "holds no figures"));
        }
        let came = columns.iter().map(|c| c.rows.len()).sum();
        columns.into_iter().for_each(|c| self.take(name, c));
        Ok(came)
    }

    fn take(&mut self, file: &str, mut column: Column) {
        let id = column.id.clone();
        let known = Catalogue::embedded().get(id.as_str());
        if known.is_some_and(|info| info.is_composite()) {
            let problem = format!("{id} is computed here and cannot be imported");
            self.errors.push(Error::bad_file(file, problem));
            return;
        }
        let earlier = self.series.remove(&id);
        let merged = match (column.broken.take(), earlier) {
            (Some(broken), _) => Err(broken),
            (None, None) => Ok((file.to_owned(), column)),
            (None, Some(earlier)) => merge(earlier, column.rows),
        };
        match merged {
            Ok(series) => drop(self.series.insert(id, series)),
            Err(Broken { line, problem }) => {
                let problem = format!("{problem}; nothing of {id} was imported");
                self.errors.push(bad_line(file, Broken { line, problem }));
                self.refused.insert(id);
            }
        }
    }
}

/// Puts a second file's rows to the first one's.
fn merge(
    (file, mut column): (String, Column),
    rows: Vec<Row>,
) -> std::result::Result<(String, Column), Broken> {
    for row in &rows {
        let twin = column.rows.binary_search_by_key(&row.key(), Row::key);
        let twin = twin.ok().and_then(|i| column.rows.get(i));
        if let Some(twin) = twin.filter(|twin| twin.value != row.value) {
            let problem = format!(
                "{} for {}, but {} on line {} of {file}",
                row.figure(),
                row.date,
                twin.figure(),
                twin.line
            );
            return Err(Broken {
                line: row.line,
                problem,
            });
        }
    }
    column.rows.extend(rows);
    column.rows.sort_by_key(Row::key);
    column.rows.dedup_by_key(|row| row.key());
    Ok((file, column))
}

/// What is wrong with a line of a file.
fn bad_line(file: &str, Broken { line, problem }: Broken) -> Error {
    Error::bad_line(file, line.into(), problem)
}

#[cfg(test)]
mod tests;

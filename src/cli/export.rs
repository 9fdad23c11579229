//! `econoscope export`: what the store holds as plain tables, in CSV files or one SQLite file.

use super::output::report;
use crate::app;
use crate::config::{Config, Export};
use anyhow::{Context as _, Result};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Error;
use econoscope_core::indicators::prose::join;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, SeriesInfo, calendar};
use econoscope_data::disk;
use econoscope_desk::{Audience, Desk};
use jiff::ToSpan;
use rusqlite::{Connection, params_from_iter};
use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes observations, series and releases into a folder. Figures that may not be passed on are left out and named.
///
/// # Errors
/// When the store cannot be read, a series is unknown, or the folder cannot be written.
pub(super) fn export(config: &Config, options: &Export) -> Result<()> {
    let store = app::open_store(config, false)?;
    let desk = app::open_desk(store, config, None, Audience::Public)?;
    let mut withheld = Vec::new();
    let mut infos = Vec::new();
    for info in requested(&desk, &options.series)? {
        match desk.check_permitted(&info) {
            Ok(()) => infos.push(info),
            Err(Error::NotPermitted { .. }) => withheld.push(info.id.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    create_dir_all(&options.folder).context("cannot create the folder")?;
    let mut tables = Tables::create(&options.folder, &options.format)?;
    let count = write_observations(&desk, &infos, &mut tables)?;
    write_series(&infos, &mut tables)?;
    write_releases(&desk, &mut tables)?;
    tables.finish()?;
    let count_series = infos.len();
    report(&format!("{count} figures of {count_series} series"));
    if !withheld.is_empty() {
        let list = join(withheld, ", ");
        report(&format!("left out, as they may not be passed on: {list}"));
    }
    Ok(())
}

/// Returns the series of `--series`, or all that are stored; of a composite the figures are computed.
fn requested(desk: &Desk, names: &[String]) -> Result<Vec<Arc<SeriesInfo>>> {
    let stored = desk.store().status()?;
    let all = stored
        .iter()
        .filter(|_| names.is_empty())
        .map(|status| status.id.as_str());
    let chosen = all.chain(names.iter().map(String::as_str));
    let infos = chosen.map(|name| desk.resolve("series", name));
    Ok(infos.collect::<econoscope_core::Result<_>>()?)
}

fn write_observations(
    desk: &Desk,
    infos: &[Arc<SeriesInfo>],
    tables: &mut Tables,
) -> Result<usize> {
    tables.begin("observations", "series_id date value known_from source")?;
    let mut count = 0;
    for info in infos {
        let id = info.id.as_str();
        let Some(vintages) = desk.store().read(&info.id)? else {
            let computed = desk.series(info, AsOf::Latest)?;
            for row in computed.iter().flat_map(|series| &series.observations) {
                let [date, value] = [row.date.to_string(), row.value.to_string()];
                tables.row(&[id, &date, &value, "", &info.source])?;
                count += 1;
            }
            continue;
        };
        let dates = vintages.rows().chunk_by(|a, b| a.date == b.date);
        // A figure that a first load brought before its vintages is followed by the note that it was not out yet.
        let published = dates.flat_map(|rows| match rows {
            [loaded, note, later @ ..] if loaded.known_from.is_none() && note.value.is_none() => {
                later
            }
            [withdrawn, later @ ..] if withdrawn.value.is_none() => later,
            rows => rows,
        });
        for row in published {
            let value = row
                .value
                .map_or_else(String::new, |value| value.to_string());
            let known = row
                .known_from
                .map_or_else(String::new, |day| day.to_string());
            tables.row(&[id, &row.date.to_string(), &value, &known, &info.source])?;
            count += 1;
        }
    }
    Ok(count)
}

fn write_series(infos: &[Arc<SeriesInfo>], tables: &mut Tables) -> Result<()> {
    let columns = "series_id title units frequency category source rights release";
    tables.begin("series", columns)?;
    for info in infos {
        let release = Catalogue::release_of(info).map_or("", |release| release.name.as_str());
        let [frequency, rights] = [info.frequency.word(), info.rights.word()];
        let id = info.id.as_str();
        tables.row(&[
            id,
            &info.title,
            &info.units,
            frequency,
            &info.category,
            &info.source,
            rights,
            release,
        ])?;
    }
    Ok(())
}

/// Writes the releases of the year before and the year after today, each with the day on which its announcement was read.
fn write_releases(desk: &Desk, tables: &mut Tables) -> Result<()> {
    tables.begin("releases", "release agency period day announced")?;
    let today = desk.today();
    let announced = desk.announced_days(AsOf::Latest)?;
    for release in calendar::releases() {
        let [from, to] = [shift(today, (-1).year()), shift(today, 1.year())];
        for due in announced.scheduled(release, from, to) {
            let read = due
                .announced
                .map_or_else(String::new, |day| day.read.to_string());
            let [period, day] = [due.period, due.day].map(|day| day.to_string());
            tables.row(&[&release.name, &release.agency, &period, &day, &read])?;
        }
    }
    Ok(())
}

/// The tables of one export, written one after the other.
struct Tables {
    folder: PathBuf,
    csv: Option<csv::Writer<File>>,
    sqlite: Option<Connection>,
    insert: String,
}

impl Tables {
    fn create(folder: &Path, format: &str) -> Result<Self> {
        let path = folder.join("econoscope.sqlite");
        let sqlite = (format == "sqlite").then(|| -> Result<Connection> {
            let problem = || format!("cannot create {}", disk::format_path(&path));
            // One export is not mixed with another.
            drop(File::create_new(&path).with_context(problem)?);
            let file = Connection::open(&path)?;
            file.execute_batch("BEGIN")?;
            Ok(file)
        });
        Ok(Self {
            folder: folder.to_owned(),
            csv: None,
            sqlite: sqlite.transpose()?,
            insert: String::new(),
        })
    }

    /// Begins a table with these columns, of which `value` has numbers and all others text.
    fn begin(&mut self, name: &str, columns: &str) -> Result<()> {
        let Some(file) = &self.sqlite else {
            let mut table = csv::Writer::from_path(self.folder.join(format!("{name}.csv")))?;
            table.write_record(columns.split(' '))?;
            let former = self.csv.replace(table);
            return Ok(former.map_or(Ok(()), |mut former| former.flush())?);
        };
        let typed = columns.split(' ').map(|column| match column {
            "value" => "value REAL".to_owned(),
            other => format!("{other} TEXT"),
        });
        file.execute_batch(&format!("CREATE TABLE {name} ({})", join(typed, ", ")))?;
        let marks = join(columns.split(' ').map(|_| "?"), ", ");
        self.insert = format!("INSERT INTO {name} VALUES ({marks})");
        Ok(())
    }

    /// Writes a row; an empty cell is NULL.
    fn row(&mut self, cells: &[&str]) -> Result<()> {
        if let Some(file) = &self.sqlite {
            let values = cells
                .iter()
                .map(|cell| Some(*cell).filter(|cell| !cell.is_empty()));
            file.prepare_cached(&self.insert)?
                .execute(params_from_iter(values))?;
        } else if let Some(table) = &mut self.csv {
            table.write_record(cells)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        if let Some(file) = self.sqlite {
            file.execute_batch("COMMIT")?;
        }
        Ok(self.csv.map_or(Ok(()), |mut table| table.flush())?)
    }
}

//! Real figures for tests: the CSV files of `data/series`, read under the catalogue's descriptions.

use super::composite::{Composite, Computation, with_latest_reading};
use crate::catalogue::Catalogue;
use crate::model::DateRange;
use crate::model::{
    Date, Observation, Rights, Series, SeriesSet, SeriesVintages, VintageObservation, Vintages,
    release, vintages,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/series");
/// A free series without a file in `data/series`.
const ABSENT: [&str; 1] = ["NFCICREDIT"];

/// Loads series from their files; those without a file, most of which may not be redistributed, are left out.
pub(crate) fn load(ids: &[&str]) -> SeriesSet {
    ids.iter().filter_map(|id| read(id)).map(Arc::new).collect()
}

fn read(id: &str) -> Option<Series> {
    let info = Catalogue::embedded()
        .get(id)
        .unwrap_or_else(|| panic!("{id} is not in the catalogue"));
    if info.rights == Rights::FetchOnly || ABSENT.contains(&id) {
        return None;
    }
    let text = std::fs::read_to_string(format!("{FOLDER}/{id}.csv"))
        .unwrap_or_else(|e| panic!("{id}: {e}"));
    let row = |line: &str| {
        let mut cells = line.split(',').skip(1);
        let date = cells.next().unwrap();
        let value = cells.next().unwrap();
        Observation::new(date.parse().unwrap(), value.parse().unwrap())
    };
    Some(Series::new(
        info.clone(),
        text.lines().skip(1).map(row).collect(),
    ))
}

/// Returns a series of the catalogue with these figures.
pub(crate) fn series(id: &str, rows: &[(Date, f64)]) -> Series {
    let info = Catalogue::embedded().get(id).unwrap().clone();
    let observations = rows.iter().map(|&(d, v)| Observation::new(d, v));
    Series::new(info, observations.collect())
}

/// Inserts a series with the figures of another, for series that are not free.
pub(crate) fn stand_in(set: &mut SeriesSet, id: &str, from: &str) {
    let info = Catalogue::embedded().get(id).unwrap().clone();
    let observations = set.get(from).unwrap().observations.clone();
    set.insert(Arc::new(Series::new(info, observations)));
}

/// Returns what was known on `day`, by the publication lags of the catalogue.
pub(crate) fn as_of(set: &SeriesSet, day: Date) -> SeriesSet {
    let known = |s: &Arc<Series>| {
        let rows = s
            .observations
            .iter()
            .map(|o| VintageObservation::new(o, None));
        let seen = Vintages::new(rows.collect()).as_of(day, |date| s.info.publication_day(date));
        Arc::new(Series::new(s.info.clone(), seen))
    };
    set.iter().map(known).collect()
}

/// Returns every recorded value of the series: the vintages of `data/vintages` beside the figures of `data/series`.
pub(crate) fn recorded(ids: &[&str]) -> Vec<SeriesVintages> {
    let beside = |id: &&str| {
        let Series {
            info, observations, ..
        } = read(id).unwrap();
        let undated = observations
            .iter()
            .map(|o| VintageObservation::new(o, None));
        let today = Vintages::new(undated.collect());
        let mut rows = vintages::merge_with_latest(&info, &today, &monthly(id));
        rows.extend(today.rows());
        SeriesVintages {
            info,
            vintages: Arc::new(Vintages::new(rows)),
        }
    };
    ids.iter().map(beside).collect()
}

/// Reads a file of vintages, each row known from the release day of its month; empty without a file.
fn monthly(id: &str) -> Vec<VintageObservation> {
    let text =
        std::fs::read_to_string(format!("{FOLDER}/../vintages/{id}.csv")).unwrap_or_default();
    let row = |line: &str| -> (Date, Option<f64>, Date) {
        let cells: Vec<&str> = line.split(',').collect();
        let month = format!("{}-01", &cells[2][..7]);
        (
            cells[0].parse().unwrap(),
            cells[1].parse().ok(),
            month.parse().unwrap(),
        )
    };
    let rows: Vec<_> = text.lines().skip(1).map(row).collect();
    let mut changed: BTreeMap<Date, DateRange> = BTreeMap::new();
    for (date, _, month) in rows.iter().filter(|r| r.1.is_some()) {
        let range = changed
            .entry(*month)
            .or_insert(DateRange::new(*date, *date));
        range.start = range.start.min(*date);
        range.end = range.end.max(*date);
    }
    let info = Catalogue::embedded().get(id).map(Arc::as_ref);
    let known = |&(date, value, month): &(Date, Option<f64>, Date)| VintageObservation {
        date,
        known_from: Some(release::known_from_day(
            info,
            month,
            changed.get(&month).copied(),
        )),
        value,
    };
    rows.iter().map(known).collect()
}

/// Returns what was known of the series on `day`, by the vintages of the bundled history.
pub(crate) fn known(ids: &[&str], day: Date) -> SeriesSet {
    let known = |r: SeriesVintages| {
        let known = r.vintages.as_of(day, |date| r.info.publication_day(date));
        Arc::new(Series::new(r.info, known))
    };
    recorded(ids).into_iter().map(known).collect()
}

/// Returns the series without rows after `day`.
pub(crate) fn stamped_up_to(set: &SeriesSet, day: Date) -> SeriesSet {
    let cut = |s: &Arc<Series>| {
        let rows = s.observations.iter().copied().filter(|o| o.date <= day);
        Arc::new(Series::new(s.info.clone(), rows.collect()))
    };
    set.iter().map(cut).collect()
}

/// Returns the whole history of a composite up to a day; of real-time composites by the usual publication lags.
pub(crate) fn history(composite: &Composite, set: &SeriesSet, day: Date) -> Vec<Observation> {
    match composite.computation {
        Computation::RealTime { path, .. } => {
            with_latest_reading(path(&undated(set), day), &composite.reading(set, day))
        }
        Computation::Blend(_) | Computation::Formula { .. } => composite.history(set, day),
    }
}

/// Converts a set to records without days of knowledge, which count from their usual publication lag.
fn undated(set: &SeriesSet) -> Vec<SeriesVintages> {
    let recorded = |series: &Arc<Series>| {
        let rows = series
            .observations
            .iter()
            .map(|o| VintageObservation::new(o, None));
        SeriesVintages {
            info: Arc::clone(&series.info),
            vintages: Arc::new(Vintages::new(rows.collect())),
        }
    };
    set.iter().map(recorded).collect()
}

//! Real figures for tests: the CSV files beside the project, read under the catalogue's descriptions.

use crate::model::{Catalogue, Date, Known, Observation, Series, SeriesSet, Vintages};
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/series");

/// The series of those identifiers that there are files of; `None`, said aloud, without the folder.
pub(crate) fn load(ids: &[&str]) -> Option<SeriesSet> {
    if !std::path::Path::new(FOLDER).is_dir() {
        println!("skipped: ../shared/data/series is not there");
        return None;
    }
    Some(ids.iter().filter_map(|id| read(id)).map(Arc::new).collect())
}

fn read(id: &str) -> Option<Series> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{id}.csv")).ok()?;
    let info = Catalogue::embedded()
        .get(id)
        .unwrap_or_else(|| panic!("{id} is not in the catalogue"));
    let row = |line: &str| {
        let mut cells = line.split(',').skip(1);
        let (date, value) = (cells.next().unwrap(), cells.next().unwrap());
        Observation::new(date.parse().unwrap(), value.parse().unwrap())
    };
    Some(Series::new(
        info.clone(),
        text.lines().skip(1).map(row).collect(),
    ))
}

/// Puts a series into the set with another's figures: real ups and downs where the real ones are not free.
pub(crate) fn stand_in(set: &mut SeriesSet, id: &str, from: &str) {
    let info = Catalogue::embedded().get(id).unwrap().clone();
    let observations = set.get(from).unwrap().observations.clone();
    set.insert(Arc::new(Series::new(info, observations)));
}

/// What was known of the series on `day`, by the catalogue's lags.
pub(crate) fn as_of(set: &SeriesSet, day: Date) -> SeriesSet {
    let known = |s: &Arc<Series>| {
        let rows = s.observations.iter().map(|o| Known {
            date: o.date,
            known_from: None,
            value: o.value,
        });
        let seen =
            Vintages::new(rows.collect()).as_of(day, s.info.frequency, s.info.publication_lag_days);
        Arc::new(Series::new(s.info.clone(), seen))
    };
    set.iter().map(known).collect()
}

/// The series without rows stamped after `day`.
pub(crate) fn stamped_up_to(set: &SeriesSet, day: Date) -> SeriesSet {
    let cut = |s: &Arc<Series>| {
        let rows = s.observations.iter().copied().filter(|o| o.date <= day);
        Arc::new(Series::new(s.info.clone(), rows.collect()))
    };
    set.iter().map(cut).collect()
}

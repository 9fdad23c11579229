//! `fredgraph.csv`, the download behind FRED's charts: no key, one series per request (SOURCES 1).

use super::super::fetch::{Answer, CSV};
use super::super::table::{self, Dates};
use super::{Fred, address, not_carried, page, unusable};
use crate::error::Result;
use crate::model::{Date, Observation, SeriesId};

pub(super) async fn observations(
    fred: &Fred,
    id: &SeriesId,
    from: Option<Date>,
) -> Result<Vec<Observation>> {
    let start = from.map(|day| day.to_string());
    let mut query = vec![("id", id.as_str())];
    query.extend(start.as_deref().map(|day| ("cosd", day)));
    let path = ["graph", "fredgraph.csv"];
    let url = address(&fred.settings.download_url, &path, &query)?;
    let answer = fred.fetch.get(&url, CSV, |_| false).await?;
    read(id, &answer)
}

/// Reads an answer, or says why it is none.
pub(super) fn read(id: &SeriesId, answer: &Answer) -> Result<Vec<Observation>> {
    if answer.status == 404 {
        return Err(not_carried(id));
    }
    if answer.is_page() {
        return Err(page(id, answer));
    }
    if !answer.is_success() {
        return Err(unusable(id, &format!("HTTP {}", answer.status)));
    }
    if answer.body.starts_with(b"PK") {
        return Err(unusable(id, "it is a ZIP archive"));
    }
    if table::is_cut_off(&answer.body) {
        return Err(unusable(id, "it breaks off in its last line"));
    }
    let columns = table::read(&answer.body, None, Dates::Iso)
        .map_err(|broken| unusable(id, &format!("line {}: {}", broken.line, broken.problem)))?;
    let [column] = columns.as_slice() else {
        return Err(unusable(id, "it holds more than one series"));
    };
    if column.id != *id {
        return Err(unusable(id, &format!("it is of {}", column.id)));
    }
    match &column.broken {
        Some(broken) => Err(unusable(
            id,
            &format!("line {}: {}", broken.line, broken.problem),
        )),
        None => Ok(column.observations()),
    }
}

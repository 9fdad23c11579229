//! FRED, the database of the St. Louis Fed: with a key its JSON API, without one the CSV download.
//!
//! Both give the same figures. Only the API knows what was known when (vintages) and describes a series.
//! This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.

mod api;
mod vintages;

use super::SourceSettings;
use crate::ingest::fetch::{CSV, Fetch, Response};
use crate::ingest::key::ApiKey;
use crate::ingest::pace::PaceSettings;
use crate::ingest::table::{self, Column};
use api::{address, not_carried};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, Known, SeriesId};
use url::Url;

/// A client of FRED.
///
/// What it is asked fails with [`econoscope_core::Error::NoData`] when FRED does not carry the series, with
/// [`econoscope_core::Error::RateLimited`] and [`econoscope_core::Error::Unavailable`] when it gives no usable answer, and with
/// [`econoscope_core::Error::InvalidParam`] when it refuses the key, or lacks one that it needs.
pub(in crate::ingest) struct Fred {
    home: Url,
    fetch: Fetch,
    /// The key to the API; without one the download is asked.
    key: Option<ApiKey>,
}

impl Fred {
    /// A client as the settings say; nothing is sent yet.
    pub(in crate::ingest) fn open(settings: &SourceSettings) -> Result<Self> {
        let (home, name, pace) = match &settings.key {
            Some(_) => {
                let home = settings.address("fred api", "https://api.stlouisfed.org")?;
                (home, "fred api", PaceSettings::API)
            }
            None => (settings.fred()?, "fred", PaceSettings::DOWNLOADS),
        };
        Ok(Self {
            home,
            fetch: settings.fetch(name, "FRED", pace, &[])?,
            key: settings.key.clone(),
        })
    }

    /// Figures of a series from a day on (`None` = all, and FRED may give more), by date and one for each; missing
    /// values are absent.
    pub(in crate::ingest) async fn figures(
        &self,
        id: &SeriesId,
        from: Option<Date>,
    ) -> Result<Vec<Known>> {
        match &self.key {
            Some(_) => self.ask_figures(id, from).await,
            None => self.download(id, from).await,
        }
    }

    /// Asks `fredgraph.csv`, the download behind FRED's charts: no key, one series per request
    /// (docs/SOURCES.md#fred-download).
    async fn download(&self, id: &SeriesId, from: Option<Date>) -> Result<Vec<Known>> {
        let start = from.map(|day| day.to_string());
        let mut query = vec![("id", id.as_str())];
        query.extend(start.as_deref().map(|day| ("cosd", day)));
        let url = address(&self.home, &["graph", "fredgraph.csv"], &query)?;
        let request = self.fetch.get(url, CSV);
        let answer = self.fetch.send(request, |_| false).await?;
        if answer.status == 404 {
            return Err(not_carried(id));
        }
        read(id, &answer).map_err(|problem| self.fetch.unusable(id.as_str(), &problem))
    }
}

/// Reads an answer, or says why it is none: a single bad row refuses all of it.
fn read(id: &SeriesId, answer: &Response) -> std::result::Result<Vec<Known>, String> {
    if let Some(problem) = answer.problem() {
        return Err(problem);
    }
    if answer.body.starts_with(b"PK") {
        return Err("it is a ZIP archive".to_owned());
    }
    let columns = table::read(&answer.body, None)?;
    if let Some(broken) = columns.iter().find_map(|column| column.broken.clone()) {
        return Err(broken.into());
    }
    match columns.as_slice() {
        [column] if column.id == *id => Ok(column.known(None)),
        [Column { id, .. }] => Err(format!("it is of {id}")),
        _ => Err("it holds more than one series".to_owned()),
    }
}

#[cfg(test)]
mod tests;

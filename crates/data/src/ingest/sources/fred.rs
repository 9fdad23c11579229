//! FRED, the database of the St. Louis Fed: its JSON API with a key, its CSV download without one.
//!
//! Both have the same figures; only the API has vintages and titles.
//! This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.

mod api;
mod vintages;

use super::SourceSettings;
use crate::ingest::fetch::{CSV, HttpClient, Response};
use crate::ingest::key::ApiKey;
use crate::ingest::pace::PaceSettings;
use crate::ingest::table;
use api::{not_on_fred, url_with};
use econoscope_core::error::Result;
use econoscope_core::model::{Date, SeriesId, VintageObservation};
use url::Url;

/// A client of FRED.
///
/// Its requests fail with [`econoscope_core::Error::NoData`] when FRED does not have the series, with
/// [`econoscope_core::Error::RateLimited`] or [`econoscope_core::Error::Unavailable`] without a usable response, and
/// with [`econoscope_core::Error::InvalidParam`] when the key is refused, or missing where one is needed.
pub(in crate::ingest) struct Fred {
    base: Url,
    client: HttpClient,
    /// The key of the API; without one the download is used.
    key: Option<ApiKey>,
}

impl Fred {
    /// Creates a client; sends nothing.
    pub(in crate::ingest) fn open(settings: &SourceSettings) -> Result<Self> {
        let (name, address, pace) = match &settings.key {
            Some(_) => ("fred api", "https://api.stlouisfed.org", PaceSettings::API),
            None => (
                "fred",
                "https://fred.stlouisfed.org",
                PaceSettings::DOWNLOADS,
            ),
        };
        Ok(Self {
            base: match settings.addresses.get(name) {
                Some(base) => base.clone(),
                None => settings.url(name, address)?,
            },
            client: HttpClient::new(settings, name, "FRED", pace, &[])?,
            key: settings.key.clone(),
        })
    }

    /// Fetches the figures of a series from a day on (`None` = all; FRED may send more), one for each date, without
    /// missing values.
    pub(in crate::ingest) async fn figures(
        &self,
        id: &SeriesId,
        from: Option<Date>,
    ) -> Result<Vec<VintageObservation>> {
        if self.key.is_some() {
            return self.figures_from_api(id, from).await;
        }
        // The download behind FRED's charts has one series per request (docs/SOURCE-NOTES.md#fred-download).
        let start = from.map(|day| day.to_string());
        let mut query = vec![("id", id.as_str())];
        query.extend(start.as_deref().map(|day| ("cosd", day)));
        let url = url_with(&self.base, &["graph", "fredgraph.csv"], &query)?;
        let request = self.client.get(url, CSV);
        let response = self.client.send(request, |_| false).await?;
        if response.status == 404 {
            return Err(not_on_fred(id));
        }
        parse_download(id, &response).map_err(|problem| self.client.unusable(id.as_str(), &problem))
    }
}

/// Parses a download. A single bad row refuses all of it.
fn parse_download(
    id: &SeriesId,
    response: &Response,
) -> std::result::Result<Vec<VintageObservation>, String> {
    if let Some(problem) = response.problem() {
        return Err(problem);
    }
    if response.body.starts_with(b"PK") {
        return Err("it is a ZIP archive".to_owned());
    }
    let parsed = table::parse(&response.body, None).map_err(|e| e.to_string())?;
    let [column] = parsed.columns.as_slice() else {
        return Err("it holds more than one series".to_owned());
    };
    match &column.rows {
        Err(error) => Err(error.to_string()),
        Ok(rows) if column.id == *id => Ok(table::to_known(rows, None)),
        Ok(_) => Err(format!("it is of {}", column.id)),
    }
}

#[cfg(test)]
mod tests;

//! FRED, the database of the St. Louis Fed: with a key its JSON API, without one the CSV download.
//!
//! Both give the same figures. Only the API knows what was known when (vintages) and describes a series.
//! This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.

mod api;
mod graph;
mod rows;
mod vintages;

pub use api::Metadata;

use super::fetch::{Answer, Fetch, Timeouts, client, unavailable};
use super::key::{self, ApiKey};
use super::pace::PaceSettings;
use crate::error::{Error, Result, quote};
use crate::model::frequency::shift;
use crate::model::{Date, Known, Observation, SeriesId};
use jiff::ToSpan;
use url::Url;

/// Where FRED is and how it is asked.
#[derive(Debug, Clone)]
pub struct FredSettings {
    /// Home of `graph/fredgraph.csv`.
    pub download_url: Url,
    /// Home of `fred/series/…`.
    pub api_url: Url,
    /// With a key the API is asked, without one the download.
    pub key: Option<ApiKey>,
    /// Mail address or page for `User-Agent`, so that FRED can tell who asks.
    pub contact: Option<String>,
    /// Speed; `None` = two requests a second with a key, one without.
    pub pace: Option<PaceSettings>,
    /// Patience with the network.
    pub timeouts: Timeouts,
}

impl FredSettings {
    /// FRED itself, with or without a key.
    ///
    /// # Errors
    /// None in practice: the addresses are fixed.
    pub fn new(key: Option<ApiKey>) -> Result<Self> {
        let url = |text: &str| Url::parse(text).map_err(|e| Error::internal("FRED's address", e));
        Ok(Self {
            download_url: url("https://fred.stlouisfed.org")?,
            api_url: url("https://api.stlouisfed.org")?,
            key,
            contact: None,
            pace: None,
            timeouts: Timeouts::default(),
        })
    }
}

/// A client of FRED.
#[derive(Debug)]
pub struct Fred {
    settings: FredSettings,
    fetch: Fetch,
}

impl Fred {
    /// Sets the client up; nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up; [`Error::InvalidParam`] for a contact no header can carry.
    pub fn new(settings: FredSettings) -> Result<Self> {
        let client = client(settings.timeouts, settings.contact.as_deref())?;
        let pace = match (&settings.pace, &settings.key) {
            (Some(pace), _) => *pace,
            (None, Some(_)) => PaceSettings::API,
            (None, None) => PaceSettings::DOWNLOADS,
        };
        let fetch = Fetch::new("FRED", client, pace);
        Ok(Self { settings, fetch })
    }

    /// Figures of a series, from `from` on or all of them.
    /// Shape: ascending, one per date; missing values and dates after tomorrow (projections) are absent.
    ///
    /// # Errors
    /// [`Error::NoData`] when FRED does not carry the series, [`Error::RateLimited`] and
    /// [`Error::Unavailable`] when it gives no usable answer, [`Error::InvalidParam`] when it refuses the key.
    pub async fn observations(
        &self,
        id: &SeriesId,
        from: Option<Date>,
        today: Date,
    ) -> Result<Vec<Observation>> {
        let mut observations = match &self.settings.key {
            Some(key) => api::observations(self, key, id, from).await?,
            None => graph::observations(self, id, from).await?,
        };
        let tomorrow = shift(today, 1.day());
        observations.retain(|o| o.date <= tomorrow);
        Ok(observations)
    }

    /// What FRED says about a series. Needs a key.
    ///
    /// # Errors
    /// As [`Self::observations`]; [`Error::InvalidParam`] without a key.
    pub async fn metadata(&self, id: &SeriesId) -> Result<Metadata> {
        api::metadata(self, self.key()?, id).await
    }

    /// Every figure FRED ever published for a series, with the day it was published. Needs a key.
    /// Shape: ordered by `known_from`, then date; a figure that only repeats is left out. What stands in
    /// the first vintage may have been published long before the archive began.
    ///
    /// # Errors
    /// As [`Self::observations`]; [`Error::InvalidParam`] without a key.
    pub async fn vintages(&self, id: &SeriesId, today: Date) -> Result<Vec<Known>> {
        let mut rows = vintages::vintages(self, self.key()?, id).await?;
        let tomorrow = shift(today, 1.day());
        rows.retain(|row| row.date <= tomorrow);
        Ok(rows)
    }

    /// Whether there is a key, and with it metadata and vintages.
    pub fn has_key(&self) -> bool {
        self.settings.key.is_some()
    }

    fn key(&self) -> Result<&ApiKey> {
        let missing = || key::refused("is missing, and this needs one");
        self.settings.key.as_ref().ok_or_else(missing)
    }
}

/// `base` with path segments and a query added, each escaped.
fn address(base: &Url, path: &[&str], query: &[(&str, &str)]) -> Result<Url> {
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| Error::invalid("base URL", base.as_str(), "cannot have a path", "http(s)"))?
        .pop_if_empty()
        .extend(path);
    url.query_pairs_mut().extend_pairs(query);
    Ok(url)
}

fn not_carried(id: &SeriesId) -> Error {
    Error::NoData {
        what: id.to_string(),
        reason: "FRED does not carry a series of this name; check the spelling, or import a file"
            .to_owned(),
    }
}

/// A page where figures were asked for: a notice, a block, a proxy's login.
fn page(id: &SeriesId, answer: &Answer) -> Error {
    unavailable(format!(
        "FRED answered {id} with a web page instead of figures (HTTP {}). A proxy or a notice stands in the way, or FRED refuses this client; try again later.",
        answer.status
    ))
}

fn unusable(id: &SeriesId, problem: &str) -> Error {
    unavailable(format!(
        "FRED's answer for {id} cannot be used: {problem}. Try again later."
    ))
}

/// A foreign text that may enter a message: cleaned, cut, without the key.
fn foreign(text: &str, key: &ApiKey) -> String {
    quote(&key.scrub(text))
}

/// The door of [`super::fuzz::fred`].
#[cfg(fuzzing)]
pub(super) fn fuzz(answer: &Answer) {
    let (Ok(id), Ok(key)) = (
        SeriesId::new("DGS10"),
        ApiKey::new("0123456789abcdef0123456789abcdef"),
    ) else {
        return;
    };
    let _ = graph::read(&id, answer);
    let _ = api::read::<Metadata>(&key, &id, answer).map(|m| m.frequency());
    let mut told = Vec::new();
    let figures = api::figures(&key, &id, answer, &mut |item| {
        let _ = item.read(&id);
        told.push(format!("{item:?}"));
        Ok(())
    });
    if let Ok(page) = api::read::<rows::Page>(&key, &id, answer) {
        let parsed: Vec<String> = page.observations.iter().map(|i| format!("{i:?}")).collect();
        assert!(figures.is_ok() && told == parsed, "two readings");
    }
    if let Err(error) = api::read::<rows::Page>(&key, &id, answer) {
        assert!(!error.to_string().contains("0123456789abcdef"), "the key");
    }
}

#[cfg(test)]
mod tests;

//! FRED's JSON API, version 1 (docs/SOURCE-NOTES.md#fred-api): figures page by page, vintages and titles.

use super::Fred;
use super::vintages::{FOREVER, VintageRow, changes_only, request_ranges};
use crate::ingest::cells::Notation;
use crate::ingest::fetch::Response;
use crate::ingest::key::{self, ApiKey};
use crate::ingest::titles;
use crate::store::Description;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::model::{Date, Observation, SeriesId, VintageObservation};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

/// The lists that FRED sends in pages.
const OBSERVATIONS: &str = "observations";
const VINTAGE_DATES: &str = "vintagedates";
/// The parameter of the key, which a message about it names.
const KEY: &str = "api_key";
/// Pages after which a response is taken to be endless.
const MAX_PAGES: usize = 200;

/// One page of a list.
#[derive(Debug, Deserialize)]
pub(super) struct Page<R> {
    count: usize,
    /// First day of the vintages, as FRED understood the request.
    realtime_start: String,
    #[serde(alias = "observations", alias = "vintage_dates")]
    pub(super) rows: Vec<R>,
}

/// One figure, as FRED writes it.
#[derive(Debug, Deserialize)]
pub(super) struct ObservationRow {
    realtime_start: String,
    realtime_end: String,
    date: String,
    value: String,
}

impl ObservationRow {
    pub(super) fn parse(&self) -> std::result::Result<VintageRow, String> {
        let end = Some(&self.realtime_end).filter(|text| *text != FOREVER);
        Ok(VintageRow {
            date: parse_day(&self.date)?,
            from: parse_day(&self.realtime_start)?,
            until: end.map(parse_day).transpose()?,
            value: Notation::PLAIN.figure(self.value.trim().as_bytes())?,
        })
    }
}

/// FRED's description of a series.
#[derive(Deserialize)]
struct Metadata {
    title: String,
    units: String,
    /// `D`, `W`, `M`, `Q`, `A`, and others such as `BW`.
    frequency_short: String,
    seasonal_adjustment_short: String,
}

impl Fred {
    /// Sends a request about one series.
    async fn request<T: DeserializeOwned>(
        &self,
        id: &SeriesId,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T> {
        let key = self.key.as_ref().ok_or_else(key::missing_key_error)?;
        let mut pairs = vec![("series_id", id.as_str()), ("file_type", "json")];
        pairs.extend_from_slice(query);
        pairs.push((KEY, key.expose()));
        let url = url_with(&self.base, &[&["fred", "series"], path].concat(), &pairs)?;
        let request = self.client.get(url, "application/json");
        // Under load FRED sometimes refuses a valid key, and accepts it a moment later.
        let is_transient = |response: &Response| {
            response.status == 400 && error_message(response).is_some_and(|text| text.contains(KEY))
        };
        let response = self.client.send(request, is_transient).await?;
        self.parse(id, key, &response)
    }

    pub(super) fn parse<T: DeserializeOwned>(
        &self,
        id: &SeriesId,
        key: &ApiKey,
        response: &Response,
    ) -> Result<T> {
        let parsed = serde_json::from_slice(&response.body);
        // Untrusted text may repeat the key.
        let sanitize = |text: &str| quote(&key.scrub(text));
        Err(
            match (parsed, response.problem(), error_message(response)) {
                (Ok(value), None, _) => return Ok(value),
                (_, _, Some(text)) if text.contains(KEY) => {
                    key::invalid_key_error("is not accepted by FRED")
                }
                (_, _, Some(text)) if text.contains("does not exist") => not_on_fred(id),
                (_, _, Some(text)) => {
                    let text = sanitize(text.trim());
                    self.unusable(id, &format!("HTTP {}, \"{text}\"", response.status))
                }
                (_, Some(_), None) if response.status == 404 => not_on_fred(id),
                (_, Some(problem), None) => self.unusable(id, &problem),
                // A type error of serde_json quotes the text.
                (Err(error), None, None) => self.unusable(id, &sanitize(&error.to_string())),
            },
        )
    }

    /// Returns the error for a response that cannot be used. Its text in `problem` may repeat the key.
    fn unusable(&self, id: &SeriesId, problem: &str) -> Error {
        let scrubbed = self.key.as_ref().map(|key| key.scrub(problem));
        self.client
            .unusable(id.as_str(), scrubbed.as_deref().unwrap_or(problem))
    }

    /// Fetches all pages of a list, and parses its rows, in order.
    async fn pages<R: DeserializeOwned, T>(
        &self,
        id: &SeriesId,
        list: &str,
        query: &[(&str, &str)],
        parse: fn(&R) -> std::result::Result<T, String>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        let is_of_figures = list == OBSERVATIONS;
        let limit = if is_of_figures { "100000" } else { "10000" };
        let start = query.iter().find(|(name, _)| *name == "realtime_start");
        for _ in 0..MAX_PAGES {
            let offset = rows.len().to_string();
            let page_query = [query, &[("limit", limit), ("offset", &offset)]].concat();
            let page: Page<R> = self.request(id, &[list], &page_query).await?;
            // FRED responds to a realtime range that it does not understand with today's figures, not with an error.
            if let Some((_, start)) = start.filter(|(_, start)| *start != page.realtime_start) {
                let other = quote(&page.realtime_start);
                let problem = format!("vintages from {start} were asked, from {other} came");
                return Err(self.unusable(id, &problem));
            }
            let count = page.count;
            let is_empty = page.rows.is_empty();
            for row in &page.rows {
                let number = rows.len() + 1;
                let problem = |what: String| self.unusable(id, &format!("row {number}: {what}"));
                rows.push(parse(row).map_err(problem)?);
            }
            if rows.len() >= count {
                return Ok(rows);
            }
            if is_empty {
                let problem = format!("{} rows came where {count} were announced", rows.len());
                return Err(self.unusable(id, &problem));
            }
        }
        Err(self.unusable(id, "it has too many pages"))
    }

    pub(super) async fn figures_from_api(
        &self,
        id: &SeriesId,
        from: Option<Date>,
    ) -> Result<Vec<VintageObservation>> {
        let start = from.map(|day| day.to_string());
        let query = start.as_deref().map(|day| ("observation_start", day));
        let pages = self.pages(id, OBSERVATIONS, query.as_slice(), ObservationRow::parse);
        let rows = pages.await?;
        let figures = rows.iter().filter_map(|row| {
            let figure = Observation::new(row.date, row.value?);
            Some(VintageObservation::new(&figure, None))
        });
        sort_by_date(figures.collect()).map_err(|problem| self.unusable(id, &problem))
    }

    /// Fetches every published figure, by the day on which it became known and then by date, without repetitions.
    /// Figures of the first vintage may have been published long before the archive began.
    pub(in crate::ingest) async fn vintages(
        &self,
        id: &SeriesId,
    ) -> Result<Vec<VintageObservation>> {
        let mut rows = Vec::new();
        let parse = |text: &String| parse_day(text);
        let mut days = self.pages(id, VINTAGE_DATES, &[], parse).await?;
        days.sort();
        days.dedup();
        for (start, end) in request_ranges(&days) {
            let query = [
                ("realtime_start", start.as_str()),
                ("realtime_end", end.as_str()),
            ];
            let pages = self.pages(id, OBSERVATIONS, &query, ObservationRow::parse);
            rows.append(&mut pages.await?);
        }
        Ok(changes_only(rows))
    }

    /// Fetches the description of a series; `None` without a key, or for a frequency that the model lacks (every two
    /// weeks, twice a year).
    pub(in crate::ingest) async fn describe(&self, id: &SeriesId) -> Result<Option<Description>> {
        #[derive(Deserialize)]
        struct Envelope {
            // FRED's spelling.
            seriess: Vec<Metadata>,
        }
        if self.key.is_none() {
            return Ok(None);
        }
        let envelope: Envelope = self.request(id, &[], &[]).await?;
        let metadata = envelope.seriess.first().ok_or_else(|| not_on_fred(id))?;
        Ok(metadata.frequency_short.parse().ok().map(|frequency| {
            titles::clean(Description {
                id: id.clone(),
                title: metadata.title.clone(),
                units: metadata.units.clone(),
                frequency,
                seasonally_adjusted: titles::is_adjusted(&metadata.seasonal_adjustment_short),
                source: "FRED".to_owned(),
            })
        }))
    }
}

fn error_message(response: &Response) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        error_message: String,
    }
    let body: Body = serde_json::from_slice(&response.body).ok()?;
    Some(body.error_message)
}

fn parse_day(text: impl AsRef<str>) -> std::result::Result<Date, String> {
    Notation::PLAIN.date(text.as_ref().as_bytes())
}

/// Sorts rows by date and removes duplicates.
///
/// # Errors
/// Names a date with two values.
fn sort_by_date(
    mut rows: Vec<VintageObservation>,
) -> std::result::Result<Vec<VintageObservation>, String> {
    rows.sort_by_key(|row| row.date);
    let mut pairs = rows.array_windows();
    if let Some([a, _]) = pairs.find(|[a, b]| a.date == b.date && a.value != b.value) {
        return Err(format!("two values for {}", a.date));
    }
    rows.dedup_by_key(|row| row.date);
    Ok(rows)
}

/// Returns `base` with path segments and a query added, each escaped.
pub(super) fn url_with(base: &Url, path: &[&str], query: &[(&str, &str)]) -> Result<Url> {
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| Error::invalid("base URL", base.as_str(), "cannot have a path", "http(s)"))?
        .pop_if_empty()
        .extend(path);
    url.query_pairs_mut().extend_pairs(query);
    Ok(url)
}

pub(super) fn not_on_fred(id: &SeriesId) -> Error {
    let reason = if Catalogue::embedded().get(id.as_str()).is_some() {
        "FRED does not carry it any more, or not at this address; sync again later, or import a file"
    } else {
        "FRED does not carry a series of this name; check the spelling, or import a file"
    };
    Error::no_data(id, reason)
}

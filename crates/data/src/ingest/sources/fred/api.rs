//! FRED's JSON API, version 1 (docs/SOURCES.md#fred-api): figures page by page, vintages, and what a series is called.

use super::Fred;
use super::vintages::{FOREVER, Stated, changes, stretches};
use crate::ingest::fetch::Response;
use crate::ingest::key::{self, ApiKey};
use crate::ingest::table;
use crate::ingest::titles;
use crate::store::Description;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::model::{Date, Known, SeriesId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

/// Most rows FRED gives in one page.
const PAGE_ROWS: usize = 100_000;
/// Pages after which an answer is taken to be endless.
const MAX_PAGES: usize = 200;
/// Most vintage days FRED lists in one page.
const PAGE_DAYS: usize = 10_000;

/// One page of figures.
#[derive(Debug, Deserialize)]
pub(super) struct Page {
    /// First day of the vintages it is of, as FRED understood the question.
    realtime_start: String,
    count: usize,
    pub(super) observations: Vec<Item>,
}

/// One figure as FRED writes it.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    realtime_start: String,
    realtime_end: String,
    date: String,
    value: String,
}

impl Item {
    /// The figure with the days of its vintages.
    pub(super) fn read(&self) -> std::result::Result<Stated, String> {
        let until = Some(self.realtime_end.as_str()).filter(|text| *text != FOREVER);
        Ok(Stated {
            date: day(&self.date)?,
            from: day(&self.realtime_start)?,
            until: until.map(day).transpose()?,
            value: table::value(self.value.trim().as_bytes())?,
        })
    }
}

#[derive(Deserialize)]
struct VintageDays {
    count: usize,
    vintage_dates: Vec<String>,
}

/// What FRED says about a series.
#[derive(Deserialize)]
struct Metadata {
    title: String,
    units: String,
    /// `D`, `W`, `M`, `Q`, `A`, and others such as `BW`.
    frequency_short: String,
    seasonal_adjustment_short: String,
}

impl Fred {
    /// Asks one path of the API about one series.
    async fn ask<T: DeserializeOwned>(
        &self,
        id: &SeriesId,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T> {
        let key = self.key.as_ref().ok_or_else(key::missing)?;
        let mut pairs = vec![("series_id", id.as_str()), ("file_type", "json")];
        pairs.extend_from_slice(query);
        pairs.push(("api_key", key.expose()));
        let url = address(&self.home, &[&["fred", "series"], path].concat(), &pairs)?;
        let request = self.fetch.get(url, "application/json");
        let answer = self.fetch.send(request, is_passing_refusal).await?;
        self.read(id, key, &answer)
    }

    /// Reads an answer.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        id: &SeriesId,
        key: &ApiKey,
        answer: &Response,
    ) -> Result<T> {
        let read = serde_json::from_slice(&answer.body);
        // Untrusted text is cleaned, cut, and goes without the key.
        let untrusted = |text: &str| quote(&key.scrub(text));
        Err(match (read, answer.problem(), message(answer)) {
            (Ok(read), None, _) => return Ok(read),
            (_, _, Some(said)) if names_the_key(&said) => key::refused("is not accepted by FRED"),
            (_, _, Some(said)) if said.contains("does not exist") => not_carried(id),
            (_, _, Some(said)) => {
                let said = untrusted(said.trim());
                self.unusable(id, &format!("HTTP {}, \"{said}\"", answer.status))
            }
            (_, Some(_), None) if answer.status == 404 => not_carried(id),
            (_, Some(problem), None) => self.unusable(id, &problem),
            // serde_json quotes the text it stumbles over only for type errors; the key is scrubbed all the same.
            (Err(problem), None, None) => self.unusable(id, &untrusted(&problem.to_string())),
        })
    }

    fn unusable(&self, id: &SeriesId, problem: &str) -> Error {
        self.fetch.unusable(id.as_str(), problem)
    }

    /// Every page of a list, in order; `list` takes one apart and says how many rows there are in all.
    async fn pages<T: DeserializeOwned, I>(
        &self,
        id: &SeriesId,
        (path, limit): (&str, usize),
        query: &[(&str, &str)],
        list: impl Fn(T) -> std::result::Result<(usize, Vec<I>), String>,
    ) -> Result<Vec<I>> {
        let mut rows = Vec::new();
        for _ in 0..MAX_PAGES {
            let (offset, limit) = (rows.len().to_string(), limit.to_string());
            let position = [("limit", limit.as_str()), ("offset", offset.as_str())];
            let page = self.ask(id, &[path], &[query, &position].concat()).await?;
            let (count, items) = list(page).map_err(|problem| self.unusable(id, &problem))?;
            let is_empty = items.is_empty();
            rows.extend(items);
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

    /// Every figure, in order.
    async fn observations(&self, id: &SeriesId, query: &[(&str, &str)]) -> Result<Vec<Stated>> {
        let start = query.iter().find(|(name, _)| *name == "realtime_start");
        self.pages(id, ("observations", PAGE_ROWS), query, |page: Page| {
            // FRED answers a question that it does not understand with the figures of today, and no error.
            if let Some((_, start)) = start.filter(|(_, start)| *start != page.realtime_start) {
                let found = quote(&page.realtime_start);
                return Err(format!(
                    "vintages from {start} were asked, from {found} came"
                ));
            }
            let rows: std::result::Result<_, _> =
                page.observations.iter().map(Item::read).collect();
            Ok((page.count, rows?))
        })
        .await
    }

    pub(super) async fn ask_figures(
        &self,
        id: &SeriesId,
        from: Option<Date>,
    ) -> Result<Vec<Known>> {
        let start = from.map(|day| day.to_string());
        let query: Vec<(&str, &str)> = start
            .iter()
            .map(|day| ("observation_start", day.as_str()))
            .collect();
        let stated = self.observations(id, &query).await?;
        let figure = |row: Stated| Known {
            date: row.date,
            known_from: None,
            value: row.value,
        };
        let rows = stated.into_iter().map(figure);
        by_date(rows.filter(|row| row.value.is_some()).collect())
            .map_err(|problem| self.unusable(id, &problem))
    }

    /// Every figure that was ever published, by the day it became known, then by date, without those that only repeat;
    /// what stands in the first vintage may have been published long before the archive began.
    pub(in crate::ingest) async fn vintages(&self, id: &SeriesId) -> Result<Vec<Known>> {
        let mut rows = Vec::new();
        let list = |page: VintageDays| {
            let days = page.vintage_dates.iter().map(|text| day(text));
            Ok((page.count, days.collect::<std::result::Result<_, _>>()?))
        };
        let mut days: Vec<Date> = self
            .pages(id, ("vintagedates", PAGE_DAYS), &[], list)
            .await?;
        days.sort();
        days.dedup();
        for (start, end) in stretches(&days) {
            let query = [
                ("realtime_start", start.as_str()),
                ("realtime_end", end.as_str()),
            ];
            rows.extend(self.observations(id, &query).await?);
        }
        Ok(changes(rows))
    }

    /// What a series is called that the catalogue does not know, where FRED says so.
    pub(in crate::ingest) async fn describe(&self, id: &SeriesId) -> Result<Option<Description>> {
        #[derive(Deserialize)]
        struct Envelope {
            // FRED's spelling.
            seriess: Vec<Metadata>,
        }
        if self.key.is_none() {
            return Ok(None);
        }
        let envelope: Envelope = self.ask(id, &[], &[]).await?;
        let told = envelope.seriess.first().ok_or_else(|| not_carried(id))?;
        // Other frequencies (every two weeks, twice a year) are told from the figures, as without a title.
        Ok(told.frequency_short.parse().ok().map(|frequency| {
            titles::cleaned(Description {
                id: id.clone(),
                title: told.title.clone(),
                units: told.units.clone(),
                frequency,
                seasonally_adjusted: titles::is_adjusted(&told.seasonal_adjustment_short),
                source: "FRED".to_owned(),
            })
        }))
    }
}

/// Under load FRED sometimes does not know a key that it knows a moment later.
fn is_passing_refusal(answer: &Response) -> bool {
    answer.status == 400 && message(answer).is_some_and(|m| names_the_key(&m))
}

fn names_the_key(message: &str) -> bool {
    message.contains("api_key")
}

fn message(answer: &Response) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        error_message: String,
    }
    let body: Body = serde_json::from_slice(&answer.body).ok()?;
    Some(body.error_message)
}

/// A calendar day as FRED writes it.
fn day(text: &str) -> std::result::Result<Date, String> {
    table::date(text.as_bytes())
}

/// Rows by date; the same figure twice is one.
///
/// # Errors
/// Names a date that has two values: that is the source's defect and not ours to settle.
fn by_date(mut rows: Vec<Known>) -> std::result::Result<Vec<Known>, String> {
    rows.sort_by_key(|row| row.date);
    let clash = rows.windows(2).find_map(|pair| match pair {
        [a, b] if a.date == b.date && a.value != b.value => Some(a.date),
        _ => None,
    });
    if let Some(date) = clash {
        return Err(format!("two values for {date}"));
    }
    rows.dedup_by_key(|row| row.date);
    Ok(rows)
}

/// `base` with path segments and a query added, each escaped.
pub(super) fn address(base: &Url, path: &[&str], query: &[(&str, &str)]) -> Result<Url> {
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| Error::invalid("base URL", base.as_str(), "cannot have a path", "http(s)"))?
        .pop_if_empty()
        .extend(path);
    url.query_pairs_mut().extend_pairs(query);
    Ok(url)
}

pub(super) fn not_carried(id: &SeriesId) -> Error {
    let reason = "FRED does not carry a series of this name; check the spelling, or import a file";
    Error::no_data(id, reason)
}

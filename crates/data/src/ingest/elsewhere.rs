//! What others list: the titles of BLS's series, which a sync reads monthly, and a search at FRED and DBnomics, which a caller
//! asks for (docs/SOURCES.md#any-series).

use super::fetch::HttpClient;
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use super::state::{self, States};
use super::titles::clean;
use crate::store::{Description, Store};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Frequency, SeriesId, untrusted};
use futures_util::future::join_all;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use url::Url;

/// Surveys whose titles are read.
const SURVEYS: [&str; 7] = ["ln", "la", "cu", "ce", "sm", "ap", "jt"];
/// Name of the note with the time at which each list was read.
const READ_AT: &str = "titles_read";
/// Days between two reads of a list.
const INTERVAL_DAYS: i64 = 28;
/// Years without a figure after which a series counts as ended.
const ENDED_YEARS: i16 = 2;
/// Time for a search elsewhere, and its most results of each place.
const SEARCH_PATIENCE: Duration = Duration::from_secs(2);
const MAX_RESULTS: usize = 5;
/// Longest title of what is found elsewhere, in characters.
const MAX_TITLE: usize = 200;

/// Reads the lists of titles that are due, and returns the number of titles in each, or why it was not read. BLS asks for a mail
/// address in every request to its files, so without one none is read.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written; [`Error::Internal`] when TLS cannot be set up.
pub(super) async fn read_titles(
    store: &dyn Store,
    settings: &SourceSettings,
    now: Timestamp,
) -> Result<Vec<(String, Result<usize>)>> {
    if !settings
        .contact
        .as_ref()
        .is_some_and(|contact| contact.contains('@'))
    {
        return Ok(Vec::new());
    }
    let mut read_at: States<Timestamp> = state::read(store, READ_AT)?;
    let home = settings.address("bls", "https://download.bls.gov")?;
    let hosts = ["download.bls.gov".to_owned()];
    let name = "Bureau of Labor Statistics";
    let client = HttpClient::new(settings, "bls", name, PaceSettings::DOWNLOADS, &hosts)?;
    let mut reads = Vec::new();
    for survey in SURVEYS {
        let is_due = |at: &Timestamp| now.duration_since(*at).as_hours() >= INTERVAL_DAYS * 24;
        if !read_at.get(survey).is_none_or(is_due) {
            continue;
        }
        let path = format!("/pub/time.series/{survey}/{survey}.series");
        let url = home
            .join(&path)
            .map_err(|e| Error::internal("the address of a list", e))?;
        let sent = client
            .send(client.get(url, "text/plain, */*"), |_| false)
            .await;
        let list = sent.and_then(|response| match response.problem() {
            Some(problem) => Err(client.unusable(&path, &problem)),
            None => parse_titles(&response.body, now)
                .map_err(|problem| client.unusable(&path, &problem)),
        });
        if let Ok(titles) = &list {
            store.describe(titles)?;
            read_at.insert(survey.to_owned(), now);
            state::write(&read_at, store, READ_AT)?;
        }
        reads.push((path, list.map(|titles| titles.len())));
    }
    Ok(reads)
}

/// Parses a list of BLS: cells divided by tabs and padded with blanks. Series that have ended and those of the catalogue are
/// left out.
fn parse_titles(body: &[u8], now: Timestamp) -> std::result::Result<Vec<Description>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b'\t')
        .quoting(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(body);
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    let columns: HashMap<&str, usize> = header.iter().zip(0..).collect();
    let column = |name: &str| {
        columns
            .get(name)
            .copied()
            .ok_or_else(|| format!("it has no column \"{name}\""))
    };
    let id = column("series_id")?;
    let title = column("series_title")?;
    let year = column("end_year")?;
    let period = column("end_period")?;
    let newest = now.to_zoned(jiff::tz::TimeZone::UTC).year() - ENDED_YEARS;
    let mut titles = Vec::new();
    for row in reader.into_records() {
        let record = row.map_err(|e| e.to_string())?;
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let frequency = match cell(period).chars().next() {
            Some('Q') => Frequency::Quarterly,
            Some('S') => Frequency::Semiannual,
            Some('A') => Frequency::Annual,
            _ => Frequency::Monthly,
        };
        let is_live = cell(year).parse().is_ok_and(|end: i16| end >= newest);
        let Ok(series) = SeriesId::new(cell(id)) else {
            continue;
        };
        if is_live && Catalogue::embedded().get(series.as_str()).is_none() {
            titles.push(clean(Description {
                seasonally_adjusted: series.as_str().chars().nth(2) == Some('S'),
                title: cell(title).to_owned(),
                units: String::new(),
                source: String::new(),
                frequency,
                id: series,
            }));
        }
    }
    Ok(titles)
}

/// A series or data set of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundElsewhere {
    /// Its identifier there.
    pub id: String,
    /// Its title, by others.
    pub title: String,
    /// Where it was found.
    pub place: &'static str,
}

/// Searches FRED, with a key and where it may be asked, and DBnomics, for two seconds. Returns what was found, at most five, or
/// why a place had nothing.
pub(super) async fn search(settings: &SourceSettings, words: &str) -> Vec<Result<FoundElsewhere>> {
    let limit = MAX_RESULTS.to_string();
    // It lists what has all words.
    let first = words.split_whitespace().take(2);
    let first_words = first.collect::<Vec<_>>().join(" ");
    let dbnomics = Place {
        id: "dbnomics",
        name: "DBnomics",
        address: "https://api.db.nomics.world/v22/search",
        query: vec![("q", &first_words), ("limit", &limit)],
    };
    let key = settings.key.as_ref().filter(|_| !settings.no_fred);
    let fred = key.map(|key| Place {
        id: "fred api",
        name: "FRED",
        address: "https://api.stlouisfed.org/fred/series/search",
        query: vec![
            ("search_text", words),
            ("limit", &limit),
            ("file_type", "json"),
            ("api_key", key.expose()),
        ],
    });
    let places = fred.iter().chain([&dbnomics]);
    let lists = join_all(places.map(|place| find(settings, place))).await;
    let all = lists.into_iter().flat_map(|list| match list {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    all.take(MAX_RESULTS).collect()
}

/// A place to search.
struct Place<'a> {
    id: &'static str,
    name: &'static str,
    address: &'static str,
    query: Vec<(&'static str, &'a str)>,
}

async fn find(settings: &SourceSettings, place: &Place<'_>) -> Result<Vec<FoundElsewhere>> {
    let problem = |e: url::ParseError| Error::internal("the address of a search", e);
    let mut url = Url::parse(place.address).map_err(problem)?;
    if let Some(home) = settings.addresses.get(place.id) {
        url = super::client::with_home(&url, home);
    }
    url.query_pairs_mut().extend_pairs(&place.query);
    let mut hasty = settings.clone();
    hasty.timeouts.all_tries = SEARCH_PATIENCE;
    let client = HttpClient::new(&hasty, place.id, place.name, PaceSettings::API, &[])?;
    let response = client
        .send(client.get(url, "application/json"), |_| false)
        .await?;
    if let Some(problem) = response.problem() {
        return Err(client.unusable("a search", &problem));
    }
    let body: Value = serde_json::from_slice(&response.body)
        .map_err(|_| client.unusable("a search", "it is no JSON"))?;
    let rows = body
        .get("seriess")
        .or_else(|| body.pointer("/results/docs"));
    let found = rows.and_then(Value::as_array).into_iter().flatten();
    let text = |row: &Value, name: &str| {
        let text = row.get(name).and_then(Value::as_str)?;
        Some(untrusted::clean_name(text, MAX_TITLE))
    };
    let read = |row: &Value| {
        let set = || {
            Some(format!(
                "{}/{}",
                text(row, "provider_code")?,
                text(row, "code")?
            ))
        };
        Some(FoundElsewhere {
            id: text(row, "id")
                .filter(|_| place.name == "FRED")
                .or_else(set)?,
            title: text(row, "title").or_else(|| text(row, "name"))?,
            place: place.name,
        })
    };
    Ok(found.filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_padded_and_lose_what_has_ended() {
        let list = b"series_id                     \tseasonal\tseries_title\tfootnote_codes\tbegin_year\tbegin_period\tend_year\tend_period\r\n\
            LASST060000000000003          \tS\tUnemployment Rate: California (S)\t\t1976\tM01\t2026\tM08\r\n\
            LAUCN060370000000003          \tU\tUnemployment Rate: \"Los Angeles\" (U)\t\t1990\tM01\t2014\tM02\r\n\
            CUUSA101SA0    \tU\tAll items in Boston\t\t1990\tS01\t2026\tS01\r\n";
        let now = "2026-11-28T12:00:00Z".parse().unwrap();
        let titles = parse_titles(list, now).unwrap();
        let seen: Vec<_> = titles
            .iter()
            .map(|d| (d.id.as_str(), d.frequency, d.seasonally_adjusted))
            .collect();
        let expected = [
            ("LASST060000000000003", Frequency::Monthly, true),
            ("CUUSA101SA0", Frequency::Semiannual, false),
        ];
        assert_eq!(seen, expected);
        assert_eq!(titles[0].title, "Unemployment Rate: California (S)");
        assert!(
            parse_titles(b"a\tb\r\n", now)
                .unwrap_err()
                .contains("series_id")
        );
    }
}

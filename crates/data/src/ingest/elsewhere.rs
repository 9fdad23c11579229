//! What others list: the titles of BLS's series, which a sync reads monthly, and a search at FRED and DBnomics, which a caller
//! asks for (docs/SOURCES.md#any-series).

use super::calendars::ListRead;
use super::fetch::HttpClient;
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use super::state::{self, States};
use super::titles::clean;
use crate::store::{Description, Store};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::{Frequency, SeriesId, untrusted};
use futures_util::FutureExt;
use futures_util::future::join_all;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

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

/// Reads the lists of titles that are due, and returns what came of each. BLS asks for a mail
/// address in every request to its files, so without one none is read.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written; [`Error::Internal`] when TLS cannot be set up.
pub(super) async fn read_titles(
    store: &dyn Store,
    settings: &SourceSettings,
    now: Timestamp,
) -> Result<Vec<ListRead>> {
    let contact = settings.contact.as_deref().unwrap_or_default();
    if !contact.contains('@') {
        return Ok(Vec::new());
    }
    let mut read_at: States<Timestamp> = state::read(store, READ_AT)?;
    let hosts = ["download.bls.gov".to_owned()];
    let bureau = "Bureau of Labor Statistics";
    let client = HttpClient::new(settings, "bls", bureau, PaceSettings::DOWNLOADS, &hosts)?;
    let mut reads = Vec::new();
    for survey in SURVEYS {
        let is_due = |at: &Timestamp| now.duration_since(*at).as_hours() >= INTERVAL_DAYS * 24;
        if !read_at.get(survey).is_none_or(is_due) {
            continue;
        }
        let name = format!("/pub/time.series/{survey}/{survey}.series");
        let url = settings.url("bls", &format!("https://download.bls.gov{name}"))?;
        let sent = client.download(url, "text/plain, */*", &name).await;
        let list = sent.and_then(|body| {
            parse_titles(&body, now).map_err(|problem| client.unusable(&name, &problem))
        });
        if let Ok(titles) = &list {
            store.describe(titles)?;
            read_at.insert(survey.to_owned(), now);
            state::write(&read_at, store, READ_AT)?;
        }
        let result = list.map(|titles| format!("{} titles", titles.len()));
        reads.push(ListRead { name, result });
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
    let column = |name: &str| {
        let index = header.iter().position(|other| other == name);
        index.ok_or_else(|| format!("it has no column \"{name}\""))
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
    let mut hasty = settings.clone();
    hasty.timeouts.all_tries = SEARCH_PATIENCE;
    let limit = MAX_RESULTS.to_string();
    let fred = async {
        let Some(key) = hasty.key.as_ref().filter(|_| !hasty.no_fred) else {
            return Ok(Vec::new());
        };
        let address = "https://api.stlouisfed.org/fred/series/search";
        let query = [
            ("search_text", words),
            ("limit", &limit),
            ("file_type", "json"),
            ("api_key", key.expose()),
        ];
        find(&hasty, "fred api", "FRED", address, &query).await
    };
    let dbnomics = async {
        // It lists what has all words.
        let first = words.split_whitespace().take(2);
        let first_words = first.collect::<Vec<_>>().join(" ");
        let address = "https://api.db.nomics.world/v22/search";
        let query = [("q", first_words.as_str()), ("limit", &limit)];
        find(&hasty, "dbnomics", "DBnomics", address, &query).await
    };
    let lists = join_all([fred.boxed(), dbnomics.boxed()]).await;
    let all = lists.into_iter().flat_map(|list| match list {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    all.take(MAX_RESULTS).collect()
}

async fn find(
    settings: &SourceSettings,
    id: &str,
    place: &'static str,
    address: &str,
    query: &[(&str, &str)],
) -> Result<Vec<FoundElsewhere>> {
    let mut url = settings.url(id, address)?;
    url.query_pairs_mut().extend_pairs(query);
    let client = HttpClient::new(settings, id, place, PaceSettings::API, &[])?;
    let body = client.download(url, "application/json", "a search").await?;
    let answer: Value =
        serde_json::from_slice(&body).map_err(|_| client.unusable("a search", "it is no JSON"))?;
    let fred = answer.get("seriess");
    let rows = fred.or_else(|| answer.pointer("/results/docs"));
    let text = |row: &Value, name: &str| {
        let text = row.get(name).and_then(Value::as_str)?;
        Some(untrusted::clean_name(text, MAX_TITLE))
    };
    let read = |row: &Value| {
        let id = if place == "FRED" {
            text(row, "id")?
        } else {
            let set = text(row, "code")?;
            format!("{}/{set}", text(row, "provider_code")?)
        };
        let title = text(row, "title").or_else(|| text(row, "name"))?;
        Some(FoundElsewhere { id, title, place })
    };
    let found = rows.and_then(Value::as_array).into_iter().flatten();
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

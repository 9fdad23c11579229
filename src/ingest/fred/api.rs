//! FRED's JSON API, version 1 (SOURCES 2): observations page by page, and what a series is.

use super::super::fetch::Answer;
use super::super::key::{self, ApiKey};
use super::rows::{Item, Page, Rows};
use super::{Fred, address, foreign, not_carried, page, unusable};
use crate::error::{Error, Result};
use crate::model::{Date, Frequency, Observation, SeriesId};
use serde::Deserialize;

/// Most rows FRED gives in one page.
pub(super) const PAGE: usize = 100_000;
/// Pages after which an answer is taken to be endless.
const MOST_PAGES: usize = 200;

/// What FRED says about a series.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Metadata {
    /// Identifier.
    pub id: String,
    /// Full name.
    pub title: String,
    /// "Daily", "Weekly, Ending Friday", "Monthly" …
    pub frequency: String,
    /// One or more letters: `D`, `W`, `M`, `Q`, `A`, `BW` …
    pub frequency_short: String,
    /// Unit in words: "Millions of U.S. Dollars".
    pub units: String,
    /// Unit for a narrow place.
    pub units_short: String,
    /// `SA`, `NSA`, `SAAR` …
    pub seasonal_adjustment_short: String,
    /// First date, as FRED writes it.
    pub observation_start: String,
    /// Newest date, as FRED writes it.
    pub observation_end: String,
    /// When the figures last changed, as FRED writes it.
    pub last_updated: String,
    /// Source, method and, where there is one, the copyright.
    #[serde(default)]
    pub notes: String,
}

impl Metadata {
    /// The frequency, where it is one of ours.
    pub fn frequency(&self) -> Option<Frequency> {
        self.frequency_short.parse().ok()
    }
}

pub(super) async fn observations(
    fred: &Fred,
    key: &ApiKey,
    id: &SeriesId,
    from: Option<Date>,
) -> Result<Vec<Observation>> {
    let start = from.map(|day| day.to_string());
    let query: Vec<(&str, &str)> = start
        .iter()
        .map(|day| ("observation_start", day.as_str()))
        .collect();
    let mut out = Vec::new();
    pages(fred, key, id, &query, |item| {
        let (date, value) = item.read(id)?;
        out.extend(value.map(|value| Observation::new(date, value)));
        Ok(())
    })
    .await?;
    // FRED sorts; a clash of two values for one date is its defect and not ours to settle.
    out.sort_by_key(|o| o.date);
    let clash = out.windows(2).find_map(|pair| match pair {
        [a, b] if a.date == b.date && a.value != b.value => Some(a.date),
        _ => None,
    });
    if let Some(date) = clash {
        return Err(unusable(id, &format!("two values for {date}")));
    }
    out.dedup_by_key(|o| o.date);
    Ok(out)
}

/// Reads every page of `series/observations`, in order, figure by figure.
pub(super) async fn pages(
    fred: &Fred,
    key: &ApiKey,
    id: &SeriesId,
    query: &[(&str, &str)],
    mut each: impl FnMut(&Item<'_>) -> Result<()>,
) -> Result<()> {
    let mut found = 0;
    for _ in 0..MOST_PAGES {
        let (offset, limit) = (found.to_string(), PAGE.to_string());
        let mut query = query.to_vec();
        query.extend([("limit", limit.as_str()), ("offset", offset.as_str())]);
        let answer = ask(fred, key, id, &["series", "observations"], &query).await?;
        let (came, count) = figures(key, id, &answer, &mut each)?;
        found += came;
        if found >= count {
            return Ok(());
        }
        if came == 0 {
            return Err(unusable(
                id,
                &format!("{found} rows came where {count} were announced"),
            ));
        }
    }
    Err(unusable(id, "it has too many pages"))
}

/// Tells the figures of a page, and gives how many there were, here and in all.
pub(super) fn figures(
    key: &ApiKey,
    id: &SeriesId,
    answer: &Answer,
    each: &mut impl FnMut(&Item<'_>) -> Result<()>,
) -> Result<(usize, usize)> {
    let mut told = 0;
    if answer.is_success()
        && !answer.is_page()
        && let Some(mut rows) = Rows::open(&answer.body)
    {
        for item in rows.by_ref() {
            each(&item)?;
            told += 1;
        }
        if rows.is_whole() {
            return Ok((told, rows.count));
        }
    }
    // Something is written otherwise, or is wrong: the parser knows, and goes on where the figures were left.
    let page: Page<'_> = read(key, id, answer)?;
    page.observations.iter().skip(told).try_for_each(each)?;
    Ok((page.observations.len(), page.count))
}

pub(super) async fn metadata(fred: &Fred, key: &ApiKey, id: &SeriesId) -> Result<Metadata> {
    #[derive(Deserialize)]
    struct Envelope {
        // FRED's spelling.
        seriess: Vec<Metadata>,
    }
    let answer = ask(fred, key, id, &["series"], &[]).await?;
    let envelope: Envelope = read(key, id, &answer)?;
    envelope
        .seriess
        .into_iter()
        .next()
        .ok_or_else(|| not_carried(id))
}

/// Asks one path of the API about one series.
pub(super) async fn ask(
    fred: &Fred,
    key: &ApiKey,
    id: &SeriesId,
    path: &[&str],
    query: &[(&str, &str)],
) -> Result<Answer> {
    let mut pairs = vec![("series_id", id.as_str()), ("file_type", "json")];
    pairs.extend_from_slice(query);
    pairs.push(("api_key", key.expose()));
    let segments: Vec<&str> = std::iter::once(&"fred").chain(path).copied().collect();
    let url = address(&fred.settings.api_url, &segments, &pairs)?;
    fred.fetch
        .get(&url, "application/json", is_passing_refusal)
        .await
}

/// Under load FRED sometimes does not know a key that it knows a moment later.
fn is_passing_refusal(answer: &Answer) -> bool {
    answer.status == 400 && message(answer).is_some_and(|m| names_the_key(&m))
}

fn names_the_key(message: &str) -> bool {
    message.contains("api_key")
}

fn message(answer: &Answer) -> Option<String> {
    #[derive(Deserialize)]
    struct Refusal {
        error_message: String,
    }
    let refusal: Refusal = serde_json::from_slice(&answer.body).ok()?;
    Some(refusal.error_message)
}

/// Reads an answer, or says why it is none.
pub(super) fn read<'a, T: Deserialize<'a>>(
    key: &ApiKey,
    id: &SeriesId,
    answer: &'a Answer,
) -> Result<T> {
    // Nearly every answer is what was asked for: what else it may be is looked for afterwards.
    let problem = match serde_json::from_slice(&answer.body) {
        Ok(read) if answer.is_success() && !answer.is_page() => return Ok(read),
        Ok(_) => None,
        Err(problem) => Some(problem),
    };
    Err(no_answer(key, id, answer, problem))
}

/// Why an answer is none.
fn no_answer(
    key: &ApiKey,
    id: &SeriesId,
    answer: &Answer,
    problem: Option<serde_json::Error>,
) -> Error {
    if let Some(message) = message(answer) {
        if names_the_key(&message) {
            return key::refused("is not accepted by FRED");
        }
        if message.contains("does not exist") {
            return not_carried(id);
        }
        let said = foreign(message.trim(), key);
        return unusable(id, &format!("HTTP {}, \"{said}\"", answer.status));
    }
    if answer.is_page() {
        return page(id, answer);
    }
    if answer.status == 404 {
        return not_carried(id);
    }
    match problem.filter(|_| answer.is_success()) {
        // serde_json quotes the text it stumbles over only for type errors; the key is scrubbed all the same.
        Some(problem) => unusable(id, &foreign(&problem.to_string(), key)),
        None => unusable(id, &format!("HTTP {}", answer.status)),
    }
}

//! Reads articles of public agencies from RSS and Atom feeds into the store.
//!
//! A feed is requested at most every half hour, with the validators of its last response. Its text is untrusted: it is
//! sanitised, shortened, and stored only with a link to the feed's own site. A broken feed is reported and does not
//! stop the others.

mod entries;

use super::fetch::{HttpClient, Validators, unavailable};
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use super::state::{self, States};
use crate::disk;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::untrusted;
pub use entries::articles as parse_feed;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Name of the store's note with the [`ReadState`] of each feed.
const STATES: &str = "feed_looks";
/// Least time between two requests of a feed.
const INTERVAL_SECONDS: i64 = 30 * 60;
/// Largest feed that is parsed.
const MAX_FEED_BYTES: usize = 8 << 20;
const ACCEPT: &str =
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8";
/// Longest time for a feed with all tries.
const MAX_DURATION: Duration = Duration::from_secs(30);

/// A feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// Its publisher.
    pub name: String,
    /// Its address.
    pub url: Url,
    /// Tags of all its articles.
    pub tags: Vec<String>,
}

impl Feed {
    /// Returns the built-in feeds of public agencies.
    ///
    /// # Errors
    /// [`Error::BadFile`] when the embedded list is invalid, which a test rules out.
    pub fn embedded() -> Result<Vec<Self>> {
        Self::parse_list("feeds.csv", include_str!("../../data/feeds.csv"))
    }

    /// Reads an operator's list: CSV with the header `name,url,tags`, tags separated by blanks.
    ///
    /// # Errors
    /// [`Error::BadFile`] with the file, the line and the problem.
    pub fn from_file(path: &Path) -> Result<Vec<Self>> {
        let file = disk::format_path(path);
        let text = disk::read_text(path).map_err(|e| Error::bad_file(&file, e.to_string()))?;
        Self::parse_list(&file, &text)
    }

    fn parse_list(file: &str, text: &str) -> Result<Vec<Self>> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
            url: String,
            #[serde(default)]
            tags: String,
        }
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows = reader.deserialize::<Row>().zip(2u64..);
        rows.map(|(record, line)| {
            let bad = |problem: String| Error::bad_line(file, line, problem);
            let row = record.map_err(|e| bad(e.to_string()))?;
            let url = untrusted::safe_url(&row.url).and_then(|u| Url::parse(u).ok());
            Ok(Self {
                name: untrusted::clean_line(&row.name, 80),
                url: url.ok_or_else(|| bad(format!("{} is no http(s) address", row.url)))?,
                tags: row.tags.split_whitespace().map(str::to_lowercase).collect(),
            })
        })
        .collect()
    }
}

/// When a feed was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ReadState {
    at: Timestamp,
    validators: Validators,
}

/// Reads every feed that is due, and writes its articles to the store. Ends early when cancelled.
///
/// Returns for each feed the number of new articles (`None` when it was not due or has not changed), or its error,
/// which is logged.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written; [`econoscope_core::Error::Internal`]
/// when TLS cannot be set up.
pub async fn read_feeds(
    store: &dyn Store,
    feeds: &[Feed],
    settings: &SourceSettings,
    now: Timestamp,
    cancel: &CancellationToken,
) -> Result<Vec<Result<Option<usize>>>> {
    let mut hasty = settings.clone();
    hasty.timeouts.all_tries = hasty.timeouts.all_tries.min(MAX_DURATION);
    let client = HttpClient::new(&hasty, "feeds", "The feed", PaceSettings::LISTS, &[])?;
    let mut states: States<ReadState> = state::read(store, STATES)?;
    let before = states.clone();
    let mut results = Vec::new();
    for feed in feeds {
        let read = read_feed(store, &client, feed, &mut states, now);
        let Some(result) = cancel.run_until_cancelled(read).await else {
            break;
        };
        if let Err(error) = &result {
            let why = error.operator_message();
            tracing::warn!(feed = feed.name, error = why, "a feed was not read");
        }
        results.push(result);
    }
    if states != before {
        state::write(&states, store, STATES)?;
    }
    Ok(results)
}

async fn read_feed(
    store: &dyn Store,
    client: &HttpClient,
    feed: &Feed,
    states: &mut States<ReadState>,
    now: Timestamp,
) -> Result<Option<usize>> {
    let last = states.get(feed.url.as_str()).cloned().unwrap_or_default();
    // A read in the future was dated by a wrong clock, and is ignored.
    if (0..INTERVAL_SECONDS).contains(&now.duration_since(last.at).as_secs()) {
        return Ok(None);
    }
    let request = last.validators.apply(client.get(feed.url.clone(), ACCEPT));
    let response = client.send(request, |_| false).await?;
    let unusable = |why: String| Err(unavailable(format!("{}: {why}.", feed.name)));
    let (validators, added) = match response.status {
        304 => (last.validators, None),
        200 if response.body.len() > MAX_FEED_BYTES => {
            return unusable("the feed is larger than 8 MiB".to_owned());
        }
        200 => match entries::articles(feed, &response.body, now) {
            Ok(articles) => (response.validators, Some(store.write_articles(&articles)?)),
            Err(e) => return unusable(format!("the answer is no feed that can be read ({e})")),
        },
        status => return unusable(format!("HTTP {status} instead of a feed")),
    };
    let at = now;
    states.insert(feed.url.to_string(), ReadState { at, validators });
    Ok(added)
}

#[cfg(test)]
mod tests;

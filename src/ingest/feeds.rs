//! Articles of public agencies from their RSS and Atom feeds into the store.
//!
//! A feed is asked at most once in half an hour, with the validators of its last answer, so that nothing is
//! sent again that has not changed. What comes is text by others: it is cleaned, cut, and kept only with a
//! link to the feed's own site. A feed that is broken is reported and never stops the rest.

mod entries;

use super::fetch::{Fetch, Known, Timeouts, client};
use super::pace::PaceSettings;
use super::sync::blocking;
use crate::error::{Error, Result};
use crate::model::untrusted;
use crate::store::Store;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Note of the store: when each feed was read, with the validators of its answer.
const LOOKS: &str = "feed_looks";
/// A feed is not asked again before this is over.
const REST: i64 = 30 * 60;
/// Largest feed that is read.
const MOST_BYTES: usize = 8 << 20;
const ACCEPT: &str =
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8";

/// A feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// Who publishes it.
    pub name: String,
    /// Its address.
    pub url: Url,
    /// Subjects of all its articles.
    pub tags: Vec<String>,
}

/// Which feeds are read, and how they are asked.
#[derive(Debug, Clone)]
pub struct FeedSettings {
    /// In the order in which they are read.
    pub feeds: Vec<Feed>,
    /// Speed.
    pub pace: PaceSettings,
    /// Patience with the network.
    pub timeouts: Timeouts,
    /// A mail address or page that follows our name.
    pub contact: Option<String>,
}

/// What became of one feed.
#[derive(Debug)]
pub struct FeedReport {
    /// Its name.
    pub name: String,
    /// Articles that the store did not have; `None` when it was asked too recently or had nothing new.
    pub outcome: Result<Option<usize>>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    url: String,
    #[serde(default)]
    tags: String,
}

/// When a feed was read, and how to ask whether it has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    at: Timestamp,
    #[serde(default)]
    known: Known,
}

type Looks = BTreeMap<String, Look>;

impl FeedSettings {
    /// Public agencies.
    ///
    /// # Errors
    /// [`Error::BadFile`] when the embedded list cannot be read, which a test rules out.
    pub fn embedded() -> Result<Self> {
        Self::parse("feeds.csv", include_str!("../../data/feeds.csv"))
    }

    /// An operator's list: CSV with the header `name,url,tags`; several tags are parted by blanks.
    ///
    /// # Errors
    /// [`Error::BadFile`] naming the file, the line and what is wrong.
    pub fn from_file(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| Error::BadFile {
            file: file.clone(),
            line: None,
            problem: e.to_string(),
        })?;
        Self::parse(&file, &text)
    }

    fn parse(file: &str, text: &str) -> Result<Self> {
        let mut feeds = Vec::new();
        for (row, line) in csv::Reader::from_reader(text.as_bytes())
            .deserialize::<Row>()
            .zip(2u64..)
        {
            let bad = |problem: String| Error::BadFile {
                file: file.to_owned(),
                line: Some(line),
                problem,
            };
            let row = row.map_err(|e| bad(e.to_string()))?;
            let url = untrusted::link(&row.url).and_then(|u| Url::parse(u).ok());
            feeds.push(Feed {
                name: untrusted::line(&row.name, 80),
                url: url.ok_or_else(|| bad(format!("{} is no http(s) address", row.url)))?,
                tags: row.tags.split_whitespace().map(str::to_lowercase).collect(),
            });
        }
        Ok(Self {
            feeds,
            pace: PaceSettings {
                tries: 2,
                patience: Duration::from_secs(10),
                ..PaceSettings::DOWNLOADS
            },
            timeouts: Timeouts {
                total: Duration::from_secs(30),
                ..Timeouts::default()
            },
            contact: None,
        })
    }
}

/// Reads every feed that has rested, and puts its articles into the store; ends early when cancelled.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written; [`Error::Internal`] when TLS cannot be set up.
/// What happens to single feeds stands in the reports.
pub async fn read_feeds(
    store: &Arc<dyn Store>,
    settings: &FeedSettings,
    now: Timestamp,
    cancel: &CancellationToken,
) -> Result<Vec<FeedReport>> {
    let client = client(settings.timeouts, settings.contact.as_deref())?;
    let fetch = Fetch::new("The feed", client, settings.pace);
    let note = blocking(store, |store| store.note(LOOKS)).await?;
    // A note by another version of this program only costs asking once more.
    let mut looks: Looks = note
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let before = looks.clone();
    let mut reports = Vec::new();
    for feed in &settings.feeds {
        let Some(outcome) = cancel
            .run_until_cancelled(one(store, &fetch, feed, &mut looks, now))
            .await
        else {
            break;
        };
        if let Err(error) = &outcome {
            tracing::warn!(feed = feed.name, %error, "a feed was not read");
        }
        reports.push(FeedReport {
            name: feed.name.clone(),
            outcome,
        });
    }
    if looks != before {
        let text = serde_json::to_string(&looks)
            .map_err(|e| Error::internal("keeping the looks at feeds", e))?;
        blocking(store, move |store| store.set_note(LOOKS, &text)).await?;
    }
    Ok(reports)
}

async fn one(
    store: &Arc<dyn Store>,
    fetch: &Fetch,
    feed: &Feed,
    looks: &mut Looks,
    now: Timestamp,
) -> Result<Option<usize>> {
    let last = looks.get(feed.url.as_str()).cloned().unwrap_or_default();
    if now.duration_since(last.at).as_secs() < REST {
        return Ok(None);
    }
    let answer = fetch
        .get_unless(&feed.url, ACCEPT, &last.known, |_| false)
        .await?;
    let mut look = Look {
        at: now,
        known: last.known,
    };
    if answer.status == 304 {
        looks.insert(feed.url.to_string(), look);
        return Ok(None);
    }
    let unusable = |why: String| super::fetch::unavailable(format!("{}: {why}.", feed.name));
    if !answer.is_success() {
        return Err(unusable(format!(
            "HTTP {} instead of a feed",
            answer.status
        )));
    }
    if answer.body.len() > MOST_BYTES {
        return Err(unusable("the feed is larger than 8 MiB".into()));
    }
    look.known = answer.known;
    let (feed_, body) = (feed.clone(), answer.body);
    let added = blocking(store, move |store| {
        let articles =
            entries::articles(&feed_, &body, now).map_err(|e| unusable_feed(&feed_.name, &e))?;
        store.write_articles(&articles)
    })
    .await?;
    looks.insert(feed.url.to_string(), look);
    Ok(Some(added))
}

fn unusable_feed(name: &str, why: &str) -> Error {
    super::fetch::unavailable(format!(
        "{name}: the answer is no feed that can be read ({why})."
    ))
}

/// The door of [`super::fuzz::feed`].
#[cfg(fuzzing)]
pub(super) fn fuzz(body: &[u8]) {
    let Ok(settings) = FeedSettings::embedded() else {
        return;
    };
    for feed in &settings.feeds {
        for article in entries::articles(feed, body, Timestamp::UNIX_EPOCH).unwrap_or_default() {
            assert!(article.url.starts_with("http"), "a link to a page");
            assert_eq!(untrusted::line(&article.title, usize::MAX), article.title);
        }
    }
}

#[cfg(test)]
mod tests;

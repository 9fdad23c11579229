//! Articles of public agencies from their RSS and Atom feeds into the store.
//!
//! A feed is asked at most once in half an hour, with the validators of its last answer, so that nothing is
//! sent again that has not changed. What comes is text by others: it is cleaned, cut, and kept only with a
//! link to the feed's own site. A feed that is broken is reported and never stops the rest.

mod entries;
mod feed;

pub use entries::articles as parse_feed;
pub use feed::Feed;

use super::fetch::{Fetch, Timeouts, Validators, unavailable};
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use super::state::{self, States, blocking};
use crate::store::Store;
use econoscope_core::error::Result;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Note of the store: when each feed was read, with the validators of its answer.
const STATES: &str = "feed_looks";
/// A feed is not asked again before this is over.
const REST_SECONDS: i64 = 30 * 60;
/// Largest feed that is read.
const MAX_FEED_BYTES: usize = 8 << 20;
const ACCEPT: &str =
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8";
/// Articles can wait for the next sync.
const PACE: PaceSettings = PaceSettings {
    tries: 2,
    patience: Duration::from_secs(10),
    ..PaceSettings::DOWNLOADS
};
const LONGEST: Duration = Duration::from_secs(30);

/// What became of one feed.
#[derive(Debug)]
pub struct FeedReport {
    /// Its name.
    pub name: String,
    /// Articles that the store did not have; `None` when it was asked too recently or had nothing new.
    pub outcome: Result<Option<usize>>,
}

/// When a feed was read, and how to ask whether it has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ReadState {
    at: Timestamp,
    validators: Validators,
}

/// Reads every feed that has rested, and puts its articles into the store; ends early when cancelled.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written; [`econoscope_core::Error::Internal`] when TLS cannot be set
/// up. What happens to single feeds stands in the reports.
pub async fn read_feeds(
    store: &Arc<dyn Store>,
    feeds: &[Feed],
    settings: &SourceSettings,
    now: Timestamp,
    cancel: &CancellationToken,
) -> Result<Vec<FeedReport>> {
    let timeouts = Timeouts {
        total: settings.timeouts.total.min(LONGEST),
        ..settings.timeouts
    };
    let settings = SourceSettings {
        timeouts,
        ..settings.clone()
    };
    let fetch = settings.fetch("feeds", "The feed", PACE, &[])?;
    let mut states = state::read(store, STATES).await?;
    let before = states.clone();
    let mut reports = Vec::new();
    for feed in feeds {
        let work = read_feed(store, &fetch, feed, &mut states, now);
        let Some(outcome) = cancel.run_until_cancelled(work).await else {
            break;
        };
        if let Err(error) = &outcome {
            let error = error.for_operator();
            tracing::warn!(feed = feed.name, error, "a feed was not read");
        }
        reports.push(FeedReport {
            name: feed.name.clone(),
            outcome,
        });
    }
    if states != before {
        state::write(&states, store, STATES).await?;
    }
    Ok(reports)
}

async fn read_feed(
    store: &Arc<dyn Store>,
    fetch: &Fetch,
    feed: &Feed,
    states: &mut States<ReadState>,
    now: Timestamp,
) -> Result<Option<usize>> {
    let last = states.get(feed.url.as_str()).cloned().unwrap_or_default();
    // A read of the "future" is of a clock that was wrong, and would last until that clock is right.
    if (0..REST_SECONDS).contains(&now.duration_since(last.at).as_secs()) {
        return Ok(None);
    }
    let request = fetch.get(feed.url.clone(), ACCEPT);
    let request = last.validators.condition(request);
    let answer = fetch.send(request, |_| false).await?;
    let unusable = |why: String| Err(unavailable(format!("{}: {why}.", feed.name)));
    let (validators, added) = match answer.status {
        304 => (last.validators, None),
        200 if answer.body.len() > MAX_FEED_BYTES => {
            return unusable("the feed is larger than 8 MiB".to_owned());
        }
        200 => match entries::articles(feed, &answer.body, now) {
            Ok(articles) => {
                let write = move |store: &dyn Store| store.write_articles(&articles);
                (answer.validators, Some(blocking(store, write).await?))
            }
            Err(e) => {
                return unusable(format!("the answer is no feed that can be read ({e})"));
            }
        },
        status => return unusable(format!("HTTP {status} instead of a feed")),
    };
    let state = ReadState {
        at: now,
        validators,
    };
    states.insert(feed.url.to_string(), state);
    Ok(added)
}

#[cfg(test)]
mod tests;

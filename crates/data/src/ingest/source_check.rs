//! Source check: whether each source responds as its recipe says. Also what the last sync missed and refused.

use super::accept::{Comparison, compare};
use super::client::{Clients, FeedError, FeedRequest};
use super::fetch::Validators;
use super::report::{MISSED, MissedSeries};
use super::sources::SourceSettings;
use super::state::{self, FEEDS, FeedState, RefusedResponse, States};
use super::write::day_of;
use crate::store::Store;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesId};
use econoscope_core::recipe::{FeedRef, Recipes, SeriesRecipe, Split};
use jiff::{Timestamp, ToSpan};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of a request to a feed for a short range of all its series.
#[derive(Debug)]
pub struct FeedCheck {
    /// Name of the feed, "source/feed".
    pub feed: String,
    /// Host of its URL.
    pub host: String,
    /// Duration of the request with pauses and retries; `None` when none was sent.
    pub duration: Option<Duration>,
    /// What the response contains, or what is wrong with it.
    pub result: std::result::Result<String, String>,
    /// The first bytes of the response, without a key; empty when there was none.
    pub head: String,
}

/// Requests a short range of all series from every feed that needs no missing key.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read; [`econoscope_core::Error::Internal`] when TLS
/// cannot be set up.
pub async fn check_sources(
    store: &Arc<dyn Store>,
    settings: &SourceSettings,
    now: Timestamp,
) -> Result<Vec<FeedCheck>> {
    let clients = Clients::new(settings);
    let mut checks = Vec::new();
    for feed_ref in settings.recipes.feeds() {
        let source = feed_ref.source;
        let url = url::Url::parse(&feed_ref.feed.url).ok();
        let host = url.and_then(|url| url.host_str().map(str::to_owned));
        let (verdict, elapsed, excerpt) = if settings.is_open(source) {
            let start = Instant::now();
            let result = check_feed(store, &clients, feed_ref, now).await?;
            let elapsed = Some(start.elapsed());
            (result, elapsed, clients.excerpt(source).await?)
        } else {
            let from = source.key.as_ref().map_or("", |key| key.from.as_str());
            let text = format!("not asked: it needs a key of your own ({from})");
            (Ok(text), None, String::new())
        };
        checks.push(FeedCheck {
            feed: feed_ref.name(),
            host: host.unwrap_or_default(),
            duration: elapsed,
            result: verdict,
            head: excerpt,
        });
    }
    Ok(checks)
}

async fn check_feed(
    store: &Arc<dyn Store>,
    clients: &Clients<'_>,
    feed_ref: FeedRef<'_>,
    now: Timestamp,
) -> Result<std::result::Result<String, String>> {
    let series: Vec<&SeriesRecipe> = feed_ref.feed.series.iter().collect();
    let ids: BTreeSet<&SeriesId> = series.iter().map(|series| &series.id).collect();
    let request = FeedRequest {
        feed_ref,
        series: &series,
        from: ids.iter().map(|id| first_date(feed_ref, id, now)).min(),
        now,
    };
    let figures = match clients.fetch(request, &Validators::default()).await? {
        Ok(Some(response)) => response.figures,
        Ok(None) => return Ok(Ok("unchanged".to_owned())),
        Err(FeedError::Outage(error) | FeedError::Unusable(error, _)) => {
            return Ok(Err(error.operator_message()));
        }
    };
    let (mut agree, mut newest, mut problems) = (0, None, Vec::new());
    for id in ids.iter().copied() {
        let info = Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref);
        match figures.get(id) {
            Some(Ok(rows)) if rows.is_empty() => problems.push(format!("{id}: no figure")),
            Some(Ok(rows)) => {
                newest = newest.max(rows.last().map(|row| row.date));
                match compare(info, &state::stored_rows(store, id).await?, rows) {
                    Comparison::Agrees => agree += 1,
                    Comparison::TooFewDates => {}
                    Comparison::Differs(why) => problems.push(format!("{id}: {why}")),
                }
            }
            Some(Err(problem)) => problems.push(format!("{id}: {problem}")),
            None => problems.push(format!("{id}: it has no such series")),
        }
    }
    let count = ids.len();
    let newest = newest.map_or("no figure".to_owned(), |day| {
        format!("the newest figure of {day}")
    });
    let rest = count - agree - problems.len();
    let summary = format!(
        "{count} series, {newest}: {agree} agree with the stored figures, for {rest} too few are stored to compare"
    );
    Ok(match problems.as_slice() {
        [] => Ok(summary),
        problems => Err(format!("{summary}; {}", problems.join("; "))),
    })
}

/// Returns a first date that requests few figures, but enough to compare.
fn first_date(feed_ref: FeedRef<'_>, id: &SeriesId, now: Timestamp) -> Date {
    let info = Catalogue::embedded().get(id.as_str());
    let range = match info.map(|info| info.frequency) {
        Some(Frequency::Daily) | None => 40.days(),
        Some(_) => 800.days(),
    };
    let from = shift(day_of(now), -range);
    match matches!(feed_ref.feed.split, Some(Split::Year { .. })) {
        true => from.first_of_year(),
        false => from,
    }
}

/// Returns the series that the last sync missed, by reason.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub async fn last_missed(store: &Arc<dyn Store>) -> Result<Vec<MissedSeries>> {
    state::read(store, MISSED).await
}

/// Returns the responses that the last sync refused, by feed.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub async fn refused_responses(
    store: &Arc<dyn Store>,
    recipes: &Recipes,
) -> Result<Vec<(String, RefusedResponse)>> {
    let states: States<FeedState> = state::read(store, FEEDS).await?;
    let refused = |f: FeedRef<'_>| Some((f.name(), states.get(&f.name())?.refused.clone()?));
    Ok(recipes.feeds().filter_map(refused).collect())
}

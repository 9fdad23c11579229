//! Source check: whether each source responds as its recipe says. Also what the last sync missed and refused.

use super::accept::{Comparison, compare};
use super::calendars::{self, ListRead, read_calendars};
use super::client::{Clients, FeedError, FeedRequest};
use super::fetch::Validators;
use super::report::{MISSED, MissedSeries};
use super::sources::SourceSettings;
use super::state::{self, FEEDS, FeedState, RefusedResponse, States};
use super::write::day_of;
use crate::store::{Sqlite, Store};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::calendar::AnnouncedDays;
use econoscope_core::model::frequency::{days_between, shift};
use econoscope_core::model::{Date, Frequency, SeriesId, SeriesInfo, Timeliness};
use econoscope_core::recipe::{FeedRef, Recipes, SeriesRecipe};
use jiff::{Timestamp, ToSpan};
use std::collections::BTreeSet;
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
    store: &dyn Store,
    settings: &SourceSettings,
    now: Timestamp,
) -> Result<Vec<FeedCheck>> {
    let statuses = store.status()?.into_iter();
    let stored: Vec<SeriesId> = statuses.map(|status| status.id).collect();
    let settings = &settings.with_requested(&stored);
    let clients = Clients::new(settings);
    let mut checks = Vec::new();
    let feeds = settings.recipes.feeds();
    for feed_ref in feeds.filter(|feed_ref| !feed_ref.feed.series.is_empty()) {
        let source = feed_ref.source;
        let url = url::Url::parse(&feed_ref.feed.url).ok();
        let host = url.and_then(|url| url.host_str().map(str::to_owned));
        let start = Instant::now();
        let is_open = settings.is_open(source);
        let (result, head) = if is_open {
            check_feed(store, &clients, feed_ref, now).await?
        } else {
            let from = source.key.as_ref().map_or("", |key| key.from.as_str());
            let text = format!("not asked: it needs a key of your own ({from})");
            (Ok(text), String::new())
        };
        checks.push(FeedCheck {
            feed: feed_ref.name(),
            host: host.unwrap_or_default(),
            duration: is_open.then(|| start.elapsed()),
            result,
            head,
        });
    }
    // What is read here is not stored.
    let scratch = Sqlite::in_memory()?;
    for ListRead { name, result } in read_calendars(&scratch, settings, now, true).await? {
        checks.push(FeedCheck {
            feed: name,
            host: String::new(),
            duration: None,
            result: result.map_err(|error| error.operator_message()),
            head: String::new(),
        });
    }
    Ok(checks)
}

/// Returns the result for a feed, and the first bytes of its response.
async fn check_feed(
    store: &dyn Store,
    clients: &Clients<'_>,
    feed_ref: FeedRef<'_>,
    now: Timestamp,
) -> Result<(std::result::Result<String, String>, String)> {
    let series: Vec<&SeriesRecipe> = feed_ref.feed.series.iter().collect();
    let ids: BTreeSet<&SeriesId> = series.iter().map(|series| &series.id).collect();
    let request = FeedRequest {
        feed_ref,
        series: &series,
        from: ids.iter().map(|id| first_date(id, now)).min(),
        now,
    };
    let response = match clients.fetch(request, &Validators::default()).await? {
        Ok(response) => response,
        Err(FeedError::Outage(error)) => return Ok((Err(error.operator_message()), String::new())),
        Err(FeedError::Unusable(error, head)) => return Ok((Err(error.operator_message()), head)),
    };
    let announced = calendars::announced_days(store)?;
    let mut agree = 0;
    let mut newest = None;
    let mut problems = Vec::new();
    for id in ids.iter().copied() {
        let info = Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref);
        match response.figures.get(id) {
            Some(Ok(rows)) if rows.is_empty() => problems.push(format!("{id}: no figure")),
            Some(Ok(rows)) => {
                let last = rows.last().map(|row| row.date);
                newest = newest.max(last);
                let max_age = feed_ref.feed.max_age_days;
                let lateness =
                    last.and_then(|last| late(info, max_age, last, day_of(now), &announced));
                problems.extend(lateness.map(|why| format!("{id}: {why}")));
                match compare(info, &state::stored_rows(store, id)?, rows) {
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
    let newest_figure = newest.map_or("no figure".to_owned(), |day| {
        format!("the newest figure of {day}")
    });
    let rest = count.saturating_sub(agree + problems.len());
    let summary = format!(
        "{count} series, {newest_figure}: {agree} agree with the stored figures, for {rest} too few are stored to compare"
    );
    let result = match problems.as_slice() {
        [] => Ok(summary),
        problems => Err(format!("{summary}; {}", problems.join("; "))),
    };
    Ok((result, response.excerpt))
}

/// Describes a series whose newest figure is older on a day than its feed allows, or else is late.
fn late(
    info: Option<&SeriesInfo>,
    max_age: Option<i64>,
    last: Date,
    day: Date,
    announced: &AnnouncedDays,
) -> Option<String> {
    let next = info.and_then(|info| announced.next_day(info, last));
    let is_late = match (max_age, next) {
        (Some(max_age), None) => days_between(last, day) > max_age,
        (_, next) => Timeliness::new(info?, last, day, next.map(|next| next.day))
            .due_by()
            .is_some(),
    };
    let announced = next.map_or_else(String::new, |next| {
        format!(", and the next one was announced for {}", next.day)
    });
    is_late.then(|| format!("the newest figure is of {last}{announced}; the feed may have stopped"))
}

/// Returns a first date that requests few figures, but enough to compare.
fn first_date(id: &SeriesId, now: Timestamp) -> Date {
    let info = Catalogue::embedded().get(id.as_str());
    let range = match info.map(|info| info.frequency) {
        Some(Frequency::Daily) | None => 40.days(),
        Some(_) => 800.days(),
    };
    shift(day_of(now), -range)
}

/// Returns the series that the last sync missed, by reason.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub fn last_missed(store: &dyn Store) -> Result<Vec<MissedSeries>> {
    state::read(store, MISSED)
}

/// Returns the responses that the last sync refused, by feed.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub fn refused_responses(
    store: &dyn Store,
    recipes: &Recipes,
) -> Result<Vec<(String, RefusedResponse)>> {
    let states: States<FeedState> = state::read(store, FEEDS)?;
    let refused = |f: FeedRef<'_>| Some((f.name(), states.get(&f.name())?.refused.clone()?));
    Ok(recipes.feeds().filter_map(refused).collect())
}

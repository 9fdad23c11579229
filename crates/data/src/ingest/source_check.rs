//! Source check: whether each source answers as its recipe says, and what the last sync missed and refused.

use super::accept::{Comparison, compare};
use super::client::{Clients, FeedAnswer, FeedError, FeedRequest};
use super::fetch::Validators;
use super::report::{MISSED, Missed};
use super::sources::SourceSettings;
use super::state::{self, FEEDS, FeedState, RefusedAnswer, States};
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

/// What asking a feed for a little of all its series showed.
#[derive(Debug)]
pub struct FeedCheck {
    /// Name of the feed, "source/feed".
    pub feed: String,
    /// Host that its address names.
    pub host: String,
    /// How long the answer took with its pauses and tries; `None` when it was not asked.
    pub took: Option<Duration>,
    /// What was found, or what is wrong.
    pub said: std::result::Result<String, String>,
    /// How the answer begins, without a key; empty when there was none.
    pub beginning: String,
}

/// Asks every feed that can be asked for a little of all its series, and returns what each answered.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read; [`econoscope_core::Error::Internal`] when TLS cannot be set up.
pub async fn check_sources(
    store: &Arc<dyn Store>,
    settings: &SourceSettings,
    now: Timestamp,
) -> Result<Vec<FeedCheck>> {
    let clients = Clients::new(settings);
    let mut out = Vec::new();
    for at in settings.recipes.feeds() {
        let url = url::Url::parse(&at.feed.url).ok();
        let mut check = FeedCheck {
            feed: at.name(),
            host: url
                .and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_default(),
            took: None,
            said: Ok(String::new()),
            beginning: String::new(),
        };
        if settings.is_open(at.source) {
            let start = Instant::now();
            check.said = check_feed(store, &clients, at, now).await?;
            check.took = Some(start.elapsed());
            check.beginning = clients.newest(at.source).await?;
        } else {
            let from = at.source.key.as_ref().map_or("", |key| key.from.as_str());
            check.said = Ok(format!("not asked: it needs a key of your own ({from})"));
        }
        out.push(check);
    }
    Ok(out)
}

async fn check_feed(
    store: &Arc<dyn Store>,
    clients: &Clients<'_>,
    at: FeedRef<'_>,
    now: Timestamp,
) -> Result<std::result::Result<String, String>> {
    let lines: Vec<&SeriesRecipe> = at.feed.series.iter().collect();
    let request = FeedRequest {
        at,
        lines: &lines,
        from: lines
            .iter()
            .map(|line| short_time_ago(at, &line.id, now))
            .min(),
        now,
    };
    let figures = match clients.fetch(request, &Validators::default()).await? {
        Ok(FeedAnswer::Figures(figures, ..)) => figures,
        Ok(FeedAnswer::Unchanged) => return Ok(Ok("unchanged".to_owned())),
        Err(FeedError::Outage(error) | FeedError::Useless(error, _)) => {
            return Ok(Err(error.for_operator()));
        }
    };
    let (mut agree, mut newest, mut faults) = (0, None, Vec::new());
    let ids: BTreeSet<&SeriesId> = lines.iter().map(|line| &line.id).collect();
    for id in ids.iter().copied() {
        let info = Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref);
        match figures.get(id) {
            Some(Ok(rows)) if rows.is_empty() => faults.push(format!("{id}: no figure")),
            Some(Ok(rows)) => {
                newest = newest.max(rows.last().map(|row| row.date));
                match compare(info, &state::latest(store, id).await?, rows) {
                    Comparison::Agrees => agree += 1,
                    Comparison::TooFewDates => {}
                    Comparison::Differs(why) => faults.push(format!("{id}: {why}")),
                }
            }
            Some(Err(problem)) => faults.push(format!("{id}: {problem}")),
            None => faults.push(format!("{id}: it has no such series")),
        }
    }
    let count = ids.len();
    let newest = newest.map_or("no figure".to_owned(), |day| {
        format!("the newest figure of {day}")
    });
    let other = count - agree - faults.len();
    let found = format!(
        "{count} series, {newest}: {agree} agree with what is held, of {other} too little is held to compare"
    );
    Ok(match faults.as_slice() {
        [] => Ok(found),
        faults => Err(format!("{found}; {}", faults.join("; "))),
    })
}

/// A first day that asks for a little, and for enough to compare.
fn short_time_ago(at: FeedRef<'_>, id: &SeriesId, now: Timestamp) -> Date {
    let info = Catalogue::embedded().get(id.as_str());
    let back = match info.map(|info| info.frequency) {
        Some(Frequency::Daily) | None => 40.days(),
        Some(_) => 800.days(),
    };
    let from = shift(day_of(now), -back);
    match matches!(at.feed.split, Some(Split::Year { .. })) {
        true => from.first_of_year(),
        false => from,
    }
}

/// What the last sync missed, by reason; a note of another version of this program says nothing.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub async fn last_missed(store: &Arc<dyn Store>) -> Result<Vec<Missed>> {
    state::read(store, MISSED).await
}

/// Answers that were refused at the last sync, by feed.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub async fn refused_answers(
    store: &Arc<dyn Store>,
    recipes: &Recipes,
) -> Result<Vec<(String, RefusedAnswer)>> {
    let states: States<FeedState> = state::read(store, FEEDS).await?;
    let of = |at: FeedRef<'_>| Some((at.name(), states.get(&at.name())?.refused.clone()?));
    Ok(recipes.feeds().filter_map(of).collect())
}

//! Source check: whether each source answers as its recipe says, and what the last sync missed and refused.

use super::accept::{Comparison, compare};
use super::client::{Clients, FeedAnswer, FeedError, FeedRequest};
use super::fetch::Validators;
use super::report::{MISSED, Missed};
use super::sources::SourceSettings;
use super::state::{self, FEEDS, FeedState, RefusedAnswer, States, blocking};
use super::write::day_of;
use crate::store::Store;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, Observation, SeriesId};
use econoscope_core::recipe::{FeedRef, Format, Recipes, SeriesRecipe, Split};
use jiff::{Timestamp, ToSpan};
use std::sync::Arc;

/// Asks every feed that can be asked for a little, and returns what each answered.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read; [`econoscope_core::Error::Internal`] when TLS cannot be set up.
pub async fn check_sources(
    store: &Arc<dyn Store>,
    settings: &SourceSettings,
    now: Timestamp,
) -> Result<Vec<(String, Checked)>> {
    let mut clients = Clients::new(settings);
    let mut out = Vec::new();
    let fetched = settings.recipes.feeds();
    for at in fetched.filter(|at| at.feed.format != Format::Formula) {
        let said = match settings.is_open(at.source) {
            true => check_feed(store, &mut clients, at, now).await?,
            false => {
                let from = at.source.key.as_ref().map_or("", |key| key.from.as_str());
                Ok(format!("not asked: it needs a key of your own ({from})"))
            }
        };
        out.push((at.name(), said));
    }
    Ok(out)
}

/// What a check found, or what is wrong.
type Checked = std::result::Result<String, String>;

async fn check_feed(
    store: &Arc<dyn Store>,
    clients: &mut Clients<'_>,
    at: FeedRef<'_>,
    now: Timestamp,
) -> Result<Checked> {
    let all = &at.feed.series;
    let Some(first) = all.first() else {
        return Ok(Err("it has no series".to_owned()));
    };
    let lines: Vec<&SeriesRecipe> = all.iter().filter(|line| line.key == first.key).collect();
    let request = FeedRequest {
        at,
        lines: &lines,
        from: Some(short_time_ago(at, &first.id, now)),
        now,
    };
    let figures = match clients.fetch(request, &Validators::default()).await? {
        Ok(FeedAnswer::Figures(figures, _)) => figures,
        Ok(FeedAnswer::Unchanged) => return Ok(Ok("unchanged".to_owned())),
        Err(FeedError::Outage(error) | FeedError::Useless(error, _)) => {
            return Ok(Err(error.for_operator()));
        }
    };
    let id = &first.id;
    match figures.get(id) {
        Some(Ok(rows)) => {
            let held = state::latest(store, id).await?;
            Ok(compare_with_held(id, &held, rows))
        }
        Some(Err(problem)) => Ok(Err(problem.clone())),
        None => Ok(Err("it has no such series".to_owned())),
    }
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

fn compare_with_held(id: &SeriesId, held: &[Observation], rows: &[Observation]) -> Checked {
    let info = Catalogue::embedded().get(id.as_str()).map(AsRef::as_ref);
    let came = match (rows, rows.last()) {
        (_, None) => return Err(format!("{id} has no figure in it")),
        ([one], _) => format!("{id} has one figure, of {}", one.date),
        (_, Some(newest)) => {
            let count = rows.len();
            format!("{id} has {count} figures, the newest of {}", newest.date)
        }
    };
    match compare(info, held, rows) {
        Comparison::Agrees => Ok(format!("{came}; they agree with what is held")),
        Comparison::TooFewDates => Ok(format!("{came}; too few are held to compare")),
        Comparison::Differs(why) => Err(format!("{came}; {why}")),
    }
}

/// What the last sync missed, by reason; a note of another version of this program says nothing.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub async fn last_missed(store: &Arc<dyn Store>) -> Result<Vec<Missed>> {
    let text = blocking(store, |store| store.note(MISSED)).await?;
    let missed = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(missed.unwrap_or_default())
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

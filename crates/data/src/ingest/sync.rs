//! Brings the store up to date with its sources: feed by feed where a recipe brings a series, then FRED series by series.
//!
//! Each series is written by itself, all or nothing, so a sync that ends early has lost nothing. A series
//! that fails leaves its rows as they were and the others go on; only when a source fails three
//! times in a row, refuses the key or asks for a long pause are its remaining series left for another time.

mod first;
mod place;
mod report;
mod run;
mod taking;
mod way;

pub(super) use report::MISSED;
pub use report::{Missed, Outcome, SyncReport};
pub use way::Refused;
pub(super) use way::{FEEDS, FeedLook};

use super::looks::{self, blocking};
use super::news::day_of;
use super::plan::{Plan, Step, SyncConfig, everything, plan};
use super::progress::Progress;
use super::sources::SourceSettings;
use crate::store::Store;
use econoscope_core::error::Result;
use econoscope_core::model::SeriesId;
use econoscope_core::recipe::{FeedRef, Line};
use jiff::Timestamp;
use run::{LOOKS, Run};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Runs a sync to its end, or until `cancel`; what was read until then stays.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read at the start or noted in; [`econoscope_core::Error::InvalidParam`] when
/// vintages are wanted without a key; [`econoscope_core::Error::Internal`] when TLS cannot be set up. What happens to single
/// series stands in the report.
pub async fn sync(
    store: Arc<dyn Store>,
    config: &SyncConfig,
    cancel: CancellationToken,
    progress: &mut Progress,
) -> Result<SyncReport> {
    if config.vintages && config.sources.key.is_none() {
        return Err(super::key::missing());
    }
    // Only what may be asked for: a store may hold far more.
    let asked: Vec<SeriesId> = match &config.only {
        Some(only) => only.clone(),
        None => everything(&config.sources.recipes),
    };
    let held = blocking(&store, move |store| {
        let held = asked
            .iter()
            .filter_map(|id| store.status_of(id).transpose());
        held.collect::<Result<Vec<_>>>()
    })
    .await?;
    let looks = looks::read(&store, LOOKS).await?;
    let now = (config.clock)();
    let plan = plan(&held, &looks, config, now);
    if config.only_plan {
        for line in plan_lines(&plan, &config.sources, now) {
            progress.tell(&line);
        }
        return Ok(SyncReport::default());
    }
    let total = plan.steps.len() + plan.fresh.len() + plan.refused.len();
    progress.start("fetching", total);
    let mut run = Run::new(store, config, looks, progress).await?;
    for (id, until) in plan.fresh {
        run.close(id, Outcome::Fresh(until));
    }
    for (id, error) in plan.refused {
        run.close(id, Outcome::Failed(error));
    }
    let stopped = cancel.run_until_cancelled(all(&mut run, plan.steps)).await;
    run.report.cancelled = stopped.transpose()?.is_none();
    run.finish().await
}

/// Takes every step.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the looks cannot be noted.
async fn all(run: &mut Run<'_>, steps: Vec<Step>) -> Result<()> {
    let left = run.ask_recipes(steps).await?;
    let recipes = &run.config.sources.recipes;
    let made = |step: &Step| recipes.formula(&step.id).is_some();
    let (made, fetched): (Vec<Step>, Vec<Step>) = left.into_iter().partition(made);
    run.ask_fred(fetched).await?;
    let left = run.formulas(made).await?;
    run.ask_fred(left).await?;
    run.confirm().await?;
    looks::keep(&run.looks, &run.store, LOOKS).await
}

/// A plan in lines: who would be asked how often, for what, and what is left alone and why.
fn plan_lines(plan: &Plan, settings: &SourceSettings, now: Timestamp) -> Vec<String> {
    let recipes = &settings.recipes;
    let mut feeds: BTreeMap<String, (FeedRef<'_>, Vec<&Line>)> = BTreeMap::new();
    let (mut fred, mut made, mut keyed) = (Vec::new(), Vec::new(), Vec::new());
    for step in &plan.steps {
        let mut routes = recipes.routes(&step.id);
        let open = routes.find(|at| settings.is_open(at.source));
        let id = step.id.as_str();
        match open {
            Some(at) if !step.vintages => {
                let slot = feeds.entry(at.name()).or_insert((at, Vec::new()));
                slot.1
                    .extend(at.feed.series.iter().filter(|line| line.id == step.id));
            }
            _ if recipes.formula(&step.id).is_some() => made.push(id),
            _ if step.on_fred => fred.push(id),
            _ => keyed.push(id),
        }
    }
    let today = day_of(now);
    let mut out = Vec::new();
    let mut shared: BTreeMap<String, String> = BTreeMap::new();
    for (name, (at, lines)) in feeds {
        let asks = at.feed.asks(&lines, None, today);
        let host = asks.first().and_then(|ask| url::Url::parse(&ask.url).ok());
        let host = host
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default();
        let pace = at.source.pace_ms;
        let mut ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
        ids.dedup();
        let first = shared.entry(at.feed.url.clone()).or_insert(name.clone());
        let how = match asks.len() {
            _ if *first != name => format!("the answer of {first}"),
            0 | 1 => format!("1 request to {host}"),
            n => format!("at most {n} requests to {host}, {pace} ms apart"),
        };
        out.push(format!("{name}: {how}, for {}", ids.join(" ")));
    }
    for (what, ids) in [
        ("computed here", made),
        ("fred: one request a series", fred),
        ("needs a key of your own", keyed),
    ] {
        if !ids.is_empty() {
            out.push(format!("{what}: {} series: {}", ids.len(), ids.join(" ")));
        }
    }
    for (id, until) in &plan.fresh {
        out.push(format!(
            "{id}: not before {until:.0}, when its next figure is due"
        ));
    }
    out.extend(
        plan.refused
            .iter()
            .map(|(id, error)| format!("{id}: {error}")),
    );
    out
}

#[cfg(test)]
mod tests;

//! Brings the store up to date with its sources: feed by feed where a recipe brings a series, then FRED series by series.
//!
//! Each series is written by itself, all or nothing, so a sync that ends early has lost nothing. A series
//! that fails leaves its rows as they were and the others go on; only when a source fails three
//! times in a row, refuses the key or asks for a long pause are its remaining series left for another time.

mod first;
mod place;
mod preview;
mod report;
mod run;
mod taking;
mod way;

pub(super) use report::MISSED;
pub use report::{Missed, Outcome, SyncReport};
pub use way::Refused;
pub(super) use way::{FEEDS, FeedLook};

use super::looks::{self, blocking};
use super::plan::{Step, SyncConfig, everything, plan};
use super::progress::Progress;
use crate::error::Result;
use crate::model::SeriesId;
use crate::store::Store;
use preview::plan_lines;
use run::{LOOKS, Run};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Runs a sync to its end, or until `cancel`; what was read until then stays.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read at the start or noted in; [`crate::Error::InvalidParam`] when
/// vintages are wanted without a key; [`crate::Error::Internal`] when TLS cannot be set up. What happens to single
/// series stands in the report.
pub async fn sync(
    store: Arc<dyn Store>,
    config: &SyncConfig,
    cancel: CancellationToken,
    progress: &mut Progress,
) -> Result<SyncReport> {
    if config.vintages && config.sources.key.is_none() {
        return Err(super::key::refused("is missing, and vintages need one"));
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
/// [`crate::Error::Store`] when the looks cannot be noted.
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

#[cfg(test)]
mod tests;

//! Brings the store up to date with its sources, one series after the other.
//!
//! Each series is written by itself, all or nothing, so a sync that ends early has lost nothing. A series
//! that fails leaves its rows as they were and the others go on; only when a source fails three
//! times in a row, refuses the key or asks for a long pause are its remaining series left for another time.

mod report;
mod run;

pub use report::{Outcome, SeriesReport, SyncReport};

use super::board::BoardSettings;
use super::fred::{Fred, FredSettings};
use super::plan::{Choice, Looks, Plan, plan};
use super::progress::{Progress, StepResult};
use crate::desk::holdings::LAST_SYNC;
use crate::error::{Error, Result};
use crate::model::{Catalogue, SeriesId};
use crate::store::Store;
use jiff::Timestamp;
use run::Run;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Note of the store: when each series was looked at.
const LOOKS: &str = "sync_looks";
/// Puts the history that comes with the program into an empty store.
pub type LoadBundled = Arc<dyn Fn(&dyn Store) -> Result<()> + Send + Sync>;

/// What a sync is to do.
#[derive(Clone)]
pub struct SyncConfig {
    /// FRED and the key to it.
    pub fred: FredSettings,
    /// The Federal Reserve Board's file.
    pub board: BoardSettings,
    /// These series and no others; `None` = the catalogue.
    pub only: Option<Vec<SeriesId>>,
    /// Ask also for what was asked for recently.
    pub force: bool,
    /// Read the history of revisions as well (needs a key).
    pub vintages: bool,
    /// Fills an empty store before the network is asked.
    pub bundled: Option<LoadBundled>,
    /// What time it is.
    pub clock: fn() -> Timestamp,
}

impl SyncConfig {
    /// The public sources, the whole catalogue, today.
    ///
    /// # Errors
    /// None in practice: the addresses are fixed.
    pub fn new(key: Option<super::ApiKey>) -> Result<Self> {
        Ok(Self {
            fred: FredSettings::new(key)?,
            board: BoardSettings::new()?,
            only: None,
            force: false,
            vintages: false,
            bundled: None,
            clock: Timestamp::now,
        })
    }
}

impl std::fmt::Debug for SyncConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SyncConfig")
            .field("fred", &self.fred)
            .field("board", &self.board)
            .field("only", &self.only)
            .field("force", &self.force)
            .field("vintages", &self.vintages)
            .finish_non_exhaustive()
    }
}

/// Runs a sync to its end, or until `cancel`; what was read until then stays.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read at the start or noted in at the end; [`Error::InvalidParam`] when vintages are
/// wanted without a key; [`Error::Internal`] when TLS cannot be set up. What happens to single series
/// stands in the report.
pub async fn sync(
    store: Arc<dyn Store>,
    config: &SyncConfig,
    cancel: CancellationToken,
    on: &mut (dyn FnMut(Progress) + Send),
) -> Result<SyncReport> {
    if config.vintages && config.fred.key.is_none() {
        return Err(super::key::refused("is missing, and vintages need one"));
    }
    if let Some(load) = config.bundled.clone() {
        let loaded = blocking(&store, move |store| {
            let empty = store.count()? == 0;
            empty.then(|| load(store)).transpose()
        });
        if loaded.await?.is_some() {
            on(Progress::Note("The bundled history is in.".to_owned()));
        }
    }
    let fred = Fred::new(config.fred.clone())?;
    // Only what may be asked for: a store may hold far more.
    let asked: Vec<SeriesId> = match &config.only {
        Some(only) => only.clone(),
        None => Catalogue::embedded().iter().map(|i| i.id.clone()).collect(),
    };
    let (held, looks) = blocking(&store, move |store| {
        let held = asked
            .iter()
            .filter_map(|id| store.status_of(id).transpose());
        Ok((held.collect::<Result<Vec<_>>>()?, store.note(LOOKS)?))
    })
    .await?;
    let looks = Looks::read(&looks.unwrap_or_default());
    let choice = Choice {
        only: config.only.as_deref(),
        force: config.force,
        vintages: config.vintages,
    };
    let plan = plan(
        Catalogue::embedded(),
        &held,
        &looks,
        choice,
        (config.clock)(),
    );
    let mut run = Run::new(store, config, fred, looks, on);
    announce(&mut run, &plan);
    for (id, until) in plan.fresh {
        run.close(id, Outcome::Fresh { until });
    }
    for (id, error) in plan.refused {
        run.close(id, Outcome::Failed(error));
    }
    let stopped = cancel.run_until_cancelled(run.all(plan.steps)).await;
    run.report.cancelled = stopped.is_none();
    run.finish().await
}

fn announce(run: &mut Run<'_>, plan: &Plan) {
    (run.on)(Progress::Started {
        task: "fetching",
        total: plan.steps.len() + plan.fresh.len() + plan.refused.len(),
    });
}

/// Runs a piece of store work off the async threads.
pub(super) async fn blocking<T: Send + 'static>(
    store: &Arc<dyn Store>,
    work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
) -> Result<T> {
    let store = Arc::clone(store);
    let done = tokio::task::spawn_blocking(move || work(store.as_ref())).await;
    done.map_err(|e| Error::internal("work on the store broke off", e))?
}

/// How an outcome is shown while the sync runs.
fn shown(outcome: &Outcome) -> StepResult {
    match outcome {
        Outcome::Written { written, .. } => StepResult::Written(*written),
        Outcome::Fresh { until } => StepResult::Skipped(format!("fresh until {until:.0}")),
        Outcome::NotAsked { why } => StepResult::Skipped(why.clone()),
        Outcome::Failed(error) => StepResult::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests;

//! Brings the store up to date with its sources, in stages: plan (`plan`), fetch (`client`, `sources`), read (recipes and
//! tables), accept (`accept`), write (`write`), report (`report`).
//!
//! Recipes are asked first, feed by feed, then formulas are computed, then FRED is asked series by series. Each series
//! is written by itself, all or nothing, so a sync that ends early loses nothing. A series that fails keeps its rows and
//! the others go on. When a source fails three times in a row, refuses the key or asks for a long pause, its remaining
//! series wait for another sync.

mod fred;
mod recipes;

use super::accept::{Accepted, Kind, Offer, Refusal, Role, Source};
use super::client::{Breaker, Clients};
use super::plan::{Step, SyncConfig, everything, plan};
use super::progress::Progress;
use super::report::{MISSED, Outcome, SyncReport};
use super::sources::Fred;
use super::state::{self, FEEDS, FeedState, SERIES, SeriesState, States, blocking};
use super::write::{self, Update, day_of};
use crate::desk::holdings::LAST_SYNC;
use crate::desk::identities;
use crate::store::{Store, WriteOutcome};
use econoscope_core::error::Result;
use econoscope_core::model::{Known, Observation, SeriesId};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Runs a sync to its end, or until `cancel`; what was read until then stays.
///
/// # Errors
/// [`Error::Store`](econoscope_core::error::Error::Store) when the store cannot be read at the start or noted in;
/// [`Error::InvalidParam`](econoscope_core::error::Error::InvalidParam) when vintages are wanted without a key;
/// [`Error::Internal`](econoscope_core::error::Error::Internal) when TLS cannot be set up. The report says what happened to each series.
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
    let ids: Vec<SeriesId> = match &config.only {
        Some(only) => only.clone(),
        None => everything(&config.sources.recipes),
    };
    let held = blocking(&store, move |store| {
        let held = ids.iter().filter_map(|id| store.status_of(id).transpose());
        held.collect::<Result<Vec<_>>>()
    })
    .await?;
    let states: States<SeriesState> = state::read(&store, SERIES).await?;
    let now = (config.clock)();
    let plan = plan(&held, &states, config, now);
    if config.only_plan {
        return Ok(SyncReport {
            plan: plan.describe(&config.sources, now),
            ..SyncReport::default()
        });
    }
    let total = plan.steps.len() + plan.fresh.len() + plan.refused.len();
    progress.start("fetching", total);
    let mut run = Run {
        clients: Arc::new(Clients::new(&config.sources)),
        feeds: state::read(&store, FEEDS).await?,
        unconfirmed: Vec::new(),
        store,
        config,
        fred: Fred::open(&config.sources)?,
        fred_breaker: Breaker::default(),
        states,
        progress,
        report: SyncReport::default(),
        reported: BTreeSet::new(),
    };
    for (id, until) in plan.fresh {
        run.close(id, Outcome::Fresh(until));
    }
    for (id, error) in plan.refused {
        run.close(id, Outcome::Failed(error));
    }
    let ended = cancel.run_until_cancelled(run.take(plan.steps)).await;
    run.report.cancelled = ended.transpose()?.is_none();
    run.finish().await
}

/// A sync under way.
struct Run<'a> {
    store: Arc<dyn Store>,
    config: &'a SyncConfig,
    clients: Arc<Clients<'a>>,
    fred: Fred,
    fred_breaker: Breaker,
    states: States<SeriesState>,
    feeds: States<FeedState>,
    /// Rows of feeds that were not confirmed yet.
    unconfirmed: Vec<(String, SeriesId, Vec<Observation>)>,
    progress: &'a mut Progress,
    report: SyncReport,
    /// Reasons that were shown for one series and hold for others.
    reported: BTreeSet<String>,
}

impl Run<'_> {
    /// Takes every step.
    ///
    /// # Errors
    /// [`Error::Store`] when the states cannot be noted.
    async fn take(&mut self, steps: Vec<Step>) -> Result<()> {
        let left = self.ask_recipes(steps).await?;
        let is_computed = |step: &Step| identities::synced_from(&step.id).is_some();
        let (computed, fetched): (Vec<_>, Vec<_>) = left.into_iter().partition(is_computed);
        self.ask_fred(fetched).await?;
        let left = self.compute(computed).await?;
        self.ask_fred(left).await?;
        self.confirm().await?;
        state::write(&self.states, &self.store, SERIES).await
    }

    /// Accepts and writes the rows that a source sent for a series, and tells what is worth knowing of them.
    ///
    /// # Errors
    /// Those of the store.
    async fn accept(
        &mut self,
        step: &Step,
        (source, name): (&Source, &str),
        is_full: bool,
        rows: Vec<Known>,
    ) -> Result<std::result::Result<WriteOutcome, Refusal>> {
        let (id, now) = (&step.id, self.now());
        let (asked, source) = (step.clone(), source.clone());
        let accepting = blocking(&self.store, move |store| {
            accept(store, &asked, &source, (is_full, now), rows)
        });
        let (written, accepted) = match accepting.await? {
            Ok(done) => done,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(difference) = accepted.difference {
            let text = format!("{id}: {name} differs from what was held: {difference}");
            self.progress.tell(&text);
        }
        if let Some(older) = accepted.older {
            self.progress.tell(&format!("{id}, {name}: {older}"));
        }
        if let Some(base) = accepted.base {
            let of = id.clone();
            let note = move |store: &dyn Store| state::note_base(store, &of, &base, now);
            let unit = blocking(&self.store, note).await?;
            self.progress
                .tell(&format!("{id}: the whole series is now {unit}"));
        }
        Ok(Ok(written))
    }

    fn now(&self) -> Timestamp {
        (self.config.clock)()
    }

    /// Notes that a series was read, in `full` or not.
    fn note_read(&mut self, step: &Step, full: bool) {
        let state = step.state_after(self.now(), full);
        self.states.insert(step.id.to_string(), state);
    }

    /// Reports what became of a step, with the errors of the sources before.
    fn conclude(&mut self, step: Step, outcome: Outcome) {
        let outcome = outcome.after(step.errors, self.clients.offline().as_ref());
        self.close(step.id, outcome);
    }

    /// Reports what became of a series.
    fn close(&mut self, id: SeriesId, outcome: Outcome) {
        let is_new = match &outcome {
            Outcome::Failed(error) => self.reported.insert(error.for_operator()),
            Outcome::NotAsked(why) => self.reported.insert(why.clone()),
            // Without a network only formulas are written; the summary counts them.
            Outcome::Written(_) | Outcome::Fresh(_) => self.clients.offline().is_none(),
        };
        match is_new {
            true => self.progress.done(id.as_str(), outcome.shown()),
            false => self.progress.pass(),
        }
        self.report.series.push((id, outcome));
    }

    /// Notes when everything was read, and ends the report.
    ///
    /// # Errors
    /// [`Error::Store`] when it cannot be noted.
    async fn finish(self) -> Result<SyncReport> {
        state::write(&self.states, &self.store, SERIES).await?;
        let mut report = self.report;
        report.offline = self.clients.offline().is_some();
        state::write(&report.reasons(), &self.store, MISSED).await?;
        // A sync of a part, or one that mostly failed, does not make the store of today.
        let whole = self.config.only.is_none() && !report.cancelled;
        if whole && (report.missed() == 0 || report.read() > report.missed()) {
            let now = format!("{:.0}", (self.config.clock)());
            blocking(&self.store, move |store| store.set_note(LAST_SYNC, &now)).await?;
        }
        self.progress.finish(&report.summary());
        Ok(report)
    }
}

/// What was written and accepted, or why nothing was.
fn accept(
    store: &dyn Store,
    step: &Step,
    source: &Source,
    (is_full, now): (bool, Timestamp),
    rows: Vec<Known>,
) -> Result<std::result::Result<(WriteOutcome, Accepted), Refusal>> {
    let origin = store.status_of(&step.id)?.map(|status| status.origin);
    let held = store.read(&step.id)?.unwrap_or_default().latest();
    let role = source.role(origin.as_deref());
    let offer = Offer {
        info: step.info.as_deref(),
        held: &held,
        source,
        role,
        is_full,
        today: day_of(now),
    };
    let accepted = match offer.accept(rows) {
        Ok(accepted) => accepted,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if accepted.rows.is_empty() && matches!(role, Role::Fallback | Role::Computed) {
        return Ok(Ok((WriteOutcome::default(), accepted)));
    }
    // What another source lacked, this one may have had for long.
    let is_watched = role == Role::Owner || source.kind == Kind::Fred;
    let last_read = step.state.filter(|_| is_watched);
    let written = write::write(
        store,
        &Update {
            id: &step.id,
            info: step.info.as_deref(),
            rows: &accepted.rows,
            is_new: held.is_empty(),
            last_read: last_read.map(|state| day_of(state.at)),
            now,
            origin: &source.id,
        },
    )?;
    // What it says as others said it is its own, too.
    if let (Kind::Recipe, Some(days)) = (source.kind, accepted.span) {
        store.attribute(&step.id, &source.id, days)?;
    }
    Ok(Ok((written, accepted)))
}

#[cfg(test)]
mod tests;

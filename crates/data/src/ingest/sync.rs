//! Synchronises the store with its sources, in stages: plan (`plan`), fetch (`client`, `sources`), parse (recipes and
//! tables), accept (`accept`), write (`write`), report (`report`).
//!
//! Feeds of recipes come first, then FRED, series by series, then formulas; FRED is the fallback of a formula. Each
//! series is written atomically, so a cancelled sync loses nothing. A series that fails keeps its rows, and the others
//! continue. When a source fails three times in a row, refuses the key or asks for a long pause, its remaining series
//! wait for the next sync.

mod fred;
mod recipes;

use super::accept::{AcceptanceRules, Refusal, Role, Source, SourceKind};
use super::calendars::{self, ListRead};
use super::client::{Breaker, Clients};
use super::elsewhere;
use super::plan::{Step, SyncConfig, plan};
use super::progress::Progress;
use super::report::{MISSED, Outcome, SyncReport};
use super::sources::Fred;
use super::state::{self, FEEDS, FeedState, LAST_SYNC, SERIES, SeriesState, States};
use super::write::{self, Update, day_of};
use crate::store::{Store, WriteOutcome};
use econoscope_core::error::Result;
use econoscope_core::indicators::identities;
use econoscope_core::model::{SeriesId, VintageObservation};
use jiff::Timestamp;
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// Runs a sync to its end, or until `cancel`; rows written until then stay.
///
/// # Errors
/// [`Error::Store`](econoscope_core::error::Error::Store) when the store cannot be read, or its notes not written;
/// [`Error::InvalidParam`](econoscope_core::error::Error::InvalidParam) when vintages are requested without a key;
/// [`Error::Internal`](econoscope_core::error::Error::Internal) when TLS cannot be set up. Errors of single series are
/// in the report.
pub async fn sync(
    store: &dyn Store,
    config: &SyncConfig,
    cancel: CancellationToken,
    progress: &mut Progress,
) -> Result<SyncReport> {
    if config.vintages && config.sources.key.is_none() {
        return Err(super::key::missing_key_error());
    }
    let ids = config.series();
    let config = &SyncConfig {
        sources: config.sources.with_requested(&ids),
        ..config.clone()
    };
    let stored = ids
        .iter()
        .filter_map(|id| store.status_of(id).transpose())
        .collect::<Result<Vec<_>>>()?;
    let states: States<SeriesState> = state::read(store, SERIES)?;
    let now = config.now();
    let announced = calendars::announced_days(store)?;
    let plan = plan(&stored, &states, &announced, config, now);
    if config.dry_run {
        return Ok(SyncReport {
            plan: plan.describe(config, &state::read(store, FEEDS)?, now),
            ..SyncReport::default()
        });
    }
    let total = plan.first.len() + plan.steps.len() + plan.fresh.len() + plan.refused.len();
    progress.start("fetching", total);
    let clients = Clients::new(&config.sources);
    let mut run = SyncRun {
        clients: &clients,
        feeds: state::read(store, FEEDS)?,
        store,
        config,
        started_at: now,
        fred: Fred::open(&config.sources)?,
        fred_breaker: Breaker::default(),
        states,
        progress,
        report: SyncReport::default(),
        reported: BTreeSet::new(),
        partly_read: Vec::new(),
    };
    let due = plan.first.iter().chain(&plan.steps);
    config
        .wanted
        .begin(due.map(|step| step.id.clone()).collect());
    for (id, until) in plan.fresh {
        run.report(id, Outcome::Fresh(until));
    }
    for (id, error) in plan.refused {
        run.report(id, Outcome::Failed(error));
    }
    let steps = async {
        run.run_steps(plan.first, plan.steps).await?;
        run.read_lists().await
    };
    let result = cancel.run_until_cancelled(steps).await;
    config.wanted.end();
    run.report.cancelled = result.transpose()?.is_none();
    run.finish()
}

/// The state of a running sync.
struct SyncRun<'a> {
    store: &'a dyn Store,
    config: &'a SyncConfig,
    started_at: Timestamp,
    clients: &'a Clients<'a>,
    fred: Fred,
    fred_breaker: Breaker,
    states: States<SeriesState>,
    feeds: States<FeedState>,
    progress: &'a mut Progress,
    report: SyncReport,
    /// Reasons that progress has shown, so that each is shown for one series only.
    reported: BTreeSet<String>,
    /// Series whose newest figures were read, and whose whole is read after the newest figures of others.
    partly_read: Vec<Step>,
}

impl SyncRun<'_> {
    /// Processes all steps, those of `first` before the others.
    ///
    /// # Errors
    /// [`Error::Store`](econoscope_core::error::Error::Store) when the states cannot be written.
    async fn run_steps(&mut self, first: Vec<Step>, mut steps: Vec<Step>) -> Result<()> {
        let mut remaining = self.fetch_from_recipes(first).await?;
        steps.splice(..0, self.partly_read.drain(..));
        remaining.extend(self.fetch_from_recipes(steps).await?);
        let is_computed = |step: &Step| identities::sync_inputs(&step.id).is_some();
        let (computed, fetched): (Vec<_>, Vec<_>) = remaining.into_iter().partition(is_computed);
        self.fetch_from_fred(fetched).await?;
        let remaining = self.compute(computed)?;
        self.fetch_from_fred(remaining).await?;
        state::write(&self.states, self.store, SERIES)
    }

    /// Reads the calendars of the agencies and the lists of titles, in a sync of everything that reaches the network.
    ///
    /// # Errors
    /// [`Error::Store`](econoscope_core::error::Error::Store) when what was read cannot be written.
    async fn read_lists(&mut self) -> Result<()> {
        if self.config.only.is_some() || self.clients.offline().is_some() {
            return Ok(());
        }
        let settings = &self.config.sources;
        let now = self.now();
        let calendars = calendars::read_calendars(self.store, settings, now, self.config.force);
        self.print_lists("release days", calendars.await?);
        let titles = elsewhere::read_titles(self.store, settings, now);
        self.print_lists("titles", titles.await?);
        Ok(())
    }

    fn print_lists(&mut self, content: &str, reads: Vec<ListRead>) {
        for ListRead { name, result } in reads {
            let text = result.unwrap_or_else(|error| {
                let why = error.operator_message();
                tracing::warn!(list = name, error = why, "{content} were not read");
                why
            });
            self.progress.print(&format!("{name}: {text}"));
        }
    }

    /// Applies the acceptance rules to the rows of a source, writes the accepted ones with their unit when it is new, and
    /// prints remarks on them.
    ///
    /// # Errors
    /// Those of the store.
    fn accept(
        &mut self,
        step: &Step,
        source: &Source,
        is_full: bool,
        rows: Vec<VintageObservation>,
    ) -> Result<std::result::Result<WriteOutcome, Refusal>> {
        let id = &step.id;
        let now = self.now();
        let origin = self.store.status_of(id)?.map(|status| status.origin);
        let stored = state::stored_rows(self.store, id)?;
        let role = source.role(origin.as_deref());
        let rules = AcceptanceRules {
            info: step.info.as_deref(),
            stored: &stored,
            source,
            role,
            is_full,
            today: day_of(now),
        };
        let accepted = match rules.apply(rows) {
            Ok(accepted) => accepted,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut written = WriteOutcome::default();
        // A source that only adds rows has none, or is the one that was read.
        if !accepted.rows.is_empty() || matches!(role, Role::Owner | Role::Preferred) {
            // A figure that another source lacked may have been at this one for long.
            let is_watched = role == Role::Owner || source.kind == SourceKind::Fred;
            let last_read = step.state.filter(|_| is_watched);
            let update = Update {
                id,
                info: step.info.as_deref(),
                rows: &accepted.rows,
                stored: &stored,
                last_read: last_read.map(|state| day_of(state.read_at)),
                now,
                origin: &source.id,
            };
            written = write::write(self.store, &update)?;
            // Rows that the source confirms count as its own.
            if let (SourceKind::Recipe, Some((first, last))) = (source.kind, accepted.span) {
                self.store.attribute(id, &source.id, first, last)?;
            }
        }
        for remark in accepted.remarks {
            self.progress
                .print(&format!("{id}, {}: {remark}", source.name));
        }
        if let Some(stated) = accepted.new_unit {
            let unit = state::record_base_change(self.store, id, &stated, now)?;
            self.progress
                .print(&format!("{id}: the whole series is now {unit}"));
        }
        Ok(Ok(written))
    }

    fn now(&self) -> Timestamp {
        self.config.now()
    }

    /// Records that a series was read, in full or not.
    fn record_read(&mut self, step: &Step, is_full: bool) {
        let state = step.state_after_read(self.now(), is_full);
        self.states.insert(step.id.to_string(), state);
    }

    /// Reports the outcome of a step, together with the errors of the sources before.
    fn report_step(&mut self, step: Step, outcome: Outcome) {
        let offline = self.clients.offline();
        self.report(step.id, outcome.with_errors(&step.errors, offline.as_ref()));
    }

    /// Reports the outcome for a series.
    fn report(&mut self, id: SeriesId, outcome: Outcome) {
        let is_shown = match outcome.reason() {
            Some(reason) => self.reported.insert(reason),
            // Without a network only formulas are written, and the summary counts them.
            None => self.clients.offline().is_none(),
        };
        if is_shown {
            self.progress.finish_step(id.as_str(), outcome.progress())
        } else {
            self.progress.skip_step()
        }
        self.config.wanted.settle(&id);
        self.report.series.push((id, outcome));
    }

    /// Records the time of a complete sync, and returns the report.
    ///
    /// # Errors
    /// [`Error::Store`](econoscope_core::error::Error::Store) when a note cannot be written.
    fn finish(self) -> Result<SyncReport> {
        state::write(&self.states, self.store, SERIES)?;
        let now = self.now();
        let mut report = self.report;
        report.offline = self.clients.offline().is_some();
        state::write(&report.missed_by_reason(), self.store, MISSED)?;
        // A partial sync, or one that mostly failed, does not count as today's.
        let is_whole = self.config.only.is_none() && !report.cancelled;
        if is_whole && !report.offline {
            let attempt = (now, self.config.sources.no_fred);
            state::write(&attempt, self.store, state::ATTEMPT)?;
        }
        if is_whole && (report.missed_count() == 0 || report.read_count() > report.missed_count()) {
            self.store.set_note(LAST_SYNC, &format!("{now:.0}"))?;
        }
        self.progress.finish();
        Ok(report)
    }
}

#[cfg(test)]
mod tests;

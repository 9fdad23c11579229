//! Background work of a server: syncs, and answers that are computed ahead after each change of the data.

use super::wiring::open_desk;
use crate::config::{self, Config};
use anyhow::Result;
use econoscope_answers::{Backend, Route};
use econoscope_core::error::{Error, NOTICE_TARGET};
use econoscope_core::model::SeriesId;
use econoscope_data::ingest::{self, Feed, Progress, SyncConfig, SyncReport, Wanted};
use econoscope_data::pool::in_background;
use econoscope_data::store::SyncLease;
use econoscope_desk::{Audience, Desk, State};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A sync waits so long for the first requests of a client.
const START_DELAY: Duration = Duration::from_millis(300);
/// Longest time between two looks at the clock, which goes on while a machine sleeps.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);
/// Time between two attempts to take the lease of another process.
const LEASE_INTERVAL: Duration = Duration::from_secs(3);
/// Time until the next sync where no source could be reached.
const OFFLINE_INTERVAL: Duration = Duration::from_secs(900);

/// Syncs in the background: what is due at the start and then at an interval, and what callers want meanwhile.
pub(super) struct BackgroundSync {
    desk: Arc<Desk>,
    config: Config,
    wanted: Arc<Wanted>,
    stop: CancellationToken,
}

impl BackgroundSync {
    /// Returns the sync of a backend; `None` with `--no-sync` or `--as-of`, an upstream, or a store in memory, which nobody keeps. It
    /// asks FRED only with `--fred`, since its terms allow only own use. Strangers start no request.
    pub(super) fn new(
        config: &Config,
        backend: &Backend,
        stop: &CancellationToken,
    ) -> Option<Self> {
        let desk = Arc::clone(backend.desk());
        let is_off = config.no_sync || config.as_of.is_some();
        if is_off || backend.upstream().is_some() || desk.store().is_in_memory() {
            return None;
        }
        let mut config = config.clone();
        config.sources.no_fred |= !config.sources.fred;
        let is_own = desk.settings().audience == Audience::Own;
        let wanted = is_own.then(|| Arc::clone(backend.wanted()));
        Some(Self {
            desk,
            config,
            wanted: wanted.unwrap_or_default(),
            stop: stop.clone(),
        })
    }

    /// Syncs until stopped, on this thread: parsing and storing would block an executor thread.
    pub(super) fn run(&self, record: impl Fn(Option<SyncReport>)) {
        tokio::runtime::Handle::current().block_on(self.sync_as_leader(record));
    }

    /// Syncs at once and then at an interval, until stopped. Of several servers over one store only the leader does so.
    async fn sync_as_leader(&self, record: impl Fn(Option<SyncReport>)) {
        let Self {
            desk, config, stop, ..
        } = self;
        let Some(leadership) = desk.store().leadership() else {
            return self.sync_at_interval(desk, stop, &record).await;
        };
        let mut terms = leadership.terms();
        while !stop.is_cancelled() {
            let term = stop.run_until_cancelled(terms.wait_for(Option::is_some));
            let Some(term) = term.await.and_then(|term| *term.ok()?) else {
                break;
            };
            let term_over = stop.child_token();
            let store = Arc::new(leadership.in_term(term));
            let leading_desk = match open_desk(store, config, None, Audience::Own) {
                Ok(desk) => desk,
                Err(error) => {
                    let error = econoscope_core::error::format_causes(error.chain());
                    tracing::error!(error, "sync failed");
                    break;
                }
            };
            let watch_term = async {
                let change = terms.wait_for(|now| *now != Some(term));
                drop(term_over.run_until_cancelled(change).await);
                // The store refuses writes of an old term, so that work under way may simply end.
                term_over.cancel();
            };
            let sync = self.sync_at_interval(&leading_desk, &term_over, &record);
            tokio::join!(sync, watch_term);
        }
        // Stops waiting for the lease, which `resign` then gives up.
        drop(terms);
        leadership.resign();
    }

    /// Syncs when the interval since the last sync of any process is over, and what callers want meanwhile, until stopped.
    async fn sync_at_interval(
        &self,
        desk: &Arc<Desk>,
        stop: &CancellationToken,
        record: &impl Fn(Option<SyncReport>),
    ) {
        let Self { config, wanted, .. } = self;
        let interval = Duration::from_secs(config.sync_hours * 3600);
        let mut not_before = desk.now() + START_DELAY;
        let next_sync = |not_before: Timestamp| {
            let recorded = ingest::last_attempt(desk.store().as_ref(), config.sources.no_fred);
            // An attempt in the future was dated by a wrong clock.
            let attempt = recorded.ok().flatten().filter(|at| *at <= desk.now());
            attempt.map_or(not_before, |at| not_before.max(at + interval))
        };
        wanted.set_served(true);
        while !stop.is_cancelled() {
            let due = next_sync(not_before);
            let wait = Duration::try_from(due.duration_since(desk.now())).unwrap_or_default();
            let only = tokio::select! {
                () = stop.cancelled() => break,
                only = wanted.next() => only,
                () = tokio::time::sleep(wait.min(CLOCK_INTERVAL)) => Vec::new(),
            };
            if only.is_empty() && desk.now() < due {
                continue;
            }
            let stop = stop.child_token();
            let lease = match SyncLease::take(desk.store(), stop.clone()) {
                Ok(Ok(lease)) => lease,
                Ok(Err(other)) => {
                    tracing::debug!(other, "another process syncs");
                    // Until the next attempt, which may come a little late.
                    wanted.leave_to_other(LEASE_INTERVAL * 2);
                    not_before = desk.now() + LEASE_INTERVAL;
                    continue;
                }
                Err(error) => {
                    let error = error.operator_message();
                    tracing::warn!(target: NOTICE_TARGET, error, "no sync, since nothing can be stored; answering from stored data");
                    break;
                }
            };
            // Another process may have synced a moment ago.
            if only.is_empty() && desk.now() < next_sync(not_before) {
                continue;
            }
            let report = self.sync_and_log(desk, &only, &stop).await;
            drop(lease);
            let is_offline = report.as_ref().is_some_and(|report| report.offline);
            if only.is_empty() {
                let longest = if is_offline {
                    OFFLINE_INTERVAL
                } else {
                    interval
                };
                not_before = desk.now() + longest.min(interval);
            }
            record(report);
        }
        wanted.set_served(false);
    }

    /// Syncs these series, or what is due of all, and logs the result.
    async fn sync_and_log(
        &self,
        desk: &Arc<Desk>,
        only: &[SeriesId],
        stop: &CancellationToken,
    ) -> Option<SyncReport> {
        let options = config::Sync {
            quiet: true,
            only: only.iter().map(ToString::to_string).collect(),
            ..config::Sync::default()
        };
        let synced = sync_once(desk, &self.config, &options, &self.wanted, stop).await;
        self.wanted.end();
        match synced {
            Ok(report) => {
                let read = report.read_count();
                let missed = report.missed_count();
                match report.why_nothing_came() {
                    Some(problem) => tracing::warn!(
                        missed,
                        problem,
                        "the sync brought nothing; answering from stored data"
                    ),
                    None => tracing::info!(read, missed, "synced"),
                }
                Some(report)
            }
            Err(error) => {
                let error = econoscope_core::error::format_causes(error.chain());
                tracing::warn!(error, "sync failed; answering from stored data");
                None
            }
        }
    }
}

/// Syncs the store of a desk, reads the feeds, and computes the composites again. It blocks its thread while it uses the
/// store.
///
/// # Errors
/// Any error of [`ingest::sync`], and of a store that cannot be written.
pub(crate) async fn sync_once(
    desk: &Arc<Desk>,
    config: &Config,
    options: &config::Sync,
    wanted: &Arc<Wanted>,
    stop: &CancellationToken,
) -> Result<SyncReport> {
    let ids = options.only.iter().map(|id| SeriesId::new(id));
    let only = ids.collect::<econoscope_core::Result<Vec<SeriesId>>>()?;
    let is_partial = !only.is_empty();
    let settings = SyncConfig {
        sources: config.source_settings()?,
        dry_run: options.plan,
        only: is_partial.then_some(only),
        // A source must send again what is to be accepted.
        force: options.force || !options.accept.is_empty(),
        accept: options.accept.clone(),
        vintages: options.vintages,
        wanted: Arc::clone(wanted),
        ..SyncConfig::default()
    };
    let mut progress = Progress::detect(options.quiet);
    let store = desk.store().as_ref();
    let report = ingest::sync(store, &settings, stop.clone(), &mut progress).await?;
    if options.plan {
        return Ok(report);
    }
    let feeds = config.folders.feeds.as_deref();
    let has_feeds = feeds.is_none_or(|file| file.as_os_str() != "none");
    if has_feeds && !is_partial && !report.cancelled && !report.offline {
        let feeds = match feeds {
            Some(file) => Feed::from_file(file)?,
            None => Feed::embedded()?,
        };
        ingest::read_feeds(store, &feeds, &settings.sources, desk.now(), stop).await?;
    }
    // Where nothing came, nothing is computed again, so that no time looks newer.
    if report.why_nothing_came().is_none() {
        econoscope_desk::refresh(desk)?;
    }
    for contradiction in desk.contradictions()? {
        tracing::warn!(target: NOTICE_TARGET, "{contradiction}");
    }
    Ok(report)
}

/// Time between two checks of the state of the data.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// After a change the next check waits this many times as long as the work took, so that the many changes of a sync do not
/// occupy a thread.
const PAUSE_FACTOR: u32 = 9;
/// Maximum number of answers that are computed ahead.
const MAX_ANSWERS: usize = 16;

/// Computes the most requested answers again after each change of the data, until stopped, so that callers do not wait
/// for them behind rare requests.
pub(crate) async fn refresh_answers(backend: Arc<Backend>, stop: CancellationToken) {
    let backend = &*backend;
    let refresh = |old: Option<State>| async move {
        let requested = old.map(|old| backend.most_requested(old, MAX_ANSWERS));
        for (tool, arguments, requests) in requested.into_iter().flatten() {
            let Some(route) = Route::find(tool) else {
                continue;
            };
            let reply = match route.call(backend, arguments.clone()).await {
                // The cache first drops what was requested only once.
                Ok(_) => route.call(backend, arguments).await,
                failed => failed,
            };
            match reply {
                Ok(reply) => reply.inherit_requests(requests),
                // A caller of this endpoint gets the error.
                Err(error) => {
                    let why = error.operator_message();
                    tracing::debug!(error = why, tool, "an answer was not computed ahead");
                }
            }
        }
    };
    in_background(on_change(backend.desk(), stop, refresh)).await;
}

/// Computes the monthly history of the indicators as known at the time after each change of the data, until stopped. It
/// takes longer than a caller should wait.
pub(crate) async fn refresh_history(desk: Arc<Desk>, stop: CancellationToken) {
    let refresh = |_| {
        let desk = Arc::clone(&desk);
        async {
            let computed = tokio::task::spawn_blocking(move || desk.compute_real_time_paths())
                .await
                .map_err(|e| Error::internal("computing the real-time history", e));
            if let Err(error) = computed.flatten() {
                econoscope_core::error::log(&error, "real-time history");
            }
        }
    };
    on_change(&desk, stop, refresh).await;
}

/// Runs `work` for each state of the data, until stopped. Its argument is the previous state, `None` for the first.
async fn on_change<F: Future<Output = ()>>(
    desk: &Desk,
    stop: CancellationToken,
    work: impl Fn(Option<State>) -> F,
) {
    let mut newest = None;
    loop {
        let started = Instant::now();
        match desk.state() {
            Ok(state) if newest != Some(state) => work(newest.replace(state)).await,
            Ok(_) => {}
            Err(error) => econoscope_core::error::log(&error, "checking for new data"),
        }
        let pause = POLL_INTERVAL.max(started.elapsed() * PAUSE_FACTOR);
        let pausing = tokio::time::sleep(pause);
        if stop.run_until_cancelled(pausing).await.is_none() {
            return;
        }
    }
}

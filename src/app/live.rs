//! Background work of a server: syncs, and answers that are computed ahead after each change of the data.

use super::wiring::open_desk;
use crate::config::{self, Config};
use anyhow::Result;
use econoscope_answers::{Backend, Route};
use econoscope_core::error::{Error, NOTICE_TARGET};
use econoscope_core::model::SeriesId;
use econoscope_data::ingest::{self, Feed, Progress, SyncConfig, SyncReport};
use econoscope_desk::{Desk, State};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Syncs at once and then at an interval, until stopped. Of several servers over one store only the leader does so.
pub(super) async fn sync_as_leader(
    desk: Arc<Desk>,
    config: Config,
    interval: Duration,
    stop: CancellationToken,
    record: impl Fn(Option<SyncReport>),
) {
    let Some(leadership) = desk.store().leadership() else {
        return sync_at_interval(&desk, &config, interval, &stop, &record).await;
    };
    let mut terms = leadership.terms();
    while !stop.is_cancelled() {
        let term = stop.run_until_cancelled(terms.wait_for(Option::is_some));
        let Some(term) = term.await.and_then(|term| *term.ok()?) else {
            break;
        };
        let term_over = stop.child_token();
        let desk = match open_desk(leadership.store_in_term(term), &config, None, true) {
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
        let sync = sync_at_interval(&desk, &config, interval, &term_over, &record);
        tokio::join!(sync, watch_term);
    }
    // Stops waiting for the lease, which `resign` then gives up.
    drop(terms);
    leadership.resign();
}

/// Syncs at once and then at an interval, until stopped.
async fn sync_at_interval(
    desk: &Arc<Desk>,
    config: &Config,
    interval: Duration,
    stop: &CancellationToken,
    record: &impl Fn(Option<SyncReport>),
) {
    let options = config::Sync {
        quiet: true,
        ..config::Sync::default()
    };
    loop {
        record(match sync_once(desk, config, &options, stop).await {
            Ok(report) => {
                tracing::info!(
                    read = report.read_count(),
                    missed = report.missed_count(),
                    "synced"
                );
                Some(report)
            }
            Err(error) => {
                let error = econoscope_core::error::format_causes(error.chain());
                tracing::warn!(error, "sync failed; answering from stored data");
                None
            }
        });
        let pause = tokio::time::sleep(interval);
        if stop.run_until_cancelled(pause).await.is_none() {
            return;
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
    stop: &CancellationToken,
) -> Result<SyncReport> {
    let only: Vec<SeriesId> = options
        .only
        .iter()
        .map(|id| SeriesId::new(id))
        .collect::<econoscope_core::Result<_>>()?;
    let is_partial = !only.is_empty();
    let settings = SyncConfig {
        sources: config.sources.source_settings()?,
        dry_run: options.plan,
        only: is_partial.then_some(only),
        // A source must send again what is to be accepted.
        force: options.force || !options.accept.is_empty(),
        accept: options.accept.clone(),
        vintages: options.vintages,
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
    econoscope_desk::refresh(desk)?;
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
                    tracing::debug!(
                        error = error.operator_message(),
                        tool,
                        "an answer was not computed ahead"
                    )
                }
            }
        }
    };
    on_change(backend.desk(), stop, refresh).await;
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
        if stop
            .run_until_cancelled(tokio::time::sleep(pause))
            .await
            .is_none()
        {
            return;
        }
    }
}

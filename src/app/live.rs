//! Keeping the store up to date: one sync with its composites, and syncs while serving.

use super::webhooks::Webhooks;
use super::wiring::desk_over;
use crate::config::{self, Config};
use crate::server::SyncCounts;
use anyhow::{Context, Result};
use econoscope_answers::endpoints::{Backend, Route};
use econoscope_core::error::{Error, NOTICE};
use econoscope_core::model::SeriesId;
use econoscope_data::desk::{Desk, State};
use econoscope_data::ingest::{self, Feed, Progress, SyncConfig, SyncReport};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Fetches what is due now and then every few hours, and sends alerts of what crossed, until stopped; of several servers
/// over one store, the one whose turn it is.
pub(super) async fn keep_in_sync(
    desk: Arc<Desk>,
    (config, every): (Config, Duration),
    stop: CancellationToken,
    webhooks: Option<Arc<Webhooks>>,
    counted: impl Fn(SyncCounts),
) {
    let work = async |desk: &Arc<Desk>, stop: &CancellationToken| {
        let synced = CancellationToken::new();
        let sending = webhooks.clone().map(|webhooks| {
            let store = Arc::clone(desk.store());
            tokio::spawn(webhooks.keep_sending(store, synced.clone(), stop.clone()))
        });
        let counted = |done| {
            counted(done);
            synced.cancel();
        };
        fetch_on(desk, &config, every, stop, &counted).await;
        if let Some(sending) = sending
            && let Err(error) = sending.await
        {
            tracing::error!(%error, "sending alerts broke off");
        }
    };
    let Some(leadership) = desk.store().leadership() else {
        return work(&desk, &stop).await;
    };
    let mut terms = leadership.terms();
    while !stop.is_cancelled() {
        let term = stop.run_until_cancelled(terms.wait_for(Option::is_some));
        let Some(term) = term.await.and_then(|term| *term.ok()?) else {
            break;
        };
        let over = stop.child_token();
        let desk = match desk_over(leadership.in_term(term), &config, None, true) {
            Ok(desk) => desk,
            Err(error) => {
                let error = econoscope_core::error::causes(error.chain());
                tracing::error!(error, "not synced");
                break;
            }
        };
        let ends = async {
            let passed = terms.wait_for(|now| *now != Some(term));
            drop(over.run_until_cancelled(passed).await);
            // What is under way ends; a write that comes later is refused.
            over.cancel();
        };
        tokio::join!(work(&desk, &over), ends);
    }
    // Nobody waits for the lease any more.
    drop(terms);
    leadership.resign();
}

/// Fetches what is due now and then every few hours, until stopped.
async fn fetch_on(
    desk: &Arc<Desk>,
    config: &Config,
    every: Duration,
    stop: &CancellationToken,
    counted: &impl Fn(SyncCounts),
) {
    let quietly = config::Sync {
        quiet: true,
        ..config::Sync::default()
    };
    loop {
        counted(match sync_once(desk, config, &quietly, stop).await {
            Ok(report) => {
                tracing::info!(read = report.read(), missed = report.missed(), "synced");
                let is_complete = report.is_complete();
                SyncCounts {
                    complete: is_complete.into(),
                    // One that was ended by a stop says nothing of the sources.
                    incomplete: (!is_complete && !report.cancelled).into(),
                    failures: report.failed,
                }
            }
            Err(error) => {
                let error = econoscope_core::error::causes(error.chain());
                tracing::warn!(error, "not synced; answering from what is stored");
                SyncCounts {
                    incomplete: 1,
                    ..SyncCounts::default()
                }
            }
        });
        let rest = tokio::time::sleep(every);
        if stop.run_until_cancelled(rest).await.is_none() {
            return;
        }
    }
}

/// One sync into the desk's store, and the composites computed afresh from what it brought.
///
/// # Errors
/// What [`ingest::sync`] says, or a store that cannot be written.
pub(crate) async fn sync_once(
    desk: &Arc<Desk>,
    config: &Config,
    sync: &config::Sync,
    stop: &CancellationToken,
) -> Result<SyncReport> {
    let only: Vec<SeriesId> = sync
        .only
        .iter()
        .map(|id| SeriesId::new(id))
        .collect::<econoscope_core::Result<_>>()?;
    let settings = SyncConfig {
        sources: config.sources.settings()?,
        only_plan: sync.plan,
        only: (!only.is_empty()).then_some(only),
        // What is to be accepted must be sent again.
        force: sync.force || !sync.accept.is_empty(),
        accept: sync.accept.clone(),
        vintages: sync.vintages,
        ..SyncConfig::default()
    };
    let mut progress = Progress::detect(sync.quiet);
    let store = Arc::clone(desk.store());
    let report = ingest::sync(store, &settings, stop.clone(), &mut progress).await?;
    if sync.plan {
        return Ok(report);
    }
    if sync.only.is_empty() && !report.cancelled && !report.offline {
        read_feeds(desk, config, stop).await?;
    }
    let desk = Arc::clone(desk);
    let work = move || {
        econoscope_data::desk::refresh(&desk)?;
        desk.contradictions()
    };
    let work = tokio::task::spawn_blocking(work).await;
    for contradiction in work.context("computing the composites")?? {
        tracing::warn!(target: NOTICE, "{contradiction}");
    }
    Ok(report)
}

/// How often the state of the data is looked at.
const BEAT: Duration = Duration::from_secs(1);
/// After answers were made anew, so many times as long as that took is rested: many changes in a row, as a sync brings
/// them, must not keep a thread busy.
const REST: u32 = 9;
/// Most answers that are made anew.
const MAX_READY: usize = 16;

/// Makes the answers that are asked for most anew as soon as the data change, until stopped: whoever asks first would
/// else wait for them behind everybody who asks for something rare.
pub(crate) async fn keep_ready(backend: Arc<Backend>, stop: CancellationToken) {
    let backend = &*backend;
    on_news(backend.desk(), stop, |old| async move {
        if let Some(old) = old {
            make_ready(backend, old).await;
        }
    })
    .await;
}

/// Works out, for every state of the data, what was known of the indicators month by month, until stopped: it takes
/// longer than a caller should wait or pay for.
pub(crate) async fn keep_known(desk: Arc<Desk>, stop: CancellationToken) {
    let known = |_| {
        let desk = Arc::clone(&desk);
        async {
            let work = tokio::task::spawn_blocking(move || desk.known_paths());
            let done = work.await.map_err(|e| Error::internal("what was known", e));
            if let Err(error) = done.flatten() {
                econoscope_core::error::log(&error, "what was known");
            }
        }
    };
    on_news(&desk, stop, known).await;
}

/// Does some work for every state of the data, which hears of the state before; the first has none.
pub(super) async fn on_news<F: Future<Output = ()>>(
    desk: &Desk,
    stop: CancellationToken,
    work: impl Fn(Option<State>) -> F,
) {
    let mut newest = None;
    loop {
        let looked = Instant::now();
        match desk.state() {
            Ok(state) if newest != Some(state) => work(newest.replace(state)).await,
            Ok(_) => {}
            Err(error) => econoscope_core::error::log(&error, "looking for news"),
        }
        let rest = tokio::time::sleep(BEAT.max(looked.elapsed() * REST));
        if stop.run_until_cancelled(rest).await.is_none() {
            return;
        }
    }
}

/// Makes what was asked for most at an older state.
async fn make_ready(backend: &Backend, old: State) {
    for (tool, arguments, asked) in backend.asked_most(old, MAX_READY) {
        let Some(route) = Route::find(tool) else {
            continue;
        };
        let made = match route.call(backend, arguments.clone()).await {
            // Asked for once more: what nobody asked for twice leaves the cache first.
            Ok(_) => route.call(backend, arguments).await,
            failed => failed,
        };
        match made {
            Ok(reply) => reply.succeed(asked),
            // Whoever asks is told.
            Err(error) => tracing::debug!(error = error.for_operator(), tool, "not made ahead"),
        }
    }
}

/// Articles into the store. What a feed could not give is in the log; figures do not wait for articles.
async fn read_feeds(desk: &Arc<Desk>, config: &Config, stop: &CancellationToken) -> Result<()> {
    let feeds = match &config.folders.feeds {
        Some(file) if file.as_os_str() == "none" => return Ok(()),
        Some(file) => Feed::from_file(file)?,
        None => Feed::embedded()?,
    };
    let settings = config.sources.settings()?;
    ingest::read_feeds(desk.store(), &feeds, &settings, desk.now(), stop).await?;
    Ok(())
}

//! Keeping the store up to date: one sync with its composites, and syncs while serving.

use crate::config::{self, Config};
use crate::desk::Desk;
use crate::ingest::{self, Renderer, Show, SyncConfig, SyncReport};
use crate::model::SeriesId;
use crate::store::bundled;
use anyhow::{Context, Result};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Fetches what is due now and then every few hours, until stopped.
pub(crate) async fn keep_in_sync(
    desk: Arc<Desk>,
    config: Config,
    every: Duration,
    stop: CancellationToken,
) {
    loop {
        let outcome = sync_once(
            &desk,
            &config,
            &crate::config::Sync {
                only: vec![],
                force: false,
                vintages: false,
                quiet: true,
            },
            &stop,
        )
        .await;
        match outcome {
            Ok(report) => tracing::info!(read = report.read(), missed = report.missed(), "synced"),
            Err(error) => tracing::warn!("sync: {error:#}; answering from what is stored"),
        }
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = stop.cancelled() => return,
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
    let mut settings = source_settings(&config.sources)?;
    settings.force = sync.force;
    settings.vintages = sync.vintages;
    settings.bundled = Some(Arc::new(|store| bundled::load_into(store)));
    if !sync.only.is_empty() {
        settings.only = Some(
            sync.only
                .iter()
                .map(|id| SeriesId::new(id))
                .collect::<crate::Result<_>>()?,
        );
    }
    let mut renderer = Renderer::new(Show::detect(sync.quiet));
    let report = ingest::sync(
        Arc::clone(desk.store()),
        &settings,
        stop.clone(),
        &mut |event| renderer.on(&event),
    )
    .await?;
    if sync.only.is_empty() && !report.cancelled {
        read_feeds(desk, config, stop).await?;
    }
    let desk = Arc::clone(desk);
    tokio::task::spawn_blocking(move || crate::desk::refresh(&desk))
        .await
        .context("computing the composites")??;
    Ok(report)
}

/// Articles into the store. What a feed could not give is in the log; figures do not wait for articles.
async fn read_feeds(desk: &Arc<Desk>, config: &Config, stop: &CancellationToken) -> Result<()> {
    let feeds = match &config.folders.feeds {
        Some(file) if file.as_os_str() == "none" => return Ok(()),
        Some(file) => ingest::FeedSettings::from_file(file)?,
        None => ingest::FeedSettings::embedded()?,
    };
    ingest::read_feeds(desk.store(), &feeds, desk.now(), stop).await?;
    Ok(())
}

/// Where figures are fetched from.
pub(crate) fn source_settings(sources: &config::Sources) -> Result<SyncConfig> {
    let mut settings = SyncConfig::new(sources.fred_key.clone())?;
    if let Some(url) = &sources.fred_csv_url {
        settings.fred.download_url = url.clone();
    }
    if let Some(url) = &sources.fred_api_url {
        settings.fred.api_url = url.clone();
    }
    if let Some(url) = &sources.board_url {
        settings.board.url = url.clone();
    }
    Ok(settings)
}

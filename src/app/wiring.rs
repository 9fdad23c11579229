//! From settings to a store, a desk and a backend.

use crate::clock::SystemClock;
use crate::config::{Config, default_store};
use crate::desk::{Desk, Settings, articles, scenarios};
use crate::endpoints::Backend;
use crate::error::NOTICE;
use crate::mcp;
use crate::postgres::Address;
use crate::store::{Sqlite, Store};
use crate::upstream::{Upstream, UpstreamConfig};
use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;

/// How a store is opened: empty where there is none ([`Sqlite::open`]), or with the bundled history in it
/// ([`Sqlite::open_with_history`]).
pub(crate) type Opening = fn(&Path) -> crate::Result<Sqlite>;

/// Opens the store for who wants to write into it.
///
/// # Errors
/// When it cannot be opened or made: what would be written is to be kept.
pub(crate) fn open_kept(config: &Config, open: Opening) -> Result<Arc<dyn Store>> {
    let default = default_store();
    let path = config.store.as_deref().unwrap_or(&default);
    let store = match open(path) {
        Err(error) if config.store.is_none() && Sqlite::is_damage(&error) => {
            set_aside(path, open, &error)
        }
        opened => opened,
    };
    let shown = crate::disk::shown(path);
    let store = store.with_context(|| {
        format!("nothing can be kept at {shown}; choose another file with --store")
    })?;
    Ok(Arc::new(store))
}

/// Opens the store for who wants to read. A default location that cannot be written is no reason to refuse service: the
/// bundled history answers from memory; a location that was asked for must work.
fn open_store(config: &Config) -> Result<Arc<dyn Store>> {
    let open: Opening = Sqlite::open_with_history;
    match &config.store {
        Some(path) => Ok(Arc::new(open(path)?)),
        None => match open(&default_store()) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) if Sqlite::is_damage(&error) => {
                Ok(Arc::new(set_aside(&default_store(), open, &error)?))
            }
            Err(error) => {
                tracing::warn!(
                    error = error.for_operator(),
                    "answering from the bundled history alone"
                );
                Ok(Arc::new(Sqlite::bundled()?))
            }
        },
    }
}

/// What the default location does with a file that is damaged: it is set aside and told.
fn set_aside(path: &Path, open: Opening, error: &crate::Error) -> crate::Result<Sqlite> {
    tracing::error!(error = error.for_operator(), "the store is damaged");
    let aside = Sqlite::quarantine(path)?;
    tracing::error!(
        target: NOTICE,
        "the store was damaged and is now {}; starting anew. Restore a backup, or sync.",
        crate::disk::shown(&aside)
    );
    open(path)
}

/// A desk over the configured store; `base_url` is where it is listened on, if anywhere.
pub(crate) fn desk(
    config: &Config,
    base_url: Option<String>,
    serve_restricted: bool,
) -> Result<Arc<Desk>> {
    let store = open_store(config)?;
    desk_over(store, config, base_url, serve_restricted)
}

/// A desk over a store.
pub(crate) fn desk_over(
    store: Arc<dyn Store>,
    config: &Config,
    base_url: Option<String>,
    serve_restricted: bool,
) -> Result<Arc<Desk>> {
    let own = &config.folders;
    let settings = Settings {
        scenarios: own
            .scenarios
            .as_deref()
            .map_or(Ok(vec![]), scenarios::from_folder)?,
        articles: own
            .articles
            .as_deref()
            .map_or(Ok(vec![]), articles::from_folder)?,
        service: config.service_name.clone(),
        base_url: config
            .base_url
            .clone()
            .or(base_url)
            .map(|url| url.trim_end_matches('/').to_owned()),
        prefix: config.prefix.clone(),
        serve_restricted,
        recipes: crate::live::recipes(&config.sources)?,
    };
    Ok(Arc::new(Desk::open(store, settings, Desk::system_clock())))
}

/// The address of a database where one was given for a file.
fn address_of(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| Address::is_meant(text))
}

/// The backend that was asked for: forwarding to an upstream, or answering from the store.
pub(crate) fn backend(
    config: &Config,
    base_url: Option<String>,
    serve_restricted: bool,
) -> Result<Backend> {
    let Some(base) = &config.forwarding.upstream else {
        return Ok(Backend::local(desk(config, base_url, serve_restricted)?));
    };
    let mut settings = UpstreamConfig::new(base.clone());
    settings.daily_limit = config.forwarding.upstream_limit;
    let given = config.forwarding.upstream_state.as_deref();
    let store = config.store.as_deref();
    let shared = given.or(store).and_then(address_of);
    settings.database = shared
        .map(|text| Address::parse("upstream-state", text))
        .transpose()?;
    let is_file = |path: &&Path| address_of(path).is_none();
    let file = given.filter(is_file).map(Path::to_owned);
    let beside = || {
        let store = store
            .filter(is_file)
            .map_or_else(default_store, Path::to_owned);
        store.with_file_name("upstream.db")
    };
    settings.state = Some(file.unwrap_or_else(beside));
    let upstream = Upstream::open(settings, Arc::new(SystemClock::default()))?;
    // Names, links and the credit line need no store of our own.
    let names = desk_over(
        Arc::new(Sqlite::bundled()?),
        config,
        base_url,
        serve_restricted,
    )?;
    Ok(Backend::forwarding(names, upstream))
}

/// The backend for other settings over what the one before it holds: its store, and its calls of an upstream.
pub(super) fn backend_again(
    before: &Backend,
    config: &Config,
    base_url: Option<String>,
    serve_restricted: bool,
) -> Result<Backend> {
    let store = Arc::clone(before.desk().store());
    let desk = desk_over(store, config, base_url, serve_restricted)?;
    Ok(match before.upstream() {
        Some(upstream) => Backend::forwarding(desk, upstream.clone()),
        None => Backend::local(desk),
    })
}

/// What speaks MCP.
pub(super) fn handler(config: &Config, backend: Arc<Backend>) -> mcp::Server {
    let server = mcp::Server::new(backend);
    if config.no_fast_lane {
        return server.without_fast_lane();
    }
    server
}

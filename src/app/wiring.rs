//! From settings to a store, a desk and a backend.

use crate::config::Config;
use anyhow::{Context, Result};
use econoscope_answers::endpoints::Backend;
use econoscope_core::clock::SystemClock;
use econoscope_core::error::NOTICE;
use econoscope_data::desk::{Desk, Settings, articles, scenarios};
use econoscope_data::postgres::Address;
use econoscope_data::store::{Postgres, Sqlite, Store};
use econoscope_data::upstream::{Upstream, UpstreamConfig};
use std::path::Path;
use std::sync::Arc;

/// How a store is opened: empty where there is none ([`Sqlite::open`]), or with the bundled history in it
/// ([`Sqlite::open_with_history`]).
type Opening = fn(&Path) -> econoscope_core::Result<Sqlite>;

/// Opens the store for who wants to write into it; a new one starts `bare` or as a copy of the bundled history.
///
/// # Errors
/// When it cannot be opened or made: what would be written is to be kept.
pub(crate) fn open_kept(config: &Config, bare: bool) -> Result<Arc<dyn Store>> {
    if let Some(address) = config.database()? {
        migrate_first(config, &address)?;
        return Ok(match bare {
            true => Arc::new(Postgres::open(&address)?),
            false => Arc::new(Postgres::open_with_history(&address)?),
        });
    }
    let open: Opening = match bare {
        true => Sqlite::open,
        false => Sqlite::open_with_history,
    };
    let store = open_file(config, open).with_context(|| {
        let shown = econoscope_data::disk::shown(&config.local_file());
        format!("nothing can be kept at {shown}; choose another file with --store")
    })?;
    Ok(Arc::new(store))
}

/// Opens the store for who wants to read. A default location that cannot be written is no reason to refuse service: the
/// bundled history answers from memory; a location that was asked for must work.
fn open_store(config: &Config) -> Result<Arc<dyn Store>> {
    if let Some(address) = config.database()? {
        migrate_first(config, &address)?;
        let store = Postgres::with_copy(&address, &config.local_file());
        return Ok(Arc::new(store?));
    }
    let store = match open_file(config, Sqlite::open_with_history) {
        Err(error) if config.store.is_none() => {
            let error = error.for_operator();
            tracing::warn!(error, "answering from the bundled history alone");
            Sqlite::bundled()
        }
        opened => opened,
    };
    Ok(Arc::new(store?))
}

/// Makes the copy of a shared database whole, before a door opens: who asks is to be answered from all of it.
///
/// # Errors
/// As [`Postgres::with_copy`].
pub(super) fn copy_first(config: &Config) -> Result<()> {
    if let Some(address) = config.database()? {
        migrate_first(config, &address)?;
        Postgres::make_copy(&address, &config.local_file())?;
    }
    Ok(())
}

/// Brings the tables of a shared database up to this version, where that was asked for.
fn migrate_first(config: &Config, address: &Address) -> Result<()> {
    if config.shared.migrate {
        Postgres::unchecked(address)?.migrate()?;
    }
    Ok(())
}

/// Opens the file of the store. At the default location a damaged one is set aside and told, and a new one takes its place.
fn open_file(config: &Config, open: Opening) -> econoscope_core::Result<Sqlite> {
    let path = config.local_file();
    let error = match open(&path) {
        Err(error) if config.store.is_none() && Sqlite::is_damage(&error) => error,
        opened => return opened,
    };
    tracing::error!(error = error.for_operator(), "the store is damaged");
    let aside = Sqlite::quarantine(&path)?;
    tracing::error!(
        target: NOTICE,
        "the store was damaged and is now {}; starting anew. Restore a backup, or sync.",
        econoscope_data::disk::shown(&aside)
    );
    open(&path)
}

/// A desk over a store; `base_url` is where it is listened on, if anywhere.
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
        recipes: config.sources.recipes()?,
    };
    Ok(Arc::new(Desk::open(store, settings, Desk::system_clock())))
}

/// The backend that was asked for: forwarding to an upstream, or answering from the store.
pub(crate) fn backend(
    config: &Config,
    base_url: Option<String>,
    serve_restricted: bool,
) -> Result<Backend> {
    let Some(base) = &config.forwarding.upstream else {
        let desk = desk_over(open_store(config)?, config, base_url, serve_restricted)?;
        return Ok(Backend::local(desk));
    };
    let mut settings = UpstreamConfig::new(base.clone());
    settings.daily_limit = config.forwarding.upstream_limit;
    (settings.state, settings.database) = config.upstream_state()?;
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

//! Building a store, a desk and a backend from the settings.

use crate::config::{AnySeries, Command, Config};
use anyhow::{Context, Result};
use econoscope_answers::Backend;
use econoscope_core::clock::SystemClock;
use econoscope_core::error::NOTICE_TARGET;
use econoscope_data::disk;
use econoscope_data::ingest::{Demand, DemandSettings};
use econoscope_data::postgres::Address;
use econoscope_data::store::{Postgres, Sqlite, Store};
use econoscope_data::upstream::{Upstream, UpstreamConfig};
use econoscope_desk::texts::{articles, scenarios};
use econoscope_desk::{Audience, Desk, Settings};
use std::path::Path;
use std::sync::Arc;

/// Opens a store file and creates it where it is missing: empty ([`Sqlite::open`]), or with the bundled history
/// ([`Sqlite::open_with_history`]).
type OpenFile = fn(&Path) -> econoscope_core::Result<Sqlite>;

/// Opens the store for commands that write. A new store starts empty if `bare`, else with the bundled history.
///
/// # Errors
/// When the store cannot be opened or created.
pub(crate) fn open_store(config: &Config, bare: bool) -> Result<Arc<dyn Store>> {
    if let Some(address) = migrated_database(config)? {
        let open = if bare {
            Postgres::open
        } else {
            Postgres::open_with_history
        };
        return Ok(Arc::new(open(&address)?));
    }
    let open = if bare {
        Sqlite::open
    } else {
        Sqlite::open_with_history
    };
    let store = open_file(config, open).with_context(|| {
        let path = disk::format_path(&config.local_file());
        format!("cannot open or create the store {path}; choose another file with --store")
    })?;
    Ok(Arc::new(store))
}

/// Opens the store for reading. Where the default location cannot be written, the bundled history answers from memory; a
/// location from the settings must work.
fn open_for_reading(config: &Config) -> Result<Arc<dyn Store>> {
    if let Some(address) = migrated_database(config)? {
        let store = Postgres::open_replica(&address, &config.local_file());
        return Ok(Arc::new(store?));
    }
    let store = match open_file(config, Sqlite::open_with_history) {
        Err(error) if config.store.is_none() => {
            let message = error.operator_message();
            tracing::warn!(error = message, "answering from the bundled history alone");
            Sqlite::bundled()
        }
        opened => opened,
    };
    Ok(Arc::new(store?))
}

/// Completes the replica of a shared database before the server listens, so that every answer has all data.
///
/// # Errors
/// As [`Postgres::open_replica`].
pub(super) fn complete_replica(config: &Config) -> Result<()> {
    if let Some(address) = migrated_database(config)? {
        Postgres::update_replica(&address, &config.local_file())?;
    }
    Ok(())
}

/// Returns the address of a shared database, whose tables are first migrated where the settings ask for it.
pub(crate) fn migrated_database(config: &Config) -> Result<Option<Address>> {
    let address = config.database()?;
    if let Some(address) = address.as_ref().filter(|_| config.migrate) {
        Postgres::migrate(address)?;
    }
    Ok(address)
}

/// Opens the store file. A damaged one at the default location is moved aside and replaced.
fn open_file(config: &Config, open: OpenFile) -> econoscope_core::Result<Sqlite> {
    let path = config.local_file();
    let error = match open(&path) {
        Err(error) if config.store.is_none() && Sqlite::is_damage(&error) => error,
        opened => return opened,
    };
    tracing::error!(error = error.operator_message(), "the store is damaged");
    let moved = Sqlite::quarantine(&path)?;
    tracing::error!(
        target: NOTICE_TARGET,
        "the damaged store was moved to {}; starting with a new one. Restore a backup, or sync.",
        disk::format_path(&moved)
    );
    open(&path)
}

/// Opens a desk over a store. `base_url` is the listening address of a server, for links where the settings have no other.
pub(crate) fn open_desk(
    store: Arc<dyn Store>,
    config: &Config,
    base_url: Option<String>,
    audience: Audience,
) -> Result<Arc<Desk>> {
    let folders = &config.folders;
    let scenarios = folders.scenarios.as_deref().map(scenarios::from_folder);
    let articles = folders.articles.as_deref().map(articles::from_folder);
    let base_url = config.base_url.clone().or(base_url);
    let settings = Settings {
        scenarios: scenarios.transpose()?.unwrap_or_default(),
        articles: articles.transpose()?.unwrap_or_default(),
        service: config.service_name.clone(),
        base_url: base_url.map(|url| url.trim_end_matches('/').to_owned()),
        prefix: config.prefix.clone(),
        audience,
        is_licensed: config.is_licensed(),
        own_recipes: config.sources.own_recipes()?,
        lock: config.lock(),
    };
    Ok(Arc::new(Desk::open(store, settings, Desk::system_clock())))
}

/// Opens the backend: one that forwards to the upstream of the settings, or one that answers from the store.
pub(crate) fn open_backend(
    config: &Config,
    base_url: Option<String>,
    audience: Audience,
) -> Result<Backend> {
    let Some(upstream) = open_upstream(config)? else {
        let desk = open_desk(open_for_reading(config)?, config, base_url, audience)?;
        let demand = demand(config, &desk)?;
        let backend = Backend::local(desk);
        return Ok(match demand {
            Some(demand) => backend.with_demand(demand),
            None => backend,
        });
    };
    // Names, links and the credit line need no store on disk.
    let bundled = Arc::new(Sqlite::bundled()?);
    let desk = open_desk(bundled, config, base_url, audience)?;
    Ok(Backend::forwarding(desk, upstream))
}

/// Returns what fetches series outside the catalogue for questions; `None` where questions fetch nothing. Strangers start no
/// request unless the operator lets them, and none to FRED.
fn demand(config: &Config, desk: &Desk) -> Result<Option<Arc<Demand>>> {
    let is_public = desk.settings().audience == Audience::Public;
    let is_open = match config.sources.any_series {
        Some(when) => when == AnySeries::Open,
        None => !is_public && !config.no_sync,
    };
    // A server that is locked to a past day fetches nothing.
    if !is_open || config.as_of.is_some() {
        return Ok(None);
    }
    let mut sources = config.source_settings()?;
    sources.no_fred = is_public || !config.sources.fred;
    let settings = DemandSettings {
        sources,
        is_public,
        is_patient: matches!(config.command, Some(Command::Call(_))),
    };
    let store = Arc::clone(desk.store());
    let memory = Arc::clone(desk.memory());
    Ok(Some(Demand::new(settings, store, memory)))
}

/// Opens the upstream of the settings; `None` without one.
///
/// # Errors
/// As [`Upstream::open`].
pub(crate) fn open_upstream(config: &Config) -> Result<Option<Upstream>> {
    let Some(base) = &config.forwarding.upstream else {
        return Ok(None);
    };
    let mut settings = UpstreamConfig::new(base.clone());
    settings.daily_limit = config.forwarding.upstream_limit;
    (settings.state, settings.database) = config.upstream_state()?;
    Ok(Some(Upstream::open(settings, Arc::new(SystemClock))?))
}

//! Wiring: from settings to a store, a desk, a backend, and the edges around it.

use crate::config::{Config, Serve, default_store};
use crate::desk::{Desk, Settings, articles, scenarios};
use crate::endpoints::Backend;
use crate::live;
use crate::model::resolve::Resolver;
use crate::store::{Memory, Sqlite, Store};
use crate::upstream::{SystemClock, Upstream, UpstreamConfig};
use crate::{http, mcp};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Opens the store. A default location that cannot be written is no reason to refuse service: the bundled
/// history answers from memory; a location that was asked for must work.
pub(crate) fn open_store(config: &Config) -> Result<Arc<dyn Store>> {
    match &config.store {
        Some(path) => Ok(Arc::new(Sqlite::open(path)?)),
        None => match Sqlite::open(&default_store()) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) if Sqlite::is_damage(&error) => {
                Ok(Arc::new(set_aside(&default_store(), &error)?))
            }
            Err(error) => {
                tracing::warn!(%error, "answering from the bundled history alone");
                Ok(Arc::new(Memory::new()))
            }
        },
    }
}

/// What the default location does with a file that is damaged: it is set aside and told.
fn set_aside(path: &Path, error: &crate::Error) -> crate::Result<Sqlite> {
    tracing::error!(%error, "the store is damaged");
    let aside = Sqlite::quarantine(path)?;
    eprintln!(
        "econoscope: the store was damaged and is now {}; starting anew. Restore a backup, or sync.",
        aside.display()
    );
    Sqlite::open(path)
}

/// A desk over the configured store.
pub(crate) fn desk(config: &Config, base_url: String, serve_restricted: bool) -> Result<Arc<Desk>> {
    desk_over(open_store(config)?, config, base_url, serve_restricted)
}

fn desk_over(
    store: Arc<dyn Store>,
    config: &Config,
    base_url: String,
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
            .unwrap_or(base_url)
            .trim_end_matches('/')
            .to_owned(),
        prefix: config.prefix.clone(),
        serve_restricted,
    };
    Ok(Arc::new(Desk::open(store, settings, Desk::system_clock())))
}

/// The documented allowance of an upstream, which a public server would use up for one user.
const DOCUMENTED_LIMIT: u32 = 100;

/// The backend that was asked for: forwarding to an upstream, or answering from the store.
pub(crate) fn backend(
    config: &Config,
    base_url: String,
    serve_restricted: bool,
) -> Result<Backend> {
    let Some(base) = &config.forwarding.upstream else {
        return Ok(Backend::local(desk(config, base_url, serve_restricted)?));
    };
    let beside = || {
        config
            .store
            .clone()
            .unwrap_or_else(default_store)
            .with_file_name("upstream.db")
    };
    let mut settings = UpstreamConfig::new(base.clone());
    settings.daily_limit = config.forwarding.upstream_limit;
    settings.state = Some(
        config
            .forwarding
            .upstream_state
            .clone()
            .unwrap_or_else(beside),
    );
    let upstream = Upstream::open(settings, Arc::new(SystemClock::default()))?;
    // Names, links and the credit line need no store of our own.
    let names = desk_over(Arc::new(Memory::new()), config, base_url, serve_restricted)?;
    Ok(Backend::forwarding(names, upstream))
}

/// A shared upstream budget cannot feed the public.
fn refuse_public_forwarding(config: &Config, public: bool) -> Result<()> {
    if public
        && config.forwarding.upstream.is_some()
        && config.forwarding.upstream_limit <= DOCUMENTED_LIMIT
    {
        bail!(
            "serving others from one upstream budget of {DOCUMENTED_LIMIT} calls a day starves them; listen on \
             loopback, answer from a local store, or state the higher limit you were granted with --upstream-limit"
        );
    }
    Ok(())
}

/// Base address in answers where nothing is listened on.
pub(crate) const LOCAL_BASE: &str = "http://127.0.0.1:8080";

/// Speaks MCP on stdin and stdout until the client leaves or a signal comes.
pub(crate) async fn stdio(config: &Config) -> Result<()> {
    let backend = Arc::new(backend(config, LOCAL_BASE.into(), true)?);
    let desk = Arc::clone(backend.desk());
    // What the first call needs is read while the client still says hello; what fails here, the call will tell.
    tokio::task::spawn_blocking(move || {
        Resolver::embedded();
        drop(desk.holdings());
    });
    let stop = stop_on_signal();
    mcp::transport::stdio(server(config, backend), stop).await
}

fn server(config: &Config, backend: Arc<Backend>) -> mcp::Server {
    let server = mcp::Server::new(backend);
    if config.no_fast_lane {
        return server.without_fast_lane();
    }
    server
}

/// Listens, answers, syncs in the background, and drains on a signal.
pub(crate) async fn serve(config: &Config, serve: &Serve) -> Result<()> {
    let listener = TcpListener::bind(serve.listen).await.with_context(|| {
        format!(
            "cannot listen on {}; choose another with --listen",
            serve.listen
        )
    })?;
    let address = listener.local_addr()?;
    let restricted = serve.serve_restricted || address.ip().is_loopback();
    refuse_public_forwarding(config, !address.ip().is_loopback())?;
    let backend = Arc::new(backend(config, format!("http://{address}"), restricted)?);
    let desk = Arc::clone(backend.desk());
    let stop = stop_on_signal();
    let shutdown = http::Shutdown {
        stop: stop.clone(),
        ..Default::default()
    };
    let allowed = allowed(config, serve);
    let site = Arc::new(http::Site::new(
        Arc::clone(&backend),
        options(config, serve, &allowed),
    ));
    let upstream = backend.upstream().cloned();
    let local = upstream.is_none();
    // The handlers are cut only when the drain is over, not when it begins.
    let mcp = mcp::transport::http(server(config, backend), allowed, shutdown.cut.clone());
    let metrics = metrics_listener(serve, &site, &stop).await?;
    eprintln!(
        "econoscope {} on http://{address} (MCP at /mcp)",
        env!("CARGO_PKG_VERSION")
    );
    let background = (local && !serve.no_sync).then(|| {
        let every = Duration::from_secs(serve.sync_hours * 3600);
        let (config, stop) = (config.clone(), stop.clone());
        let runtime = tokio::runtime::Handle::current();
        // A thread of its own: parsing and storing must not take an executor thread from the answers.
        tokio::task::spawn_blocking(move || {
            runtime.block_on(live::keep_in_sync(desk, config, every, stop))
        })
    });
    site.serve(listener, mcp, shutdown).await;
    if let Some(upstream) = upstream {
        // Calls that are paid for are kept.
        upstream.settle().await;
    }
    if let Some(task) = metrics {
        task.await.context("the metrics listener failed")?;
    }
    if let Some(task) = background {
        task.await.context("the background sync failed")?;
    }
    Ok(())
}

fn options(config: &Config, serve: &Serve, allowed: &mcp::transport::Allowed) -> http::Options {
    let limits = &serve.limits;
    http::Options {
        limits: http::limits::Settings {
            general: limits.rate_limit,
            data: limits.rate_limit_data,
            per_second: limits.rate_limit_per_second,
            burst: limits.rate_limit_burst,
            trusted_proxies: limits.trusted_proxy.clone(),
            overrides: limits
                .rate_limit_override
                .iter()
                .map(|o| (o.network, o.requests))
                .collect(),
            count_loopback: limits.rate_limit_loopback,
            file: counts_file(config),
            ..Default::default()
        },
        origins: allowed.origins.clone(),
        connections: http::Connections {
            most: limits.max_connections,
            per_address: limits.max_connections_per_address,
            linger: Duration::from_millis(100) + Duration::from_secs(serve.drain_delay),
            ..Default::default()
        },
    }
}

/// Where the day's counts are kept: beside the store.
fn counts_file(config: &Config) -> Option<PathBuf> {
    let mut name = config
        .store
        .clone()
        .unwrap_or_else(default_store)
        .into_os_string();
    name.push(".limits");
    Some(name.into())
}

async fn metrics_listener(
    serve: &Serve,
    site: &Arc<http::Site>,
    stop: &CancellationToken,
) -> Result<Option<tokio::task::JoinHandle<()>>> {
    let Some(address) = serve.metrics_listen else {
        return Ok(None);
    };
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}; choose another with --metrics-listen")
    })?;
    eprintln!("metrics on http://{}/metrics", listener.local_addr()?);
    let (site, stop) = (Arc::clone(site), stop.clone());
    Ok(Some(tokio::spawn(async move {
        let shutdown = http::Shutdown {
            stop,
            ..Default::default()
        };
        site.serve_metrics(listener, shutdown).await;
    })))
}

fn allowed(config: &Config, serve: &Serve) -> mcp::transport::Allowed {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(String::from).to_vec();
    hosts.extend(serve.allowed_host.iter().cloned());
    // The address the operator gives to the world is one under which the world may call.
    let public = config
        .base_url
        .as_deref()
        .and_then(|b| url::Url::parse(b).ok());
    hosts.extend(public.and_then(|u| u.host_str().map(str::to_owned)));
    let mut origins: Vec<String> = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]
        .map(String::from)
        .to_vec();
    origins.extend(serve.allowed_origin.iter().cloned());
    mcp::transport::Allowed { hosts, origins }
}

/// A time for a file name: `20261121T150405Z`.
pub(crate) fn stamp(at: jiff::Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A token that SIGINT or SIGTERM cancels; the second signal ends the process.
pub(crate) fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = signal(SignalKind::terminate());
        let Ok(mut terminate) = terminate else { return };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        token.cancel();
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        leave_now();
    });
    stop
}

/// A second signal means now: nothing is waited for, the store is safe at any instant.
#[expect(clippy::exit, reason = "the one who asked twice does not want a drain")]
fn leave_now() -> ! {
    eprintln!("econoscope: stopped at once");
    std::process::exit(1)
}

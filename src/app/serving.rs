//! `econoscope serve`: listens, answers, syncs in the background, drains at the end.

use super::listeners::{self, Listeners};
use super::signals::stop_on_signal;
use super::webhooks::Webhooks;
use super::{live, wiring};
use crate::config::{Config, Serve, reachable};
use crate::{admission, mcp, server};
use anyhow::{Context, Result, bail};
use econoscope_answers::endpoints::Backend;
use econoscope_core::error::NOTICE;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The documented allowance of an upstream, which a public server would use up for one user.
const DOCUMENTED_LIMIT: u32 = 100;

/// Serves until a signal to stop comes, then drains.
///
/// # Errors
/// When it cannot begin, or a part of it fails.
pub(crate) async fn serve(config: &Config, serve: &Serve) -> Result<()> {
    wiring::copy_first(config)?;
    let Listeners {
        listener,
        address,
        metrics,
    } = Listeners::open(serve).await?;
    let stop = stop_on_signal();
    let is_local = address.ip().to_canonical().is_loopback();
    let strangers = sign_of_strangers(config, serve, is_local);
    let is_public = strangers.is_some();
    refuse_public_forwarding(config, !is_local)?;
    let restricted = serve.serve_restricted || !is_public;
    let home = Some(format!("http://{}", reachable(address)));
    let backend = Arc::new(wiring::backend(config, home, restricted)?);
    let allowed = allowed(config, serve, address.ip());
    let options = options(config, serve, &allowed);
    let server = Arc::new(server::HttpServer::new(Arc::clone(&backend), options));
    let counting = Arc::clone(&server);
    let count = move |outcome| counting.delivered(outcome);
    let webhooks = Webhooks::open(config, serve, backend.desk(), count)?;
    greet(config, serve, (address, metrics.as_ref()), strangers)?;
    let _lock = listeners::claim(config);

    let mut parts = JoinSet::new();
    let shutdown = || server::Shutdown {
        stop: stop.clone(),
        ..Default::default()
    };
    if let Some(listener) = metrics {
        let (server, shutdown) = (Arc::clone(&server), shutdown());
        parts.spawn(async move { server.serve_metrics(listener, shutdown).await });
    }
    let shutdown = shutdown();
    // The handlers are cut only when the drain is over, not when it begins.
    let handler = mcp::Server::new(Arc::clone(&backend)).listing_search(!config.no_search_tools);
    let mcp = mcp::transport::http(handler, allowed, shutdown.cut.clone());
    let answering = Arc::clone(&server);
    parts.spawn(async move { answering.serve(listener, mcp, shutdown).await });
    let desk = backend.desk();
    tokio::spawn(live::keep_ready(Arc::clone(&backend), stop.clone()));
    tokio::spawn(live::keep_known(Arc::clone(desk), stop.clone()));
    if backend.upstream().is_some() || serve.no_sync {
        send_without_sync(&backend, webhooks, &stop, &mut parts);
    } else {
        let every = Duration::from_secs(serve.sync_hours * 3600);
        let (mut config, server, desk) = (config.clone(), Arc::clone(&server), Arc::clone(desk));
        // FRED's terms allow one's own use; whoever serves others has to say that they may.
        config.sources.no_fred |= is_public && !config.sources.fred;
        // A thread of its own: parsing and storing must not take an executor thread from the answers.
        parts.spawn_blocking(move || {
            let count = |done| server.synced(done);
            let syncing = live::keep_in_sync(desk, (config, every), stop, webhooks, count);
            tokio::runtime::Handle::current().block_on(syncing);
        });
    }
    while let Some(ended) = parts.join_next().await {
        ended.context("a part of the server failed")?;
    }
    if let Some(upstream) = backend.upstream() {
        // Calls that are paid for are kept.
        upstream.settle().await;
    }
    Ok(())
}

/// Sends alerts on a server that does not sync, which nobody else must do.
fn send_without_sync(
    backend: &Backend,
    webhooks: Option<Arc<Webhooks>>,
    stop: &CancellationToken,
    parts: &mut JoinSet<()>,
) {
    let Some(webhooks) = webhooks else { return };
    let store = backend.desk().store();
    if backend.upstream().is_some() || store.leadership().is_some() {
        tracing::warn!(target: NOTICE, "--webhook sends nothing here: over a shared store the server that syncs sends, and one that forwards has no figures of its own");
        return;
    }
    let synced = CancellationToken::new();
    synced.cancel();
    parts.spawn(webhooks.keep_sending(Arc::clone(store), synced, stop.clone()));
}

/// Says where it listens, and what in that is odd.
fn greet(
    config: &Config,
    serve: &Serve,
    (address, metrics): (SocketAddr, Option<&TcpListener>),
    strangers: Option<&str>,
) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(target: NOTICE, "econoscope {version} on http://{address} (MCP at /mcp)");
    if let Some(metrics) = metrics {
        let address = metrics.local_addr()?;
        tracing::info!(target: NOTICE, "metrics on http://{address}/metrics");
    }
    if let Some(sign) = strangers {
        let withheld = match serve.serve_restricted {
            true => "restricted series are passed on, as --serve-restricted says",
            false => "series that may not be passed on are withheld",
        };
        tracing::info!(target: NOTICE, "public, since {sign}: {withheld}");
    }
    if address.ip().is_unspecified() && config.base_url.is_none() {
        tracing::warn!(
            target: NOTICE,
            "links and credit lines name http://{}, which only this machine can open; give --base-url",
            reachable(address)
        );
    }
    let each = serve.limits.max_connections_per_address;
    if each > serve.limits.max_connections {
        tracing::warn!(
            target: NOTICE,
            "--max-connections-per-address {each} is more than --max-connections allows in all"
        );
    }
    Ok(())
}

/// Why strangers may be expected to ask; `None` for a server of its own machine. Any one sign is enough, since what may not
/// be passed on must not depend on a setting that somebody forgot.
fn sign_of_strangers(config: &Config, serve: &Serve, is_local: bool) -> Option<&'static str> {
    // Any port is a port; a host alone is one of an address.
    let is_foreign = |origin: &str| admission::is_public(origin.trim_end_matches(":*"));
    let signs = [
        (!is_local, "it listens beyond this machine"),
        (
            config.base_url.as_deref().is_some_and(is_foreign),
            "--base-url is an address for others",
        ),
        (
            !serve.limits.trusted_proxy.is_empty(),
            "--trusted-proxy names a proxy in front",
        ),
        (
            serve
                .allowed_host
                .iter()
                .any(|host| is_foreign(&format!("http://{host}"))),
            "--allowed-host names another host",
        ),
        (
            serve.allowed_origin.iter().any(|origin| is_foreign(origin)),
            "--allowed-origin names a page of others",
        ),
    ];
    signs
        .into_iter()
        .find_map(|(is_so, sign)| is_so.then_some(sign))
}

/// A shared upstream budget cannot feed the public.
///
/// # Errors
/// When it would have to.
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

/// How the server behaves towards those who may call.
fn options(config: &Config, serve: &Serve, allowed: &mcp::transport::Allowed) -> server::Options {
    let limits = &serve.limits;
    server::Options {
        limits: admission::LimitSettings {
            general: limits.rate_limit,
            data: limits.rate_limit_data,
            pages: limits.rate_limit_pages,
            per_second: limits.rate_limit_per_second,
            burst: limits.rate_limit_burst,
            trusted_proxies: limits.trusted_proxy.clone(),
            overrides: limits.rate_limit_override.clone(),
            count_loopback: limits.rate_limit_loopback,
            file: Some(config.local_file().with_added_extension("limits")),
            shared: limits.limits.clone(),
            ..Default::default()
        },
        hosts: allowed.hosts.clone(),
        origins: allowed.origins.clone(),
        connections: server::Connections {
            max: limits.max_connections,
            max_per_address: limits.max_connections_per_address,
            linger: server::Connections::LINGER + Duration::from_secs(serve.drain_delay),
            ..Default::default()
        }
        .within_descriptors(),
    }
}

/// Who may call a server that listens at `own`.
fn allowed(config: &Config, serve: &Serve, own: IpAddr) -> mcp::transport::Allowed {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(String::from).to_vec();
    // 127.0.0.2 is as good a loopback as the first.
    let listeners = [Some(own), serve.metrics_listen.map(|address| address.ip())];
    let loopback = listeners.into_iter().flatten().filter(IpAddr::is_loopback);
    hosts.extend(loopback.map(|address| address.to_string()));
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

//! `econoscope serve`: listens, answers, syncs in the background, drains at the end.

use super::signals::stop_on_signal;
use super::webhooks::Webhooks;
use super::{live, wiring};
use crate::admission::{self, LimitSettings};
use crate::config::{Config, Serve, reachable};
use crate::{mcp, server};
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
    let (listener, metrics) = listeners(serve).await?;
    let address = listener.local_addr()?;
    let stop = stop_on_signal();
    let is_local = address.ip().to_canonical().is_loopback();
    let strangers = sign_of_strangers(config, serve, is_local);
    let is_public = strangers.is_some();
    refuse_public_forwarding(config, !is_local)?;
    let restricted = serve.serve_restricted || !is_public;
    let home = Some(format!("http://{}", reachable(address)));
    let backend = Arc::new(wiring::backend(config, home, restricted)?);
    let options = options(config, serve, address.ip());
    let server = Arc::new(server::HttpServer::new(Arc::clone(&backend), options));
    let counting = Arc::clone(&server);
    let count = move |outcome| counting.delivered(outcome);
    let webhooks = Webhooks::open(config, serve, backend.desk(), count)?;
    greet(config, serve, (address, metrics.as_ref()), strangers)?;
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
    let mcp = mcp::transport::http(handler, shutdown.cut.clone());
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

/// Opens the listeners, the second for metrics; a socket that systemd opened before us goes before `--listen`.
///
/// # Errors
/// When an address is taken, or may not be listened on.
async fn listeners(serve: &Serve) -> Result<(TcpListener, Option<TcpListener>)> {
    let given = listenfd::ListenFd::from_env().take_tcp_listener(0);
    let listener = match given.context("the socket that was handed over")? {
        Some(given) => {
            given.set_nonblocking(true)?;
            TcpListener::from_std(given)?
        }
        None => bind(serve.listen, "listen").await?,
    };
    let metrics = match serve.metrics_listen {
        Some(address) => Some(bind(address, "metrics-listen").await?),
        None => None,
    };
    Ok((listener, metrics))
}

async fn bind(address: SocketAddr, flag: &str) -> Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    bound.with_context(|| format!("cannot listen on {address}; choose another with --{flag}"))
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
    Ok(())
}

/// Why strangers may be expected to ask; `None` for a server of its own machine. Any one sign is enough, since what may not
/// be passed on must not depend on a setting that somebody forgot.
fn sign_of_strangers(config: &Config, serve: &Serve, is_local: bool) -> Option<&'static str> {
    // Any port is a port; a host alone is one of an address.
    let is_foreign = |origin: &str| admission::is_public(origin.trim_end_matches(":*"));
    let is_foreign_host = |host: &String| is_foreign(&format!("http://{host}"));
    Some(if !is_local {
        "it listens beyond this machine"
    } else if config.base_url.as_deref().is_some_and(is_foreign) {
        "--base-url is an address for others"
    } else if !serve.limits.trusted_proxies.is_empty() {
        "--trusted-proxy names a proxy in front"
    } else if serve.allowed_host.iter().any(is_foreign_host) {
        "--allowed-host names another host"
    } else if serve.allowed_origin.iter().any(|own| is_foreign(own)) {
        "--allowed-origin names a page of others"
    } else {
        return None;
    })
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

/// How the server that listens at `own` behaves, and towards whom.
fn options(config: &Config, serve: &Serve, own: IpAddr) -> server::Options {
    // 127.0.0.2 is as good a loopback as the first.
    let listeners = [Some(own), serve.metrics_listen.map(|address| address.ip())];
    let loopback = listeners.into_iter().flatten().filter(IpAddr::is_loopback);
    let mut hosts: Vec<String> = loopback.map(|address| address.to_string()).collect();
    hosts.extend(serve.allowed_host.iter().cloned());
    // The address the operator gives to the world is one under which the world may call.
    let base = config.base_url.as_deref().map(url::Url::parse);
    let public = base.and_then(|url| Some(url.ok()?.host_str()?.to_owned()));
    hosts.extend(public);
    let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(String::from);
    let delay = Duration::from_secs(serve.drain_delay);
    server::Options {
        limits: LimitSettings {
            file: Some(config.local_file().with_added_extension("limits")),
            ..serve.limits.clone()
        },
        hosts,
        origins: [&origins, &*serve.allowed_origin].concat(),
        connections: server::Connections {
            linger: serve.connections.linger + delay,
            ..serve.connections.clone()
        }
        .within_descriptors(),
    }
}

//! `econoscope serve`: listens, answers, syncs in the background, and drains at the end.

use super::{live, stop_on_signal, wiring};
use crate::admission;
use crate::config::{Config, Serve, local_address};
use crate::{mcp, server};
use anyhow::{Context, Result, bail};
use econoscope_core::error::NOTICE_TARGET;
use econoscope_desk::Audience;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The documented daily limit of an upstream, which one user of a public server could use up.
const DOCUMENTED_LIMIT: u32 = 100;

/// Serves until a signal, then drains.
///
/// # Errors
/// When the server cannot start, or a part of it fails.
pub(crate) async fn serve(config: &Config, serve: &Serve) -> Result<()> {
    wiring::complete_replica(config)?;
    let (listener, metrics) = open_listeners(serve).await?;
    let address = listener.local_addr()?;
    let stop = stop_on_signal();
    let is_local = address.ip().to_canonical().is_loopback();
    let public_reason = public_reason(config, serve, is_local);
    let audience = public_reason.map_or(Audience::Own, |_| Audience::Public);
    check_forwarding(config, is_local)?;
    let base_url = Some(format!("http://{}", local_address(address)));
    let backend = Arc::new(wiring::open_backend(config, base_url, audience)?);
    let options = options(config, serve, address.ip());
    let server = Arc::new(server::HttpServer::new(Arc::clone(&backend), options));
    log_start(config, serve, address, metrics.as_ref(), public_reason)?;
    let mut parts = JoinSet::new();
    if let Some(listener) = metrics {
        let metrics_server = Arc::clone(&server);
        let metrics_stop = stop.clone();
        parts.spawn(async move { metrics_server.serve_metrics(listener, metrics_stop).await });
    }
    let shutdown = server::Shutdown {
        stop: stop.clone(),
        ..Default::default()
    };
    // Handlers stop at the end of the drain.
    let handler = mcp::Server::new(Arc::clone(&backend)).with_search_tools(!config.no_search_tools);
    let mcp = mcp::transport::http(handler, shutdown.close_streams.clone());
    let http = Arc::clone(&server);
    parts.spawn(async move { http.serve(listener, mcp, shutdown).await });
    let desk = backend.desk();
    tokio::spawn(live::refresh_answers(Arc::clone(&backend), stop.clone()));
    tokio::spawn(live::refresh_history(Arc::clone(desk), stop.clone()));
    if let Some(sync) = live::BackgroundSync::new(config, &backend, &stop) {
        parts.spawn_blocking(move || sync.run(|report| server.record_sync(report)));
    }
    while let Some(result) = parts.join_next().await {
        result.context("a part of the server failed")?;
    }
    if let Some(upstream) = backend.upstream() {
        // Stores the answers of calls that count against the daily limit.
        upstream.wait_until_idle().await;
    }
    Ok(())
}

/// Opens the listeners for requests and for metrics. A socket of systemd overrides `--listen`.
///
/// # Errors
/// When an address is in use or not permitted.
async fn open_listeners(serve: &Serve) -> Result<(TcpListener, Option<TcpListener>)> {
    let socket = listenfd::ListenFd::from_env().take_tcp_listener(0);
    let listener = match socket.context("the socket passed by systemd")? {
        Some(socket) => {
            socket.set_nonblocking(true)?;
            TcpListener::from_std(socket)?
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
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}; choose another with --{flag}"))
}

/// Logs the addresses, the reason why the server is public, and a warning about unusable links.
fn log_start(
    config: &Config,
    serve: &Serve,
    address: SocketAddr,
    metrics: Option<&TcpListener>,
    public_reason: Option<&str>,
) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(target: NOTICE_TARGET, "econoscope {version} on http://{address} (MCP at /mcp)");
    if let Some(metrics) = metrics {
        let metrics_address = metrics.local_addr()?;
        tracing::info!(target: NOTICE_TARGET, "metrics on http://{metrics_address}/metrics");
    }
    if let Some(reason) = public_reason {
        let withheld = if serve.serve_restricted {
            "restricted series are served (--serve-restricted)"
        } else {
            "restricted series are withheld"
        };
        tracing::info!(target: NOTICE_TARGET, "public, because {reason}; {withheld}");
    }
    if address.ip().is_unspecified() && config.base_url.is_none() {
        tracing::warn!(
            target: NOTICE_TARGET,
            "links and credit lines contain http://{}, which only this machine can open; set --base-url",
            local_address(address)
        );
    }
    Ok(())
}

/// Returns why the server is [`Audience::Public`]; `None` for [`Audience::Own`]. One sign is enough, so that a forgotten
/// setting does not pass on restricted series.
fn public_reason(config: &Config, serve: &Serve, is_local: bool) -> Option<&'static str> {
    // A port may be a wildcard, and a host has no scheme.
    let is_public = |origin: &str| admission::is_public_url(origin.trim_end_matches(":*"));
    let is_public_host = |host: &String| is_public(&format!("http://{host}"));
    Some(if !is_local {
        "it listens beyond this machine"
    } else if config.base_url.as_deref().is_some_and(is_public) {
        "--base-url is an address for others"
    } else if !serve.limits.trusted_proxies.is_empty() {
        "--trusted-proxy names a proxy in front"
    } else if serve.allowed_host.iter().any(is_public_host) {
        "--allowed-host names another host"
    } else if serve.allowed_origin.iter().any(|origin| is_public(origin)) {
        "--allowed-origin names a page of others"
    } else {
        return None;
    })
}

/// # Errors
/// When one upstream budget would serve the public.
fn check_forwarding(config: &Config, is_local: bool) -> Result<()> {
    if !is_local
        && config.forwarding.upstream.is_some()
        && config.forwarding.upstream_limit <= DOCUMENTED_LIMIT
    {
        bail!(
            "one upstream budget of {DOCUMENTED_LIMIT} calls a day is too small for a public server; listen on \
             loopback, answer from a local store, or set --upstream-limit to the limit you were granted"
        );
    }
    Ok(())
}

/// Returns the options of the server that listens at `ip`.
fn options(config: &Config, serve: &Serve, ip: IpAddr) -> server::Options {
    // A loopback address other than 127.0.0.1 is a host name, too.
    let listeners = [Some(ip), serve.metrics_listen.map(|address| address.ip())];
    let loopback = listeners.into_iter().flatten().filter(IpAddr::is_loopback);
    let mut hosts: Vec<String> = loopback.map(|address| address.to_string()).collect();
    hosts.extend(serve.allowed_host.iter().cloned());
    let base_url = config.base_url.as_deref().map(url::Url::parse);
    hosts.extend(base_url.and_then(|url| Some(url.ok()?.host_str()?.to_owned())));
    let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(String::from);
    let delay = Duration::from_secs(serve.drain_delay);
    server::Options {
        limits: serve.limits.clone(),
        hosts,
        origins: [&origins, &*serve.allowed_origin].concat(),
        connections: server::ConnectionSettings {
            linger: serve.connections.linger + delay,
            ..serve.connections.clone()
        }
        .within_descriptors(),
    }
}

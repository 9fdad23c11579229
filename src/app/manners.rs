//! How a server behaves: who may call and how much each may ask for, out of the settings.

use crate::config::{Config, Serve};
use crate::{admission, mcp, server};
use anyhow::{Result, bail};
use std::net::IpAddr;
use std::time::Duration;

/// The documented allowance of an upstream, which a public server would use up for one user.
const DOCUMENTED_LIMIT: u32 = 100;

/// A shared upstream budget cannot feed the public.
///
/// # Errors
/// When it would have to.
pub(super) fn refuse_public_forwarding(config: &Config, public: bool) -> Result<()> {
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
pub(super) fn options(
    config: &Config,
    serve: &Serve,
    allowed: &mcp::transport::Allowed,
) -> server::Options {
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
pub(super) fn allowed(config: &Config, serve: &Serve, own: IpAddr) -> mcp::transport::Allowed {
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

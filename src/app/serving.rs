//! `econoscope serve`: listens, answers, syncs in the background, reads its settings again when told, drains at the end.

use super::doors::{self, Doors};
use super::signals::{Signals, stop_on_signal_but_hangup};
use super::{live, wiring};
use crate::config::{self, Command, Config, Serve, reachable};
use crate::{admission, mcp, server};
use anyhow::{Context, Result, bail};
use econoscope_answers::endpoints::Backend;
use econoscope_core::error::NOTICE;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The documented allowance of an upstream, which a public server would use up for one user.
const DOCUMENTED_LIMIT: u32 = 100;

/// Serves until a signal to stop comes.
///
/// # Errors
/// When it cannot begin, or a part of it fails.
pub(crate) async fn serve(config: &Config, serve: &Serve) -> Result<()> {
    wiring::copy_first(config)?;
    let doors = Doors::open(serve).await?;
    let stop = stop_on_signal_but_hangup();
    let mut hangups = Signals::to_read_again();
    let mut now = Round::begin(config.clone(), serve.clone(), &doors, &stop, None)?;
    greet(config, serve, &doors)?;
    let _alone = doors::claim(config);
    let mut rounds = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = hangups.next() => {}
        }
        match again(&now, &doors, &stop) {
            Ok(next) => {
                let before = std::mem::replace(&mut now, next);
                before.relieved.cancel();
                before.leaving.cancel();
                rounds.spawn(before.end());
                tracing::info!(target: NOTICE, "the settings were read again");
            }
            Err(error) => {
                let causes = econoscope_core::error::causes(error.chain());
                let causes = econoscope_data::disk::escaped(&causes);
                tracing::error!(target: NOTICE, "the settings stay as they were: {causes}");
            }
        }
    }
    rounds.spawn(now.end());
    while let Some(ended) = rounds.join_next().await {
        ended.context("a part of the server failed")??;
    }
    Ok(())
}

/// Says where it listens, and what in that is odd.
fn greet(config: &Config, serve: &Serve, doors: &Doors) -> Result<()> {
    let (address, version) = (doors.address, env!("CARGO_PKG_VERSION"));
    tracing::info!(target: NOTICE, "econoscope {version} on http://{address} (MCP at /mcp)");
    if let Some(metrics) = &doors.metrics {
        let address = metrics.local_addr()?;
        tracing::info!(target: NOTICE, "metrics on http://{address}/metrics");
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

/// A server between two readings of the settings.
struct Round {
    config: Config,
    serve: Serve,
    backend: Arc<Backend>,
    site: Arc<server::HttpServer>,
    /// Cancelled when another round takes the connections that come.
    relieved: CancellationToken,
    /// Cancelled with it, and by the signal to stop.
    leaving: CancellationToken,
    parts: JoinSet<()>,
}

/// The round that follows: settings are read again, what is held and counted stays.
fn again(now: &Round, doors: &Doors, stop: &CancellationToken) -> Result<Round> {
    let config = config::load(now.config.arguments.clone())?;
    let Some(Command::Serve(serve)) = config.command.clone() else {
        bail!("the command line is none of `serve` any more");
    };
    let (old, new) = (&now.config, &config);
    let (was, is) = (&old.forwarding, &new.forwarding);
    let fixed = [
        ("store", old.store != new.store),
        ("upstream", was != is),
        ("listen", now.serve.listen != serve.listen),
        (
            "metrics-listen",
            now.serve.metrics_listen != serve.metrics_listen,
        ),
        ("limits", now.serve.limits.limits != serve.limits.limits),
        ("log", old.log != new.log || old.log_json != new.log_json),
    ];
    for (name, _) in fixed.iter().filter(|(_, differs)| *differs) {
        tracing::warn!(target: NOTICE, "{name} changes only when the server is started anew");
    }
    Round::begin(config, serve, doors, stop, Some(now))
}

impl Round {
    /// Begins to answer.
    fn begin(
        config: Config,
        serve: Serve,
        doors: &Doors,
        stop: &CancellationToken,
        before: Option<&Self>,
    ) -> Result<Self> {
        let ip = doors.address.ip();
        let is_local = ip.to_canonical().is_loopback();
        let is_public = !is_local || config.base_url.as_deref().is_some_and(admission::is_public);
        let restricted = serve.serve_restricted || !is_public;
        refuse_public_forwarding(&config, !is_local)?;
        let home = Some(format!("http://{}", reachable(doors.address)));
        let backend = match before {
            Some(before) => wiring::backend_again(&before.backend, &config, home, restricted),
            None => wiring::backend(&config, home, restricted),
        };
        let backend = Arc::new(backend?);
        let allowed = allowed(&config, &serve, ip);
        let options = options(&config, &serve, &allowed);
        let site = Arc::new(match before {
            Some(before) => before.site.again(Arc::clone(&backend), options),
            None => server::HttpServer::new(Arc::clone(&backend), options),
        });
        let mut round = Self {
            config,
            serve,
            backend,
            site,
            relieved: CancellationToken::new(),
            leaving: stop.child_token(),
            parts: JoinSet::new(),
        };
        round.listen(doors, allowed, stop);
        round.work(is_public);
        Ok(round)
    }

    fn listen(
        &mut self,
        doors: &Doors,
        allowed: mcp::transport::Allowed,
        stop: &CancellationToken,
    ) {
        let shutdown = || server::Shutdown {
            stop: stop.clone(),
            relieved: self.relieved.clone(),
            ..Default::default()
        };
        let (ending, listener) = (shutdown(), Arc::clone(&doors.listener));
        // The handlers are cut only when the drain is over, not when it begins.
        let handler = wiring::handler(&self.config, Arc::clone(&self.backend));
        let mcp = mcp::transport::http(handler, allowed, ending.cut.clone());
        let site = Arc::clone(&self.site);
        let for_metrics = doors.metrics.clone().map(|listener| (listener, shutdown()));
        self.parts
            .spawn(async move { site.serve(listener, mcp, ending).await });
        if let Some((listener, ending)) = for_metrics {
            let site = Arc::clone(&self.site);
            self.parts
                .spawn(async move { site.serve_metrics(listener, ending).await });
        }
    }

    /// What goes on beside the answers.
    fn work(&mut self, is_public: bool) {
        let (backend, leaving) = (&self.backend, &self.leaving);
        let desk = backend.desk();
        let ready = live::keep_ready(Arc::clone(backend), leaving.clone());
        let known = live::keep_known(Arc::clone(desk), leaving.clone());
        tokio::spawn(ready);
        tokio::spawn(known);
        if backend.upstream().is_some() || self.serve.no_sync {
            return;
        }
        let every = Duration::from_secs(self.serve.sync_hours * 3600);
        let (mut config, leaving) = (self.config.clone(), leaving.clone());
        // FRED's terms allow one's own use; whoever serves others has to say that they may.
        config.sources.no_fred |= is_public && !config.sources.fred;
        let (desk, runtime) = (Arc::clone(desk), tokio::runtime::Handle::current());
        // A thread of its own: parsing and storing must not take an executor thread from the answers.
        let site = Arc::clone(&self.site);
        self.parts.spawn_blocking(move || {
            let counted = |done| site.synced(done);
            runtime.block_on(live::keep_in_sync(desk, config, every, leaving, counted));
        });
    }

    /// Waits until all is answered.
    async fn end(mut self) -> Result<()> {
        while let Some(ended) = self.parts.join_next().await {
            ended?;
        }
        if let Some(upstream) = self.backend.upstream() {
            // Calls that are paid for are kept.
            upstream.settle().await;
        }
        Ok(())
    }
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

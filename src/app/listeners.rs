//! The listeners of a server, and the lock that tells whether another server has the same store.

use crate::config::{Config, Serve};
use anyhow::{Context, Result};
use econoscope_data::disk;
use std::fs::{File, OpenOptions, TryLockError};
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// The listeners of a server.
pub(super) struct Listeners {
    pub(super) listener: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) metrics: Option<TcpListener>,
}

impl Listeners {
    /// Opens them; a socket that systemd opened before us goes before `--listen`.
    ///
    /// # Errors
    /// When an address is taken, or may not be listened on.
    pub(super) async fn open(serve: &Serve) -> Result<Self> {
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
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            metrics,
        })
    }
}

async fn bind(address: SocketAddr, flag: &str) -> Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    bound.with_context(|| format!("cannot listen on {address}; choose another with --{flag}"))
}

/// Locks a file beside the store while the server lives, and warns when another server holds it.
pub(super) fn claim(config: &Config) -> Option<File> {
    let path = config.local_file().with_added_extension("serving");
    if path.exists() && disk::must_be_regular(&path).is_err() {
        return None;
    }
    let mut options = OpenOptions::new();
    let opened = options.write(true).create(true).truncate(false).open(&path);
    // A store that cannot be written is in memory, where nobody else is.
    let file = opened.ok()?;
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) => {
            tracing::warn!(
                target: econoscope_core::error::NOTICE,
                "another server answers from this store already: each counts its callers for itself, and of the \
                 day's counts those that are written last outlive a restart; stop one, or give it a --store of its own"
            );
            None
        }
        Err(TryLockError::Error(error)) => {
            tracing::debug!(%error, "whether another server has this store is not known");
            None
        }
    }
}

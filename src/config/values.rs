//! Values of flags that need more than a number or a word, and what is refused before anything begins.

use super::settings::Config;
use crate::postgres::Address;
use anyhow::{Result, bail};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use url::Url;

/// A network with a daily number of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Override {
    pub(crate) network: ipnet::IpNet,
    pub(crate) requests: u32,
}

impl std::str::FromStr for Override {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "write NETWORK=N, for example 203.0.113.0/24=5000".to_owned();
        let (left, right) = text.split_once('=').ok_or_else(wanted)?;
        Ok(Self {
            network: network(left)?,
            requests: right
                .trim()
                .parse()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(wanted)?,
        })
    }
}

/// `10.0.0.0/8`, or one address.
pub(super) fn network(text: &str) -> Result<ipnet::IpNet, String> {
    let text = text.trim();
    text.parse()
        .or_else(|_| text.parse::<std::net::IpAddr>().map(ipnet::IpNet::from))
        .map_err(|_| format!("{text} is no network; write 10.0.0.0/8 or an address"))
}

/// An address to listen on, with a name resolved: `localhost:8080`. Of several addresses the first of IPv4 is taken,
/// which is where everybody who asks for `localhost` tries as well.
pub(super) fn listening(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let wanted = "write HOST:PORT, for example 127.0.0.1:8080, or 0.0.0.0:8080 for every address of this machine";
    if !text.contains(':') {
        return Err(format!("a host or a port is missing; {wanted}"));
    }
    let found = text
        .to_socket_addrs()
        .map_err(|problem| format!("{problem}; {wanted}"))?;
    let found: Vec<SocketAddr> = found.collect();
    let first = found.iter().find(|a| a.is_ipv4()).or(found.first());
    first
        .copied()
        .ok_or_else(|| format!("the name has no address; {wanted}"))
}

/// Where a server that listens there can be asked from its own machine.
pub(crate) fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

/// Refuses what would only fail later, or be passed on as a broken link.
///
/// # Errors
/// When the base address is none, or a folder or file that was named is not there.
pub(super) fn check(config: &Config) -> Result<()> {
    if let Some(text) = &config.base_url
        && let Some(problem) = no_base(text)
    {
        let text = crate::disk::escaped(text);
        bail!(
            "--base-url {text} {problem}; write the address that others type, for example https://macro.example.org"
        );
    }
    let folders = &config.folders;
    for (flag, folder) in [
        ("scenarios", &folders.scenarios),
        ("articles", &folders.articles),
        ("sources", &config.sources.sources),
    ] {
        if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_dir()) {
            let shown = crate::disk::shown(folder);
            bail!("--{flag} {shown}: there is no such folder; make it first, or correct its name");
        }
    }
    if let Some(file) = &folders.feeds
        && file.as_os_str() != "none"
        && !file.exists()
    {
        let shown = crate::disk::shown(file);
        bail!("--feeds {shown}: there is no such file; correct its name, or write none");
    }
    let is_file = config.database()?.is_none();
    for (flag, file) in [
        ("store", if is_file { &config.store } else { &None }),
        ("replica", &config.shared.replica),
        ("upstream-state", &config.forwarding.upstream_state),
    ] {
        // A database may lie there instead; its address is read by who speaks to it.
        let file = file.as_deref();
        let file = file.filter(|f| !f.to_str().is_some_and(Address::is_meant));
        let folder = file.and_then(Path::parent);
        if let Some(folder) = folder.filter(|f| !f.as_os_str().is_empty() && !f.exists()) {
            let shown = crate::disk::shown(folder);
            bail!(
                "--{flag}: there is no folder {shown}; make it first, or correct the path of the file"
            );
        }
    }
    Ok(())
}

/// Why a text is no address that can be given to the world, as words that follow it.
fn no_base(text: &str) -> Option<&'static str> {
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        Ok(url) if text.contains("://") && !url.scheme().is_empty() => {
            return Some("is not of http or https");
        }
        Ok(_) | Err(_) => {
            return Some("has no https:// (or http://) in front, or no host behind it");
        }
    };
    let is_everywhere = match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_unspecified(),
        Some(url::Host::Ipv6(ip)) => ip.is_unspecified(),
        Some(url::Host::Domain(_)) | None => false,
    };
    if is_everywhere {
        return Some("is an address to listen on and not one to be called at");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Some("has a ? or # in it");
    }
    let is_named = !url.username().is_empty() || url.password().is_some();
    is_named.then_some("has a name or password in it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_to_listen_on_may_be_a_name() {
        assert_eq!(
            listening("[::1]:9").map(|a| a.to_string()),
            Ok("[::1]:9".into())
        );
        let local = listening("localhost:8080").unwrap();
        assert!(local.ip().is_loopback() && local.port() == 8080);
        for wrong in ["8080", "localhost", "127.0.0.1", "localhost:http"] {
            let told = listening(wrong).unwrap_err();
            assert!(told.contains("127.0.0.1:8080"), "{wrong}: {told}");
        }
    }

    #[test]
    fn a_base_address_is_one_that_others_can_call() {
        for right in [
            "https://macro.example.org",
            "http://localhost:8080/",
            "https://[2001:db8::1]:8443/macro",
        ] {
            assert_eq!(no_base(right), None, "{right}");
        }
        for wrong in [
            "macro.example.org",
            "macro.example.org:8080",
            "ftp://example.org",
            "https://",
            "http://0.0.0.0:8080",
            "http://[::]/",
            "https://a.org/?x=1",
            "https://a.org/#x",
            "https://me:pw@a.org",
        ] {
            assert!(no_base(wrong).is_some(), "{wrong}");
        }
    }
}

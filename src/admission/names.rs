//! Hosts and origins as they are written: in the operator's lists, in `Host` and in `Origin`. Read strictly, for who reads
//! less than the whole takes `https://app.example.com:443.evil.example` for the application.

use http::uri::Authority;
use std::net::{IpAddr, Ipv6Addr};

/// A host or an origin of the operator's lists.
#[derive(Debug, Clone)]
pub(super) struct Allowed {
    /// Of an origin; a host has none.
    scheme: String,
    name: String,
    /// The port, if only one is right; `Some(None)` is that of a scheme without a usual port.
    port: Option<Option<u16>>,
}

/// A host as a request names it, or the origin of a page as its browser writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostOrOrigin<'a> {
    /// Of an origin; a host has none.
    scheme: &'a str,
    pub(super) name: &'a str,
    pub(super) port: Option<u16>,
}

impl Allowed {
    /// Reads a host; one that cannot be read allows nothing and is logged.
    pub(super) fn host(entry: &str) -> Option<Self> {
        // IPv6 stands in the list with or without brackets.
        let address = entry.trim().parse::<Ipv6Addr>();
        let text = address.map_or_else(|_| entry.trim().to_owned(), |ip| format!("[{ip}]"));
        let host = HostOrOrigin::host(&text);
        if host.is_none() {
            tracing::warn!(
                entry,
                "not a host; write macro.example.org or macro.example.org:8443"
            );
        }
        host.map(|host| Self::of(host, host.port.map(Some)))
    }

    /// Reads an origin; one that cannot be read allows nothing and is logged.
    pub(super) fn origin(entry: &str) -> Option<Self> {
        let text = entry.trim();
        let (text, is_any) = match text.strip_suffix(":*") {
            Some(text) => (text, true),
            None => (text.strip_suffix('/').unwrap_or(text), false),
        };
        let origin = HostOrOrigin::origin(text).filter(|origin| !is_any || origin.port.is_none());
        if origin.is_none() {
            tracing::warn!(entry, "not an origin; write https://app.example.com:443");
        }
        origin.map(|origin| Self::of(origin, (!is_any).then_some(origin.port_meant())))
    }

    fn of(named: HostOrOrigin<'_>, port: Option<Option<u16>>) -> Self {
        Self {
            scheme: named.scheme.to_owned(),
            name: named.name.to_owned(),
            port,
        }
    }

    pub(super) fn admits(&self, named: HostOrOrigin<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(named.scheme)
            && self.name.eq_ignore_ascii_case(named.name)
            && self.port.is_none_or(|own| own == named.port_meant())
    }
}

impl<'a> HostOrOrigin<'a> {
    /// A name or an address and perhaps a port, and nothing else.
    pub(super) fn host(text: &'a str) -> Option<Self> {
        let read: Authority = text.parse().ok()?;
        let name = text.get(..read.host().len())?;
        // Neither a user before it nor a port in another form behind it.
        let port = read.port();
        let is_whole = match port.as_ref().map(|port| port.as_str()) {
            Some(port) => {
                !port.starts_with(['0', '+']) && text.len() == name.len() + 1 + port.len()
            }
            None => text == name,
        };
        is_whole.then_some(Self {
            scheme: "",
            name,
            port: port.map(|port| port.as_u16()),
        })
    }

    /// Scheme and host of an origin, and nothing longer.
    pub(super) fn origin(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let is_scheme =
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(is_letter);
        let host = Self::host(rest)?;
        is_scheme.then_some(Self { scheme, ..host })
    }

    /// The port, or that of the scheme where none is written.
    fn port_meant(self) -> Option<u16> {
        self.port.or(match self.scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        })
    }
}

/// Whether a host means the machine itself.
pub(super) fn is_loopback(name: &str) -> bool {
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback())
}

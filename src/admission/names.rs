//! Parses hosts and origins of the operator's lists, of `Host` and of `Origin`. Parsing is strict: a parser that ignores the
//! rest takes `https://app.example.com:443.evil.example` for the application.

use http::uri::Authority;
use std::net::{IpAddr, Ipv6Addr};

/// A host or an origin of the operator's lists.
#[derive(Debug, Clone)]
pub(super) struct AllowedName {
    /// Scheme of an origin; empty for a host.
    scheme: String,
    name: String,
    /// The port, `None` for any; `Some(None)` is the default port of a scheme that has none.
    port: Option<Option<u16>>,
}

/// The host of a request, or the origin of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostOrOrigin<'a> {
    /// Scheme of an origin; empty for a host.
    scheme: &'a str,
    pub(super) name: &'a str,
    pub(super) port: Option<u16>,
}

impl AllowedName {
    /// Parses a host; `None`, with a warning, if it is invalid.
    pub(super) fn host(entry: &str) -> Option<Self> {
        // The list may have IPv6 without brackets.
        let address = entry.trim().parse::<Ipv6Addr>();
        let text = address.map_or_else(|_| entry.trim().to_owned(), |ip| format!("[{ip}]"));
        let host = HostOrOrigin::host(&text);
        if host.is_none() {
            tracing::warn!(
                entry,
                "not a host name; write macro.example.org or macro.example.org:8443"
            );
        }
        host.map(|host| Self::new(host, host.port.map(Some)))
    }

    /// Parses an origin; `None`, with a warning, if it is invalid.
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
        origin.map(|origin| Self::new(origin, (!is_any).then_some(origin.effective_port())))
    }

    fn new(name: HostOrOrigin<'_>, port: Option<Option<u16>>) -> Self {
        Self {
            scheme: name.scheme.to_owned(),
            name: name.name.to_owned(),
            port,
        }
    }

    pub(super) fn matches(&self, name: HostOrOrigin<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(name.scheme)
            && self.name.eq_ignore_ascii_case(name.name)
            && self.port.is_none_or(|port| port == name.effective_port())
    }
}

impl<'a> HostOrOrigin<'a> {
    /// Parses a name or an address with an optional port, and nothing else.
    pub(super) fn host(text: &'a str) -> Option<Self> {
        let authority: Authority = text.parse().ok()?;
        let name = text.get(..authority.host().len())?;
        // No user before it, no port in another form after it.
        let port = authority.port();
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

    /// Parses the scheme and host of an origin, and nothing else.
    pub(super) fn origin(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let is_scheme =
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(is_letter);
        let host = Self::host(rest)?;
        is_scheme.then_some(Self { scheme, ..host })
    }

    /// Returns the port, or the default port of the scheme.
    fn effective_port(self) -> Option<u16> {
        self.port.or(match self.scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        })
    }
}

/// Whether a host is this machine.
pub(super) fn is_loopback(name: &str) -> bool {
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback())
}

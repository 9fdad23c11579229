//! Parses hosts and origins of the operator's lists, of `Host` and of `Origin`. Parsing is strict: a parser that ignores the
//! rest takes `https://app.example.com:443.evil.example` for the application.

use http::uri::Authority;
use std::net::{IpAddr, Ipv6Addr};

/// An origin, or a host, which has no scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    scheme: String,
    /// The name or address in lower case.
    pub(super) name: String,
    /// The port, or the default port of the scheme. In a list of allowed ones `None` allows any.
    port: Option<u16>,
}

impl Origin {
    /// Parses an allowed host; `None`, with a warning, if it is invalid.
    pub(super) fn allowed_host(entry: &str) -> Option<Self> {
        // The list may have IPv6 without brackets.
        let address = entry.trim().parse::<Ipv6Addr>();
        let text = address.map_or_else(|_| entry.trim().to_owned(), |ip| format!("[{ip}]"));
        let host = Self::host(&text);
        if host.is_none() {
            tracing::warn!(
                entry,
                "not a host name; write macro.example.org or macro.example.org:8443"
            );
        }
        host
    }

    /// Parses an allowed origin, whose port may be `*`; `None`, with a warning, if it is invalid.
    pub(super) fn allowed(entry: &str) -> Option<Self> {
        let text = entry.trim();
        let origin = match text.strip_suffix(":*") {
            Some(text) => Self::parse(&format!("{text}:1")).map(|o| Self { port: None, ..o }),
            None => Self::parse(text.strip_suffix('/').unwrap_or(text)),
        };
        if origin.is_none() {
            tracing::warn!(entry, "not an origin; write https://app.example.com:443");
        }
        origin
    }

    /// Parses a name or an address with an optional port, and nothing else.
    pub(super) fn host(text: &str) -> Option<Self> {
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
        is_whole.then(|| Self {
            scheme: String::new(),
            name: name.to_ascii_lowercase(),
            port: port.map(|port| port.as_u16()),
        })
    }

    /// Parses the scheme and host of an origin, and nothing else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let is_scheme =
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(is_letter);
        let host = Self::host(rest).filter(|_| is_scheme)?;
        let lower_scheme = scheme.to_ascii_lowercase();
        let default_port = match lower_scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Some(Self {
            scheme: lower_scheme,
            port: host.port.or(default_port),
            ..host
        })
    }

    /// Whether this allowed host or origin allows another.
    pub(super) fn allows(&self, other: &Self) -> bool {
        self.scheme == other.scheme
            && self.name == other.name
            && (self.port.is_none() || self.port == other.port)
    }
}

/// Whether a host is this machine.
pub(super) fn is_loopback(name: &str) -> bool {
    let host = name.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<IpAddr>();
    let is_name = host == "localhost" || host.ends_with(".localhost");
    is_name || address.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

//! Hosts and origins as they are written: in the operator's lists, in `Host` and in `Origin`. Read strictly, for who reads
//! less than the whole takes `https://app.example.com:443.evil.example` for the application.

use std::net::{IpAddr, Ipv6Addr};

/// A host in lower case, and the port if only one is right; `Some(None)` is that of a scheme without a usual port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allowed {
    pub(super) name: String,
    port: Option<Option<u16>>,
}

/// An origin of the operator's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    scheme: String,
    host: Allowed,
}

/// The origin of a page, as its browser writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'a> {
    scheme: &'a str,
    host: Host<'a>,
}

/// A host as a request names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Host<'a> {
    pub(super) name: &'a str,
    pub(super) port: Option<u16>,
}

impl Allowed {
    pub(super) fn read(entry: &str) -> Option<Self> {
        // IPv6 stands in the list with or without brackets.
        let address = entry.trim().parse::<Ipv6Addr>().ok();
        let address = address.map(|address| address.to_string());
        let host = match &address {
            Some(name) => Some(Host { name, port: None }),
            None => Host::read(entry.trim()),
        };
        if host.is_none() {
            tracing::warn!(
                entry,
                "not a host; write macro.example.org or macro.example.org:8443"
            );
        }
        host.map(|host| Self {
            name: host.name.to_ascii_lowercase(),
            port: host.port.map(Some),
        })
    }

    pub(super) fn admits(&self, host: Host<'_>) -> bool {
        self.name.eq_ignore_ascii_case(host.name) && self.port.is_none_or(|own| own == host.port)
    }
}

impl Origin {
    pub(super) fn read(entry: &str) -> Option<Self> {
        let text = entry.trim();
        let (text, is_any) = match text.strip_suffix(":*") {
            Some(text) => (text, true),
            None => (text.strip_suffix('/').unwrap_or(text), false),
        };
        let page = Page::read(text).filter(|page| !is_any || page.host.port.is_none());
        if page.is_none() {
            tracing::warn!(entry, "not an origin; write https://app.example.com:443");
        }
        page.map(|page| Self {
            scheme: page.scheme.to_ascii_lowercase(),
            host: Allowed {
                name: page.host.name.to_ascii_lowercase(),
                port: (!is_any).then_some(page.host().port),
            },
        })
    }

    pub(super) fn admits(&self, page: Page<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(page.scheme) && self.host.admits(page.host())
    }
}

impl<'a> Host<'a> {
    /// A name or an address and perhaps a port, and nothing else.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (name, rest, letters): (_, _, fn(u8) -> bool) = match text.strip_prefix('[') {
            Some(text) => {
                let (name, rest) = text.split_once(']')?;
                (name, rest, |b| {
                    b.is_ascii_hexdigit() || matches!(b, b':' | b'.')
                })
            }
            None => {
                let at = text.find(':').unwrap_or(text.len());
                let (name, rest) = text.split_at_checked(at)?;
                // The underscore is no letter of a host name, but of many a container's.
                (name, rest, |b| {
                    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_')
                })
            }
        };
        if name.is_empty() || !name.bytes().all(letters) {
            return None;
        }
        if rest.is_empty() {
            return Some(Self { name, port: None });
        }
        let port = rest.strip_prefix(':')?;
        let is_port = port.bytes().all(|b| b.is_ascii_digit()) && !port.starts_with('0');
        let port = port.parse().ok().filter(|_| is_port)?;
        Some(Self {
            name,
            port: Some(port),
        })
    }
}

impl<'a> Page<'a> {
    /// Scheme and host of an origin, and nothing longer.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let is_scheme =
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(is_letter);
        let host = Host::read(rest)?;
        is_scheme.then_some(Self { scheme, host })
    }

    /// Its host, with the port that is meant where none is written.
    fn host(&self) -> Host<'a> {
        let port = self.host.port.or_else(|| usual_port(self.scheme));
        Host { port, ..self.host }
    }
}

/// The port that a scheme has when none is written.
pub(super) fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
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

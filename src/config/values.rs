//! Listening addresses, and names that are near a mistyped one.

use econoscope_core::indicators::prose::join;
use econoscope_core::model::words::nearest_name;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

/// Parses an address to listen on and resolves its name: `localhost:8080`. Prefers IPv4, as clients of `localhost` do.
pub(super) fn parse_listen_address(text: &str) -> Result<SocketAddr, String> {
    const HINT: &str = "write HOST:PORT, for example 127.0.0.1:8080, or 0.0.0.0:8080 for every address of this machine";
    let addresses = text.to_socket_addrs().map_err(|e| format!("{e}; {HINT}"))?;
    let address = addresses.min_by_key(|address| !address.is_ipv4());
    address.ok_or_else(|| format!("the name does not resolve; {HINT}"))
}

/// Returns a hint at the name that is nearest to an unknown one, or else all names after `introduction`.
pub(crate) fn suggest<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    unknown: &str,
    introduction: &str,
) -> String {
    match nearest_name(names.clone(), unknown) {
        Some(name) => format!("did you mean {name}?"),
        None => introduction.to_owned() + &join(names, ", "),
    }
}

/// Returns the address at which this machine reaches a server that listens at `listen`.
pub(crate) fn local_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_address_may_have_a_name() {
        assert_eq!(
            parse_listen_address("[::1]:9").map(|a| a.to_string()),
            Ok("[::1]:9".into())
        );
        let local = parse_listen_address("localhost:8080").unwrap();
        assert!(local.ip().is_loopback() && local.port() == 8080);
        for invalid in ["8080", "localhost", "127.0.0.1", "localhost:http"] {
            let error = parse_listen_address(invalid).unwrap_err();
            assert!(error.contains("127.0.0.1:8080"), "{invalid}: {error}");
        }
    }
}

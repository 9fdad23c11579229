//! Values of flags that need more than a number or a word.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

/// An address to listen on, with a name resolved: `localhost:8080`. Of several addresses the first of IPv4 is taken,
/// which is where everybody who asks for `localhost` tries as well.
pub(super) fn listening(text: &str) -> Result<SocketAddr, String> {
    let wanted = "write HOST:PORT, for example 127.0.0.1:8080, or 0.0.0.0:8080 for every address of this machine";
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
}

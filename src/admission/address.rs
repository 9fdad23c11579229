//! Finds the address of a client: the peer, or the address that a trusted proxy reports.

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// Maximum number of addresses of `X-Forwarded-For` that are read.
const MAX_HOPS: usize = 32;

/// Returns the other end of the connection.
pub fn peer(extensions: &Extensions) -> Option<SocketAddr> {
    let info = extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(info.0)
}

/// Returns the address that is charged: the rightmost address of all `X-Forwarded-For` lines that is not a trusted proxy.
/// Returns the peer if it is not trusted, or if the header cannot be parsed.
pub(super) fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let mut nearest = peer;
    let lines = headers.get_all("x-forwarded-for").iter();
    let hops = lines
        .rev()
        .flat_map(|line| line.as_bytes().rsplit(|b| *b == b','));
    for hop in hops.take(MAX_HOPS) {
        let Some(address) = std::str::from_utf8(hop).ok().and_then(parse_address) else {
            return peer;
        };
        if !is_trusted(&address) {
            return address;
        }
        nearest = address;
    }
    nearest
}

/// Parses `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`, with or without quotes.
pub(super) fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = text.trim().trim_matches('"');
    let inner = bare
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address = inner
        .unwrap_or(bare)
        .parse::<IpAddr>()
        .or_else(|_| bare.parse().map(|with_port: SocketAddr| with_port.ip()));
    Some(address.ok()?.to_canonical())
}

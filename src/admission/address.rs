//! Whose request it is: the peer, or who a trusted proxy says it is.

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// Addresses of `X-Forwarded-For` that are looked at; a longer chain is not one we know.
const MAX_HOPS: usize = 32;

/// The connection's other end, as the accept loop noted it.
pub fn peer(extensions: &Extensions) -> Option<SocketAddr> {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|info| info.0)
}

/// The address that is charged. From the right of `X-Forwarded-For`, over all its lines, the first that is no
/// trusted proxy; the peer itself when it is not trusted, or when what it says cannot be read.
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
        let Some(address) = std::str::from_utf8(hop).ok().and_then(read) else {
            return peer;
        };
        if !is_trusted(&address) {
            return address;
        }
        nearest = address;
    }
    nearest
}

/// `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`, with or without quotes.
pub(super) fn read(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let inside = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let bare = inside.unwrap_or(text).parse::<IpAddr>();
    let address = bare.or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip()));
    Some(address.ok()?.to_canonical())
}

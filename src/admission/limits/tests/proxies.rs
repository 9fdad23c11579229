//! Tests of which proxies are believed.

use super::*;

#[test]
fn forged_addresses_do_not_avoid_the_limit() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(trusting_proxies(), &clock);
    let mut admitted = 0;
    for i in 0..10_000u32 {
        let [_, b, c, d] = i.to_be_bytes();
        let forged = format!("198.{b}.{c}.{d}");
        // The client's own entries are left of what the proxy adds.
        let client = match i % 5 {
            0 => behind_proxy(&limits, &[&format!("{forged}, 203.0.113.9")]),
            1 => behind_proxy(&limits, &[&forged, "203.0.113.9"]),
            2 => behind_proxy(
                &limits,
                &[&format!("10.0.0.{d}, {forged}, ::ffff:203.0.113.9")],
            ),
            3 => behind_proxy(
                &limits,
                &["garbage, 127.0.0.1", "203.0.113.9:4711, 10.9.9.9"],
            ),
            _ => {
                let mut headers = HeaderMap::new();
                headers.insert("x-forwarded-for", "203.0.113.9".parse().unwrap());
                headers.insert("x-real-ip", forged.parse().unwrap());
                headers.insert("forwarded", format!("for={forged}").parse().unwrap());
                limits.caller(Some("10.0.0.1:1".parse().unwrap()), &headers)
            }
        };
        assert_eq!(client, from("203.0.113.9"), "{i}");
        admitted += usize::from(limits.spend_now(client, Policy::General).is_ok());
    }
    assert_eq!(admitted, 100);
}

#[test]
fn untrusted_peers_are_not_believed() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(trusting_proxies(), &clock);
    let mut headers = HeaderMap::new();
    headers.insert("x-forwarded-for", "198.51.100.1".parse().unwrap());
    let client = limits.caller(Some("203.0.113.9:1".parse().unwrap()), &headers);
    assert_eq!(client, from("203.0.113.9"));
    assert_eq!(
        behind_proxy(&limits, &["unknown"]),
        from("10.0.0.1"),
        "garbage is charged to the peer"
    );
    assert_eq!(
        behind_proxy(&limits, &["127.0.0.1"]),
        from("127.0.0.1"),
        "loopback from afar is no exemption"
    );
    let many = vec!["10.1.1.1"; 1_000].join(",");
    assert_eq!(behind_proxy(&limits, &[&many]), from("10.1.1.1"));
}

#[test]
fn loopback_is_exempt_by_default() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let headers = HeaderMap::new();
    for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        let peer = Some(peer.parse().unwrap());
        let limits = limits_with(LimitSettings::default(), &clock);
        assert_eq!(limits.caller(peer, &headers), Caller::LOCAL);
        let counted = LimitSettings {
            count_loopback: true,
            ..LimitSettings::default()
        };
        assert_ne!(
            limits_with(counted, &clock).caller(peer, &headers),
            Caller::LOCAL
        );
    }
}

#[test]
fn a_loopback_proxy_without_a_client_address_is_counted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(
        LimitSettings {
            trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
            ..LimitSettings::default()
        },
        &clock,
    );
    let caller = |text: &str| {
        let mut headers = HeaderMap::new();
        if !text.is_empty() {
            headers.insert("x-forwarded-for", text.trim_start().parse().unwrap());
        }
        limits.caller(Some("127.0.0.1:1".parse().unwrap()), &headers)
    };
    // Missing, empty, invalid, or with proxies only.
    for text in [
        "",
        " ",
        "203.0.113.9,",
        "unknown",
        "203.0.113.9, unknown",
        "127.0.0.1",
        "[::1",
    ] {
        assert_eq!(caller(text), from("127.0.0.1"), "{text:?}");
    }
    assert_eq!(caller("203.0.113.9"), from("203.0.113.9"));
    assert_eq!(caller("203.0.113.9, 127.0.0.1"), from("203.0.113.9"));
    let other = limits.caller(Some("[::1]:1".parse().unwrap()), &HeaderMap::new());
    assert_eq!(other, Caller::LOCAL, "loopback that is no proxy");
    while limits.spend_now(caller(""), Policy::General).is_ok() {}
    assert!(
        limits
            .spend_now(caller("unknown"), Policy::General)
            .is_err()
    );
    assert!(
        limits
            .spend_now(caller("203.0.113.9"), Policy::General)
            .is_ok()
    );
}

//! Whose word about an address is taken.

use super::*;

#[test]
fn ten_thousand_forged_addresses_do_not_escape() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(trusting(), &clock);
    let mut admitted = 0;
    for i in 0..10_000u32 {
        let [_, b, c, d] = i.to_be_bytes();
        let forged = format!("198.{b}.{c}.{d}");
        // What a client writes itself stands to the left of what the proxy adds.
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
        admitted += usize::from(limits.spent(client, Policy::General).is_ok());
    }
    assert_eq!(admitted, 100);
}

#[test]
fn nobody_is_believed_who_is_not_trusted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(trusting(), &clock);
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
fn loopback_is_exempt_unless_told_otherwise() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let headers = HeaderMap::new();
    for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        let peer = Some(peer.parse().unwrap());
        let limits = public(LimitSettings::default(), &clock);
        assert_eq!(limits.caller(peer, &headers), Caller::OWN);
        let counted = LimitSettings {
            count_loopback: true,
            ..LimitSettings::default()
        };
        assert_ne!(public(counted, &clock).caller(peer, &headers), Caller::OWN);
    }
}

#[test]
fn a_proxy_on_loopback_that_does_not_say_for_whom_it_asks_is_counted_itself() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(
        LimitSettings {
            trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
            ..LimitSettings::default()
        },
        &clock,
    );
    let said = |text: &str| {
        let mut headers = HeaderMap::new();
        if !text.is_empty() {
            headers.insert("x-forwarded-for", text.trim_start().parse().unwrap());
        }
        limits.caller(Some("127.0.0.1:1".parse().unwrap()), &headers)
    };
    // Missing, empty, unreadable, or naming nobody but proxies.
    for text in [
        "",
        " ",
        "203.0.113.9,",
        "unknown",
        "203.0.113.9, unknown",
        "127.0.0.1",
        "[::1",
    ] {
        assert_eq!(said(text), from("127.0.0.1"), "{text:?}");
    }
    assert_eq!(said("203.0.113.9"), from("203.0.113.9"));
    assert_eq!(said("203.0.113.9, 127.0.0.1"), from("203.0.113.9"));
    let other = limits.caller(Some("[::1]:1".parse().unwrap()), &HeaderMap::new());
    assert_eq!(other, Caller::OWN, "loopback that is no proxy");
    while limits.spent(said(""), Policy::General).is_ok() {}
    assert!(limits.spent(said("unknown"), Policy::General).is_err());
    assert!(limits.spent(said("203.0.113.9"), Policy::General).is_ok());
}

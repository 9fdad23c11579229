//! Tests of the warning about a proxy that is not configured.

use super::*;
use axum::http::{Request, Version};
use std::sync::atomic::Ordering;

fn warns(trusted: &[&str], peer: &str, version: Version, name: Option<&str>) -> bool {
    let settings = LimitSettings {
        trusted_proxies: trusted.iter().map(|net| net.parse().unwrap()).collect(),
        ..LimitSettings::default()
    };
    let limits = Admission::new(settings, 4);
    let mut builder = Request::builder().version(version);
    if let Some(name) = name {
        builder = builder.header(name, "203.0.113.9");
    }
    let request = builder.body(()).unwrap();
    limits.warn_of_unknown_proxy(&request, Some(peer.parse().unwrap()));
    limits.has_warned.load(Ordering::Relaxed)
}

#[test]
fn only_an_unknown_proxy_on_loopback_is_warned_of() {
    let new = Version::HTTP_11;
    let old = Version::HTTP_10;
    for name in ["x-forwarded-for", "forwarded", "via"] {
        assert!(warns(&[], "127.0.0.1:1", new, Some(name)), "{name}");
        assert!(
            !warns(&["127.0.0.1/32"], "127.0.0.1:1", new, Some(name)),
            "named"
        );
        assert!(
            !warns(&[], "203.0.113.1:1", new, Some(name)),
            "counted itself"
        );
    }
    assert!(
        warns(&[], "[::1]:1", old, None),
        "nginx says nothing but its version"
    );
    assert!(
        !warns(&[], "127.0.0.1:1", new, None),
        "a program on this machine"
    );
}

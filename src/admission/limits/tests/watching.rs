//! Who speaks for others without being named as a proxy.

use super::*;
use axum::http::{Request, Version};
use std::sync::atomic::Ordering;

fn warns(trusted: &[&str], peer: &str, version: Version, name: Option<&str>) -> bool {
    let settings = LimitSettings {
        trusted_proxies: trusted.iter().map(|net| net.parse().unwrap()).collect(),
        ..LimitSettings::default()
    };
    let limits = Admission::new(settings, 4);
    let mut request = Request::builder().version(version);
    if let Some(name) = name {
        request = request.header(name, "203.0.113.9");
    }
    let request = request.body(()).unwrap();
    limits.watch(&request, Some(peer.parse().unwrap()));
    limits.warned.load(Ordering::Relaxed)
}

#[test]
fn a_proxy_on_loopback_that_was_not_named_is_noticed_and_nobody_else() {
    let (new, old) = (Version::HTTP_11, Version::HTTP_10);
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

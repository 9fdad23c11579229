//! X-Forwarded-For as a trusted proxy may pass it on.
#![no_main]
use axum::http::{HeaderMap, HeaderValue};
use econoscope::http::limits::{Client, Limits, Settings};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static LIMITS: LazyLock<Limits> = LazyLock::new(|| {
    let settings = Settings {
        trusted_proxies: vec!["10.0.0.0/8".parse().expect("a network")],
        ..Settings::default()
    };
    Limits::new(settings, Arc::new(jiff::Timestamp::now))
});

fuzz_target!(|lines: Vec<Vec<u8>>| {
    let mut headers = HeaderMap::new();
    for line in &lines {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append("x-forwarded-for", value);
        }
    }
    let peer = "10.0.0.1:1".parse().ok();
    assert_ne!(LIMITS.client(peer, &headers), Client::Exempt, "nobody from afar is exempt");
});

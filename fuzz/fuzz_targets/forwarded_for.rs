//! X-Forwarded-For as a trusted proxy may pass it on.
#![no_main]
use axum::http::{HeaderMap, HeaderValue};
use econoscope::admission::{Admission, LimitSettings};
use econoscope_data::pool::Caller;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static LIMITS: LazyLock<Admission> = LazyLock::new(|| {
    let settings = LimitSettings {
        trusted_proxies: vec!["10.0.0.0/8".parse().expect("a network")],
        ..LimitSettings::default()
    };
    Admission::new(settings, 4)
});

fuzz_target!(|lines: Vec<Vec<u8>>| {
    let mut headers = HeaderMap::new();
    for line in &lines {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append("x-forwarded-for", value);
        }
    }
    let peer = "10.0.0.1:1".parse().ok();
    assert_ne!(LIMITS.caller(peer, &headers), Caller::LOCAL, "no remote caller is exempt");
});

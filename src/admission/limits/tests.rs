//! Tests of rate limits: exact under concurrency, safe from forged headers, bounded.

use super::*;
use econoscope_core::testing::ManualClock;
use jiff::SignedDuration;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use whole::ChargeNow;

mod jumps;
mod proxies;
mod watching;
mod whole;

struct Clock(Arc<ManualClock>);

impl Clock {
    fn at(text: &str) -> Self {
        Self(Arc::new(ManualClock::new(text.parse().unwrap())))
    }
    /// Lets time pass.
    fn advance(&self, milliseconds: u64) {
        self.0.advance(Duration::from_millis(milliseconds));
    }
    /// Sets the wall clock without letting time pass.
    fn jump(&self, hours: i64) {
        self.0.jump(SignedDuration::from_hours(hours));
    }
}

fn limits_with(settings: LimitSettings, clock: &Clock) -> Admission {
    Admission::new(
        LimitSettings {
            clock: Arc::clone(&clock.0) as Arc<dyn econoscope_core::clock::Clock>,
            ..settings
        },
        4,
    )
}

fn from(address: &str) -> Caller {
    Caller::from_address(address::parse_address(address).unwrap())
}

fn behind_proxy(limits: &Admission, lines: &[&str]) -> Caller {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append("x-forwarded-for", line.parse().unwrap());
    }
    limits.caller(Some("10.0.0.1:999".parse().unwrap()), &headers)
}

fn trusting_proxies() -> LimitSettings {
    LimitSettings {
        trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
        ..LimitSettings::default()
    }
}

#[test]
fn the_daily_limit_resets_at_midnight() {
    let clock = Clock::at("2026-11-21T15:08:43Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    for left in (0..100).rev() {
        let quota = limits.spend_now(client, Policy::General).unwrap().unwrap();
        assert_eq!(quota.remaining, left);
    }
    let refusal = limits.spend_now(client, Policy::General).unwrap_err();
    let LimitExceeded {
        quota: Some(quota),
        retry_after,
    } = refusal
    else {
        panic!("{refusal:?}")
    };
    assert_eq!(quota.reset, std::time::Duration::from_secs(31_877));
    assert_eq!(quota.reset_at.to_string(), "2026-11-22T00:00:00Z");
    assert!(retry_after >= quota.reset && retry_after.as_secs() < 31_877 + 60);
    assert!(
        limits.spend_now(client, Policy::Data).is_ok(),
        "series are counted apart"
    );
    clock.advance(31_877_000);
    assert_eq!(
        limits
            .spend_now(client, Policy::General)
            .unwrap()
            .unwrap()
            .remaining,
        99
    );
}

#[test]
fn refunded_requests_are_not_counted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    for _ in 0..500 {
        limits.spend_now(client, Policy::General).unwrap();
        limits.refund(client, Policy::General);
    }
    assert_eq!(
        limits
            .spend_now(client, Policy::General)
            .unwrap()
            .unwrap()
            .remaining,
        99
    );
}

#[test]
fn bursts_are_limited_and_recover_at_the_steady_rate() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    let passed = (0..100)
        .filter(|_| limits.charge_burst(client).is_ok())
        .count();
    assert_eq!(passed, 20);
    let wait = limits.charge_burst(client).unwrap_err().retry_after;
    assert_eq!(wait.as_millis(), 100);
    clock.advance(1_000);
    assert_eq!(
        (0..100)
            .filter(|_| limits.charge_burst(client).is_ok())
            .count(),
        10
    );
    assert!(
        limits.charge_burst(from("203.0.113.10")).is_ok(),
        "others are not held up"
    );
}

#[test]
fn counts_are_exact_under_concurrency() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = Arc::new(limits_with(LimitSettings::default(), &clock));
    let threads = (0..16).map(|_| {
        let limits = Arc::clone(&limits);
        std::thread::spawn(move || {
            (0..1_000)
                .filter(|_| {
                    limits
                        .spend_now(from("203.0.113.9"), Policy::General)
                        .is_ok()
                })
                .count()
        })
    });
    let admitted: usize = threads
        .collect::<Vec<_>>()
        .into_iter()
        .map(|t| t.join().unwrap())
        .sum();
    assert_eq!(admitted, 100);
}

#[test]
fn an_ipv6_64_counts_as_one_client() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    for i in 0..100 {
        limits
            .spend_now(from(&format!("2001:db8:0:1::{i:x}")), Policy::General)
            .unwrap();
    }
    assert!(
        limits
            .spend_now(from("2001:db8:0:1:ffff::1"), Policy::General)
            .is_err()
    );
    assert!(
        limits
            .spend_now(from("2001:db8:0:2::1"), Policy::General)
            .is_ok()
    );
    assert_eq!(from("::ffff:203.0.113.9"), from("203.0.113.9"));
}

#[test]
fn the_narrowest_override_applies() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let overrides = vec![
        ("203.0.113.0/24".parse().unwrap(), 500),
        ("203.0.113.9/32".parse().unwrap(), 3),
    ];
    let limits = limits_with(
        LimitSettings {
            overrides,
            ..LimitSettings::default()
        },
        &clock,
    );
    assert_eq!(
        limits
            .spend_now(from("203.0.113.9"), Policy::General)
            .unwrap()
            .unwrap()
            .limit,
        3
    );
    assert_eq!(
        limits
            .spend_now(from("203.0.113.8"), Policy::General)
            .unwrap()
            .unwrap()
            .limit,
        500
    );
    assert_eq!(
        limits
            .spend_now(from("203.0.113.8"), Policy::Data)
            .unwrap()
            .unwrap()
            .limit,
        500
    );
    assert_eq!(
        limits
            .spend_now(from("203.0.113.9"), Policy::Data)
            .unwrap()
            .unwrap()
            .limit,
        200
    );
}

#[test]
fn an_override_within_a_64_covers_all_of_it() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let overrides = vec![("2001:db8:0:1::7/128".parse().unwrap(), 3)];
    let settings = LimitSettings {
        overrides,
        ..LimitSettings::default()
    };
    let limits = limits_with(settings, &clock);
    for (address, limit) in [("2001:db8:0:1::7", 3), ("2001:db8:0:2::7", 100)] {
        let quota = limits.spend_now(from(address), Policy::General).unwrap();
        assert_eq!(quota.unwrap().limit, limit, "{address}");
    }
}

#[test]
fn memory_is_bounded_and_heavy_users_stay_counted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(
        LimitSettings {
            addresses: 1_000,
            ..LimitSettings::default()
        },
        &clock,
    );
    let heavy = from("203.0.113.9");
    while limits.spend_now(heavy, Policy::General).is_ok() {}
    for i in 0..100_000u32 {
        let [a, b, c, d] = i.to_be_bytes();
        let client = Caller::from_address(IpAddr::from([20 + a, b, c, d]));
        limits.spend_now(client, Policy::General).unwrap();
    }
    assert!(limits.addresses() <= 1_024, "{}", limits.addresses());
    assert!(limits.spend_now(heavy, Policy::General).is_err());
}

proptest! {
    #[test]
    fn any_forwarded_for_parses_without_a_panic(lines in prop::collection::vec("[ -~]{0,60}", 0..6)) {
        let clock = Clock::at("2026-11-21T12:00:00Z");
        let limits = limits_with(trusting_proxies(), &clock);
        let headers: Vec<&str> = lines.iter().map(String::as_str).collect();
        behind_proxy(&limits, &headers);
    }
}

//! Admission: exact under concurrency, not to be spoofed, bounded, kept over a restart.

use super::*;
use econoscope_core::clock::ManualClock;
use jiff::SignedDuration;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use whole::Asked;

mod jumps;
mod proxies;
mod watching;
mod whole;

struct Clock(Arc<ManualClock>);

impl Clock {
    fn at(text: &str) -> Self {
        Self(Arc::new(ManualClock::at(text.parse().unwrap())))
    }
    /// Time passes.
    fn advance(&self, milliseconds: u64) {
        self.0.advance(Duration::from_millis(milliseconds));
    }
    /// The wall clock is set; no time passes.
    fn jump(&self, hours: i64) {
        self.0.jump(SignedDuration::from_hours(hours));
    }
}

fn public(settings: LimitSettings, clock: &Clock) -> Admission {
    Admission::new(
        LimitSettings {
            clock: Arc::clone(&clock.0) as Arc<dyn econoscope_core::clock::Clock>,
            ..settings
        },
        4,
    )
}

fn from(address: &str) -> Caller {
    Caller::at(address::read(address).unwrap())
}

fn behind_proxy(limits: &Admission, lines: &[&str]) -> Caller {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append("x-forwarded-for", line.parse().unwrap());
    }
    limits.caller(Some("10.0.0.1:999".parse().unwrap()), &headers)
}

fn trusting() -> LimitSettings {
    LimitSettings {
        trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
        ..LimitSettings::default()
    }
}

#[test]
fn a_day_holds_its_number_and_the_next_day_starts_anew() {
    let clock = Clock::at("2026-11-21T15:08:43Z");
    let limits = public(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    for left in (0..100).rev() {
        let standing = limits.spent(client, Policy::General).unwrap().unwrap();
        assert_eq!(standing.remaining, left);
    }
    let refusal = limits.spent(client, Policy::General).unwrap_err();
    let Refusal {
        standing: Some(standing),
        retry_after,
    } = refusal
    else {
        panic!("{refusal:?}")
    };
    assert_eq!(standing.reset, std::time::Duration::from_secs(31_877));
    assert_eq!(standing.reset_at.to_string(), "2026-11-22T00:00:00Z");
    assert!(retry_after >= standing.reset && retry_after.as_secs() < 31_877 + 60);
    assert!(
        limits.spent(client, Policy::Data).is_ok(),
        "series are counted apart"
    );
    clock.advance(31_877_000);
    assert_eq!(
        limits
            .spent(client, Policy::General)
            .unwrap()
            .unwrap()
            .remaining,
        99
    );
}

#[test]
fn our_own_failures_are_given_back() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    for _ in 0..500 {
        limits.spent(client, Policy::General).unwrap();
        limits.refund(client, Policy::General);
    }
    assert_eq!(
        limits
            .spent(client, Policy::General)
            .unwrap()
            .unwrap()
            .remaining,
        99
    );
}

#[test]
fn bursts_are_cut_and_recover_at_the_steady_rate() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    let passed = (0..100).filter(|_| limits.burst(client).is_ok()).count();
    assert_eq!(passed, 20);
    let wait = limits.burst(client).unwrap_err().retry_after;
    assert_eq!(wait.as_millis(), 100);
    clock.advance(1_000);
    assert_eq!(
        (0..100).filter(|_| limits.burst(client).is_ok()).count(),
        10
    );
    assert!(
        limits.burst(from("203.0.113.10")).is_ok(),
        "others are not held up"
    );
}

#[test]
fn admission_is_exact_under_concurrency() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = Arc::new(public(LimitSettings::default(), &clock));
    let threads = (0..16).map(|_| {
        let limits = Arc::clone(&limits);
        std::thread::spawn(move || {
            (0..1_000)
                .filter(|_| limits.spent(from("203.0.113.9"), Policy::General).is_ok())
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
fn an_ipv6_network_of_64_bits_is_one_client_and_mapped_ipv4_is_ipv4() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(LimitSettings::default(), &clock);
    for i in 0..100 {
        limits
            .spent(from(&format!("2001:db8:0:1::{i:x}")), Policy::General)
            .unwrap();
    }
    assert!(
        limits
            .spent(from("2001:db8:0:1:ffff::1"), Policy::General)
            .is_err()
    );
    assert!(
        limits
            .spent(from("2001:db8:0:2::1"), Policy::General)
            .is_ok()
    );
    assert_eq!(from("::ffff:203.0.113.9"), from("203.0.113.9"));
}

#[test]
fn the_most_specific_override_counts() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let overrides = vec![
        ("203.0.113.0/24".parse().unwrap(), 500),
        ("203.0.113.9/32".parse().unwrap(), 3),
    ];
    let limits = public(
        LimitSettings {
            overrides,
            ..LimitSettings::default()
        },
        &clock,
    );
    assert_eq!(
        limits
            .spent(from("203.0.113.9"), Policy::General)
            .unwrap()
            .unwrap()
            .limit,
        3
    );
    assert_eq!(
        limits
            .spent(from("203.0.113.8"), Policy::General)
            .unwrap()
            .unwrap()
            .limit,
        500
    );
    assert_eq!(
        limits
            .spent(from("203.0.113.8"), Policy::Data)
            .unwrap()
            .unwrap()
            .limit,
        500
    );
    assert_eq!(
        limits
            .spent(from("203.0.113.9"), Policy::Data)
            .unwrap()
            .unwrap()
            .limit,
        200
    );
}

#[test]
fn an_override_of_part_of_a_64_bit_network_is_for_all_of_it() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let overrides = vec![("2001:db8:0:1::7/128".parse().unwrap(), 3)];
    let settings = LimitSettings {
        overrides,
        ..LimitSettings::default()
    };
    let limits = public(settings, &clock);
    for (address, limit) in [("2001:db8:0:1::7", 3), ("2001:db8:0:2::7", 100)] {
        let standing = limits.spent(from(address), Policy::General).unwrap();
        assert_eq!(standing.unwrap().limit, limit, "{address}");
    }
}

#[test]
fn memory_is_bounded_and_the_heaviest_users_stay_counted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(
        LimitSettings {
            addresses: 1_000,
            ..LimitSettings::default()
        },
        &clock,
    );
    let heavy = from("203.0.113.9");
    while limits.spent(heavy, Policy::General).is_ok() {}
    for i in 0..100_000u32 {
        let [a, b, c, d] = i.to_be_bytes();
        let client = Caller::at(IpAddr::from([20 + a, b, c, d]));
        limits.spent(client, Policy::General).unwrap();
    }
    assert!(limits.addresses() <= 1_024, "{}", limits.addresses());
    assert!(limits.spent(heavy, Policy::General).is_err());
}

#[test]
fn a_restart_on_the_same_day_keeps_the_counts_and_no_address_is_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("limits");
    let settings = LimitSettings {
        file: Some(path.clone()),
        ..LimitSettings::default()
    };
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(settings.clone(), &clock);
    let client = from("203.0.113.9");
    while limits.spent(client, Policy::General).is_ok() {}
    limits.save().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(
        !bytes.windows(4).any(|w| w == [203, 0, 113, 9]),
        "the raw address is in the file"
    );
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(
        public(settings.clone(), &clock)
            .spent(client, Policy::General)
            .is_err()
    );
    let mut damaged = bytes.clone();
    damaged[60] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert!(
        public(settings.clone(), &clock)
            .spent(client, Policy::General)
            .is_ok()
    );
    std::fs::write(&path, &bytes).unwrap();
    clock.advance(86_400_000);
    assert!(
        public(settings, &clock)
            .spent(client, Policy::General)
            .is_ok()
    );
}

proptest! {
    #[test]
    fn any_forwarded_for_is_read_without_a_panic(lines in prop::collection::vec("[ -~]{0,60}", 0..6)) {
        let clock = Clock::at("2026-11-21T12:00:00Z");
        let limits = public(trusting(), &clock);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        behind_proxy(&limits, &lines);
    }
}

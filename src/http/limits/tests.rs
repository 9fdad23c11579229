//! Limits: exact under concurrency, not to be spoofed, bounded, kept over a restart.

use super::*;
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

struct Clock(Arc<AtomicI64>);

impl Clock {
    fn at(text: &str) -> Self {
        let start: Timestamp = text.parse().unwrap();
        Self(Arc::new(AtomicI64::new(start.as_millisecond())))
    }
    fn now(&self) -> Now {
        let at = Arc::clone(&self.0);
        Arc::new(move || Timestamp::from_millisecond(at.load(Ordering::SeqCst)).unwrap())
    }
    fn move_by(&self, milliseconds: i64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

fn public(settings: Settings, clock: &Clock) -> Limits {
    Limits::new(settings, clock.now())
}

fn from(address: &str) -> Client {
    Client::At(address::read(address).unwrap())
}

fn behind_proxy(limits: &Limits, lines: &[&str]) -> Client {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append("x-forwarded-for", line.parse().unwrap());
    }
    limits.client(Some("10.0.0.1:999".parse().unwrap()), &headers)
}

fn trusting() -> Settings {
    Settings {
        trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
        ..Settings::default()
    }
}

#[test]
fn a_day_holds_its_number_and_the_next_day_starts_anew() {
    let clock = Clock::at("2026-11-21T15:08:43Z");
    let limits = public(Settings::default(), &clock);
    let client = from("203.0.113.9");
    for left in (0..100).rev() {
        let standing = limits.spend(client, Policy::General).unwrap().unwrap();
        assert_eq!(standing.remaining, left);
    }
    let refusal = limits.spend(client, Policy::General).unwrap_err();
    let Refusal::Quota {
        standing,
        retry_after,
    } = refusal
    else {
        panic!("{refusal:?}")
    };
    assert_eq!(standing.reset, std::time::Duration::from_secs(31_877));
    assert_eq!(standing.reset_at.to_string(), "2026-11-22T00:00:00Z");
    assert!(retry_after >= standing.reset && retry_after.as_secs() < 31_877 + 60);
    assert!(
        limits.spend(client, Policy::Data).is_ok(),
        "series are counted apart"
    );
    clock.move_by(31_877_000);
    assert_eq!(
        limits
            .spend(client, Policy::General)
            .unwrap()
            .unwrap()
            .remaining,
        99
    );
}

#[test]
fn our_own_failures_are_given_back() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(Settings::default(), &clock);
    let client = from("203.0.113.9");
    for _ in 0..500 {
        limits.spend(client, Policy::General).unwrap();
        limits.refund(client, Policy::General);
    }
    assert_eq!(
        limits
            .spend(client, Policy::General)
            .unwrap()
            .unwrap()
            .remaining,
        99
    );
}

#[test]
fn a_clock_that_is_set_back_gives_no_second_allowance() {
    let clock = Clock::at("2026-11-21T00:10:00Z");
    let limits = public(Settings::default(), &clock);
    let client = from("203.0.113.9");
    while limits.spend(client, Policy::General).is_ok() {}
    clock.move_by(-3_600_000);
    assert!(
        limits.spend(client, Policy::General).is_err(),
        "yesterday again"
    );
    clock.move_by(2 * 3_600_000);
    assert!(
        limits.spend(client, Policy::General).is_err(),
        "today again"
    );
}

#[test]
fn bursts_are_cut_and_recover_at_the_steady_rate() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(Settings::default(), &clock);
    let client = from("203.0.113.9");
    let passed = (0..100).filter(|_| limits.burst(client).is_ok()).count();
    assert_eq!(passed, 20);
    let wait = limits.burst(client).unwrap_err().retry_after();
    assert_eq!(wait.as_millis(), 100);
    clock.move_by(1_000);
    assert_eq!(
        (0..100).filter(|_| limits.burst(client).is_ok()).count(),
        10
    );
    clock.move_by(-86_400_000);
    assert!(
        limits.burst(client).is_ok()
            || limits.burst(client).unwrap_err().retry_after().as_secs() <= 2
    );
    assert!(
        limits.burst(from("203.0.113.10")).is_ok(),
        "others are not held up"
    );
}

#[test]
fn admission_is_exact_under_concurrency() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = Arc::new(public(Settings::default(), &clock));
    let threads = (0..16).map(|_| {
        let limits = Arc::clone(&limits);
        std::thread::spawn(move || {
            (0..1_000)
                .filter(|_| limits.spend(from("203.0.113.9"), Policy::General).is_ok())
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
                limits.client(Some("10.0.0.1:1".parse().unwrap()), &headers)
            }
        };
        assert_eq!(client, from("203.0.113.9"), "{i}");
        admitted += usize::from(limits.spend(client, Policy::General).is_ok());
    }
    assert_eq!(admitted, 100);
}

#[test]
fn nobody_is_believed_who_is_not_trusted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(trusting(), &clock);
    let mut headers = HeaderMap::new();
    headers.insert("x-forwarded-for", "198.51.100.1".parse().unwrap());
    let client = limits.client(Some("203.0.113.9:1".parse().unwrap()), &headers);
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
        let limits = public(Settings::default(), &clock);
        assert_eq!(limits.client(peer, &headers), Client::Exempt);
        let counted = Settings {
            count_loopback: true,
            ..Settings::default()
        };
        assert_ne!(
            public(counted, &clock).client(peer, &headers),
            Client::Exempt
        );
    }
}

#[test]
fn an_ipv6_network_of_64_bits_is_one_client_and_mapped_ipv4_is_ipv4() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(Settings::default(), &clock);
    for i in 0..100 {
        limits
            .spend(from(&format!("2001:db8:0:1::{i:x}")), Policy::General)
            .unwrap();
    }
    assert!(
        limits
            .spend(from("2001:db8:0:1:ffff::1"), Policy::General)
            .is_err()
    );
    assert!(
        limits
            .spend(from("2001:db8:0:2::1"), Policy::General)
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
        Settings {
            overrides,
            ..Settings::default()
        },
        &clock,
    );
    assert_eq!(
        limits
            .spend(from("203.0.113.9"), Policy::General)
            .unwrap()
            .unwrap()
            .limit,
        3
    );
    assert_eq!(
        limits
            .spend(from("203.0.113.8"), Policy::General)
            .unwrap()
            .unwrap()
            .limit,
        500
    );
    assert_eq!(
        limits
            .spend(from("203.0.113.8"), Policy::Data)
            .unwrap()
            .unwrap()
            .limit,
        500
    );
    assert_eq!(
        limits
            .spend(from("203.0.113.9"), Policy::Data)
            .unwrap()
            .unwrap()
            .limit,
        200
    );
}

#[test]
fn memory_is_bounded_and_the_heaviest_users_stay_counted() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(
        Settings {
            addresses: 1_000,
            ..Settings::default()
        },
        &clock,
    );
    let heavy = from("203.0.113.9");
    while limits.spend(heavy, Policy::General).is_ok() {}
    for i in 0..100_000u32 {
        let [a, b, c, d] = i.to_be_bytes();
        let client = Client::At(IpAddr::from([20 + a, b, c, d]));
        limits.spend(client, Policy::General).unwrap();
    }
    assert!(limits.addresses() <= 1_024, "{}", limits.addresses());
    assert!(limits.spend(heavy, Policy::General).is_err());
}

#[test]
fn a_restart_on_the_same_day_keeps_the_counts_and_no_address_is_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("limits");
    let settings = Settings {
        file: Some(path.clone()),
        ..Settings::default()
    };
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(settings.clone(), &clock);
    let client = from("203.0.113.9");
    while limits.spend(client, Policy::General).is_ok() {}
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
            .spend(client, Policy::General)
            .is_err()
    );
    let mut damaged = bytes.clone();
    damaged[60] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert!(
        public(settings.clone(), &clock)
            .spend(client, Policy::General)
            .is_ok()
    );
    std::fs::write(&path, &bytes).unwrap();
    clock.move_by(86_400_000);
    assert!(
        public(settings, &clock)
            .spend(client, Policy::General)
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

    #[test]
    fn any_counter_file_is_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        file::read(&bytes, 20_000, 100);
    }
}

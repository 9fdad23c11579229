//! Tests that setting the wall clock changes no limit.

use super::super::*;
use super::{Clock, from, limits_with, whole::ChargeNow};
use std::time::Duration;

/// Hours by which the wall clock is set.
const JUMPS: [i64; 6] = [1, -1, -24, 24 * 365, -24 * 365 * 2, 24 * 365 * 100];

#[test]
fn setting_the_clock_grants_no_second_allowance() {
    let clock = Clock::at("2026-11-21T00:10:00Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    while limits.spend_now(client, Policy::General).is_ok() {}
    for hours in JUMPS {
        clock.jump(hours);
        assert!(
            limits.spend_now(client, Policy::General).is_err(),
            "{hours}"
        );
    }
}

#[test]
fn setting_the_clock_does_not_prolong_a_burst() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    for hours in JUMPS {
        while limits.charge_burst(client).is_ok() {}
        clock.jump(hours);
        let wait = limits.charge_burst(client).unwrap_err().retry_after;
        assert!(wait <= Duration::from_millis(100), "{hours}: {wait:?}");
        clock.advance(2_000);
        let passed = (0..100)
            .filter(|_| limits.charge_burst(client).is_ok())
            .count();
        assert_eq!(passed, 20, "{hours}");
    }
}

#[test]
fn setting_the_clock_does_not_move_the_reset() {
    let clock = Clock::at("2026-11-21T23:00:00Z");
    let limits = limits_with(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    while limits.spend_now(client, Policy::General).is_ok() {}
    for hours in [24 * 365, -24 * 365] {
        clock.jump(hours);
        let Err(LimitExceeded {
            quota: Some(quota), ..
        }) = limits.spend_now(client, Policy::General)
        else {
            panic!("a jump of {hours} h granted a request")
        };
        assert_eq!(quota.reset, Duration::from_secs(3_600));
    }
    let Err(LimitExceeded {
        quota: Some(quota), ..
    }) = limits.spend_now(client, Policy::General)
    else {
        panic!("the day is used up")
    };
    assert_eq!(quota.reset_at.to_string(), "2026-11-22T00:00:00Z");
    for day in 0..3 {
        clock.advance(3_600_000);
        let quota = limits.spend_now(client, Policy::General).unwrap().unwrap();
        assert_eq!(quota.remaining, 99, "day {day}");
        clock.advance(23 * 3_600_000);
    }
}

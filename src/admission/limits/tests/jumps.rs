//! Setting the wall clock neither grants nor refuses, while running and over a restart.

use super::super::*;
use super::{Clock, from, public, whole::Asked};
use std::time::Duration;

/// Hours by which a wall clock is set, forth and back.
const JUMPS: [i64; 6] = [1, -1, -24, 24 * 365, -24 * 365 * 2, 24 * 365 * 100];

#[test]
fn a_clock_that_is_set_gives_no_second_allowance() {
    let clock = Clock::at("2026-11-21T00:10:00Z");
    let limits = public(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    while limits.spent(client, Policy::General).is_ok() {}
    for hours in JUMPS {
        clock.jump(hours);
        assert!(limits.spent(client, Policy::General).is_err(), "{hours}");
    }
}

#[test]
fn a_clock_that_is_set_back_refuses_nobody() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let limits = public(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    for hours in JUMPS {
        while limits.burst(client).is_ok() {}
        clock.jump(hours);
        let wait = limits.burst(client).unwrap_err().retry_after;
        assert!(wait <= Duration::from_millis(100), "{hours}: {wait:?}");
        clock.advance(2_000);
        let passed = (0..100).filter(|_| limits.burst(client).is_ok()).count();
        assert_eq!(passed, 20, "{hours}");
    }
}

#[test]
fn a_jump_forward_and_back_leaves_the_daily_reset_where_it_was() {
    let clock = Clock::at("2026-11-21T23:00:00Z");
    let limits = public(LimitSettings::default(), &clock);
    let client = from("203.0.113.9");
    while limits.spent(client, Policy::General).is_ok() {}
    for hours in [24 * 365, -24 * 365] {
        clock.jump(hours);
        let Err(Refusal {
            standing: Some(standing),
            ..
        }) = limits.spent(client, Policy::General)
        else {
            panic!("a jump of {hours} h granted a request")
        };
        assert_eq!(standing.reset, Duration::from_secs(3_600));
    }
    let Err(Refusal {
        standing: Some(standing),
        ..
    }) = limits.spent(client, Policy::General)
    else {
        panic!("the day is used up")
    };
    assert_eq!(standing.reset_at.to_string(), "2026-11-22T00:00:00Z");
    for day in 0..3 {
        clock.advance(3_600_000);
        let standing = limits.spent(client, Policy::General).unwrap().unwrap();
        assert_eq!(standing.remaining, 99, "day {day}");
        clock.advance(23 * 3_600_000);
    }
}

#[test]
fn a_restart_after_a_jump_of_the_clock_neither_grants_nor_keeps_counts_for_ever() {
    for hours in JUMPS {
        let folder = tempfile::tempdir().unwrap();
        let settings = LimitSettings {
            file: Some(folder.path().join("limits")),
            ..LimitSettings::default()
        };
        let clock = Clock::at("2026-11-21T12:00:00Z");
        let limits = public(settings.clone(), &clock);
        let client = from("203.0.113.9");
        while limits.spent(client, Policy::General).is_ok() {}
        limits.save().unwrap();
        clock.jump(hours);
        let again = public(settings.clone(), &clock);
        let refused = again.spent(client, Policy::General);
        assert!(refused.is_err(), "{hours}: the same day by what has passed");
        clock.advance(12 * 3_600_000);
        for limits in [again, public(settings, &clock)] {
            let standing = limits.spent(client, Policy::General).unwrap().unwrap();
            assert_eq!(standing.remaining, 99, "{hours}: the next day");
        }
    }
}

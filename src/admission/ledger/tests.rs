use super::*;
use econoscope_core::clock::{Clock, ManualClock};
use jiff::Timestamp;
use std::time::Duration;

const POLICY: Policy = Policy::General;

fn clock() -> ManualClock {
    ManualClock::at("2026-03-04T12:00:00Z".parse::<Timestamp>().unwrap())
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([203, 0, 113, last])
}

/// Requests that one replica grants alone until it refuses.
fn granted(ledger: &mut Ledger, address: IpAddr, limit: u32, now: &Moment) -> u32 {
    let charge = Charge {
        burst: None,
        day: Some((POLICY, limit)),
    };
    let mut count = 0;
    while ledger.charge_alone(address, &charge, now).is_ok() {
        count += 1;
    }
    count
}

#[test]
fn replicas_alone_grant_what_was_left_between_them() {
    let clock = clock();
    for (heard, limit, replicas, each) in [
        (0, 100, 3, 33),
        (40, 100, 3, 20),
        (99, 100, 3, 1),
        (100, 100, 3, 0),
        (0, 1, 5, 1),
        (0, 100, 1, 100),
    ] {
        let mut ledger = Ledger::new(clock.now(), 100, 3);
        ledger.replicas = replicas;
        let place = ledger.place(address(1), &clock.now());
        ledger.hear(&place, POLICY, heard);
        let alone = granted(&mut ledger, address(1), limit, &clock.now());
        assert_eq!(alone, each, "{heard} of {limit} among {replicas}");
    }
}

#[test]
fn what_was_granted_alone_is_told_once() {
    let clock = clock();
    let mut ledger = Ledger::new(clock.now(), 100, 3);
    let place = ledger.place(address(1), &clock.now());
    ledger.hear(&place, POLICY, 10);
    let alone = granted(&mut ledger, address(1), 100, &clock.now());
    assert!(ledger.is_owing() && !ledger.is_owing());
    let known = ledger.known_after(None, 10, true);
    assert_eq!(known, [(place.key, [10, 0, 0], [alone, 0, 0])]);
    ledger.told(&known);
    assert_eq!(ledger.known_after(None, 10, true), []);
    let all = ledger.known_after(None, 10, false);
    assert_eq!(all, [(place.key, [10 + alone, 0, 0], [0; 3])]);
    assert_eq!(ledger.known_after(Some(place.key), 10, false), []);
}

#[test]
fn a_burst_alone_is_a_part_of_the_burst() {
    let clock = clock();
    let mut ledger = Ledger::new(clock.now(), 100, 3);
    ledger.replicas = 4;
    let charge = Charge {
        burst: Some(Burst::of(10, 20)),
        day: None,
    };
    let mut pass = |clock: &ManualClock| {
        let asked = (0..50).map(|_| ledger.charge_alone(address(1), &charge, &clock.now()));
        asked.filter(|charged| charged.is_ok()).count()
    };
    assert_eq!(pass(&clock), 5, "a quarter of 20");
    clock.advance(Duration::from_millis(800));
    assert_eq!(pass(&clock), 2, "a quarter of 10 a second");
}

#[test]
fn a_mark_names_the_key_of_the_day_and_which_counts_they_are() {
    let clock = clock();
    let (mut one, mut other) = (
        Ledger::new(clock.now(), 9, 3),
        Ledger::new(clock.now(), 9, 3),
    );
    let day = one.place(address(1), &clock.now()).day;
    let mark = one.proposal(day);
    assert_ne!(mark, one.proposal(day), "counts that were lost are others");
    let place = other.place(address(1), &clock.now());
    other.hear(&place, POLICY, 1);
    assert!(one.adopt(day, &mark) && other.adopt(day, &mark));
    let another = one.proposal(day);
    assert!(one.is_marked(day, &mark) && !one.is_marked(day, &another));
    assert_eq!(other.len(), 0, "what was counted under another key");
    let places = [&mut one, &mut other].map(|m| m.place(address(1), &clock.now()));
    assert_eq!(places[0].key, places[1].key);
    for junk in ["", "abc", "zz:1", &"é".repeat(32), &"ab".repeat(32)] {
        assert!(!one.adopt(day, junk), "{junk}");
    }
}

#[test]
fn a_new_day_forgets_and_memory_is_bounded() {
    let clock = clock();
    let mut ledger = Ledger::new(clock.now(), 3, 3);
    for last in 0..9 {
        granted(&mut ledger, address(last), 3, &clock.now());
    }
    assert_eq!(ledger.len(), 3);
    let today = ledger.place(address(1), &clock.now());
    clock.advance(Duration::from_secs(12 * 3600));
    let tomorrow = ledger.place(address(1), &clock.now());
    assert_eq!((tomorrow.day, ledger.len()), (today.day + 1, 0));
    assert_ne!(today.key, tomorrow.key);
    ledger.hear(&today, POLICY, 9);
    assert_eq!(ledger.len(), 0, "an answer of yesterday");
}

#[test]
fn a_request_given_back_is_none() {
    let clock = clock();
    let mut ledger = Ledger::new(clock.now(), 3, 3);
    let place = ledger.place(address(1), &clock.now());
    ledger.hear(&place, POLICY, 5);
    ledger.hear(&place, POLICY, 4);
    ledger.refund(&place, POLICY);
    assert_eq!(
        ledger.known_after(None, 9, false),
        [(place.key, [4, 0, 0], [0; 3])]
    );
}

//! Storage and damage of cached responses.

use super::*;
use crate::upstream::request::Request;
use econoscope_core::clock::Clock;
use econoscope_core::testing::ManualClock;
use jiff::SignedDuration;
use std::path::Path;

fn clock() -> ManualClock {
    ManualClock::new("2026-11-21T12:00:00Z".parse().unwrap())
}

fn key(name: &str) -> Key {
    Request::new(&["data", name], &[]).key().unwrap()
}

fn entry(clock: &ManualClock, body: &str) -> Entry {
    let policy = Policy {
        etag: Some("\"1\"".into()),
        must_revalidate: false,
        is_explicit: true,
        ..Policy::with_lifetime(Duration::from_secs(60))
    };
    Entry {
        content: Content::Found(Bytes::copy_from_slice(body.as_bytes())),
        fetched: clock.now(),
        policy,
    }
}

fn open(path: Option<&Path>, disk_bytes: u64) -> Cache {
    let state = Arc::new(StateFile::open(path).unwrap());
    Cache::new(state, "https://example.org", 1 << 20, disk_bytes)
}

#[test]
fn saved_entries_are_loaded_by_another_process() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    let clock = clock();
    let saved = entry(&clock, "{}");
    open(Some(&path), 1 << 20).save(&key("A"), &saved);
    let other = open(Some(&path), 1 << 20);
    assert_eq!(other.load(&key("A")).as_ref(), Some(&saved));
    assert_eq!(other.load(&key("B")), None);
    let unknown = Entry {
        content: Content::Unknown("ZZZ".into()),
        ..saved
    };
    other.save(&key("Z"), &unknown);
    assert_eq!(other.load(&key("Z")), Some(unknown));
}

#[test]
fn entries_of_another_upstream_are_not_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    open(Some(&path), 1 << 20).save(&key("A"), &entry(&clock(), "{}"));
    let state = Arc::new(StateFile::open(Some(&path)).unwrap());
    let other = Cache::new(state, "https://example.com", 1 << 20, 1 << 20);
    assert_eq!(other.load(&key("A")), None);
}

#[test]
fn damaged_rows_are_ignored() {
    let damage = [
        "body = x'7b7b'",
        "sum = 0",
        "found = 'x'",
        "wall = 9223372036854775807",
        "lifetime = 'soon'",
        "strict = x'00'",
        "body = 7",
        "found = 0, body = x'ff', sum = 4278190080",
    ];
    for change in damage {
        let cache = open(None, 1 << 20);
        for name in ["A", "B"] {
            cache.save(&key(name), &entry(&clock(), "{}"));
        }
        let sql = format!("UPDATE answers SET {change} WHERE key = ?1");
        let damaged = cache.disk.write(|db| db.execute(&sql, [key("A").as_str()]));
        damaged.unwrap();
        assert_eq!(cache.load(&key("A")), None, "{change}");
        assert!(cache.load(&key("B")).is_some(), "{change}");
    }
}

#[test]
fn disk_cache_evicts_the_oldest_above_its_size() {
    let clock = clock();
    let cache = open(None, 100_000);
    for n in 0..300 {
        clock.advance(Duration::from_secs(1));
        cache.save(&key(&format!("K{n}")), &entry(&clock, &"x".repeat(2_000)));
    }
    let sum = "SELECT sum(length(body)) FROM answers";
    let sum = cache
        .disk
        .read(|db| db.query_row(sum, [], |row| row.get::<_, i64>(0)))
        .unwrap();
    assert!((50_000..=100_000).contains(&sum), "{sum}");
    assert!(cache.load(&key("K299")).is_some() && cache.load(&key("K0")).is_none());
}

#[test]
fn memory_cache_stays_within_its_weight() {
    let cache = open(None, 1 << 20);
    let clock = clock();
    let junk = Arc::new(Entry {
        content: Content::Unknown(String::new()),
        ..entry(&clock, "")
    });
    for n in 0..10_000 {
        cache
            .memory
            .insert(key(&format!("K{n}")), Arc::clone(&junk));
    }
    assert!(cache.memory.weight() <= 1 << 20);
}

#[test]
fn freshness_ignores_jumps_of_the_wall_clock() {
    let clock = clock();
    let hour = Duration::from_secs(3600);
    let entry = entry(&clock, "{}");
    let strict = Entry {
        policy: Policy {
            must_revalidate: true,
            ..entry.policy.clone()
        },
        ..entry.clone()
    };
    for days in [1, -2, 400] {
        clock.jump(SignedDuration::from_hours(24 * days));
        assert_eq!(entry.staleness(&clock.now()), None);
        assert_eq!(entry.age(&clock.now()), Duration::ZERO);
    }
    clock.advance(Duration::from_secs(60));
    assert_eq!(entry.staleness(&clock.now()), Some(Duration::ZERO));
    assert!(entry.is_usable(&clock.now(), hour));
    assert!(!strict.is_usable(&clock.now(), hour));
    clock.advance(hour + Duration::from_secs(1));
    assert!(!entry.is_usable(&clock.now(), hour));
}

//! Composites over sixty years of days: `cargo bench --bench composites`.
#![expect(clippy::unwrap_used, reason = "a bench that cannot start has failed")]

#[path = "support/cpu.rs"]
mod cpu;

use cpu::of as cpu;
use criterion::{Criterion, criterion_group, criterion_main};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::indicators::{COMPOSITES, Composite};
use econoscope_core::model::frequency::{day_from_number, day_number};
use econoscope_core::model::{Date, Frequency, Observation, Series, SeriesId, SeriesSet};
use econoscope_data::store::{Sqlite, Store, Write, WriteVintages};
use econoscope_desk::{Clock, Desk, Settings};
use jiff::Timestamp;
use jiff::civil::{Weekday, date};
use jiff::tz::TimeZone;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// The daily indices begin in 1986; sixty years later they are sixty years long.
const LAST: Date = date(2045, 12, 29);
const FIRST: Date = date(1975, 1, 1);

/// Every input of every composite, with figures on each of its days.
fn inputs() -> SeriesSet {
    let ids = COMPOSITES.iter().flat_map(|c| c.inputs());
    ids.filter_map(|id| Catalogue::embedded().get(id))
        .map(|info| {
            let rows = dates(info.frequency)
                .into_iter()
                .zip(0u32..)
                .map(|(day, n)| Observation::new(day, level(n, info.id.as_str())));
            Arc::new(Series::new(Arc::clone(info), rows.collect()))
        })
        .collect()
}

fn dates(frequency: Frequency) -> Vec<Date> {
    let days = (day_number(FIRST)..=day_number(LAST)).filter_map(day_from_number);
    let stands = |day: &Date| match frequency {
        Frequency::Daily => !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday),
        Frequency::Weekly | Frequency::Biweekly => day.weekday() == Weekday::Wednesday,
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            day.day() == 1
        }
    };
    days.filter(stands).collect()
}

/// Ups and downs of several lengths, rounded as published figures are; within what every method believes.
fn level(n: u32, id: &str) -> f64 {
    let n = f64::from(n);
    let wave = (n / 37.0).sin() + (n / 411.0).sin() + (n * n / 7_919.0).sin() / 3.0;
    let (middle, swing) = match id {
        "WALCL" => (6_000_000.0, 900_000.0),
        "WTREGEN" => (500_000.0, 100_000.0),
        "RRPONTSYD" => (700.0, 200.0),
        "ICSA" => (300_000.0, 40_000.0),
        "NFCI" | "EBP" | "T10Y3M" => (0.0, 0.5),
        _ => (100.0, 12.0),
    };
    ((middle + swing * wave) * 100.0).round() / 100.0
}

fn composites(c: &mut Criterion) {
    let set = inputs();
    let mut group = c.benchmark_group("composites, 60 years");
    group.sample_size(20);
    let whole = |c: &Composite| c.history(&set, LAST).len();
    for composite in COMPOSITES {
        let id = composite.indicator.id;
        group.bench_function(format!("{id} whole"), |b| {
            b.iter_custom(|n| cpu(n, || whole(composite)));
        });
        group.bench_function(format!("{id} at a day"), |b| {
            b.iter_custom(|n| cpu(n, || composite.reading(&set, LAST).inputs.len()));
        });
    }
    group.bench_function("all, whole", |b| {
        b.iter_custom(|n| cpu(n, || COMPOSITES.iter().map(|c| whole(c)).sum::<usize>()));
    });
    group.finish();
}

/// A refresh of everything that rests on the store: the first, one after a single new figure, one after none.
fn refresh(c: &mut Criterion) {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    for series in inputs().iter() {
        write(&*store, series.info.id.as_str(), &series.observations, LAST);
    }
    let day = AtomicI32::new(day_number(LAST));
    let mut group = c.benchmark_group("refresh, 60 years");
    group.sample_size(20);
    group.bench_function("first", |b| {
        b.iter_custom(|n| {
            let first = || {
                for composite in COMPOSITES {
                    let id = SeriesId::new(composite.indicator.id).unwrap();
                    let nothing = WriteVintages::new(&id, &[], at(LAST), "computed");
                    store.replace_computed(nothing).unwrap();
                }
                econoscope_desk::refresh(&desk_at(&store, LAST)).is_ok()
            };
            cpu(n, first)
        });
    });
    group.bench_function("one new figure", |b| {
        b.iter_custom(|n| {
            let one = || {
                let today = day_from_number(day.fetch_add(1, Ordering::Relaxed)).unwrap_or(LAST);
                write(&*store, "DGS10", &[Observation::new(today, 4.0)], today);
                econoscope_desk::refresh(&desk_at(&store, today)).is_ok()
            };
            cpu(n, one)
        });
    });
    group.bench_function("nothing new", |b| {
        let today = day_from_number(day.load(Ordering::Relaxed) - 1).unwrap_or(LAST);
        b.iter_custom(|n| {
            cpu(n, || {
                econoscope_desk::refresh(&desk_at(&store, today)).is_ok()
            })
        });
    });
    group.finish();
}

/// A desk as a program that was just started has it: nothing in memory.
fn desk_at(store: &Arc<dyn Store>, today: Date) -> Desk {
    let now: Clock = Arc::new(move || at(today));
    Desk::open(Arc::clone(store), Settings::default(), now)
}

fn at(day: Date) -> Timestamp {
    let noon = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC);
    noon.map_or(Timestamp::UNIX_EPOCH, |noon| noon.timestamp())
}

fn write(store: &dyn Store, id: &str, rows: &[Observation], today: Date) {
    let written = SeriesId::new(id).and_then(|id| {
        store.write(Write {
            id: &id,
            observations: rows,
            known_from: (rows.len() == 1).then_some(today),
            fetched_at: at(today),
            origin: "fred",
        })
    });
    assert!(written.is_ok(), "{written:?}");
}

criterion_group!(benches, composites, refresh);
criterion_main!(benches);

//! Composites over sixty years of days: `cargo bench --bench composites`.

#![expect(
    missing_docs,
    reason = "criterion's macros make public items without any"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use econoscope::indicators::COMPOSITES;
use econoscope::model::frequency::{day_from_number, day_number};
use econoscope::model::{Catalogue, Date, Frequency, Observation, Series, SeriesSet};
use jiff::civil::{Weekday, date};
use std::hint::black_box;
use std::sync::Arc;

/// The daily indices begin in 1986; sixty years later they are sixty years long.
const LAST: Date = date(2045, 12, 29);
const FIRST: Date = date(1975, 1, 1);

/// Every input of every composite, with figures on each of its days.
fn inputs() -> SeriesSet {
    let ids = COMPOSITES.iter().flat_map(|c| c.inputs);
    ids.filter_map(|id| Catalogue::embedded().get(id))
        .map(|info| {
            let rows = dates(info.frequency).into_iter().zip(0u32..);
            let rows = rows.map(|(day, n)| Observation::new(day, level(n, info.id.as_str())));
            Arc::new(Series::new(Arc::clone(info), rows.collect()))
        })
        .collect()
}

fn dates(frequency: Frequency) -> Vec<Date> {
    let days = (day_number(FIRST)..=day_number(LAST)).filter_map(day_from_number);
    let stands = |day: &Date| match frequency {
        Frequency::Daily => !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday),
        Frequency::Weekly => day.weekday() == Weekday::Wednesday,
        Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => day.day() == 1,
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
    for composite in COMPOSITES {
        group.bench_function(format!("{} whole", composite.id), |b| {
            b.iter(|| composite.history(black_box(&set), LAST));
        });
    }
    group.bench_function("all four whole", |b| {
        b.iter(|| {
            let rows = |c: &&econoscope::indicators::Composite| c.history(&set, LAST).len();
            COMPOSITES.iter().map(rows).sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, composites);
criterion_main!(benches);

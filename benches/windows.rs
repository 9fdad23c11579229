//! Rolling and expanding windows against the straightforward way: `cargo bench --bench windows`.
//!
//! The plain versions are the definitions, word for word; that both give the same figures to 1e-12 is a
//! property test (`src/indicators/statistics/tests.rs`).

#![expect(
    missing_docs,
    reason = "criterion's macros make public items without any"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use econoscope::indicators::statistics::{Moments, expanding_ecdf, percentile_rank, rolling_moments};
use std::hint::black_box;

/// Thirty and sixty years of weekdays.
const LENGTHS: [usize; 2] = [7_826, 15_652];
const WINDOW: usize = 504;

/// A walk without a random generator: the same figures in every run.
fn walk(length: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut level = 5.0;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        level += f64::from(u32::try_from(state >> 40).unwrap_or(0)) / f64::from(1 << 24) - 0.5;
        level
    };
    (0..length).map(step).collect()
}

fn plain_moments(values: &[f64]) -> Vec<Moments> {
    (0..values.len())
        .map(|end| {
            let window = values.get((end + 1).saturating_sub(WINDOW)..=end);
            window.unwrap_or_default().iter().copied().collect()
        })
        .collect()
}

fn plain_ranks(values: &[f64]) -> Vec<Option<f64>> {
    let standing = |(n, value): (usize, &f64)| {
        percentile_rank(values.get(..n).unwrap_or_default(), *value)
    };
    values.iter().enumerate().map(standing).collect()
}

fn windows(c: &mut Criterion) {
    let mut group = c.benchmark_group("windows");
    group.sample_size(10);
    for length in LENGTHS {
        let values = walk(length);
        let mut of = |name: &str, work: &dyn Fn(&[f64]) -> usize| {
            group.bench_with_input(BenchmarkId::new(name, length), &values, |b, values| {
                b.iter(|| work(black_box(values)));
            });
        };
        of("rolling 504, ours", &|v| rolling_moments(v, WINDOW).len());
        of("rolling 504, plain", &|v| plain_moments(v).len());
        of("expanding rank, ours", &|v| expanding_ecdf(v, 504).len());
        of("expanding rank, plain", &|v| plain_ranks(v).len());
    }
    group.finish();
}

criterion_group!(benches, windows);
criterion_main!(benches);

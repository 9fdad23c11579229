//! Rolling and expanding windows against the straightforward way: `cargo bench --bench windows`.
//!
//! The plain versions are the definitions, word for word; that both give the same figures to 1e-12 is a
//! property test (`src/indicators/statistics/tests.rs`).

#[path = "support/cpu.rs"]
mod cpu;

use cpu::of as cpu;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use econoscope_core::indicators::statistics::{
    Moments, expanding_ecdf, percentile_rank, rolling_moments,
};

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
    let standing =
        |(n, value): (usize, &f64)| percentile_rank(values.get(..n).unwrap_or_default(), *value);
    values.iter().enumerate().map(standing).collect()
}

fn windows(c: &mut Criterion) {
    let mut group = c.benchmark_group("windows");
    group.sample_size(10);
    for length in LENGTHS {
        let values = walk(length);
        group.bench_function(BenchmarkId::new("rolling 504, ours", length), |b| {
            b.iter_custom(|n| cpu(n, || rolling_moments(&values, WINDOW)));
        });
        group.bench_function(BenchmarkId::new("rolling 504, plain", length), |b| {
            b.iter_custom(|n| cpu(n, || plain_moments(&values)));
        });
        group.bench_function(BenchmarkId::new("expanding rank, ours", length), |b| {
            b.iter_custom(|n| cpu(n, || expanding_ecdf(&values, 504)));
        });
        group.bench_function(BenchmarkId::new("expanding rank, plain", length), |b| {
            b.iter_custom(|n| cpu(n, || plain_ranks(&values)));
        });
    }
    group.finish();
}

criterion_group!(benches, windows);
criterion_main!(benches);

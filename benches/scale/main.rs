//! One machine at the size of FRED: 800,000 series, 500 million observations, their titles.
//!
//! `cargo bench --bench scale -- PERCENT [FOLDER]` makes that share of it (once; the file stays), starts the
//! server over it and asks: time from start to first answer, resident memory, point reads, reads of 5,000 rows,
//! searches. Run it at 1, 10 and 100 and compare. At 100 it takes some minutes and 2 GB.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench that cannot start has failed, and printing is its purpose"
)]

mod ask;
mod make;

use std::path::PathBuf;

fn main() {
    // Cargo adds `--bench` of its own accord.
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let percent: u32 = given.first().map_or(1, |p| p.parse().unwrap());
    let folder = given.get(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let series = 8_000 * percent;
    let path = folder.join(format!("scale-{percent}.db"));
    println!(
        "{percent} %: {series} series, {} observations",
        u64::from(series) * 625
    );
    make::make(&path, series);
    let bytes = std::fs::metadata(&path).unwrap().len();
    let rows = f64::from(series) * 625.0;
    println!(
        "  file {} MB, {:.2} bytes per observation",
        bytes / 1_000_000,
        bytes as f64 / rows
    );
    ask::in_process(&path, series);
    ask::over_http(&path, series);
}

//! Rows as CSV: what is written reads back as the same days and numbers.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|rows: Vec<(i32, f64)>| econoscope_answers::endpoints::time_series::fuzz::csv(&rows));

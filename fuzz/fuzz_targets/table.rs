//! A file of figures, as sources and operators hand it over.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| econoscope_data::ingest::fuzz::table(bytes));

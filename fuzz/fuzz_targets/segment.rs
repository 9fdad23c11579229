//! A row group of the store.
#![no_main]
use econoscope_data::store::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fuzz::segment(bytes);
});

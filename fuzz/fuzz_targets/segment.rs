//! A row group of the store, and a packed history of them.
#![no_main]
use econoscope::store::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fuzz::segment(bytes);
    fuzz::bundle(bytes);
});

//! An article of the operator's.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| econoscope::site::fuzz::markdown(text));

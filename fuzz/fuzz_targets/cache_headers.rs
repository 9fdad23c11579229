//! The headers of an upstream that decide how long an answer is kept.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|lines: Vec<(u8, Vec<u8>)>| econoscope_data::upstream::fuzz::cache_headers(&lines));

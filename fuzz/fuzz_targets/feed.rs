//! An RSS or Atom feed of an agency.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| econoscope_data::ingest::fuzz::feed(body));

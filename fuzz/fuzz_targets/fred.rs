//! An answer of FRED or of the board: JSON with a key, CSV without one.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|given: (u8, bool, &[u8])| {
    let (status, json, body) = given;
    let status = [200, 200, 200, 400, 403, 404, 429, 500][usize::from(status) % 8];
    let kind = if json { "application/json" } else { "text/csv" };
    econoscope_data::ingest::fuzz::fred(status, kind, body);
});

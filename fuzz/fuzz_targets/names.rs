//! A name that somebody gives to a series: found, ambiguous, or explained.
#![no_main]
use econoscope_data::desk::resolve;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|name: &str| {
    if resolve::find(name).is_none() {
        let said = resolve::explain("series", name).to_string();
        assert!(said.len() < 4_000 && !said.contains('\0'));
    }
});

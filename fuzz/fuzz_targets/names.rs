//! A name that somebody gives to a series: found, ambiguous, or explained.
#![no_main]
use econoscope_data::desk::resolve;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|name: &str| {
    if resolve::find(name).is_none() {
        let message = resolve::resolution_error("series", name).to_string();
        assert!(message.len() < 4_000 && !message.contains('\0'));
    }
});

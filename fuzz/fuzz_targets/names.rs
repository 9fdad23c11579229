//! A name that somebody gives to a series: found, ambiguous, or explained.
#![no_main]
use econoscope_desk::names::resolve;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|name: &str| {
    if let Err(error) = resolve::resolve("series", name) {
        let message = error.to_string();
        assert!(message.len() < 4_000 && !message.contains('\0'));
    }
});

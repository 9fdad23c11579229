//! A time as a caller writes it: read, or refused in few words.
#![no_main]
use econoscope_answers::dates;
use econoscope_core::model::Date;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let today = Date::constant(2026, 11, 22);
    if let Err(error) = dates::read("start", text, today, today) {
        assert!(error.to_string().chars().count() < 1_000, "an error stays short");
    }
});

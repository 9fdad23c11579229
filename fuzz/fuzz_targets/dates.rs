//! A day as a caller writes it; what is read is within the calendar that answers can show.
#![no_main]
use econoscope::endpoints::days::parse_day;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = parse_day("start", text) {
        assert!(error.to_string().chars().count() < 1_000, "an error stays short");
    }
});

//! An article of the operator's: no tag comes out that the pages do not write.
#![no_main]
use libfuzzer_sys::fuzz_target;

const FORBIDDEN: [&str; 6] = ["<script", "<img", "<iframe", "<style", "<svg", "<a href=\"javascript"];

fuzz_target!(|text: &str| {
    let html = econoscope::site::markdown(text).to_ascii_lowercase();
    for tag in FORBIDDEN {
        assert!(!html.contains(tag), "{tag}");
    }
});

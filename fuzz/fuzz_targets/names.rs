//! A name that somebody gives to a series: found, ambiguous, or explained.
#![no_main]
use econoscope::model::resolve::Resolver;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|name: &str| {
    let resolver = Resolver::embedded();
    if resolver.find(name).is_none() {
        let said = resolver.explain("series", name).to_string();
        assert!(said.len() < 4_000 && !said.contains('\0'));
    }
});

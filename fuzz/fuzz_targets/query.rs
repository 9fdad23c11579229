//! A query string, checked against the arguments of every endpoint.
#![no_main]
use econoscope::rest::query_arguments;
use econoscope_answers::ENDPOINTS;
use econoscope_answers::route::decode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|query: &str| {
    if let Ok(arguments) = query_arguments(query) {
        for route in ENDPOINTS.iter() {
            let _ = decode::check(&route.input_schema, arguments.clone());
        }
    }
});

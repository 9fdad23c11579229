//! A query string put to every endpoint over the bundled history: an answer or a reasoned error.
#![no_main]
use econoscope_answers::{Backend, ENDPOINTS};
use econoscope_desk::{Desk, Settings};
use econoscope::rest::query_arguments;
use econoscope_data::store::Sqlite;
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};
use tokio::runtime::{Builder, Runtime};

static SERVICE: LazyLock<(Backend, Runtime)> = LazyLock::new(|| {
    let desk = Desk::open(Arc::new(Sqlite::bundled().unwrap()), Settings::default(), Desk::system_clock());
    let runtime = Builder::new_current_thread().enable_all().build();
    (Backend::local(Arc::new(desk)), runtime.expect("a runtime"))
});

fuzz_target!(|given: (u8, &str)| {
    let (backend, runtime) = &*SERVICE;
    let route = &ENDPOINTS[usize::from(given.0) % ENDPOINTS.len()];
    let Ok(arguments) = query_arguments(given.1) else { return };
    match runtime.block_on(route.call(backend, arguments)) {
        Ok(reply) => {
            let parsed = serde_json::from_slice::<serde_json::Value>(&reply.answer.json);
            assert!(parsed.is_ok_and(|v| v.is_object()), "an object");
        }
        Err(error) => {
            let code = error.code();
            assert!(!["internal", "store"].contains(&code), "{code}: {error}");
        }
    }
});

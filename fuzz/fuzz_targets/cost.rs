//! A query string put to every endpoint over the bundled history: no answer costs more work than a bound.
//!
//! Work is CPU time of the whole process, for answers are made on other threads, and nothing else runs here. The
//! instrumented program is some ten times slower than a release build, and its first look at a series reads the bundled
//! history; the bound has room for both, and not for a window summed anew at every row. What a release build spends,
//! `tests/hunt/hunt.py` measures.
#![no_main]
use econoscope_answers::{Backend, ENDPOINTS};
use econoscope_desk::{Desk, Settings};
use econoscope::rest::query_arguments;
use econoscope_data::store::Sqlite;
use libfuzzer_sys::fuzz_target;
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// What one answer may cost.
const BOUND: Duration = Duration::from_secs(2);

static SERVICE: LazyLock<(Backend, Runtime)> = LazyLock::new(|| {
    let desk = Desk::open(Arc::new(Sqlite::bundled().unwrap()), Settings::default(), Desk::system_clock());
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let backend = Backend::local(Arc::new(desk));
    // Names, texts and the composites' series are read once; that is nobody's price.
    for query in ["", "q=rate", "query=rate", "indicator=CRPI", "since=1y", "series=DGS10", "ticker=CRPI"] {
        for route in ENDPOINTS.iter() {
            let arguments = query_arguments(query).expect("a query");
            let _ = runtime.block_on(route.call(&backend, arguments));
        }
    }
    (backend, runtime)
});

fn spent() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fuzz_target!(|given: (u8, &str)| {
    let (backend, runtime) = &*SERVICE;
    let route = &ENDPOINTS[usize::from(given.0) % ENDPOINTS.len()];
    let Ok(arguments) = query_arguments(given.1) else { return };
    let before = spent();
    let _ = runtime.block_on(route.call(backend, arguments));
    let cost = spent().saturating_sub(before);
    assert!(cost < BOUND, "{} spent {cost:?} on {:?}", route.spec.tool, given.1);
});

//! What a hit in the forwarder's cache costs beside the same answer from local data.
//!
//! Both answer on one thread, in turns, so that whatever else the machine does falls on both; the figure is
//! the median of the rounds' ratios of that thread's CPU time. `cargo bench --bench forwarding`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench that cannot start has failed, and printing is its purpose"
)]

use econoscope::desk::{Desk, Settings};
use econoscope::endpoints::{Arguments, Backend, ENDPOINTS, Route};
use econoscope::store::Memory;
use econoscope::upstream::{SystemClock, Upstream, UpstreamConfig};
use econoscope::{http, mcp};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::sync::Arc;
use tokio::net::TcpListener;

const ROUNDS: usize = 31;
const CALLS: usize = 2_000;

fn main() {
    let server = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let direct = Arc::new(Backend::local(desk()));
    let base = server.block_on(serve(Arc::clone(&direct)));
    let here = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    here.block_on(async {
        let config = UpstreamConfig::new(base);
        let upstream = Upstream::open(config, Arc::new(SystemClock::default())).unwrap();
        let relay = Backend::forwarding(desk(), upstream);
        println!(
            "{:<20} {:>10} {:>10} {:>7}",
            "endpoint", "local ns", "hit ns", "ratio"
        );
        for route in ENDPOINTS.iter().filter(|r| r.spec.in_contract) {
            compare(route, &direct, &relay).await;
        }
    });
}

/// Prints the medians for one endpoint.
async fn compare(route: &'static Route, direct: &Backend, relay: &Backend) {
    let asked: Arguments = route
        .spec
        .example
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect();
    for backend in [direct, relay] {
        measure(route, backend, &asked).await;
    }
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let local = measure(route, direct, &asked).await;
        let hit = measure(route, relay, &asked).await;
        rounds.push((local, hit, hit / local));
    }
    let median = |of: fn(&(f64, f64, f64)) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all.get(ROUNDS / 2).copied().unwrap_or(f64::NAN)
    };
    let name = route.spec.tool;
    println!(
        "{name:<20} {:>10.0} {:>10.0} {:>7.2}",
        median(|r| r.0),
        median(|r| r.1),
        median(|r| r.2)
    );
}

/// Nanoseconds of this thread per call.
async fn measure(route: &'static Route, backend: &Backend, asked: &Arguments) -> f64 {
    let before = clock_gettime(ClockId::ThreadCPUTime);
    for _ in 0..CALLS {
        let reply = route.call(backend, asked.clone()).await.unwrap();
        std::hint::black_box(reply.json.len());
    }
    let after = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = (after.tv_sec - before.tv_sec) as f64;
    (seconds * 1e9 + (after.tv_nsec - before.tv_nsec) as f64) / CALLS as f64
}

fn desk() -> Arc<Desk> {
    let store = Arc::new(Memory::new());
    Arc::new(Desk::open(store, Settings::default(), Desk::system_clock()).unwrap())
}

/// Serves a backend on a free port; the address.
async fn serve(backend: Arc<Backend>) -> url::Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let allowed = mcp::transport::Allowed {
        hosts: vec!["127.0.0.1".into()],
        origins: vec![],
    };
    let shutdown = http::Shutdown::default();
    let server = mcp::Server::new(Arc::clone(&backend));
    let mcp = mcp::transport::http(server, allowed, shutdown.cut.clone());
    let site = http::Site::new(backend, http::Options::default());
    tokio::spawn(async move { site.serve(listener, mcp, shutdown).await });
    format!("http://{address}").parse().unwrap()
}

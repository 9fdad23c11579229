//! What a hit in the forwarder's cache costs beside the same answer from local data.
//!
//! Twice: as a call of the endpoint, where nothing is left but the caches, and as a REST request through every
//! layer of the site. Both answer on one thread, in turns, so that whatever else the machine does falls on both;
//! the figure is the median of the rounds' ratios of that thread's CPU time. `cargo bench --bench forwarding`
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench that cannot start has failed, and printing is its purpose"
)]

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use econoscope::{mcp, server};
use econoscope_answers::{Arguments, Backend, ENDPOINTS, Route};
use econoscope_core::clock::SystemClock;
use econoscope_data::store::Sqlite;
use econoscope_data::upstream::{Upstream, UpstreamConfig};
use econoscope_desk::{Desk, Settings};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

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
        let upstream = Upstream::open(config, Arc::new(SystemClock)).unwrap();
        let relay = Backend::forwarding(desk(), upstream);
        let relay = Arc::new(relay);
        let sites = [&direct, &relay].map(|b| site(Arc::clone(b)));
        println!(
            "{:<34} {:>10} {:>10} {:>7}",
            "", "local ns", "hit ns", "ratio"
        );
        for route in ENDPOINTS.iter().filter(|r| r.spec.in_contract) {
            let call = Call(route, [&direct, &relay]);
            compare(&format!("{}, call", route.spec.tool), &call).await;
            let request = Rest(route, &sites);
            compare(&format!("{}, REST", route.spec.tool), &request).await;
        }
    });
}

/// Something that can be asked of the local side (0) and of the forwarder (1).
trait Ask {
    async fn ask(&self, side: usize);
}

struct Call<'a>(&'static Route, [&'a Arc<Backend>; 2]);

impl Ask for Call<'_> {
    async fn ask(&self, side: usize) {
        let reply = self.0.call(self.1[side], arguments(self.0)).await.unwrap();
        std::hint::black_box(reply.json.len());
    }
}

struct Rest<'a>(&'static Route, &'a [Router; 2]);

impl Ask for Rest<'_> {
    async fn ask(&self, side: usize) {
        // A loopback peer, which is not limited.
        let peer = ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 9)));
        let request = Request::get(self.0.example_path())
            .header("host", "localhost")
            .extension(peer)
            .body(Body::empty())
            .unwrap();
        let reply = self.1[side].clone().oneshot(request).await.unwrap();
        assert_eq!(reply.status(), 200);
        drop(std::hint::black_box(reply.into_body()));
    }
}

/// Prints the medians of both sides and of their ratio.
async fn compare(what: &str, asked: &impl Ask) {
    for side in [0, 1] {
        measure(asked, side).await;
    }
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let local = measure(asked, 0).await;
        let hit = measure(asked, 1).await;
        rounds.push((local, hit, hit / local));
    }
    let median = |of: fn(&(f64, f64, f64)) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[ROUNDS / 2]
    };
    println!(
        "{what:<34} {:>10.0} {:>10.0} {:>7.2}",
        median(|r| r.0),
        median(|r| r.1),
        median(|r| r.2)
    );
}

/// Nanoseconds of this thread per answer.
async fn measure(asked: &impl Ask, side: usize) -> f64 {
    let before = clock_gettime(ClockId::ThreadCPUTime);
    for _ in 0..CALLS {
        asked.ask(side).await;
    }
    let after = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = (after.tv_sec - before.tv_sec) as f64;
    (seconds * 1e9 + (after.tv_nsec - before.tv_nsec) as f64) / CALLS as f64
}

fn arguments(route: &Route) -> Arguments {
    let pairs = route.spec.example.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect()
}

fn desk() -> Arc<Desk> {
    let store = Arc::new(Sqlite::bundled().unwrap());
    Arc::new(Desk::open(store, Settings::default(), Desk::system_clock()))
}

/// All routes over a backend.
fn site(backend: Arc<Backend>) -> Router {
    let mcp = mcp_service(&backend);
    server::HttpServer::new(backend, server::Options::default()).router(mcp)
}

fn mcp_service(backend: &Arc<Backend>) -> mcp::transport::HttpTransport {
    let server = mcp::Server::new(Arc::clone(backend));
    mcp::transport::http(server, CancellationToken::new())
}

/// Serves a backend on a free port; the address.
async fn serve(backend: Arc<Backend>) -> url::Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mcp = mcp_service(&backend);
    let site = server::HttpServer::new(backend, server::Options::default());
    tokio::spawn(async move { site.serve(listener, mcp, server::Shutdown::default()).await });
    format!("http://{address}").parse().unwrap()
}

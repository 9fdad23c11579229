//! Tests of the upstream client through its public interface, over real sockets: no response is lost, none paid for twice,
//! no call exceeds the allowance, and no request goes elsewhere.

mod allowance;
mod caching;
mod chaos;
mod faults;
mod safety;

use chaos::{Faults, FaultyProxy, Rng};
use econoscope::Error;
use econoscope_core::clock::Clock;
use econoscope_core::testing::ManualClock;
use econoscope_data::pool::Caller;
use econoscope_data::upstream::{
    Freshness, Kind, Ledger, Purpose, Request, Upstream, UpstreamConfig, UpstreamResponse, Verdict,
};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;
use wiremock::matchers::{any, header};
use wiremock::{Mock, MockServer, ResponseTemplate};

const HOUR: Duration = Duration::from_secs(3600);
const LARGE: u32 = 1_000_000;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new("2026-11-21T12:00:00Z".parse().unwrap()))
}

fn config(address: SocketAddr, limit: u32) -> UpstreamConfig {
    let mut config = UpstreamConfig::new(Url::parse(&format!("http://{address}")).unwrap());
    config.daily_limit = limit;
    config
}

fn open_upstream(address: SocketAddr, limit: u32, clock: &Arc<ManualClock>) -> Upstream {
    Upstream::open(config(address, limit), Arc::clone(clock) as Arc<dyn Clock>).unwrap()
}

fn open_stored(address: SocketAddr, limit: u32, clock: &Arc<ManualClock>, file: &Path) -> Upstream {
    let mut config = config(address, limit);
    config.state = Some(file.to_owned());
    Upstream::open(config, Arc::clone(clock) as Arc<dyn Clock>).unwrap()
}

fn shared_request(name: &str) -> Request {
    Request::new(&["api", "public", name], &[])
}

fn interactive_request(name: &str) -> Request {
    let mut request = Request::new(&["api", "public", "metrics", name], &[]);
    request.kind = Kind::Interactive;
    request.what = "ticker";
    request
}

/// Starts a healthy origin whose responses name their path.
async fn start_origin() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(|request: &wiremock::Request| {
            let body = format!(
                r#"{{"path":"{}","pad":"{}"}}"#,
                request.url.path(),
                "x".repeat(2_000)
            );
            ResponseTemplate::new(200)
                .set_body_raw(body, "application/json")
                .insert_header("cache-control", "max-age=300")
        })
        .mount(&server)
        .await;
    server
}

/// Starts an origin that always gives the same response.
async fn start_fixed(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

fn json(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(text, "application/json")
}

async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

/// A caller of a public server. Unlike the program's own user it does not wait for a renewed response.
fn stranger() -> Caller {
    Caller::from_address([203, 0, 113, 77].into())
}

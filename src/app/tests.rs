//! Tests of a server whose pool is full, and of answers computed ahead.

use super::live;
use crate::mcp;
use crate::server::{HttpServer, Options};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::{Router, response::Response};
use econoscope_answers::Backend;
use econoscope_core::model::{Observation, SeriesId};
use econoscope_data::pool::Caller;
use econoscope_data::store::{Sqlite, Write};
use econoscope_desk::{Desk, Settings};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Waker};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

type Jobs<'a> = Vec<Pin<Box<dyn Future<Output = econoscope_core::Result<()>> + Send + 'a>>>;

fn backend() -> Arc<Backend> {
    let store = Arc::new(Sqlite::bundled().unwrap());
    let desk = Desk::open(store, Settings::default(), Desk::system_clock());
    Arc::new(Backend::local(Arc::new(desk)))
}

fn router(backend: &Arc<Backend>, server: mcp::Server) -> Router {
    let mcp = mcp::transport::http(server, Default::default());
    HttpServer::new(Arc::clone(backend), Options::default()).router(mcp)
}

/// Occupies every thread until the sender of `gate` is dropped, and every place in the queue, each for another caller.
fn fill_pool(backend: &Backend, gate: mpsc::Receiver<()>) -> Jobs<'_> {
    let gate = Arc::new(Mutex::new(gate));
    let mut jobs: Jobs<'_> = Vec::new();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (processors - 1).max(1);
    let callers =
        (1..=256_u32).map(|n| Caller::from_address(Ipv4Addr::from_bits(0x0a00_0000 + n).into()));
    let start = |jobs: &mut Jobs<'_>| {
        let last = jobs.last_mut().unwrap();
        let mut context = Context::from_waker(Waker::noop());
        assert!(last.as_mut().poll(&mut context).is_pending());
    };
    for _ in 0..threads {
        let gate = Arc::clone(&gate);
        jobs.push(Box::pin(backend.pool().run(move || {
            let _ = gate.lock().unwrap().recv();
            Ok(())
        })));
        start(&mut jobs);
    }
    while backend.pool().counts().waiting > 0 {
        std::thread::yield_now();
    }
    for caller in callers {
        jobs.push(Box::pin(caller.scope(backend.pool().run(|| Ok(())))));
        start(&mut jobs);
    }
    assert_eq!(backend.pool().counts().waiting, 256);
    jobs
}

async fn send(router: &Router, method: &str, path: &str, body: &str) -> Response {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-06-18")
        .body(Body::from(body.to_owned()))
        .unwrap();
    let peer: SocketAddr = "203.0.113.9:4711".parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    router.clone().oneshot(request).await.unwrap()
}

async fn json(response: Response) -> Value {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn full_pool_is_503_over_http_and_an_error_result_over_mcp() {
    let backend = backend();
    let server = || mcp::Server::new(Arc::clone(&backend));
    let direct = router(&backend, server());
    let library = router(&backend, server().without_direct_calls());
    // Cached answers need no room in the pool.
    let cached = "/api/public/data/UNRATE?start=1y";
    assert_eq!(
        send(&direct, "GET", cached, "").await.status(),
        StatusCode::OK
    );
    let (go, gate) = mpsc::channel();
    let jobs = fill_pool(&backend, gate);
    assert_eq!(
        send(&direct, "GET", cached, "").await.status(),
        StatusCode::OK
    );
    for path in [
        "/api/public/regime",
        "/series/UNRATE",
        "/chart/UNRATE.png",
        "/widget/metric/UNRATE",
    ] {
        for method in ["GET", "HEAD"] {
            let reply = send(&direct, method, path, "").await;
            assert_eq!(reply.status(), StatusCode::SERVICE_UNAVAILABLE, "{path}");
            assert_eq!(reply.headers()["retry-after"], "1", "{path}");
            assert_eq!(reply.headers()["cache-control"], "no-store", "{path}");
        }
    }
    let refused = json(send(&direct, "GET", "/api/public/regime", "").await).await;
    assert_eq!(refused["code"], "unavailable");
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "get_regime", "arguments": {}}})
    .to_string();
    // The library answers network clients likewise; over stdio a client would wait.
    let one = json(send(&direct, "POST", "/mcp", &call).await).await;
    let two = json(send(&library, "POST", "/mcp", &call).await).await;
    assert_eq!(one, two);
    assert_eq!(one["result"]["isError"], true, "{one}");
    let facts = &one["result"]["_meta"]["econoscope/error"];
    assert_eq!(facts["code"], "unavailable");
    assert_eq!(facts["retry_after_seconds"], 1);
    let read = json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read",
        "params": {"uri": "macro://catalog"}})
    .to_string();
    let read = json(send(&library, "POST", "/mcp", &read).await).await;
    let text = read["error"]["message"].as_str().unwrap();
    assert!(text.contains("Retry after 1 s."), "{read}");
    drop(go);
    for job in jobs {
        job.await.unwrap();
    }
    let again = json(send(&direct, "POST", "/mcp", &call).await).await;
    assert_eq!(again["result"]["isError"], false, "room again");
}

#[tokio::test]
async fn frequent_answers_are_computed_before_the_next_request() {
    let backend = backend();
    let router = router(&backend, mcp::Server::new(Arc::clone(&backend)));
    let frequent = "/api/public/metrics/UNRATE";
    let rare = "/api/public/metrics/FEDFUNDS";
    for path in [rare, frequent, frequent, frequent, frequent] {
        assert_eq!(
            send(&router, "GET", path, "").await.status(),
            StatusCode::OK
        );
    }
    let stop = CancellationToken::new();
    let refresh = tokio::spawn(live::refresh_answers(Arc::clone(&backend), stop.clone()));
    // It reads the state of the data before its first pause.
    tokio::task::yield_now().await;
    wait_for_jobs(&backend, 2).await;
    let id = SeriesId::new("NEWS").unwrap();
    let news = Write {
        id: &id,
        observations: &[Observation::new(jiff::civil::date(2020, 1, 1), 1.0)],
        known_from: None,
        fetched_at: backend.desk().now(),
        origin: "import",
    };
    backend.desk().store().write(news).unwrap();
    wait_for_jobs(&backend, 3).await;
    assert_eq!(
        send(&router, "GET", frequent, "").await.status(),
        StatusCode::OK
    );
    assert_eq!(backend.pool().counts().done, 3, "the answer is cached");
    assert_eq!(
        send(&router, "GET", rare, "").await.status(),
        StatusCode::OK
    );
    wait_for_jobs(&backend, 4).await;
    stop.cancel();
    refresh.await.unwrap();
}

/// Waits until the pool has counted exactly so many jobs. It counts a job after its answer is sent.
async fn wait_for_jobs(backend: &Backend, jobs: u64) {
    while backend.pool().counts().done < jobs {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(backend.pool().counts().done, jobs);
}

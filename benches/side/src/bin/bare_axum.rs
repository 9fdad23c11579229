//! Bare axum: one route, one borrowed parse, one copy. `bare_axum PORT FILE`

use axum::body::{Body, Bytes};
use axum::response::Response;
use floors::{Message, answer, result};
use std::sync::LazyLock;
use tokio::net::TcpListener;

static RESULT: LazyLock<Vec<u8>> = LazyLock::new(result);

async fn handle(body: Bytes) -> Response {
    let message: Message<'_> = serde_json::from_slice(&body).expect("a call");
    let id = message.id.expect("an id").get();
    Response::builder()
        .header("content-type", "application/json")
        .body(Body::from(answer(id, &RESULT)))
        .expect("an answer")
}

#[tokio::main]
async fn main() {
    use axum::serve::ListenerExt;
    let port: u16 = std::env::args().nth(1).expect("a port").parse().expect("a port");
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a free port");
    LazyLock::force(&RESULT);
    let router = axum::Router::new().route("/mcp", axum::routing::post(handle));
    let low_latency = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(low_latency, router).await.expect("serving");
}

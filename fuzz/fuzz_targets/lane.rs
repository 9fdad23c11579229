//! A body that the lane answers is a call which another reader reads as well, and the answer has its id.
#![no_main]
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use libfuzzer_sys::fuzz_target;
use mcp_lane::{Body, LaneLayer, Lifecycle, Message, Origin, Outcome, Rendered};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::convert::Infallible;
use std::future::Ready;
use tower::{Layer, ServiceExt, service_fn};

/// Every tool gives back its arguments.
#[derive(Clone)]
struct Echo;

impl Origin for Echo {
    type State = ();

    fn state(&self) -> Option<()> {
        Some(())
    }

    fn takes(&self, _: &str) -> bool {
        true
    }

    async fn call(&self, _: &str, arguments: JsonObject, _: Lifecycle) -> Option<Outcome> {
        let result = Rendered::of(&arguments).ok()?;
        Some(Outcome {
            result,
            may_be_kept: true,
        })
    }
}

fn behind(_: Request<Message>) -> Ready<Result<Response<Body>, Infallible>> {
    std::future::ready(Ok(Response::new(Full::default().boxed())))
}

fuzz_target!(|body: &[u8]| {
    let Ok(message) = Message::read(Bytes::copy_from_slice(body)) else {
        return;
    };
    let lane = LaneLayer::new(Echo).layer(service_fn(behind));
    let request = Request::post("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message)
        .expect("a request");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let answer = runtime.block_on(async {
        let Ok(response) = lane.oneshot(request).await;
        let Ok(body) = response.into_body().collect().await;
        body.to_bytes()
    });
    if answer.is_empty() {
        return;
    }
    let asked: Value = serde_json::from_slice(body).expect("the lane took what is no JSON");
    let answer: Value = serde_json::from_slice(&answer).expect("an answer of JSON");
    assert_eq!(asked["method"], "tools/call");
    assert_eq!(answer["id"], asked["id"]);
    let empty = Value::Object(JsonObject::new());
    assert_eq!(
        &answer["result"],
        asked["params"]
            .get("arguments")
            .filter(|a| !a.is_null())
            .unwrap_or(&empty)
    );
});

//! A body that the lane answers is a call which another reader reads as well, and the answer has its id.
#![no_main]
use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use libfuzzer_sys::fuzz_target;
use mcp_lane::{Lane, Lifecycle, Message, Origin, Outcome, Rendered};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Every tool gives back its arguments.
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

fuzz_target!(|body: &[u8]| {
    let Ok(message) = Message::read(Bytes::copy_from_slice(body)) else {
        return;
    };
    let lane = Lane::new(Echo);
    let request = Request::post("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message)
        .expect("a request");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let answer = runtime.block_on(async {
        let Ok(body) = lane.answer(&request).await?.into_body().collect().await;
        Some(body.to_bytes())
    });
    let Some(answer) = answer else {
        return;
    };
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

//! The lane gives what the protocol library gives: the same messages with it and without, answers compared byte by byte.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::too_many_lines,
    reason = "a test that cannot go on has failed, and says so"
)]

mod corpus;

use bytes::Bytes;
use corpus::{Dice, LEGACY, MODERN};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;
use mcp_lane::{Lane, LaneLayer, Lifecycle, Message, Outcome, Rendered};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tower::{Layer, Service, ServiceExt};

/// Two tools over data that are a number.
#[derive(Clone, Default)]
struct Toy {
    data: Arc<AtomicU64>,
    made: Arc<AtomicU64>,
}

impl Toy {
    fn result(&self, tool: &str, arguments: &JsonObject) -> Option<CallToolResult> {
        self.made.fetch_add(1, Ordering::Relaxed);
        let data = self.data.load(Ordering::Relaxed);
        match (tool, arguments.get("ticker")) {
            ("get_regime", _) => Some(CallToolResult::structured(json!({ "data": data }))),
            ("get_metric", Some(ticker)) if ticker.is_string() => {
                let result = json!({ "ticker": ticker, "half": 0.5, "data": data });
                Some(CallToolResult::structured(result))
            }
            ("get_metric", _) => {
                let why = ContentBlock::text("ticker is missing or no text");
                Some(CallToolResult::error(vec![why]))
            }
            _ => None,
        }
    }
}

impl ServerHandler for Toy {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("toy", "1"))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = self.result(&request.name, &arguments);
        let result = result.ok_or_else(|| ErrorData::invalid_params("Unknown tool", None))?;
        Ok(result.into())
    }
}

impl mcp_lane::Origin for Toy {
    type State = u64;

    fn state(&self) -> Option<u64> {
        Some(self.data.load(Ordering::Relaxed))
    }

    fn takes(&self, tool: &str) -> bool {
        ["get_regime", "get_metric"].contains(&tool)
    }

    async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        lifecycle: Lifecycle,
    ) -> Option<Outcome> {
        let mut result = self.result(tool, &arguments)?;
        if lifecycle == Lifecycle::Handshake {
            result.result_type = None;
        }
        let may_be_kept = result.is_error != Some(true);
        let result = Rendered::of(&result).unwrap();
        Some(Outcome {
            result,
            may_be_kept,
        })
    }
}

/// The library's own service.
#[derive(Clone)]
struct Library(Arc<StreamableHttpService<Toy, NeverSessionManager>>);

impl Service<Request<Message>> for Library {
    type Response = http::Response<mcp_lane::Body>;
    type Error = Infallible;
    type Future =
        std::pin::Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Message>) -> Self::Future {
        let library = Arc::clone(&self.0);
        Box::pin(async move { Ok(library.handle(request.map(Message::into_body)).await) })
    }
}

struct Both {
    fast: Lane<Toy, Library>,
    slow: Library,
    layer: LaneLayer<Toy>,
    toy: Toy,
}

impl Both {
    fn new() -> Self {
        let toy = Toy::default();
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true);
        let handler = toy.clone();
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
        let slow = Library(Arc::new(service));
        let layer = LaneLayer::new(toy.clone());
        Self {
            fast: layer.layer(slow.clone()),
            slow,
            layer,
            toy,
        }
    }

    /// Sends a message both ways, twice the fast one: made, and kept. Gives the answer and whether the lane gave it.
    async fn same(&self, headers: &HeaderMap, body: &[u8]) -> (Vec<u8>, bool) {
        let slow = send(self.slow.clone(), headers, body).await;
        let before = self.layer.answers();
        for round in ["made", "kept"] {
            let fast = send(self.fast.clone(), headers, body).await;
            let text = String::from_utf8_lossy(body);
            assert_eq!(fast, slow, "{round}: {headers:?} {text}");
        }
        let body = slow.map(|(_, _, body)| body).unwrap_or_default();
        (body, self.layer.answers() == before + 2)
    }
}

/// Status, type and body of an answer; `None` for what is no message.
type Seen = Option<(StatusCode, Option<HeaderValue>, Vec<u8>)>;

async fn send<S>(service: S, headers: &HeaderMap, body: &[u8]) -> Seen
where
    S: Service<Request<Message>, Response = http::Response<mcp_lane::Body>, Error = Infallible>,
{
    let message = Message::read(Bytes::copy_from_slice(body)).ok()?;
    let mut request = Request::post("/mcp").body(message).unwrap();
    *request.headers_mut() = headers.clone();
    let (parts, body) = service.oneshot(request).await.unwrap().into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let kind = parts.headers.get("content-type").cloned();
    Some((parts.status, kind, bytes.to_vec()))
}

/// Headers of a plain call.
fn headers(version: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut set = |name: &'static str, value: &str| headers.insert(name, value.parse().unwrap());
    set("host", "localhost:8080");
    set("content-type", "application/json");
    set("accept", "application/json, text/event-stream");
    if let Some(version) = version {
        set("mcp-protocol-version", version);
    }
    headers
}

fn modern_headers(tool: &'static str) -> HeaderMap {
    let mut headers = headers(Some(MODERN));
    headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
    headers.insert("mcp-name", HeaderValue::from_static(tool));
    headers
}

#[tokio::test]
async fn a_plain_call_is_made_once_for_a_state_of_the_data() {
    let both = Both::new();
    let arguments = json!({ "ticker": "10y" });
    let call = corpus::call("1", "get_metric", &arguments, None);
    let (first, is_taken) = both.same(&headers(Some(LEGACY)), call.as_bytes()).await;
    assert!(is_taken);
    assert_eq!(both.toy.made.load(Ordering::Relaxed), 2, "once each way");
    both.toy.data.store(7, Ordering::Relaxed);
    let (second, is_taken) = both.same(&headers(Some(LEGACY)), call.as_bytes()).await;
    assert!(is_taken && first != second);
    let modern = corpus::call(
        "\"a\"",
        "get_metric",
        &arguments,
        Some(&corpus::modern_meta()),
    );
    let (modern, is_taken) = both
        .same(&modern_headers("get_metric"), modern.as_bytes())
        .await;
    assert!(is_taken && String::from_utf8(modern).unwrap().contains("resultType"));
    let wrong = corpus::call("1", "get_metric", &json!({}), None);
    let before = both.toy.made.load(Ordering::Relaxed);
    assert!(both.same(&headers(None), wrong.as_bytes()).await.1);
    let after = both.toy.made.load(Ordering::Relaxed);
    assert_eq!(after, before + 3, "a failure is not kept");
}

#[tokio::test]
async fn identifiers_meta_and_odd_bodies() {
    let both = Both::new();
    let arguments = json!({ "ticker": "10y" });
    let some_headers = [
        headers(None),
        headers(Some(LEGACY)),
        headers(Some("2025-11-25")),
        headers(Some("2027-01-01")),
        modern_headers("get_metric"),
    ];
    let mut bodies = corpus::odd_bodies();
    for id in corpus::IDS {
        bodies.push(corpus::call(id, "get_metric", &arguments, None));
        let meta = corpus::modern_meta();
        bodies.push(corpus::call(id, "get_metric", &arguments, Some(&meta)));
    }
    for meta in corpus::metas() {
        bodies.push(corpus::call("1", "get_metric", &arguments, Some(&meta)));
    }
    for body in bodies {
        for headers in &some_headers {
            both.same(headers, body.as_bytes()).await;
        }
    }
}

#[tokio::test]
async fn messages_changed_at_random() {
    let both = Both::new();
    let mut dice = Dice::new(20_261_121);
    let meta = corpus::modern_meta();
    for round in 0..2_000 {
        let is_modern = round % 2 == 0;
        let meta = is_modern.then_some(meta.as_str());
        let body = corpus::call("17", "get_metric", &json!({ "ticker": "10y" }), meta);
        let headers = match is_modern {
            true => modern_headers("get_metric"),
            false => headers(Some(LEGACY)),
        };
        both.same(&headers, &dice.mutate(&body)).await;
    }
    assert!(both.layer.answers() > 100, "the lane was hardly asked");
}

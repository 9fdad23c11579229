//! The library answers some malformed requests in plain text; a JSON-RPC client wants an error it can read.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::json;
use std::convert::Infallible;

/// A body as the library's service gives it.
pub(super) type Body = BoxBody<Bytes, Infallible>;

/// JSON-RPC's codes for what is not JSON and for what is no request.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;

/// Turns a refusal in plain text into a JSON-RPC error without an id; everything else passes as it is.
pub(super) async fn to_json(response: Response<Body>) -> Response<Body> {
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|kind| kind.contains("json") || kind.contains("event-stream"));
    if !response.status().is_client_error() || is_json {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(said) = body.collect().await;
    let said = String::from_utf8_lossy(&said.to_bytes()).into_owned();
    let (status, code, message) = meaning(parts.status, &said);
    let error = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    parts.status = status;
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    let body = Full::new(Bytes::from(error.to_string()));
    Response::from_parts(parts, body.boxed())
}

/// Status, code and message of a refusal. A body that could not be read is the client's mistake in what it
/// sent (400), not in the media type it named.
fn meaning(status: StatusCode, said: &str) -> (StatusCode, i32, String) {
    const UNREAD: &str = "fail to deserialize request body ";
    let Some(cause) = said.strip_prefix(UNREAD) else {
        let message = if said.is_empty() {
            status.canonical_reason().unwrap_or("refused").to_owned()
        } else {
            said.to_owned()
        };
        return (status, INVALID_REQUEST, message);
    };
    if cause.contains("did not match any variant") {
        let message = "Invalid request: one JSON-RPC request or notification per POST; batches are not supported";
        (StatusCode::BAD_REQUEST, INVALID_REQUEST, message.to_owned())
    } else {
        let message = format!("Parse error: {}", crate::error::quote(cause));
        (StatusCode::BAD_REQUEST, PARSE_ERROR, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn refusals_become_json_and_answers_pass() {
        let plain = |status: StatusCode, text: &'static str| {
            let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
            *response.status_mut() = status;
            response
        };
        let cases = [
            (
                "fail to deserialize request body expected value at line 1",
                400,
                PARSE_ERROR,
            ),
            (
                "fail to deserialize request body data did not match any variant of untagged enum",
                400,
                INVALID_REQUEST,
            ),
        ];
        for (text, status, code) in cases {
            let out = to_json(plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, text)).await;
            assert_eq!(out.status(), status);
            let body = out.into_body().collect().await.unwrap().to_bytes();
            let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(value["error"]["code"], code);
        }
        let out = to_json(plain(
            StatusCode::FORBIDDEN,
            "Forbidden: Host header is not allowed",
        ))
        .await;
        assert_eq!(out.status(), 403);
        let passed = to_json(plain(StatusCode::OK, "x")).await;
        assert!(passed.headers().get(header::CONTENT_TYPE).is_none());
    }
}

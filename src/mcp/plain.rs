//! The library answers some malformed requests in plain text; a JSON-RPC client wants an error it can read.

use bytes::Bytes;
use http::{Response, StatusCode, header};
use http_body_util::BodyExt;
use mcp_lane::{Body, error};

/// How the library begins when it cannot read a body.
const UNREAD: &str = "fail to deserialize request body ";

/// Turns a refusal in plain text into a JSON-RPC error; everything else passes as it is. A body that could not be
/// read is the client's mistake in what it sent (400), not in the media type it named, and told like a line.
pub(super) async fn to_json(response: Response<Body>, sent: &Bytes) -> Response<Body> {
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
    if said.starts_with(UNREAD) {
        return error::response(StatusCode::BAD_REQUEST, error::unreadable(sent));
    }
    let reason = parts.status.canonical_reason().unwrap_or("refused");
    let why = if said.is_empty() { reason } else { &said };
    let told = error::reply(None, error::INVALID_REQUEST, why, None);
    let response = error::response(parts.status, told);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(response.headers().clone());
    Response::from_parts(parts, response.into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full;

    #[tokio::test]
    async fn refusals_become_json_and_answers_pass() {
        let plain = |status: StatusCode, text: &'static str| {
            let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
            *response.status_mut() = status;
            response
        };
        let unread = "fail to deserialize request body of some type";
        for (sent, code) in [("{", -32_700), ("{}", -32_600)] {
            let refused = plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, unread);
            let out = to_json(refused, &Bytes::from(sent)).await;
            assert_eq!(out.status(), 400);
            let body = out.into_body().collect().await.unwrap().to_bytes();
            let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(value["error"]["code"], code);
        }
        let out = to_json(
            plain(
                StatusCode::FORBIDDEN,
                "Forbidden: Host header is not allowed",
            ),
            &Bytes::from("{}"),
        )
        .await;
        assert_eq!(out.status(), 403);
        let passed = to_json(plain(StatusCode::OK, "x"), &Bytes::from("{}")).await;
        assert!(passed.headers().get(header::CONTENT_TYPE).is_none());
    }
}

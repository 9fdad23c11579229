//! JSON-RPC's errors: the one place that writes them, for every way in.

use crate::body::{Body, json, opening};
use crate::message::Message;
use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json as value};

/// What came is not JSON.
pub const PARSE_ERROR: i32 = -32_700;
/// It is JSON, but no request.
pub const INVALID_REQUEST: i32 = -32_600;
/// A failure of the server's own kind, such as a used-up allowance.
pub const SERVER_ERROR: i32 = -32_000;

/// An error as the answer to a message; to none where it is not known what was asked.
pub fn reply(to: Option<&Message>, code: i32, message: &str, data: Option<Value>) -> Bytes {
    let mut error = value!({ "code": code, "message": message });
    if let (Some(error), Some(data)) = (error.as_object_mut(), data) {
        error.insert("data".into(), data);
    }
    // An id of no kind that the protocol knows is not repeated.
    let is_known =
        |id: &&str| serde_json::from_str::<Value>(id).is_ok_and(|id| id.is_string() || id.is_i64());
    let id = to.and_then(Message::id).filter(is_known);
    let mut bytes = opening(id.unwrap_or("null"), 0);
    bytes.extend_from_slice(format!("\"error\":{error}}}").as_bytes());
    Bytes::from(bytes)
}

/// The answer to what the library cannot read as a message: -32700 for what is no JSON, -32600 for any other.
pub fn unreadable(bytes: &Bytes) -> Bytes {
    // The library's own words speak of its types, so it is read again plainly.
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => reply(None, PARSE_ERROR, &format!("Parse error: {error}"), None),
        Ok(_) => reply(
            Message::read(bytes.clone()).ok().as_ref(),
            INVALID_REQUEST,
            "Invalid request: one JSON-RPC 2.0 request or notification at a time; batches are not spoken",
            None,
        ),
    }
}

/// An error over HTTP.
pub fn response(status: StatusCode, error: Bytes) -> Response<Body> {
    let mut response = json(Full::new(error).boxed());
    *response.status_mut() = status;
    response
}

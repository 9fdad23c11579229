//! What stands between the listener of `/mcp` and those who speak the protocol there.

use http::{HeaderMap, Request, Response};
use mcp_lane::{Body, Message, Rendered};
use serde_json::{Map, Value};
use std::convert::Infallible;
use tower::Service;

/// Who answers what comes to `/mcp`. A request's body is whole, and was read once.
pub trait Speaker:
    Service<Request<Message>, Response = Response<Body>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static
{
    /// The result of a call that is refused before it is made, in the form that the request's headers ask for: `why`
    /// for the model, `meta` for programs.
    ///
    /// # Errors
    /// When the result cannot be written as JSON.
    fn refuse(
        &self,
        headers: &HeaderMap,
        why: &str,
        meta: Map<String, Value>,
    ) -> serde_json::Result<Rendered>;
}

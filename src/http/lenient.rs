//! Leniency towards MCP clients that state their wishes loosely.

use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use tower::{Service, ServiceExt};

/// Lets clients in that send no `Accept`, `*/*` or JSON alone: the protocol wants both types listed.
pub(super) fn lenient<S>(
    inner: S,
) -> impl Service<Request<Body>, Response = S::Response, Error = S::Error, Future: Send>
+ Clone
+ Send
+ Sync
where
    S: Service<Request<Body>, Future: Send> + Clone + Send + Sync + 'static,
{
    inner.map_request(|mut request: Request<Body>| {
        let accept = request
            .headers()
            .get(header::ACCEPT)
            .and_then(|v| v.to_str().ok())
            .unwrap_or("*/*");
        let loose = accept
            .split(',')
            .map(|part| part.split(';').next().unwrap_or("").trim());
        if loose
            .clone()
            .any(|t| matches!(t, "*/*" | "application/*" | "application/json"))
        {
            let both = HeaderValue::from_static("application/json, text/event-stream");
            request.headers_mut().insert(header::ACCEPT, both);
        }
        request
    })
}

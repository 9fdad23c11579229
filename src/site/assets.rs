//! The one script of pages and widgets: named by its content, so that a browser may keep it for good.

use crate::rest::{self, Facts};
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::get;
use econoscope_answers::endpoints::{Backend, Body};
use std::sync::{Arc, LazyLock};

struct Script {
    path: String,
    body: Arc<Body>,
}

static SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    let pages = include_str!("../../templates/pages.js");
    let text = [econoscope_core::chart::SCRIPT, pages].concat();
    let name = super::text::digest(&text);
    Script {
        path: format!("/assets/{name}.js"),
        body: Arc::new(Body::new(text.into())),
    }
});

/// Where the script is.
pub(super) fn path() -> &'static str {
    &SCRIPT.path
}

/// The script as a route. It is free, as documents are: it is made and compressed once per start.
pub(super) fn routes(backend: &Arc<Backend>) -> Router {
    let handler = async |State(backend): State<Arc<Backend>>, headers: HeaderMap| {
        let facts = Facts::of("text/javascript; charset=utf-8", rest::YEAR);
        let sent = rest::respond_with_body(&SCRIPT.body, facts, &headers, backend.pool()).await;
        sent.unwrap_or_else(|error| rest::respond(&error, path(), None))
    };
    let router = Router::new().route(path(), get(handler));
    router.with_state(Arc::clone(backend))
}

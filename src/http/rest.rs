//! The REST API: every row of the endpoint table as a GET route.

use super::{Shared, error};
use crate::endpoints::{Answer, Arguments, ENDPOINTS, Route};
use axum::Router;
use axum::body::Body;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;

/// The endpoints as routes.
pub(super) fn routes() -> Router<Shared> {
    ENDPOINTS.iter().fold(Router::new(), |router, route| {
        let handler = move |State(shared): State<Shared>,
                            path: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| async move {
            answer(
                &shared,
                route,
                &path,
                query.as_deref().unwrap_or_default(),
                &headers,
            )
            .await
        };
        router.route(route.spec.path, get(handler))
    })
}

async fn answer(
    shared: &Shared,
    route: &'static Route,
    path: &RawPathParams,
    query: &str,
    headers: &HeaderMap,
) -> Response {
    let mut arguments = Arguments::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        arguments.insert(name.into_owned(), Value::from(value.into_owned()));
    }
    let mut named = None;
    for (name, value) in path {
        named = Some(value.to_owned());
        arguments.insert(name.to_owned(), Value::from(value));
    }
    match route.call(&shared.backend, arguments).await {
        Ok(answer) => body(&answer, headers),
        Err(e) => error::respond(&e, route.spec.tool, named.as_deref()),
    }
}

/// The rendered body with its caching headers, or 304 when the client has it.
fn body(answer: &Answer, request: &HeaderMap) -> Response {
    let known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
        .any(|tag| {
            matches!(tag.trim(), "*") || tag.trim().trim_start_matches("W/") == answer.etag()
        });
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (kind, bytes) = match &answer.csv {
            Some(csv) => ("text/csv; charset=utf-8", csv.body.clone()),
            None => ("application/json", answer.json.clone()),
        };
        ([(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response()
    };
    let headers = response.headers_mut();
    let mut set = |name, text: &str| {
        if let Ok(value) = HeaderValue::from_str(text) {
            headers.insert(name, value);
        }
    };
    set(header::ETAG, answer.etag());
    set(
        header::CACHE_CONTROL,
        &format!("public, max-age={}", answer.max_age.as_secs()),
    );
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::VARY, "accept-encoding");
    if let Some(csv) = &answer.csv {
        set(
            header::CONTENT_DISPOSITION,
            &format!("attachment; filename=\"{}\"", csv.file_name),
        );
    }
    if let Some(state) = &answer.upstream {
        set(header::AGE, &state.age.as_secs().to_string());
    }
    response
}

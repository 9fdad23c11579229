//! The REST API: every row of the endpoint table as a GET route.

use super::body::{Facts, respond};
use super::{Shared, error};
use crate::endpoints::{Arguments, ENDPOINTS, Reply, Route};
use crate::error::{Error, Result};
use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use serde_json::Value;

type Path = std::result::Result<RawPathParams, RawPathParamsRejection>;

/// The endpoints as routes.
pub(super) fn routes() -> Router<Shared> {
    ENDPOINTS.iter().fold(Router::new(), |router, route| {
        let handler = move |State(shared): State<Shared>,
                            path: Path,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| async move {
            let query = query.unwrap_or_default();
            answer(&shared, route, &path, &query, &headers).await
        };
        router.route(route.spec.path, get(handler))
    })
}

async fn answer(
    shared: &Shared,
    route: &'static Route,
    path: &Path,
    query: &str,
    headers: &HeaderMap,
) -> Response {
    let named = match path {
        Ok(path) => path.iter().next().map(|(_, value)| value),
        Err(_) => None,
    };
    let answered = async {
        let arguments = arguments(path, query)?;
        let answer = route.call(&shared.backend, arguments).await?;
        body(&answer, headers).await
    };
    match answered.await {
        Ok(response) => response,
        Err(e) => error::respond(&e, route.spec.tool, named),
    }
}

/// Arguments from path and query; each may be given once.
fn arguments(path: &Path, query: &str) -> Result<Arguments> {
    let path = path
        .as_ref()
        .map_err(|_| Error::invalid("path", "", "is not UTF-8", "percent-encoded UTF-8"))?;
    let mut arguments = query_arguments(query)?;
    for (name, value) in path {
        if let Some(twice) = arguments.insert(name.to_owned(), Value::from(value)) {
            let allowed = "it in the path alone";
            let text = twice.as_str().unwrap_or_default();
            return Err(Error::invalid(name, text, "is given twice", allowed));
        }
    }
    Ok(arguments)
}

/// A query string as arguments.
///
/// # Errors
/// [`Error::InvalidParam`] for a name that is given twice, and for bytes that are no UTF-8.
pub fn query_arguments(query: &str) -> Result<Arguments> {
    let is_text = query.split(['&', '=']).all(|part| {
        percent_encoding::percent_decode_str(part)
            .decode_utf8()
            .is_ok()
    });
    if !is_text {
        let allowed = "percent-encoded UTF-8";
        return Err(Error::invalid("query", query, "is not UTF-8", allowed));
    }
    let mut arguments = Arguments::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let twice = arguments.insert(name.to_string(), Value::from(&*value));
        if twice.is_some() {
            let name = crate::error::quote(&name);
            let allowed = "each parameter once; a list is separated by commas";
            return Err(Error::invalid(&name, &value, "is given twice", allowed));
        }
    }
    Ok(arguments)
}

/// The rendered body with its caching headers, or 304 when the client has it.
async fn body(answer: &Reply, request: &HeaderMap) -> Result<Response> {
    let csv = answer.csv.as_ref();
    let facts = Facts {
        kind: match csv {
            Some(_) => "text/csv; charset=utf-8",
            None => "application/json",
        },
        max_age: answer.max_age,
        file_name: csv.map(|csv| csv.file_name.as_str()),
        age: answer.upstream.as_ref().map(|state| state.age),
    };
    respond(answer.body(), facts, request).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_parameter_may_come_once() {
        let error = query_arguments("start=2020-01-01&start=2021-01-01").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("Invalid start: \"2021-01-01\" is given twice")
        );
        assert!(query_arguments("a=%ff").is_err());
        let fine = query_arguments("q=core+cpi&limit=%33&&").unwrap();
        assert_eq!(
            Value::Object(fine).to_string(),
            r#"{"q":"core cpi","limit":"3"}"#
        );
    }

    proptest! {
        #[test]
        fn any_query_is_read_without_a_panic(query in "[ -~]{0,120}") {
            if let Ok(arguments) = query_arguments(&query) {
                for route in &ENDPOINTS {
                    let _ = crate::endpoints::decode::check(route.input_schema(), arguments.clone());
                }
            }
        }
    }
}

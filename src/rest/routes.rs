//! The REST API: every row of the endpoint table as a GET route.

use super::body::{Facts, respond, set, wants};
use super::error;
use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use axum::routing::get;
use econoscope_answers::endpoints::{Arguments, Backend, ENDPOINTS, Reply, Route, decode};
use econoscope_core::error::{Error, Result};
use serde_json::Value;
use std::sync::Arc;

type Path = std::result::Result<RawPathParams, RawPathParamsRejection>;

/// The endpoints as routes.
pub(crate) fn routes(backend: &Arc<Backend>) -> Router {
    let table = ENDPOINTS.iter().fold(Router::new(), |router, route| {
        let handler = move |State(backend): State<Arc<Backend>>,
                            path: Path,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| async move {
            let query = query.unwrap_or_default();
            answer(&backend, route, &path, &query, &headers).await
        };
        router.route(route.spec.path, get(handler))
    });
    table.with_state(Arc::clone(backend))
}

async fn answer(
    backend: &Backend,
    route: &'static Route,
    path: &Path,
    query: &str,
    headers: &HeaderMap,
) -> Response {
    let named = match path {
        Ok(path) => path.iter().next().map(|(_, value)| value),
        Err(_) => None,
    };
    let is_csv_too = route.takes("format");
    let answered = async {
        let mut given = arguments(path, query)?;
        let ignored = set_aside(route, &mut given);
        if is_csv_too {
            choose_format(route, &mut given, headers);
        }
        let answer = route.call(backend, given).await?;
        let mut response = body(backend, &answer, headers).await?;
        let mut warnings = Vec::new();
        if let Some(csv) = answer.csv.as_ref().filter(|csv| !csv.notes.is_empty()) {
            let notes = csv.notes.replace(['"', '\\'], "'");
            warnings.push(format!("299 - \"{notes}\""));
        }
        if !ignored.is_empty() {
            warnings.push(format!("299 - \"not a parameter of this path: {ignored}\""));
        }
        if !warnings.is_empty() {
            set(&mut response, header::WARNING, &warnings.join(", "));
        }
        Ok(response)
    };
    let mut response = match answered.await {
        Ok(response) => response,
        Err(e) => error::respond(&e, route.spec.tool, named),
    };
    if is_csv_too {
        set(&mut response, header::VARY, "accept, accept-encoding");
    }
    response
}

/// Takes out what the endpoint does not know: what others hang on addresses (`_`, `utm_source`) in silence, and the
/// rest to be named, percent-encoded, in a header.
fn set_aside(route: &Route, given: &mut Arguments) -> String {
    let mut names = Vec::new();
    given.retain(|name, _| {
        let is_known = route.takes(name);
        if !is_known && !name.starts_with('_') && !name.starts_with("utm_") {
            names.push(url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>());
        }
        is_known
    });
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    for name in &mut names {
        name.truncate(LONGEST_NAME);
    }
    let more = (more > 0).then(|| format!("and {more} more"));
    names.extend(more);
    names.join(", ")
}

/// Unknown arguments that are named in an answer's head, and how much of each: proxies take heads of some kilobytes.
const NAMED: usize = 5;
const LONGEST_NAME: usize = 80;

/// CSV may also be asked for as a file's ending, `/UNRATE.csv`, or by `Accept`; `format` goes before both.
fn choose_format(route: &Route, given: &mut Arguments, headers: &HeaderMap) {
    let mut format = wants(headers, "text/csv", "application/json").then_some("csv");
    for name in route.path_arguments() {
        let Some(Value::String(text)) = given.get_mut(name) else {
            continue;
        };
        if let Some((stem, ending @ ("csv" | "json"))) = text.rsplit_once('.') {
            format = Some(if ending == "csv" { "csv" } else { "json" });
            *text = stem.to_owned();
        }
    }
    if let Some(format) = format {
        given.entry("format").or_insert_with(|| format.into());
    }
}

/// Arguments from path and query.
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

/// A query string as arguments; a name that comes again makes a list.
///
/// # Errors
/// [`Error::InvalidParam`] for bytes that are no UTF-8.
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
        decode::add(&mut arguments, &name, &value);
    }
    Ok(arguments)
}

/// The rendered body with its caching headers, or 304 when the client has it.
async fn body(backend: &Backend, answer: &Reply, request: &HeaderMap) -> Result<Response> {
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
    respond(answer.body(), facts, request, backend.pool()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_parameter_that_comes_again_makes_a_list() {
        assert!(query_arguments("a=%ff").is_err());
        for (query, read) in [
            ("q=core+cpi&limit=%33&&", r#"{"q":"core cpi","limit":"3"}"#),
            ("s=A&s=B,C&s=D", r#"{"s":["A","B,C","D"]}"#),
        ] {
            let arguments = query_arguments(query).unwrap();
            assert_eq!(Value::Object(arguments).to_string(), read);
        }
    }

    proptest! {
        #[test]
        fn any_query_is_read_without_a_panic(query in "[ -~]{0,120}") {
            if let Ok(arguments) = query_arguments(&query) {
                for route in ENDPOINTS.iter() {
                    let _ = econoscope_answers::endpoints::decode::check(route.input_schema(), arguments.clone());
                }
            }
        }
    }
}

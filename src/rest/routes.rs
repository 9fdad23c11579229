//! The REST API: every row of the endpoint table as a GET route.

use super::body::{BodyMetadata, prefers, respond, set};
use super::error;
use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use axum::routing::get;
use econoscope_answers::route::decode;
use econoscope_answers::{Arguments, Backend, ENDPOINTS, Route};
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::prose::{enclosed, join};
use serde_json::Value;
use std::sync::Arc;
use url::form_urlencoded::byte_serialize;

type Path = std::result::Result<RawPathParams, RawPathParamsRejection>;

/// Returns the routes of the endpoints.
pub(crate) fn routes(backend: &Arc<Backend>) -> Router {
    let mut router = Router::new();
    for route in ENDPOINTS.iter() {
        let handler = move |State(backend): State<Arc<Backend>>,
                            path: Path,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| async move {
            let text = query.unwrap_or_default();
            respond_to(&backend, route, &path, &text, &headers).await
        };
        router = router.route(route.spec.path, get(handler));
    }
    router.with_state(Arc::clone(backend))
}

async fn respond_to(
    backend: &Backend,
    route: &'static Route,
    path: &Path,
    query: &str,
    headers: &HeaderMap,
) -> Response {
    let has_csv = route.has_argument("format");
    let call = async {
        let mut arguments = parse_arguments(path, query)?;
        if has_csv {
            choose_format(route, &mut arguments, headers);
        } else {
            remove_format(route, &mut arguments)?;
        }
        let unknown = remove_unknown(route, &mut arguments);
        let reply = route.call(backend, arguments).await?;
        let csv = reply.csv.as_ref();
        let facts = BodyMetadata {
            kind: match csv {
                Some(_) => "text/csv; charset=utf-8",
                None => "application/json",
            },
            max_age: reply.max_age(),
            file_name: csv.map(|csv| csv.file_name.as_str()),
            age: reply.upstream.as_ref().map(|fetched| fetched.age),
        };
        let mut response = respond(reply.body(), facts, headers, backend.pool()).await?;
        let notes = csv.map_or_else(String::new, |csv| csv.notes.replace(['"', '\\'], "'"));
        let warnings = [notes, unknown].into_iter().filter(|text| !text.is_empty());
        let warnings = join(warnings.map(|text| format!("299 - \"{text}\"")), ", ");
        if !warnings.is_empty() {
            set(&mut response, header::WARNING, &warnings);
        }
        Ok(response)
    };
    let mut response = call.await.unwrap_or_else(|error| {
        let first = path.as_ref().ok().and_then(|path| path.iter().next());
        error::respond(&error, route.spec.tool, first.map(|(_, value)| value))
    });
    if has_csv {
        set(&mut response, header::VARY, "accept, accept-encoding");
    }
    response
}

/// Removes the format of an endpoint that has JSON alone.
///
/// # Errors
/// [`Error::InvalidParam`] for another format: JSON in its place would be read as what was asked for.
fn remove_format(route: &Route, arguments: &mut Arguments) -> Result<()> {
    let format = arguments.remove("format");
    let text = format.as_ref().and_then(Value::as_str).unwrap_or("json");
    if text.is_empty() || text.eq_ignore_ascii_case("json") {
        return Ok(());
    }
    let allowed = match route.spec.tool {
        "compare_series" => "json; CSV is at /compare.csv with the same arguments",
        _ => "json; CSV is at /api/public/data/{seriesId}, for one series",
    };
    let problem = "is no format of this path";
    Err(Error::invalid("format", text, problem, allowed))
}

/// Removes unknown arguments. Returns a warning with their names, percent-encoded; empty without one. Names that others
/// append to addresses (`_`, `utm_source`) are removed without a warning.
fn remove_unknown(route: &Route, arguments: &mut Arguments) -> String {
    let mut names = Vec::new();
    arguments.retain(|name, _| {
        let is_known = route.has_argument(name);
        if !is_known && !name.starts_with('_') && !name.starts_with("utm_") {
            let mut name: String = byte_serialize(name.as_bytes()).collect();
            name.truncate(MAX_NAME);
            names.push(name);
        }
        is_known
    });
    if names.len() > MAX_NAMED {
        let more = names.split_off(MAX_NAMED).len();
        names.push(format!("and {more} more"));
    }
    enclosed("not a parameter of this path: ", &names.join(", "), "")
}

/// Unknown arguments in the header, and the characters of each: proxies accept headers of some kilobytes.
const MAX_NAMED: usize = 5;
const MAX_NAME: usize = 80;

/// Takes the format from a file extension, `/UNRATE.csv`, or `Accept`, unless `format` is given.
fn choose_format(route: &Route, arguments: &mut Arguments, headers: &HeaderMap) {
    let mut format = prefers(headers, "text/csv", "application/json").then_some("csv");
    for name in route.path_arguments() {
        if let Some(Value::String(text)) = arguments.get_mut(name)
            && let Some((stem, extension)) = text.rsplit_once('.')
            && let Some(known) = ["csv", "json"]
                .into_iter()
                .find(|known| *known == extension)
        {
            format = Some(known);
            *text = stem.to_owned();
        }
    }
    if let Some(format) = format {
        arguments.entry("format").or_insert_with(|| format.into());
    }
}

/// Reads the arguments in path and query.
fn parse_arguments(path: &Path, query: &str) -> Result<Arguments> {
    let not_utf8 = |_| Error::invalid("path", "", "is not UTF-8", "percent-encoded UTF-8");
    let path_arguments = path.as_ref().map_err(not_utf8)?;
    let mut arguments = query_arguments(query)?;
    for (name, value) in path_arguments {
        if let Some(repeated) = arguments.insert(name.to_owned(), Value::from(value)) {
            let allowed = "it in the path alone";
            let text = repeated.as_str().unwrap_or_default();
            return Err(Error::invalid(name, text, "is given twice", allowed));
        }
    }
    Ok(arguments)
}

/// Reads the arguments in a query string; a repeated name makes a list.
///
/// # Errors
/// [`Error::InvalidParam`] for bytes that are not UTF-8.
pub fn query_arguments(query: &str) -> Result<Arguments> {
    let decoded = percent_encoding::percent_decode_str(query).decode_utf8();
    decoded.map_err(|_| Error::invalid("query", query, "is not UTF-8", "percent-encoded UTF-8"))?;
    let mut arguments = Arguments::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        decode::add_argument(&mut arguments, &name, &value);
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn repeated_parameters_make_a_list() {
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
                    let _ = econoscope_answers::route::decode::check(&route.input_schema, arguments.clone());
                }
            }
        }
    }
}

//! The REST API: routes, bodies, discovery documents, and errors as statuses.

mod body;
mod discovery;
mod error;
mod routes;

pub(crate) use body::{BodyMetadata, YEAR, respond as respond_with_body, set, weights};
pub(crate) use discovery::{document_paths, routes as discovery_routes};
pub(crate) use error::{method_not_allowed, not_found, panic_response, problem, respond, status};
pub use routes::query_arguments;
pub(crate) use routes::routes;

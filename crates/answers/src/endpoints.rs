//! The table of endpoints.
//!
//! An endpoint is one row here and one file beside it. MCP tools, REST routes, OpenAPI, `tool-schemas/`, llms.txt, the
//! README table and the command line are generated from the table.

mod aggregation_notes;
pub mod answer;
pub mod backend;
pub mod body;
mod codes;
pub mod compare_series;
pub mod condition;
pub mod days;
pub mod decode;
pub mod documents;
pub mod endpoint;
pub mod explain_indicator;
pub mod fetch;
mod formulas;
pub mod forward;
pub mod glossary;
mod lateness;
pub mod latest_articles;
pub mod macro_summary;
mod measured;
pub mod metric;
pub mod provenance;
pub mod regime;
pub mod release_calendar;
pub mod revisions;
pub mod route;
pub mod scenarios;
pub mod schema;
pub mod search;
pub mod search_series;
pub mod signals;
pub mod structure;
pub mod time_series;
mod tolerance;
pub mod untrusted;
pub mod what_changed;

pub use answer::{Answer, Csv, Reply};
pub use backend::Backend;
pub use body::{Body, Encoding};
pub use decode::Arguments;
pub use endpoint::{Endpoint, Spec};
pub use route::{Argument, Route};
pub use time_series::recessions;

/// The imports that nearly every endpoint uses.
mod prelude {
    pub(super) use super::days::parse_as_of;
    pub(super) use super::endpoint::{Endpoint, Spec};
    pub(super) use super::provenance::{Provenance, enclosed};
    pub(super) use super::untrusted::UntrustedFields;
    pub(super) use econoscope_core::catalogue::Catalogue;
    pub(super) use econoscope_core::error::{Error, Result};
    pub(super) use econoscope_core::indicators::prose::{format_signed, join};
    pub(super) use econoscope_core::model::frequency::shift;
    pub(super) use econoscope_core::model::series_info::round_to;
    pub(super) use econoscope_core::model::{
        AsOf, Attribution, Date, Frequency, Observation, Series, SeriesInfo,
    };
    pub(super) use econoscope_desk::Desk;
    pub(super) use jiff::{Timestamp, ToSpan};
    pub(super) use schemars::JsonSchema;
    pub(super) use serde::{Deserialize, Serialize};
}

/// Every endpoint, in the order in which lists show them.
pub static ENDPOINTS: [Route; 16] = [
    Route::new::<macro_summary::Params>(),
    Route::new::<regime::Params>(),
    Route::new::<metric::Params>(),
    Route::new::<signals::Params>(),
    Route::new::<time_series::Params>(),
    Route::new::<compare_series::Params>(),
    Route::new::<search_series::Params>(),
    Route::new::<scenarios::Params>(),
    Route::new::<glossary::Params>(),
    Route::new::<latest_articles::Params>(),
    Route::new::<search::Params>(),
    Route::new::<fetch::Params>(),
    Route::new::<explain_indicator::Params>(),
    Route::new::<what_changed::Params>(),
    Route::new::<revisions::Params>(),
    Route::new::<release_calendar::Params>(),
];

impl Route {
    /// Returns the endpoint of a tool name.
    pub fn find(tool: &str) -> Option<&'static Self> {
        ENDPOINTS.iter().find(|r| r.spec.tool == tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_endpoint_is_described_and_unique() {
        let mut names = HashSet::new();
        for route in ENDPOINTS.iter() {
            let spec = &route.spec;
            assert!(
                names.insert(spec.tool) && names.insert(spec.path),
                "{} twice",
                spec.tool
            );
            assert!(
                spec.tool
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{}",
                spec.tool
            );
            let words = spec.description.split_whitespace().count();
            assert!((20..=120).contains(&words), "{}: {words} words", spec.tool);
            assert!(
                spec.description.starts_with("Use this when"),
                "{}",
                spec.tool
            );
            let schema = route.input_schema();
            for word in ["anyOf", "oneOf", "allOf", "$ref", "$defs"] {
                assert!(!schema.contains_key(word), "{}: {word}", spec.tool);
            }
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                assert!(
                    property.get("description").is_some(),
                    "{}.{name} has no description",
                    spec.tool
                );
                let kind = property.get("type").and_then(|t| t.as_str());
                assert!(
                    kind.is_some(),
                    "{}.{name} has no plain type: {property}",
                    spec.tool
                );
            }
            assert_eq!(route.output_schema()["type"], "object", "{}", spec.tool);
            for argument in route.path_arguments() {
                assert!(
                    schema["properties"].get(argument).is_some(),
                    "{}: {argument}",
                    spec.tool
                );
            }
        }
    }
}

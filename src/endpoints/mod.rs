//! The table of endpoints.
//!
//! One row here and one file beside it are all an endpoint is; MCP tools, REST routes, OpenAPI, `tool-schemas/`, llms.txt, the README table and the command line are printed from it.

pub mod answer;
pub mod backend;
pub mod body;
mod codes;
pub mod compare_series;
pub mod decode;
pub mod documents;
pub mod endpoint;
pub mod explain_indicator;
pub mod fetch;
pub mod forward;
pub mod glossary;
pub mod latest_articles;
pub mod macro_summary;
pub mod metric;
pub mod provenance;
pub mod regime;
pub mod route;
pub mod scenarios;
pub mod schema;
pub mod search;
pub mod search_series;
pub mod signals;
pub mod time_series;
mod tolerance;
pub mod what_changed;

pub use answer::{Answer, Csv, Reply, UpstreamState};
pub use backend::Backend;
pub use body::{Body, Encoding};
pub use decode::Arguments;
pub use endpoint::{Endpoint, Spec};
pub use route::Route;
pub use time_series::recessions;

/// Every endpoint, in the order in which lists show them.
pub static ENDPOINTS: [Route; 14] = [
    Route::of::<macro_summary::GetMacroSummary>(),
    Route::of::<regime::GetRegime>(),
    Route::of::<metric::GetMetric>(),
    Route::of::<signals::GetSignals>(),
    Route::of::<time_series::GetTimeSeries>(),
    Route::of::<compare_series::CompareSeries>(),
    Route::of::<search_series::SearchSeries>(),
    Route::of::<scenarios::ListScenarios>(),
    Route::of::<glossary::SearchGlossary>(),
    Route::of::<latest_articles::GetLatestArticles>(),
    Route::of::<search::Search>(),
    Route::of::<fetch::Fetch>(),
    Route::of::<explain_indicator::ExplainIndicator>(),
    Route::of::<what_changed::WhatChanged>(),
];

impl Route {
    /// The endpoint of that tool name.
    pub fn find(tool: &str) -> Option<&'static Self> {
        ENDPOINTS.iter().find(|r| r.spec.tool == tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_sound() {
        let mut names = HashSet::new();
        for route in &ENDPOINTS {
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

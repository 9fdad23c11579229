//! The table of endpoints.
//!
//! An endpoint is one row here and one file beside it. MCP tools, REST routes, OpenAPI, `tool-schemas/`, llms.txt, the
//! README table and the command line are generated from the table.

pub mod compare_series;
pub mod explain_indicator;
pub mod fetch;
pub mod glossary;
pub mod latest_articles;
pub mod macro_summary;
pub mod metric;
pub mod regime;
pub mod release_calendar;
pub mod revisions;
pub mod scenarios;
pub mod search;
pub mod search_series;
pub mod signals;
pub mod time_series;
pub mod what_changed;

use crate::route::Route;

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
            let schema = &route.input_schema;
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
            assert_eq!(route.output_schema["type"], "object", "{}", spec.tool);
            let answer = serde_json::to_string(&*route.output_schema).unwrap();
            assert!(
                !answer.contains(r#""default":"#),
                "{}: what is sent has no defaults",
                spec.tool
            );
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

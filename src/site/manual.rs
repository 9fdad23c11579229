//! What the API offers, printed from the endpoint table.

use crate::endpoints::{Argument, ENDPOINTS, Route};

/// An endpoint as the API section shows it.
pub(super) struct Entry {
    pub(super) tool: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) max_age: u32,
    pub(super) example: String,
    pub(super) arguments: Vec<Argument>,
}

/// Every endpoint of the table.
pub(super) fn endpoints() -> Vec<Entry> {
    ENDPOINTS.iter().map(entry).collect()
}

fn entry(route: &'static Route) -> Entry {
    let spec = &route.spec;
    Entry {
        tool: spec.tool,
        path: spec.path,
        summary: spec.summary,
        max_age: spec.max_age,
        example: route.example_path(),
        arguments: route.arguments().collect(),
    }
}

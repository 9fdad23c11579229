//! `search`: the documents that speak of some words, in the shape that hosts with a search of their own expect.

use super::answer::Answer;
use super::endpoint::{Endpoint, Spec};
use crate::desk::Desk;
use crate::error::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declaration and functions.
pub struct Search;

/// Most results.
const MOST: usize = 10;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Words, a name or an identifier.
    #[schemars(example = &"net liquidity", length(min = 1, max = 200))]
    query: String,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// For fetch.
    pub id: String,
    /// Title.
    pub title: String,
    /// Where it is to be read.
    pub url: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Best first.
    pub results: Vec<Found>,
}

impl Endpoint for Search {
    const SPEC: Spec = Spec {
        tool: "search",
        title: "Search documents",
        path: "/api/public/search",
        summary: "Documents on series, terms, methods and articles that speak of some words",
        description: "Use this when a host needs document ids (identifiers) for fetch: searches documents on \
            series, terms, methods and articles by words. Do not use it when a get_ tool answers at once.",
        max_age: 3_600,
        in_contract: false,
        example: &[("query", "net liquidity")],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let base = &desk.settings().base_url;
        let results = desk
            .find(&params.query, MOST)?
            .into_iter()
            .map(|hit| {
                let id = format!("{}:{}", hit.kind.word(), hit.name);
                Found {
                    url: super::fetch::address(base, hit.kind, &hit.name),
                    title: hit.title,
                    id,
                }
            })
            .collect();
        Ok(Output { results })
    }

    /// Hosts that know `search` read its text as JSON.
    fn text(output: &Output, _: &Params) -> String {
        serde_json::to_string(output).unwrap_or_default()
    }

    fn render(output: &Output, _: &Params) -> Result<Answer> {
        Answer::text_is_json(output, Self::SPEC.max_age)
    }
}

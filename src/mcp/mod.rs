//! The MCP edge: tools, resources, prompts, skills and subscriptions, over stdio and streamable HTTP, in
//! both lifecycles.
//!
//! The handler is a thin copy over shared, prepared state; every list is built once, in table order, so
//! that it is the same bytes each time.

mod apps;
mod brief;
mod completion;
#[cfg(feature = "conformance")]
mod fixtures;
mod handler;
mod lane;
mod plain;
mod prompts;
mod resources;
mod skills;
mod subscriptions;
mod tools;
pub mod transport;

use crate::endpoints::Backend;
use lane::Lane;
use rmcp::model::{
    Implementation, JsonObject, MetaObject, Prompt, Resource, ResourceTemplate, ServerCapabilities,
    ServerConfig, Skill, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// What a host reads first (at most 2,048 characters, or hosts cut it).
pub const INSTRUCTIONS: &str = "US macroeconomic data: regime, recession probability, net liquidity, risk appetite, \
    macro stress, 400+ series with history. Start with get_macro_summary: one call answers most questions about the \
    economy (regime, rates, curve, inflation, labor, credit, volatility). get_metric gives one figure, \
    get_time_series its history, get_signals all composites, get_regime the regime with asset views, list_scenarios \
    what could happen and how often it has, search_glossary what a term means. Names work as well as identifiers: \
    \"10y\", \"core cpi\", \"fed funds\". Every figure carries its unit and date: quote them, and say how old a \
    snapshot is. A null has its reason in `notes`: say it is unavailable, do not guess. Monthly data come weeks after \
    their month. October 2025 was never published for CPI and unemployment. Credit the source given in the answer. \
    Resources: macro://catalog lists every series; macro://method/{indicator} says how a composite is computed; \
    macro://series/{seriesId}.csv is a series as a file. Subscribe to macro://regime or a series to hear of new data.";

/// How long a client may keep lists and discovery: they change only with the program.
const LIST_TTL_MS: u64 = 3_600_000;

/// Under which name the server stands in a result's `_meta`.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";

/// The MCP handler; cheap to clone, shared by every transport.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    lane: Option<Arc<Lane>>,
}

struct Shared {
    backend: Arc<Backend>,
    lists: OnceLock<Lists>,
    /// What the server is and can do.
    info: ServerConfig,
    /// Who it is, as that stands in a result's `_meta`.
    signature: Value,
    signature_text: String,
    pulse: subscriptions::Pulse,
}

/// What is listed, each in its order.
struct Lists {
    tools: Vec<Tool>,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    prompts: Vec<Prompt>,
    skills: Vec<Skill>,
}

impl Shared {
    /// The lists, made when the first of them is asked for: a call needs none of them.
    fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| Lists {
            tools: tools::all(),
            resources: resources::list(),
            templates: resources::templates(),
            prompts: prompts::all(),
            skills: skills::all(),
        })
    }
}

impl Server {
    /// A handler over a backend.
    pub fn new(backend: Arc<Backend>) -> Self {
        let identity = Implementation::new("econoscope", env!("CARGO_PKG_VERSION"))
            .with_title("Econoscope")
            .with_description("US macroeconomic data for assistants")
            .with_website_url(backend.base_url());
        let signature = json!(identity);
        let shared = Shared {
            lists: OnceLock::new(),
            pulse: subscriptions::Pulse::new(Arc::clone(backend.desk())),
            backend,
            info: ServerConfig::new(Self::capabilities())
                .with_server_info(identity)
                .with_instructions(INSTRUCTIONS),
            signature_text: signature.to_string(),
            signature,
        };
        let shared = Arc::new(shared);
        Self {
            lane: Some(Arc::new(Lane::new(Arc::clone(&shared)))),
            shared,
        }
    }

    /// The same without the fast lane: every call goes through the protocol library.
    #[must_use]
    pub fn without_fast_lane(self) -> Self {
        Self {
            shared: self.shared,
            lane: None,
        }
    }

    /// Calls that the fast lane has answered.
    pub fn fast_answers(&self) -> u64 {
        self.lane.as_ref().map_or(0, |lane| lane.answers())
    }

    /// The tools as listed, in table order.
    pub fn tools(&self) -> &[Tool] {
        &self.shared.lists().tools
    }

    /// What the server can do for a client of the newest protocol.
    fn capabilities() -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_skills_with_directory_read()
            .build();
        let extensions = capabilities.extensions.get_or_insert_default();
        extensions.insert(apps::EXTENSION.to_owned(), apps::settings());
        #[cfg(feature = "conformance")]
        fixtures::declare(&mut capabilities);
        capabilities
    }

    /// What it can do for a client that opened with `initialize`: without a stream of its own, such a client
    /// would wait in vain for the changes it subscribed to.
    fn legacy_capabilities(mut capabilities: ServerCapabilities) -> ServerCapabilities {
        if let Some(resources) = &mut capabilities.resources {
            resources.subscribe = None;
            resources.list_changed = None;
        }
        if let Some(tools) = &mut capabilities.tools {
            tools.list_changed = None;
        }
        if let Some(prompts) = &mut capabilities.prompts {
            prompts.list_changed = None;
        }
        capabilities
    }

    /// Puts the server's name in a result's `_meta`, which 2026-07-28 asks of every result.
    fn sign(&self, context: &RequestContext<RoleServer>, meta: &mut Option<MetaObject>) {
        if is_modern(context) {
            meta.get_or_insert_default()
                .insert(SIGNATURE.to_owned(), self.shared.signature.clone());
        }
    }
}

/// Whether the request speaks 2026-07-28 or later.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|v| v.as_str() >= "2026-07-28")
}

/// A JSON object out of a literal; anything else gives an empty one.
fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_instructions_are_not_cut_by_hosts() {
        assert!(super::INSTRUCTIONS.chars().count() <= 2_048);
    }
}

//! The handler and what it shares: the lists, who the server is, and what it can do.

use super::origin::Origin;
use super::{apps, prompts, resources, skills, subscriptions, tools};
use crate::endpoints::Backend;
use crate::pool::Caller;
use mcp_lane::LaneLayer;
use rmcp::model::{
    Implementation, JsonObject, MetaObject, Prompt, ProtocolVersion, Resource, ResourceTemplate,
    ServerCapabilities, ServerConfig, Skill, Tool,
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
    macro://series/{seriesId}.csv is a series as a file.";

/// What is said besides where subscriptions are there.
pub(super) const SUBSCRIBE: &str = " Subscribe to macro://regime or a series to hear of new data.";

/// How long a client may keep lists and discovery: they change only with the program.
pub(super) const LIST_TTL_MS: u64 = 3_600_000;

/// Under which name the server stands in a result's `_meta`.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";

/// The MCP handler; cheap to clone, shared by every transport.
#[derive(Clone)]
pub struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) lane: Option<LaneLayer<Origin>>,
}

pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    lists: OnceLock<Lists>,
    /// What the server is and can do.
    pub(super) info: ServerConfig,
    /// Who it is, as that stands in a result's `_meta`.
    signature: Value,
    pub(super) pulse: Arc<subscriptions::Pulse>,
}

/// What is listed, each in its order.
pub(super) struct Lists {
    pub(super) tools: Vec<Tool>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) skills: Vec<Skill>,
}

impl Shared {
    /// The lists, made when the first of them is asked for: a call needs none of them.
    pub(super) fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| Lists {
            tools: tools::all(),
            resources: resources::list(),
            templates: resources::templates(),
            prompts: prompts::all(),
            skills: skills::all(),
        })
    }

    /// Puts the server's name in a result's `_meta`, which 2026-07-28 asks of every result.
    pub(super) fn sign(&self, meta: &mut Option<MetaObject>) {
        meta.get_or_insert_default()
            .insert(SIGNATURE.to_owned(), self.signature.clone());
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
            pulse: subscriptions::Pulse::new(Arc::clone(&backend)),
            backend,
            info: ServerConfig::new(Self::capabilities())
                .with_server_info(identity)
                .with_instructions(format!("{INSTRUCTIONS}{SUBSCRIBE}")),
            signature,
        };
        let shared = Arc::new(shared);
        Self {
            lane: Some(LaneLayer::new(Origin(Arc::clone(&shared)))),
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
        super::fixtures::declare(&mut capabilities);
        capabilities
    }

    /// What it can do for a client that opened with `initialize`: without a stream of its own, such a client
    /// would wait in vain for the changes it subscribed to.
    pub(super) fn legacy_capabilities(mut capabilities: ServerCapabilities) -> ServerCapabilities {
        if let Some(resources) = &mut capabilities.resources {
            resources.subscribe = None;
        }
        capabilities
    }

    /// Signs a result for a client that is to see it signed.
    pub(super) fn sign(&self, context: &RequestContext<RoleServer>, meta: &mut Option<MetaObject>) {
        if is_modern(context) {
            self.shared.sign(meta);
        }
    }
}

/// Whether the request speaks 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// For whom a request is answered: as the transport noted it, since the library runs a task for each.
pub(super) fn caller(extensions: &rmcp::model::Extensions) -> Caller {
    let parts = extensions.get::<http::request::Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get().copied());
    caller.unwrap_or(Caller::OWN)
}

/// A JSON object out of a literal; anything else gives an empty one.
pub(super) fn object(value: Value) -> JsonObject {
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
        let all = super::INSTRUCTIONS.chars().chain(super::SUBSCRIBE.chars());
        assert!(all.count() <= 2_048);
    }
}

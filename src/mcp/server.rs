//! The handler and what it shares: the lists, who the server is, and what it can do.

use super::protocol::LIST_TTL_MS;
use super::subscriptions::Subscriptions;
use super::{apps, prompts, resources, skills, tools};
use econoscope_answers::endpoints::Backend;
use rmcp::model::{
    CacheScope, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, ServerCapabilities, ServerConfig,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

/// What a host reads first (at most 2,048 characters, or hosts cut it).
pub const INSTRUCTIONS: &str = "US macroeconomic data: regime, recession probability, net liquidity, risk appetite, \
    macro stress, 400+ series with history. Start with get_macro_summary: one call answers most questions about the \
    economy (regime, rates, curve, inflation, labor, credit, volatility). get_metric gives one figure, \
    get_time_series its history, get_signals all composites, get_regime the regime with asset views, list_scenarios \
    what could happen and how often it has, search_glossary what a term means. Names work as well as identifiers: \
    \"10y\", \"core cpi\", \"fed funds\". Every figure carries its unit and date: quote them, and say how old a \
    snapshot is. A missing figure has its reason in `notes`: say it is unavailable, do not guess. Structured lists are \
    tables: `columns` names the cells of `rows`, `constant` has what is the same in all. Monthly data come weeks after \
    their month. October 2025 was never published for CPI and unemployment. Credit the source given in the answer. \
    Resources: macro://catalog lists every series; macro://method/{indicator} says how a composite is computed; \
    macro://series/{seriesId}.csv is a series as a file.";

/// What is said besides where subscriptions are there.
pub(super) const SUBSCRIBE: &str = " Subscribe to macro://regime or a series to hear of new data, to macro://alert/{condition} to hear \
    when a condition such as T10Y2Y < 0 is crossed.";

/// What the transports share.
pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    /// What the server is and can do.
    pub(super) info: ServerConfig,
    /// Who it is, as that stands in a result's `_meta`.
    pub(super) signature: Value,
    /// Plain calls answered without the library.
    pub(super) direct_calls: AtomicU64,
    pub(super) subscriptions: Arc<Subscriptions>,
}

/// What is listed, each in its order and on one page.
pub(super) struct Lists {
    pub(super) tools: ListToolsResult,
    pub(super) resources: ListResourcesResult,
    pub(super) templates: ListResourceTemplatesResult,
    pub(super) prompts: ListPromptsResult,
    pub(super) skills: ListSkillsResult,
}

/// The lists, made when the first of them is asked for: a call needs none of them.
pub(super) static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists {
    tools: ListToolsResult::with_all_items(tools::all())
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public),
    resources: ListResourcesResult::with_all_items(resources::list())
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public),
    templates: ListResourceTemplatesResult::with_all_items(resources::templates())
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public),
    prompts: ListPromptsResult::with_all_items(prompts::all())
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public),
    skills: ListSkillsResult::with_all_items(skills::all())
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public),
});

/// The MCP handler; cheap to clone, shared by every transport.
#[derive(Clone)]
pub struct Server {
    pub(super) shared: Arc<Shared>,
    /// Whether plain calls are answered without the library.
    pub(super) is_direct: bool,
    /// Whether `search` and `fetch` are among the tools that are listed.
    pub(super) lists_search: bool,
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
            subscriptions: Subscriptions::new(Arc::clone(&backend)),
            backend,
            info: ServerConfig::new(Self::capabilities())
                .with_server_info(identity)
                .with_instructions(format!("{INSTRUCTIONS}{SUBSCRIBE}")),
            signature,
            direct_calls: AtomicU64::new(0),
        };
        Self {
            shared: Arc::new(shared),
            is_direct: true,
            lists_search: true,
        }
    }

    /// The same with or without `search` and `fetch` among the tools that are listed.
    #[must_use]
    pub fn listing_search(self, lists_search: bool) -> Self {
        Self {
            lists_search,
            ..self
        }
    }

    /// The same where the protocol library answers every call, to compare with.
    #[must_use]
    pub fn without_direct_calls(self) -> Self {
        Self {
            is_direct: false,
            ..self
        }
    }

    /// Calls answered without the library so far.
    pub fn direct_calls(&self) -> u64 {
        self.shared.direct_calls.load(Ordering::Relaxed)
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
        capabilities
    }
}

#[cfg(test)]
mod tests {
    use econoscope_answers::endpoints::ENDPOINTS;

    #[test]
    fn the_instructions_are_not_cut_by_hosts() {
        let all = super::INSTRUCTIONS.chars().chain(super::SUBSCRIBE.chars());
        assert!(all.count() <= 2_048);
    }

    #[test]
    fn no_tool_wants_its_arguments_in_headers() {
        for route in ENDPOINTS.iter() {
            let schema = serde_json::to_string(route.input_schema()).unwrap();
            assert!(!schema.contains("x-mcp-header"), "{}", route.spec.tool);
        }
    }
}

//! The MCP handler and its shared state: lists, identity and capabilities.

use super::subscriptions::{Subscriptions, Watches};
use super::{apps, prompts, resources, skills, tools};
use econoscope_answers::Backend;
use econoscope_answers::documents::card;
use econoscope_core::indicators::prose::enclosed;
use econoscope_data::pool::Caller;
use econoscope_desk::Lock;
use rmcp::model::{
    Icon, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, ServerCapabilities, ServerConfig,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use tokio_util::sync::CancellationToken;

/// The instructions for hosts. With [`SUBSCRIBE`] at most 2,048 characters, since hosts cut longer ones.
pub const INSTRUCTIONS: &str = include_str!("../../data/instructions.txt").trim_ascii_end();

/// Added to the instructions for clients that can subscribe.
pub(super) const SUBSCRIBE: &str = include_str!("../../data/subscribe.txt").trim_ascii_end();

/// Returns the instructions with an end. A server that is locked to a past day says so first.
pub(super) fn instructions(backend: &Backend, end: &str) -> String {
    let mut text = String::new();
    if let Some(Lock { day, .. }) = backend.desk().settings().lock {
        text = format!(
            "Today is {day} for this server: nothing known later is in any answer. Figures without a recorded day count from \
             their usual release day, as last revised; formulas and constants of composites were chosen later. "
        );
    }
    text + INSTRUCTIONS + &enclosed(" ", end, "")
}

/// The state that all transports share.
pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    /// Identity, capabilities and instructions.
    pub(super) info: ServerConfig,
    /// The server's name for the `_meta` of results.
    pub(super) signature: Value,
    /// Number of plain calls answered without the SDK.
    pub(super) direct_calls: AtomicU64,
    pub(super) subscriptions: Arc<Subscriptions>,
}

/// Marks a result of the SDK as cacheable by anyone, for as long as lists.
macro_rules! public {
    ($result:expr) => {
        $result
            .with_ttl_ms($crate::mcp::protocol::LIST_TTL_MS)
            .with_cache_scope(rmcp::model::CacheScope::Public)
    };
}
pub(super) use public;

// The lists, each in a fixed order and on one page. They are built at first use, since a call needs none of them.
pub(super) static TOOLS: LazyLock<ListToolsResult> =
    LazyLock::new(|| public!(ListToolsResult::with_all_items(tools::all())));
pub(super) static RESOURCES: LazyLock<ListResourcesResult> =
    LazyLock::new(|| public!(ListResourcesResult::with_all_items(resources::list())));
pub(super) static TEMPLATES: LazyLock<ListResourceTemplatesResult> = LazyLock::new(|| {
    public!(ListResourceTemplatesResult::with_all_items(
        resources::templates()
    ))
});
pub(super) static PROMPTS: LazyLock<ListPromptsResult> =
    LazyLock::new(|| public!(ListPromptsResult::with_all_items(prompts::all())));
pub(super) static SKILLS: LazyLock<ListSkillsResult> =
    LazyLock::new(|| public!(ListSkillsResult::with_all_items(skills::all())));

/// The MCP handler; cheap to clone, shared by every transport.
#[derive(Clone)]
pub struct Server {
    pub(super) shared: Arc<Shared>,
    /// Whether plain calls are answered without the SDK.
    pub(super) is_direct: bool,
    /// Whether `tools/list` has `search` and `fetch`.
    pub(super) lists_search: bool,
    /// Whose subscriptions it grants.
    pub(super) caller: Caller,
    /// Cancelled at the end of a client's input, which ends its subscriptions.
    pub(super) end_of_input: CancellationToken,
    /// What the client of a connection watches before 2026-07-28; `None` where no connection outlives a request.
    pub(super) watches: Option<Arc<Watches>>,
}

impl Server {
    /// Creates a handler over a backend.
    pub fn new(backend: Arc<Backend>) -> Self {
        let identity = Implementation::new("econoscope", env!("CARGO_PKG_VERSION"))
            .with_title("Econoscope")
            .with_description("US macroeconomic data for assistants")
            .with_website_url(backend.desk().settings().home());
        let signature = json!(identity);
        let icon = Icon::new(card::ICON)
            .with_mime_type("image/svg+xml")
            .with_sizes(vec!["any".to_owned()]);
        let instructions = instructions(&backend, SUBSCRIBE);
        let shared = Shared {
            subscriptions: Subscriptions::new(Arc::clone(&backend)),
            backend,
            info: ServerConfig::new(Self::capabilities())
                .with_server_info(identity.with_icons(vec![icon]))
                .with_instructions(instructions),
            signature,
            direct_calls: AtomicU64::new(0),
        };
        Self {
            shared: Arc::new(shared),
            is_direct: true,
            lists_search: true,
            caller: Caller::LOCAL,
            end_of_input: CancellationToken::new(),
            watches: None,
        }
    }

    /// Sets whose subscriptions it grants.
    pub(super) fn for_caller(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    /// Sets that the server has one client alone, and what tells of the end of its input.
    pub(super) fn until(self, end_of_input: CancellationToken) -> Self {
        let is_local = self.shared.backend.upstream().is_none();
        let watches = is_local.then(|| Arc::new(Watches::new(end_of_input.child_token())));
        Self {
            watches,
            end_of_input,
            ..self
        }
    }

    /// Sets whether `tools/list` has `search` and `fetch`.
    #[must_use]
    pub fn with_search_tools(self, lists_search: bool) -> Self {
        Self {
            lists_search,
            ..self
        }
    }

    /// Lets the SDK answer every call, for comparison.
    #[must_use]
    pub fn without_direct_calls(self) -> Self {
        Self {
            is_direct: false,
            ..self
        }
    }

    /// Returns the number of calls answered without the SDK.
    pub fn direct_calls(&self) -> u64 {
        self.shared.direct_calls.load(Ordering::Relaxed)
    }

    /// Returns the capabilities for a client of the newest revision.
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
    use econoscope_answers::ENDPOINTS;

    #[test]
    fn instructions_fit_the_limit_of_hosts() {
        let characters = super::INSTRUCTIONS.chars().chain(super::SUBSCRIBE.chars());
        // With the blank between them.
        assert!(characters.count() < 2_048);
    }

    #[test]
    fn no_tool_takes_arguments_in_headers() {
        for route in ENDPOINTS.iter() {
            let schema = serde_json::to_string(&*route.input_schema).unwrap();
            assert!(!schema.contains("x-mcp-header"), "{}", route.spec.tool);
        }
    }
}

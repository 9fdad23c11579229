//! What the transports share: the backend, the lists, and who the server is.

use super::protocol::{LIST_TTL_MS, Signature};
use super::{prompts, resources, skills, subscriptions, tools};
use econoscope_answers::endpoints::{Backend, Route};
use econoscope_data::desk::State;
use mcp_lane::{Lifecycle, Outcome};
use rmcp::model::{
    CacheScope, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, ServerConfig,
};
use std::sync::{Arc, LazyLock};

/// What the transports share.
pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    /// What the server is and can do.
    pub(super) info: ServerConfig,
    /// Who it is, as that stands in a result's `_meta`.
    pub(super) signature: Signature,
    pub(super) pulse: Arc<subscriptions::Pulse>,
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

/// The endpoints as the fast lane sees them: tools whose results depend on arguments and a state of the data alone.
#[derive(Clone)]
pub(super) struct Origin(pub(super) Arc<Shared>);

impl mcp_lane::Origin for Origin {
    type State = State;

    fn state(&self) -> Option<State> {
        self.0.backend.desk().state().ok()
    }

    fn takes(&self, tool: &str) -> bool {
        Route::find(tool).is_some_and(|route| self.0.backend.is_local(&route.spec))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        lifecycle: Lifecycle,
    ) -> Option<Outcome> {
        let made = tools::call(&self.0.backend, Route::find(tool)?, arguments).await;
        if made.is_forwarded {
            return None;
        }
        let may_be_kept = made.json.is_some();
        let result = made.render(&self.0.signature, lifecycle).ok()?;
        Some(Outcome {
            result,
            may_be_kept,
        })
    }
}

#[cfg(test)]
mod tests {
    use econoscope_answers::endpoints::ENDPOINTS;

    #[test]
    fn no_tool_wants_its_arguments_in_headers() {
        for route in ENDPOINTS.iter() {
            let schema = serde_json::to_string(route.input_schema()).unwrap();
            assert!(!schema.contains("x-mcp-header"), "{}", route.spec.tool);
        }
    }
}

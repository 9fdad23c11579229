//! The endpoints as the fast lane sees them: tools whose results depend on arguments and a state of the data alone.

use super::shared::Shared;
use super::tools;
use crate::desk::State;
use crate::endpoints::Route;
use mcp_lane::{Lifecycle, Outcome};
use rmcp::model::JsonObject;
use std::sync::Arc;

/// What is rendered for the lane.
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
    use crate::endpoints::ENDPOINTS;

    #[test]
    fn no_tool_wants_its_arguments_in_headers() {
        for route in ENDPOINTS.iter() {
            let schema = serde_json::to_string(route.input_schema()).unwrap();
            assert!(!schema.contains("x-mcp-header"), "{}", route.spec.tool);
        }
    }
}

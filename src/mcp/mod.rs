//! The MCP edge: tools, over stdio and streamable HTTP, in both lifecycles.
//!
//! The handler is a thin copy over shared, prepared state; the tool list is built once, in table order.

mod tools;
pub mod transport;

use crate::endpoints::{Backend, Route};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, DiscoverResult, Implementation,
    ListToolsResult, MetaObject, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use std::sync::Arc;

/// What a host reads first (at most 2,048 characters, or hosts cut it).
pub const INSTRUCTIONS: &str = "US macroeconomic data: regime, recession probability, net liquidity, risk appetite, \
    macro stress, 400+ series with history. Start with get_macro_summary: one call answers most questions about the \
    economy (regime, rates, curve, inflation, labor, credit, volatility). get_metric gives one figure, \
    get_time_series its history, get_signals all composites, get_regime the regime with asset views, list_scenarios \
    what could happen and how often it has, search_glossary what a term means. Names work as well as identifiers: \
    \"10y\", \"core cpi\", \"fed funds\". Every figure carries its unit and date: quote them, and say how old a \
    snapshot is. A null has its reason in `notes`: say it is unavailable, do not guess. Monthly data come weeks after \
    their month. October 2025 was never published for CPI and unemployment. Credit the source given in the answer.";

/// How long a client may keep lists and discovery: they change only with the program.
const LIST_TTL_MS: u64 = 3_600_000;

/// The MCP handler; cheap to clone, shared by every transport.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    backend: Arc<Backend>,
    tools: Vec<Tool>,
    identity: Implementation,
}

impl Server {
    /// A handler over a backend.
    pub fn new(backend: Arc<Backend>) -> Self {
        let website = backend.base_url().to_owned();
        let identity = Implementation::new("econoscope", env!("CARGO_PKG_VERSION"))
            .with_title("Econoscope")
            .with_description("US macroeconomic data for assistants")
            .with_website_url(website);
        let tools = crate::endpoints::ENDPOINTS
            .iter()
            .map(tools::declare)
            .collect();
        Self {
            shared: Arc::new(Shared {
                backend,
                tools,
                identity,
            }),
        }
    }

    /// The tools as listed, in table order.
    pub fn tools(&self) -> &[Tool] {
        &self.shared.tools
    }

    /// The server's name in a result's `_meta`, which 2026-07-28 asks of every result.
    fn stamp(&self, meta: &mut Option<MetaObject>) {
        if let Ok(value) = serde_json::to_value(&self.shared.identity) {
            meta.get_or_insert_default()
                .insert("io.modelcontextprotocol/serverInfo".to_owned(), value);
        }
    }

    fn is_modern(context: &RequestContext<RoleServer>) -> bool {
        context
            .protocol_version()
            .is_some_and(|v| v.as_str() >= "2026-07-28")
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(self.shared.identity.clone())
            .with_instructions(INSTRUCTIONS)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        Ok(DiscoverResult::from_server_info(
            self.supported_protocol_versions().into_owned(),
            self.get_info(),
        )
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        no_cursor(request)?;
        let mut list = ListToolsResult::with_all_items(self.shared.tools.clone())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public);
        if Self::is_modern(&context) {
            self.stamp(&mut list.meta);
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(route) = Route::find(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!("Unknown tool: {}", crate::error::quote(&request.name)),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let mut result = tools::call(&self.shared.backend, route, arguments).await;
        if Self::is_modern(&context) {
            self.stamp(&mut result.meta);
        }
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.iter().find(|t| t.name == name).cloned()
    }
}

/// Lists fit one page, so every cursor is one we never gave.
fn no_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|r| r.cursor) {
        Some(_) => Err(ErrorData::invalid_params(
            "Unknown cursor: this list has one page; ask without a cursor",
            None,
        )),
        None => Ok(()),
    }
}

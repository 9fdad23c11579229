//! The handler and what it shares: the lists, who the server is, and what it can do.

use super::protocol::Signature;
use super::shared::{Origin, Shared};
use super::{apps, subscriptions};
use econoscope_answers::endpoints::Backend;
use mcp_lane::LaneLayer;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use std::sync::Arc;

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

/// The MCP handler; cheap to clone, shared by every transport.
#[derive(Clone)]
pub struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) lane: Option<LaneLayer<Origin>>,
}

impl Server {
    /// A handler over a backend.
    pub fn new(backend: Arc<Backend>) -> Self {
        let identity = Implementation::new("econoscope", env!("CARGO_PKG_VERSION"))
            .with_title("Econoscope")
            .with_description("US macroeconomic data for assistants")
            .with_website_url(backend.base_url());
        let signature = Signature::of(&identity);
        let shared = Shared {
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
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_instructions_are_not_cut_by_hosts() {
        let all = super::INSTRUCTIONS.chars().chain(super::SUBSCRIBE.chars());
        assert!(all.count() <= 2_048);
    }
}

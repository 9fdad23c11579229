//! Endpoints as tools: how they are declared and called.

use super::results::{MAX_TEXT, ToolResult};
use super::{apps, brief};
use crate::endpoints::{Arguments, Backend, ENDPOINTS, Reply, Route};
use crate::model::untrusted;
use base64::Engine;
use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};

/// Every endpoint as a tool, in table order.
pub(super) fn all() -> Vec<Tool> {
    let tools = ENDPOINTS.iter().map(|route| apps::attach(declare(route)));
    #[cfg(feature = "conformance")]
    let tools = tools.chain(super::fixtures::tools());
    tools.collect()
}

fn declare(route: &Route) -> Tool {
    let spec = &route.spec;
    let hints = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(
        spec.tool,
        spec.description,
        std::sync::Arc::new(brief::input(&route.assistant_schema())),
    )
    .with_title(spec.title)
    .with_raw_output_schema(std::sync::Arc::new(brief::output(route.output_schema())))
    .with_annotations(hints)
}

/// Calls an endpoint; whatever goes wrong is a result the model can act on.
pub(super) async fn call(
    backend: &Backend,
    route: &'static Route,
    arguments: Arguments,
) -> ToolResult {
    match route.call(backend, route.for_assistant(arguments)).await {
        Ok(reply) => success(&reply),
        Err(error) => {
            crate::error::log(&error, route.spec.tool);
            ToolResult::of_error(&error)
        }
    }
}

fn success(reply: &Reply) -> ToolResult {
    let mut text = reply.text.to_string();
    if let Some(state) = &reply.upstream {
        text = untrusted::clean(&text, MAX_TEXT);
        text.push('\n');
        text.push_str(&state.sentence());
    }
    ToolResult {
        shape: CallToolResult::success(content(reply, text)),
        json: Some(reply.json.clone()),
        is_forwarded: reply.upstream.is_some(),
    }
}

/// What a model sees: the text and the picture. Every revision of the protocol has both kinds, and every host knows
/// them; a `resource_link` ends the run of some.
fn content(answer: &Reply, text: String) -> Vec<ContentBlock> {
    let mut content = vec![ContentBlock::text(text)];
    if let Some(png) = &answer.png {
        let picture = base64::engine::general_purpose::STANDARD.encode(png);
        content.push(ContentBlock::image(picture, "image/png"));
    }
    content
}

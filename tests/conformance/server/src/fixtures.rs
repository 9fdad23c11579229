//! What the protocol's conformance suite asks every server for: tools, prompts and resources with fixed answers.
#![expect(
    deprecated,
    reason = "the suite still asks about sampling, roots and logging"
)]

use crate::rounds;
use rmcp::ErrorData;
use rmcp::model::{
    AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate, Role, Tool,
    object,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use std::time::Duration;

/// Whether the request speaks 2026-07-28 or later.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// A picture of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOQ9bsBAAHPAURhD4x2AAAAAElFTkSuQmCC";
/// Four samples of silence.
const SILENCE: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAAAAAAAAAA==";

/// Tools that answer at once, with what they show.
const PLAIN: [(&str, &str); 12] = [
    ("test_simple_text", "Answers with text"),
    ("test_image_content", "Answers with a picture"),
    ("test_audio_content", "Answers with sound"),
    ("test_embedded_resource", "Answers with a resource"),
    (
        "test_multiple_content_types",
        "Answers with text, picture and resource",
    ),
    ("test_error_handling", "Always fails"),
    (
        "test_tool_with_logging",
        "Logs three messages, where the protocol still has them",
    ),
    ("test_tool_with_progress", "Reports its progress"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_streaming_elicitation", "Asks for input in its result"),
    ("test_logging_tool", "Logs only to those who asked for it"),
    ("test_reconnection", "Answers after a moment"),
];

/// The tools as listed.
pub(crate) fn tools() -> Vec<Tool> {
    let empty = || object(json!({ "type": "object", "properties": {} }));
    let mut list: Vec<Tool> = PLAIN
        .iter()
        .chain(&rounds::TOOLS)
        .map(|(name, about)| Tool::new(*name, *about, empty()))
        .collect();
    list.push(Tool::new(
        "json_schema_2020_12_tool",
        "Has an input schema with many words",
        object(schema()),
    ));
    list.push(Tool::new(
        "test_custom_header",
        "Mirrors an argument in a header",
        object(json!({
            "type": "object",
            "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
            "required": ["region"],
        })),
    ));
    list
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Answers a fixture's call; nothing for any other tool.
pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    if let Some(answer) = rounds::call(request, context) {
        return Some(answer);
    }
    let said = |text: &str| vec![ContentBlock::text(text)];
    let content = match request.name.as_ref() {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_image_content" => vec![ContentBlock::image(PIXEL, "image/png")],
        "test_audio_content" => {
            vec![ContentBlock::Audio(AudioContent::new(SILENCE, "audio/wav"))]
        }
        "test_embedded_resource" => vec![embedded()],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PIXEL, "image/png"),
            ContentBlock::resource(
                ResourceContents::text(
                    r#"{"test":"data","value":123}"#,
                    "test://mixed-content-resource",
                )
                .with_mime_type("application/json"),
            ),
        ],
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            return Some(Ok(CallToolResult::error(said(text)).into()));
        }
        "test_tool_with_logging" | "test_logging_tool" => {
            log(context).await;
            said("Logged.")
        }
        "test_tool_with_progress" => {
            progress(context).await;
            said("Done.")
        }
        "test_missing_capability" => {
            let can = context
                .client_capabilities()
                .is_some_and(|c| has_sampling(&c));
            if !can {
                let mut needed = ClientCapabilities::default();
                sampling(&mut needed);
                return Some(Err(ErrorData::missing_required_client_capability(needed)));
            }
            said("The client can sample.")
        }
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            said("Answered.")
        }
        "json_schema_2020_12_tool" | "test_custom_header" => said("Received."),
        _ => return None,
    };
    Some(Ok(CallToolResult::success(content).into()))
}

fn has_sampling(capabilities: &ClientCapabilities) -> bool {
    capabilities.sampling.is_some()
}

fn sampling(capabilities: &mut ClientCapabilities) {
    capabilities.sampling = Some(rmcp::model::SamplingCapability::default());
}

fn embedded() -> ContentBlock {
    let text = "This is an embedded resource content.";
    let contents = ResourceContents::text(text, "test://embedded-resource");
    ContentBlock::resource(contents.with_mime_type("text/plain"))
}

/// Three messages, unless the request is of the protocol that wants none that were not asked for.
async fn log(context: &RequestContext<RoleServer>) {
    if is_modern(context) && context.meta.log_level().is_none() {
        return;
    }
    for text in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
        if let Err(error) = context.peer.notify_logging_message(message).await {
            eprintln!("a log message was not delivered: {error}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn progress(context: &RequestContext<RoleServer>) {
    let token = context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = &token {
            let step = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
            if let Err(error) = context.peer.notify_progress(step).await {
                eprintln!("progress was not delivered: {error}");
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Accepts a log level from those whose protocol has one.
pub(crate) fn set_level(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if is_modern(context) {
        return Err(ErrorData::method_not_found::<
            rmcp::model::SetLevelRequestMethod,
        >());
    }
    Ok(())
}

/// The resources as listed.
pub(crate) fn resources() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "static-text").with_mime_type("text/plain"),
        Resource::new("test://static-binary", "static-binary").with_mime_type("image/png"),
    ]
}

/// The template as listed.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new("test://template/{id}/data", "template")
        .with_mime_type("application/json")
}

/// Reads a fixture's resource; nothing for any other address.
pub(crate) fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        "test://static-text" => {
            ResourceContents::text("This is the content of the static text resource.", uri)
                .with_mime_type("text/plain")
        }
        "test://static-binary" => ResourceContents::blob(PIXEL, uri).with_mime_type("image/png"),
        _ => {
            let id = uri
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let body =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(body.to_string(), uri).with_mime_type("application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}

/// The prompts as listed.
pub(crate) fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_required(true);
    let row = |name: &str, arguments: Vec<PromptArgument>| {
        let arguments = (!arguments.is_empty()).then_some(arguments);
        Prompt::new(name, Some("A fixture of the conformance suite"), arguments)
    };
    vec![
        row("test_simple_prompt", vec![]),
        row(
            "test_prompt_with_arguments",
            vec![argument("arg1"), argument("arg2")],
        ),
        row(
            "test_prompt_with_embedded_resource",
            vec![argument("resourceUri")],
        ),
        row("test_prompt_with_image", vec![]),
        row("test_input_required_result_prompt", vec![]),
    ]
}

/// Completes an argument of a fixture's prompt with nothing; no answer for any other.
pub(crate) fn complete(request: &CompleteRequestParams) -> Option<CompleteResult> {
    let Reference::Prompt(prompt) = &request.r#ref else {
        return None;
    };
    let is_fixture = prompts().iter().any(|fixture| fixture.name == prompt.name);
    is_fixture.then(|| CompleteResult::new(CompletionInfo::default()))
}

/// Fills a fixture's prompt; nothing for any other.
pub(crate) fn prompt(
    request: &GetPromptRequestParams,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    let text = |name: &str| {
        let arguments = request.arguments.as_ref();
        arguments
            .and_then(|a| a.get(name)?.as_str())
            .unwrap_or_default()
    };
    let user = |text: &str| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![user("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => vec![user(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            text("arg1"),
            text("arg2")
        ))],
        "test_prompt_with_embedded_resource" => {
            let inner = "Embedded resource content for testing.";
            let contents = ResourceContents::text(inner, text("resourceUri"));
            let block = ContentBlock::resource(contents.with_mime_type("text/plain"));
            vec![
                PromptMessage::new(Role::User, block),
                user("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PIXEL, "image/png")),
            user("Please analyze the image above."),
        ],
        _ => return rounds::prompt(request),
    };
    Some(Ok(GetPromptResult::new(messages).into()))
}

//! Implements the methods of the protocol. Results carry the server's signature where the revision requires it.

use super::protocol::{caller, is_modern, sign};
use super::server::{PROMPTS, RESOURCES, SKILLS, Server, TEMPLATES, TOOLS, instructions, public};
use super::subscriptions::Watches;
use super::{completion, prompts, resources, results, skills, tools};
use econoscope_answers::Route;
use econoscope_core::error::quote;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    ErrorCode, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use std::convert::Infallible;
use std::time::Duration;

type Context = RequestContext<RoleServer>;

/// The requested page of a list.
type Page = Option<PaginatedRequestParams>;

type Result<T> = std::result::Result<T, ErrorData>;

/// Tells a client that gave a token every second that a call is still under way: a source is being asked.
async fn report_progress(context: &Context) -> Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    for seconds in 1_u32.. {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut progress = ProgressNotificationParam::new(token.clone(), f64::from(seconds));
        progress.message = Some("waiting for the source".to_owned());
        if let Err(error) = context.peer.notify_progress(progress).await {
            tracing::debug!(%error, "progress was not reported");
            break;
        }
    }
    std::future::pending().await
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.shared.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        if self.watches.is_some() {
            return Ok(result);
        }
        // Over HTTP a client of this lifecycle has no stream on which it could receive changes.
        if let Some(resources) = &mut result.capabilities.resources {
            resources.subscribe = None;
        }
        result.instructions = Some(instructions(&self.shared.backend, ""));
        Ok(result)
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<()> {
        let watches = self.watches(&context)?;
        let subscriptions = &self.shared.subscriptions;
        watches.add(subscriptions, self.caller, request.uri, context.peer)
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Result<()> {
        self.watches(&context)?.remove(&request.uri);
        Ok(())
    }

    async fn discover(&self, _: Context) -> Result<DiscoverResult> {
        let versions = self.supported_protocol_versions().into_owned();
        let info = self.get_info();
        Ok(public!(DiscoverResult::from_server_info(versions, info)))
    }

    async fn list_tools(&self, request: Page, context: Context) -> Result<ListToolsResult> {
        let mut list = self.list(request, &context, &*TOOLS, |list| &mut list.meta)?;
        if !self.lists_search {
            let tools = &mut list.tools;
            tools.retain(|tool| !matches!(&*tool.name, "search" | "fetch"));
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse> {
        let Some(route) = Route::find(&request.name) else {
            let message = format!("Unknown tool: {}", quote(&request.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let backend = &self.shared.backend;
        let call = async {
            match tools::call(backend, route, arguments).await {
                Ok(reply) => results::success(backend, &reply).await,
                Err(failure) => Err(failure),
            }
        };
        let outcome = tokio::select! {
            outcome = caller(&context.extensions).scope(call) => outcome,
            never = report_progress(&context) => match never {},
        };
        let result = outcome.unwrap_or_else(|failure| failure);
        let result = self.sign(&context, result, |result| &mut result.meta);
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.tools.iter().find(|t| t.name == name).cloned()
    }

    async fn list_resources(&self, request: Page, context: Context) -> Result<ListResourcesResult> {
        self.list(request, &context, &RESOURCES, |list| &mut list.meta)
    }

    async fn list_resource_templates(
        &self,
        request: Page,
        context: Context,
    ) -> Result<ListResourceTemplatesResult> {
        self.list(request, &context, &TEMPLATES, |list| &mut list.meta)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse> {
        let read = resources::read(&self.shared.backend, &request.uri);
        let result = caller(&context.extensions).scope(read).await?;
        let result = self.sign(&context, result, |result| &mut result.meta);
        Ok(result.into())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.shared.subscriptions.grant(self.caller, requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<()> {
        tokio::select! {
            served = self.shared.subscriptions.serve(self.caller, &context) => served,
            () = self.end_of_input.cancelled() => Ok(()),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult> {
        let result = CompleteResult::new(completion::complete(&request)?);
        Ok(self.sign(&context, result, |result| &mut result.meta))
    }

    async fn list_prompts(&self, request: Page, context: Context) -> Result<ListPromptsResult> {
        self.list(request, &context, &PROMPTS, |list| &mut list.meta)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse> {
        let result = prompts::get(&request.name, request.arguments.as_ref())?;
        let result = self.sign(&context, result, |result| &mut result.meta);
        Ok(result.into())
    }

    async fn list_skills(&self, request: Page, context: Context) -> Result<ListSkillsResult> {
        self.list(request, &context, &SKILLS, |list| &mut list.meta)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: Context,
    ) -> Result<GetSkillResult> {
        let mut skills = SKILLS.skills.iter();
        let skill = skills
            .find(|s| s.uri == request.uri)
            .ok_or_else(|| unknown("skill", &request.uri))?;
        let result = public!(GetSkillResult::new(skill.clone()));
        Ok(self.sign(&context, result, |result| &mut result.meta))
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: Context,
    ) -> Result<ReadResourceDirectoryResult> {
        check_cursor(request.cursor)?;
        let children =
            skills::directory(&request.uri).ok_or_else(|| unknown("directory", &request.uri))?;
        let list = public!(ReadResourceDirectoryResult::with_all_items(children));
        Ok(self.sign(&context, list, |list| &mut list.meta))
    }
}

impl Server {
    /// Returns what the client of this connection watches.
    fn watches(&self, context: &Context) -> Result<&Watches> {
        let why = "not supported: it needs a connection (stdio) of a revision before 2026-07-28 to the store itself. Read the \
            resource again, or use 2026-07-28 and subscriptions/listen";
        let error = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None);
        let watches = self.watches.as_deref().filter(|_| !is_modern(context));
        watches.ok_or_else(error)
    }

    /// Returns a list, which has a single page.
    fn list<T: Clone>(
        &self,
        request: Page,
        context: &Context,
        list: &T,
        meta: fn(&mut T) -> &mut Option<MetaObject>,
    ) -> Result<T> {
        check_cursor(request.and_then(|page| page.cursor))?;
        Ok(self.sign(context, list.clone(), meta))
    }

    /// Adds the server's name to a result, if the revision of the request requires it.
    fn sign<T>(
        &self,
        context: &Context,
        mut result: T,
        meta: fn(&mut T) -> &mut Option<MetaObject>,
    ) -> T {
        if is_modern(context) {
            sign(meta(&mut result), &self.shared.signature);
        }
        result
    }
}

/// Builds the error for an unknown skill or directory. Its code is "invalid params" in every revision.
fn unknown(what: &str, uri: &str) -> ErrorData {
    let uri = quote(uri);
    let data = serde_json::json!({ "uri": uri });
    ErrorData::invalid_params(format!("No such {what}: {uri}"), Some(data))
}

/// Rejects every cursor, since lists have one page.
fn check_cursor(cursor: Option<String>) -> Result<()> {
    let message = "Unknown cursor: the list has one page; send no cursor";
    cursor.map_or(Ok(()), |_| Err(ErrorData::invalid_params(message, None)))
}

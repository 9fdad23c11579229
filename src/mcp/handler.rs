//! The protocol's methods, each answered from the shared state and signed with the server's name.

use super::protocol::{LIST_TTL_MS, caller, is_modern, sign};
use super::server::{INSTRUCTIONS, LISTS, Server};
use super::{completion, prompts, resources, results, skills, tools};
use econoscope_answers::endpoints::Route;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    MetaObject, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

/// The context of a request, as the library gives it.
type Context = RequestContext<RoleServer>;

/// Which page of a list is asked for.
type Page = Option<PaginatedRequestParams>;

type Result<T> = std::result::Result<T, ErrorData>;

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
        // Without a stream of its own, such a client would wait in vain for the changes it subscribed to.
        if let Some(resources) = &mut result.capabilities.resources {
            resources.subscribe = None;
        }
        result.instructions = Some(INSTRUCTIONS.to_owned());
        Ok(result)
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<()> {
        let why = "resources/subscribe is not answered: this revision of the protocol has no stream of its own here. \
            Read the resource again, or speak 2026-07-28 and use subscriptions/listen";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }

    async fn discover(&self, _: Context) -> Result<DiscoverResult> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(&self, request: Page, context: Context) -> Result<ListToolsResult> {
        let mut listed = self.list(request, &context, &LISTS.tools, |list| &mut list.meta)?;
        if !self.lists_search {
            listed
                .tools
                .retain(|tool| !matches!(&*tool.name, "search" | "fetch"));
        }
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse> {
        let Some(route) = Route::find(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!(
                    "Unknown tool: {}",
                    econoscope_core::error::quote(&request.name)
                ),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let backend = &self.shared.backend;
        let call = async {
            match tools::call(backend, route, arguments).await {
                Ok(reply) => results::tree(backend, &reply).await,
                Err(failure) => Err(failure),
            }
        };
        let result = caller(&context.extensions).scope(call).await;
        let result = result.unwrap_or_else(|failure| failure);
        let result = self.signed(&context, result, |result| &mut result.meta);
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = LISTS.tools.tools.iter();
        tools.find(|t| t.name == name).cloned()
    }

    async fn list_resources(&self, request: Page, context: Context) -> Result<ListResourcesResult> {
        self.list(request, &context, &LISTS.resources, |list| &mut list.meta)
    }

    async fn list_resource_templates(
        &self,
        request: Page,
        context: Context,
    ) -> Result<ListResourceTemplatesResult> {
        self.list(request, &context, &LISTS.templates, |list| &mut list.meta)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse> {
        let read = resources::read(&self.shared.backend, &request.uri);
        let result = caller(&context.extensions).scope(read).await?;
        let result = self.signed(&context, result, |result| &mut result.meta);
        Ok(result.into())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.shared.subscriptions.accept(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<()> {
        self.shared.subscriptions.serve(&context).await;
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult> {
        let result = CompleteResult::new(completion::complete(&request)?);
        Ok(self.signed(&context, result, |result| &mut result.meta))
    }

    async fn list_prompts(&self, request: Page, context: Context) -> Result<ListPromptsResult> {
        self.list(request, &context, &LISTS.prompts, |list| &mut list.meta)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse> {
        let result = prompts::get(&request.name, request.arguments.as_ref())?;
        let result = self.signed(&context, result, |result| &mut result.meta);
        Ok(result.into())
    }

    async fn list_skills(&self, request: Page, context: Context) -> Result<ListSkillsResult> {
        self.list(request, &context, &LISTS.skills, |list| &mut list.meta)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: Context,
    ) -> Result<GetSkillResult> {
        let mut skills = LISTS.skills.skills.iter();
        let found = skills.find(|s| s.uri == request.uri);
        let skill = found.ok_or_else(|| no_such("skill", &request.uri))?;
        let mut result = GetSkillResult::new(skill.clone());
        result.ttl_ms = Some(LIST_TTL_MS);
        result.cache_scope = Some(CacheScope::Public);
        Ok(self.signed(&context, result, |result| &mut result.meta))
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: Context,
    ) -> Result<ReadResourceDirectoryResult> {
        no_cursor(request.cursor)?;
        let children =
            skills::directory(&request.uri).ok_or_else(|| no_such("directory", &request.uri))?;
        let list = ReadResourceDirectoryResult::with_all_items(children)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public);
        Ok(self.signed(&context, list, |list| &mut list.meta))
    }
}

impl Server {
    /// A list, of which there is one page.
    fn list<T: Clone>(
        &self,
        request: Page,
        context: &Context,
        list: &T,
        meta: fn(&mut T) -> &mut Option<MetaObject>,
    ) -> Result<T> {
        no_cursor(request.and_then(|page| page.cursor))?;
        Ok(self.signed(context, list.clone(), meta))
    }

    /// The result with the server's name in it, where the request speaks a protocol that asks for that.
    fn signed<T>(
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

/// Skills say "invalid params" in every protocol version, where resources once had a code of their own.
fn no_such(what: &str, uri: &str) -> ErrorData {
    let uri = econoscope_core::error::quote(uri);
    ErrorData::invalid_params(
        format!("No such {what}: {uri}"),
        Some(serde_json::json!({ "uri": uri })),
    )
}

/// Lists fit one page, so every cursor is one we never gave.
fn no_cursor(cursor: Option<String>) -> Result<()> {
    match cursor {
        Some(_) => Err(ErrorData::invalid_params(
            "Unknown cursor: this list has one page; ask without a cursor",
            None,
        )),
        None => Ok(()),
    }
}

//! The program's handler with the fixtures added: every method that has none is the program's own.

use crate::fixtures;
use econoscope::mcp::Server;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult,
    InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;
type Result<T> = std::result::Result<T, ErrorData>;

#[derive(Clone)]
pub(crate) struct Handler(pub(crate) Server);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.0.get_info();
        info.capabilities.logging = Some(JsonObject::new());
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult> {
        let mut result = self.0.initialize(request, context).await?;
        result.capabilities.logging = Some(JsonObject::new());
        Ok(result)
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult> {
        let mut result = self.0.discover(context).await?;
        result.capabilities.logging = Some(JsonObject::new());
        Ok(result)
    }

    async fn list_tools(&self, page: Page, context: Context) -> Result<ListToolsResult> {
        let mut list = self.0.list_tools(page, context).await?;
        list.tools.extend(fixtures::tools());
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse> {
        match fixtures::call(&request, &context).await {
            Some(answer) => answer,
            None => self.0.call_tool(request, context).await,
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut fixtures = fixtures::tools().into_iter();
        self.0
            .get_tool(name)
            .or_else(|| fixtures.find(|tool| tool.name == name))
    }

    async fn list_resources(&self, page: Page, context: Context) -> Result<ListResourcesResult> {
        let mut list = self.0.list_resources(page, context).await?;
        list.resources.extend(fixtures::resources());
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        page: Page,
        context: Context,
    ) -> Result<ListResourceTemplatesResult> {
        let mut list = self.0.list_resource_templates(page, context).await?;
        list.resource_templates.push(fixtures::template());
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse> {
        match fixtures::read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.0.read_resource(request, context).await,
        }
    }

    async fn list_prompts(&self, page: Page, context: Context) -> Result<ListPromptsResult> {
        let mut list = self.0.list_prompts(page, context).await?;
        list.prompts.extend(fixtures::prompts());
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse> {
        match fixtures::prompt(&request) {
            Some(answer) => answer,
            None => self.0.get_prompt(request, context).await,
        }
    }

    #[expect(deprecated, reason = "the suite of 2025-11-25 asks for it")]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        context: Context,
    ) -> Result<()> {
        fixtures::set_level(&context)
    }

    #[expect(deprecated, reason = "the program refuses it with a reason")]
    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<()> {
        self.0.subscribe(request, context).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<()> {
        self.0.listen(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult> {
        match fixtures::complete(&request) {
            Some(result) => Ok(result),
            None => self.0.complete(request, context).await,
        }
    }

    async fn list_skills(&self, page: Page, context: Context) -> Result<ListSkillsResult> {
        self.0.list_skills(page, context).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: Context,
    ) -> Result<GetSkillResult> {
        self.0.get_skill(request, context).await
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: Context,
    ) -> Result<ReadResourceDirectoryResult> {
        self.0.read_resource_directory(request, context).await
    }
}

"""One agent framework, its own agent on the recorded model: frameworks.py FRAMEWORK SPEC prints what stopped each run as JSON.

SPEC is JSON: `model`, the address of the recorded model, and `runs`, for each run its servers, {name, command, args} or
{name, url}. What the model was sent is in the model's own file. Each function builds its agent as the framework's manual
does, with nothing set that is not needed to reach the model and to go on for as many calls as are asked.
"""

import asyncio
import contextlib
import json
import os
import sys

TURNS = 40


def is_remote(server):
    return "url" in server


async def openai_agents(servers, model):
    from agents import Agent, Runner, set_default_openai_client, set_tracing_disabled
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
    from openai import AsyncOpenAI
    set_tracing_disabled(True)
    set_default_openai_client(AsyncOpenAI(base_url=model, api_key="none"))
    async with contextlib.AsyncExitStack() as stack:
        made = [MCPServerStreamableHttp(params={"url": s["url"]}, name=s["name"]) if is_remote(s) else
                MCPServerStdio(params={"command": s["command"], "args": s["args"]}, name=s["name"]) for s in servers]
        mcp_servers = [await stack.enter_async_context(server) for server in made]
        # Strict schemas, as OpenAI advises: every argument is required, and what is not wanted is null or blank.
        agent = Agent(name="test", mcp_servers=mcp_servers, mcp_config={"convert_schemas_to_strict": True})
        await Runner.run(agent, "go", max_turns=TURNS)


async def pydantic_ai(servers, model):
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    toolsets = [MCPToolset(s["url"] if is_remote(s) else StdioTransport(s["command"], s["args"])) for s in servers]
    agent = Agent(OpenAIChatModel("gpt-5", provider=OpenAIProvider(base_url=model, api_key="none")), toolsets=toolsets)
    async with agent:
        await agent.run("go")


async def langchain(servers, model):
    from langchain.agents import create_agent
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_openai import ChatOpenAI
    client = MultiServerMCPClient({s["name"]: {"url": s["url"], "transport": "http"} if is_remote(s) else
                                   {"command": s["command"], "args": s["args"], "transport": "stdio"} for s in servers})
    agent = create_agent(ChatOpenAI(model="gpt-5", base_url=model, api_key="none", use_responses_api=False), await client.get_tools())
    await agent.ainvoke({"messages": "go"}, {"recursion_limit": 4 * TURNS})


async def llama_index(servers, model):
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
    clients = [BasicMCPClient(s["url"]) if is_remote(s) else BasicMCPClient(s["command"], args=s["args"]) for s in servers]
    tools = [tool for client in clients for tool in await McpToolSpec(client=client).to_tool_list_async()]
    llm = OpenAILike(model="gpt-5", api_base=model, api_key="none", is_chat_model=True, is_function_calling_model=True)
    await FunctionAgent(tools=tools, llm=llm).run("go", max_iterations=TURNS)


async def agno(servers, model):
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat
    from agno.tools.mcp import MCPTools
    from mcp import StdioServerParameters
    async with contextlib.AsyncExitStack() as stack:
        made = [MCPTools(url=s["url"], transport="streamable-http") if is_remote(s) else
                MCPTools(server_params=StdioServerParameters(command=s["command"], args=s["args"])) for s in servers]
        tools = [await stack.enter_async_context(one) for one in made]
        await Agent(model=OpenAIChat(id="gpt-5", base_url=model, api_key="none"), tools=tools, telemetry=False).arun("go")


async def strands(servers, model):
    from mcp import StdioServerParameters, stdio_client
    from strands import Agent
    from strands.models.openai import OpenAIModel
    from strands.tools.mcp import MCPClient
    made = [MCPClient(url=s["url"]) if is_remote(s) else
            MCPClient(lambda s=s: stdio_client(StdioServerParameters(command=s["command"], args=s["args"]))) for s in servers]
    llm = OpenAIModel(client_args={"base_url": model, "api_key": "none"}, model_id="gpt-5")
    await Agent(model=llm, tools=made, callback_handler=None).invoke_async("go")


async def smolagents(servers, model):
    from mcp import StdioServerParameters
    from smolagents import MCPClient, OpenAIServerModel, ToolCallingAgent
    from smolagents.monitoring import LogLevel

    def work():
        made = [{"url": s["url"], "transport": "streamable-http"} if is_remote(s) else
                StdioServerParameters(command=s["command"], args=s["args"]) for s in servers]
        with MCPClient(made, structured_output=False) as tools:
            llm = OpenAIServerModel("gpt-5", api_base=model, api_key="none")
            ToolCallingAgent(tools=tools, model=llm, verbosity_level=LogLevel.OFF, max_steps=TURNS).run("go")
    await asyncio.to_thread(work)


async def semantic_kernel(servers, model):
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
    from semantic_kernel.connectors.ai import FunctionChoiceBehavior
    from semantic_kernel.connectors.mcp import MCPStdioPlugin, MCPStreamableHttpPlugin
    async with contextlib.AsyncExitStack() as stack:
        made = [MCPStreamableHttpPlugin(name=s["name"], url=s["url"]) if is_remote(s) else
                MCPStdioPlugin(name=s["name"], command=s["command"], args=s["args"]) for s in servers]
        plugins = [await stack.enter_async_context(one) for one in made]
        service = OpenAIChatCompletion(ai_model_id="gpt-5", async_client=AsyncOpenAI(base_url=model, api_key="none"))
        behavior = FunctionChoiceBehavior.Auto(maximum_auto_invoke_attempts=TURNS)
        await ChatCompletionAgent(service=service, name="test", plugins=plugins, function_choice_behavior=behavior).get_response("go")


async def haystack(servers, model):
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.utils import Secret
    from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo, StreamableHttpServerInfo

    def work():
        made = [StreamableHttpServerInfo(url=s["url"]) if is_remote(s) else StdioServerInfo(command=s["command"], args=s["args"]) for s in servers]
        tools = [MCPToolset(server_info=one, eager_connect=True) for one in made]
        llm = OpenAIChatGenerator(api_key=Secret.from_token("none"), model="gpt-5", api_base_url=model)
        # Without this the first failed call ends the run.
        Agent(chat_generator=llm, tools=tools, max_agent_steps=TURNS, raise_on_tool_invocation_failure=False).run([ChatMessage.from_user("go")])
        for one in tools:
            one.close()
    await asyncio.to_thread(work)


async def autogen(servers, model):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams, StreamableHttpServerParams
    about = {"vision": True, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}
    llm = OpenAIChatCompletionClient(model="gpt-5", base_url=model, api_key="none", model_info=about)
    async with contextlib.AsyncExitStack() as stack:
        made = [McpWorkbench(StreamableHttpServerParams(url=s["url"]) if is_remote(s) else
                             StdioServerParams(command=s["command"], args=s["args"])) for s in servers]
        benches = [await stack.enter_async_context(one) for one in made]
        await AssistantAgent("test", llm, workbench=benches, max_tool_iterations=TURNS).run(task="go")


async def agent_framework(servers, model):
    from agent_framework import Agent, MCPStdioTool, MCPStreamableHTTPTool
    from agent_framework.openai import OpenAIChatCompletionClient
    async with contextlib.AsyncExitStack() as stack:
        made = [MCPStreamableHTTPTool(name=s["name"], url=s["url"]) if is_remote(s) else
                MCPStdioTool(name=s["name"], command=s["command"], args=s["args"]) for s in servers]
        tools = [await stack.enter_async_context(one) for one in made]
        client = OpenAIChatCompletionClient(model="gpt-5", base_url=model, api_key="none")
        await Agent(client, "test", tools=tools).run("go")


async def mcp_use(servers, model):
    from langchain_openai import ChatOpenAI
    from mcp_use import MCPAgent, MCPClient
    given = {s["name"]: {"url": s["url"]} if is_remote(s) else {"command": s["command"], "args": s["args"]} for s in servers}
    client = MCPClient.from_dict({"mcpServers": given})
    llm = ChatOpenAI(model="gpt-5", base_url=model, api_key="none", use_responses_api=False)
    await MCPAgent(llm=llm, client=client, max_steps=TURNS).run("go")
    await client.close_all_sessions()


async def adk(servers, model):
    from google.adk.agents import LlmAgent
    from google.adk.models import Gemini
    from google.adk.runners import InMemoryRunner
    from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams, StreamableHTTPConnectionParams
    from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
    from mcp import StdioServerParameters
    made = [StreamableHTTPConnectionParams(url=s["url"]) if is_remote(s) else
            StdioConnectionParams(server_params=StdioServerParameters(command=s["command"], args=s["args"])) for s in servers]
    llm = Gemini(model="gemini-3-pro", base_url=model.removesuffix("/v1"))
    tools = [McpToolset(connection_params=one) for one in made]
    await InMemoryRunner(agent=LlmAgent(name="test", model=llm, tools=tools)).run_debug("go", quiet=True)
    for one in tools:
        await one.close()


async def crewai(servers, model):
    from crewai import Agent, LLM
    from crewai_tools import MCPServerAdapter
    from mcp import StdioServerParameters

    def work():
        made = [{"url": s["url"], "transport": "streamable-http"} if is_remote(s) else
                StdioServerParameters(command=s["command"], args=s["args"]) for s in servers]
        with MCPServerAdapter(made) as tools:
            llm = LLM(model="openai/gpt-5", base_url=model, api_key="none")
            Agent(role="test", goal="go", backstory="none", tools=list(tools), llm=llm, max_iter=TURNS).kickoff("go")
    await asyncio.to_thread(work)


async def main(framework, spec):
    os.environ.update(OPENAI_API_KEY="none", GOOGLE_API_KEY="none", CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true",
                      CREWAI_TRACING_ENABLED="false", MCP_USE_ANONYMIZED_TELEMETRY="false", HAYSTACK_TELEMETRY_ENABLED="false")
    stopped = {}
    for run, servers in spec["runs"].items():
        try:
            await globals()[framework.replace("-", "_")](servers, f"{spec['model']}/{run}/v1")
            stopped[run] = None
        except BaseException as error:  # What stops one run must not hide the others; a group of tasks raises groups.
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            stopped[run] = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(stopped))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))

"""One client library against the server over stdio: clients.py CLIENT BINARY STORE prints what it made of it as JSON.

Each function gives `lists` (names by kind, as far as the client knows the kind), `structures` and `texts` of CALLS (None
where it shows none), `error` (what is said of a wrong call), `resource` and `prompt` (their text).
"""

import asyncio
import json
import sys

from truth import CALLS, PROMPT, RESOURCE, WRONG

client, binary, store = sys.argv[1:4]
command = {"command": binary, "args": ["--store", store]}


def text_of(content):
    return "\n".join(part.text for part in content if getattr(part, "text", None))


def names(found):
    return sorted(one.name for one in found)


async def session_report(session):
    """The Python SDK's session, which others are built on, too."""
    answers = [await session.call_tool(name, arguments) for name, arguments in CALLS]
    structure = [getattr(a, "structuredContent", None) or getattr(a, "structured_content", None) for a in answers]
    wrong = await session.call_tool(*WRONG)
    assert getattr(wrong, "isError", None) or getattr(wrong, "is_error", None)
    templates = await session.list_resource_templates()
    return {
        "lists": {
            "tools": names((await session.list_tools()).tools),
            "prompts": names((await session.list_prompts()).prompts),
            "resources": names((await session.list_resources()).resources),
            "templates": names(getattr(templates, "resourceTemplates", None) or templates.resource_templates),
        },
        "structures": structure,
        "texts": [text_of(a.content) for a in answers],
        "error": text_of(wrong.content),
        "resource": text_of((await session.read_resource(RESOURCE)).contents),
        "prompt": prompt_of(await session.get_prompt(*PROMPT)),
    }


def prompt_of(prompt):
    """Its text; LlamaIndex gives messages of its own."""
    messages = getattr(prompt, "messages", prompt)
    return "\n".join(m.content if isinstance(m.content, str) else text_of([m.content]) for m in messages)


async def python():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    async with stdio_client(StdioServerParameters(**command)) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            return await session_report(session)


async def fastmcp():
    from fastmcp import Client
    from fastmcp.exceptions import ToolError
    from pydantic_core import to_jsonable_python
    async with Client({"mcpServers": {"econoscope": command}}) as session:
        answers = [await session.call_tool(name, arguments) for name, arguments in CALLS]
        try:
            error = str(await session.call_tool(*WRONG))
        except ToolError as raised:
            error = str(raised)
        return {
            "lists": {
                "tools": names(await session.list_tools()),
                "prompts": names(await session.list_prompts()),
                "resources": names(await session.list_resources()),
                "templates": names(await session.list_resource_templates()),
            },
            # `.data` is the structure as objects of types that were made of the output schema.
            "structures": [to_jsonable_python(a.data, serialize_unknown=True) for a in answers],
            "texts": [text_of(a.content) for a in answers],
            "error": error,
            "resource": text_of(await session.read_resource(RESOURCE)),
            "prompt": prompt_of(await session.get_prompt(*PROMPT)),
        }


async def langchain():
    from langchain_mcp_adapters.client import MultiServerMCPClient
    servers = MultiServerMCPClient({"econoscope": {**command, "transport": "stdio"}})
    tools = {tool.name: tool for tool in await servers.get_tools()}

    async def call(name, arguments):
        message = await tools[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
        return message

    answers = [await call(name, arguments) for name, arguments in CALLS]
    try:
        error = str((await call(*WRONG)).content)
    except Exception as raised:  # LangChain gives a failed call as an exception, whose text an agent shows.
        error = str(raised)
    said = lambda content: content if isinstance(content, str) else "\n".join(part["text"] for part in content)
    structure = lambda answer: (answer.artifact or {}).get("structured_content")
    resources = await servers.get_resources("econoscope", uris=[RESOURCE])
    prompt = await servers.get_prompt("econoscope", PROMPT[0], arguments=PROMPT[1])
    return {
        "lists": {"tools": sorted(tools)},
        "structures": [structure(a) for a in answers],
        "texts": [said(a.content) for a in answers],
        "error": error,
        "resource": resources[0].as_string(),
        "prompt": prompt[0].content,
    }


async def openai_agents():
    from agents import Agent, RunContextWrapper
    from agents.mcp import MCPServerStdio, MCPUtil
    from agents.tool_context import ToolContext
    async with MCPServerStdio(params=command, use_structured_content=True) as server:
        agent = Agent(name="test")
        context = RunContextWrapper(context=None)
        tools = await MCPUtil.get_all_function_tools([server], True, context, agent)
        # A tool without arguments has nothing to be strict about, and its schema has no word that says so.
        loose = [t.name for t in tools if t.params_json_schema["properties"] and not t.strict_json_schema]
        assert not loose, f"not strict: {loose}"
        by_name = {tool.name: tool for tool in tools}

        async def call(name, arguments):
            # A strict schema makes every argument required: what is not wanted is null or blank.
            schema = by_name[name].params_json_schema
            assert set(schema["required"]) == set(schema["properties"]) and schema["additionalProperties"] is False
            blank = lambda p: {"string": "", "boolean": False}.get(p.get("type"))
            given = {key: blank(schema["properties"][key]) for key in schema["required"]}
            given.update(arguments)
            words = json.dumps(given)
            about = ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments=words)
            return await by_name[name].on_invoke_tool(about, words)

        answers = [await call(name, arguments) for name, arguments in CALLS]
        plain = [await server.call_tool(name, arguments) for name, arguments in CALLS]
        return {
            "lists": {
                "tools": sorted(by_name),
                "prompts": names((await server.list_prompts()).prompts),
                "resources": names((await server.list_resources()).resources),
            },
            "structures": [json.loads(a if isinstance(a, str) else json.dumps(a)) for a in answers],
            "texts": [text_of(a.content) for a in plain],
            "error": str(await call(*WRONG)),
            "resource": text_of((await server.read_resource(RESOURCE)).contents),
            "prompt": prompt_of(await server.get_prompt(*PROMPT)),
        }


async def pydantic_ai():
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_core import to_jsonable_python
    try:
        from pydantic_ai.mcp import MCPServerStdio
        server = MCPServerStdio(binary, args=command["args"])
    except ImportError:
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset
        server = MCPToolset(StdioTransport(binary, command["args"]))
    seen, listed = [], []

    def model(messages, info):
        listed[:] = sorted(tool.name for tool in info.function_tools)
        answers = [p for m in messages for p in m.parts if p.part_kind in ("tool-return", "retry-prompt")]
        if len(answers) < len(CALLS) + 1:
            name, arguments = [*CALLS, WRONG][len(answers)]
            return ModelResponse(parts=[ToolCallPart(name, arguments)])
        seen[:] = answers
        return ModelResponse(parts=[TextPart("done")])

    async with server:
        await Agent(FunctionModel(model), toolsets=[server]).run("go")
        resource = await server.read_resource(RESOURCE)
    structures = [to_jsonable_python(part.content) for part in seen[:-1]]
    return {
        "lists": {"tools": list(listed)},
        "structures": structures,
        "texts": None,
        "error": str(seen[-1].content),
        "resource": resource if isinstance(resource, str) else str(resource),
    }


async def mcp_use():
    from mcp_use import MCPClient
    from mcp_use.agents.adapters.langchain_adapter import LangChainAdapter
    servers = MCPClient.from_dict({"mcpServers": {"econoscope": command}})
    session = await servers.create_session("econoscope")
    report = await session_report(session.connector.client_session)
    adapter = LangChainAdapter()
    await adapter.create_all(servers)
    made = [tool.name for tool in [*adapter.tools, *adapter.resources, *adapter.prompts]]
    twice = sorted({name for name in made if made.count(name) > 1})
    assert not twice, f"the same name for two things: {twice}"
    await servers.close_all_sessions()
    return report


async def llama_index():
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
    session = BasicMCPClient(binary, args=command["args"])
    made = [tool.metadata.name for tool in await McpToolSpec(client=session, include_resources=True).to_tool_list_async()]
    twice = sorted({name for name in made if made.count(name) > 1})
    assert not twice, f"the same name for two things: {twice}"
    return await session_report(session)


async def smolagents():
    from smolagents import ToolCollection
    from mcp import StdioServerParameters
    with ToolCollection.from_mcp(StdioServerParameters(**command), trust_remote_code=True, structured_output=True) as made:
        tools = {tool.name: tool for tool in made.tools}
        call = lambda name, arguments: tools[name](**arguments)
        plain = lambda answer: json.loads(answer) if isinstance(answer, str) and answer.startswith("{") else answer
        try:
            error = str(call(*WRONG))
        except Exception as raised:
            error = str(raised)
        return {
            "lists": {"tools": sorted(tools)},
            "structures": [plain(call(name, arguments)) for name, arguments in CALLS],
            "texts": None,
            "error": error,
        }


# Generations of a library are driven by the same lines: `python-1.12` by those of `python`.
run = globals()[client.rstrip("0123456789.").rstrip("-").replace("-", "_")]
print(json.dumps(asyncio.run(run())))

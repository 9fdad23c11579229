"""One client library against the server: clients.py CLIENT SERVER prints what it made of it as JSON.

SERVER is JSON, {command, args} for stdio or {url}.

Each function gives `lists` (names by kind, as far as the client knows the kind), `structures` and `texts` of CALLS (None
where it shows none), `error` (what is said of a wrong call), `resource` and `prompt` (their text).
"""

import asyncio
import json
import sys

from truth import CALLS, PROMPT, RESOURCE, WRONG

client, server = sys.argv[1], json.loads(sys.argv[2])


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
    from mcp.client import streamable_http as http
    connect = getattr(http, "streamable_http_client", None) or http.streamablehttp_client
    way = connect(server["url"]) if "url" in server else stdio_client(StdioServerParameters(**server))
    async with way as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            return await session_report(session)


async def fastmcp():
    from fastmcp import Client
    from fastmcp.exceptions import ToolError
    from pydantic_core import to_jsonable_python
    async with Client({"mcpServers": {"econoscope": server}}) as session:
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


async def dspy():
    """What its ReAct agent puts into the prompt is the result of such a tool as text."""
    from dspy import Tool
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    async with stdio_client(StdioServerParameters(**server)) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            tools = {tool.name: Tool.from_mcp_tool(session, tool) for tool in (await session.list_tools()).tools}
            texts = [str(await tools[name].acall(**arguments)) for name, arguments in CALLS]
            try:
                error = str(await tools[WRONG[0]].acall(**WRONG[1]))
            except Exception as raised:  # The agent writes it down as the observation.
                error = str(raised)
            return {"lists": {"tools": sorted(tools)}, "structures": None, "texts": texts, "error": error}


# Generations of a library are driven by the same lines: `python-1.12` by those of `python`.
run = globals()[client.rstrip("0123456789.").rstrip("-").replace("-", "_")]
print(json.dumps(asyncio.run(run())))

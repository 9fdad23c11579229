"""The calls through the Python SDK: python.py URL CALLS"""

import asyncio
import json
import sys


async def main(url, calls):
    from mcp import ClientSession
    try:
        from mcp.client.streamable_http import streamable_http_client as connect
    except ImportError:
        from mcp.client.streamable_http import streamablehttp_client as connect
    answers = []
    async with connect(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await session.list_tools()
            for name, args in json.load(open(calls, encoding="utf-8")):
                result = (await session.call_tool(name, args)).model_dump(mode="json", by_alias=True, exclude_none=True)
                answers.append({
                    "name": name,
                    "args": args,
                    "content": result["content"],
                    "structuredContent": result.get("structuredContent"),
                    "isError": result.get("isError", False),
                })
    print(json.dumps(answers))


asyncio.run(main(*sys.argv[1:3]))

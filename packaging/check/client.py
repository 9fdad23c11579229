#!/usr/bin/env python3
"""Speaks MCP over stdin and stdout with a command, as a host would that has just been told of it: hello, tools, one call,
good-bye. Fails when an answer is not right; prints how long the first took.

    client.py VERSION COMMAND [ARGUMENT ...]
"""

import json
import subprocess
import sys
import time

version, command = sys.argv[1], sys.argv[2:]
start = time.monotonic()
process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def say(method, params, number=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()
    if number is None:
        return None
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            return answer["result"]
    sys.exit(f"{command[0]} ended before it answered {method}")


hello = say("initialize", {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "packaging", "version": "1"},
}, 1)
first = time.monotonic() - start
assert hello["serverInfo"]["version"] == version, hello["serverInfo"]
say("notifications/initialized", {})
tools = say("tools/list", {}, 2)["tools"]
assert len(tools) > 10, tools
called = say("tools/call", {"name": "get_metric", "arguments": {"ticker": "10y"}}, 3)
assert not called.get("isError") and called["structuredContent"]["value"], called
process.stdin.close()
code = process.wait(10)
assert code == 0, f"exit code {code}"
print(f"first answer after {first * 1000:.0f} ms, {len(tools)} tools")

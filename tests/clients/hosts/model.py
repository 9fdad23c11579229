"""A model on loopback for hosts that come with their own command line: model.py FILE

It speaks Anthropic's messages and OpenAI's responses, asks for the calls of truth.py one after another, whatever it is
told, and then is done. Its address goes to stdout; every request it gets goes to FILE, a line each.
"""

import http.server
import json
import sys

from truth import CALLS, WRONG

ASKED = [*CALLS, WRONG]


def anthropic(body):
    """The next call, or the end, as the events of a message."""
    tools = {tool["name"]: tool for tool in body.get("tools", [])}
    ours = {name.removeprefix("mcp__econoscope__"): name for name in tools if name.startswith("mcp__econoscope__")}
    done = sum(part["type"] == "tool_result" for message in body["messages"] if isinstance(message["content"], list) for part in message["content"])
    block = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "done"}
    if ours and done < len(ASKED):
        name, arguments = ASKED[done]
        block = {"type": "tool_use", "id": f"toolu_{done}", "name": ours[name], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    why = "tool_use" if block["type"] == "tool_use" else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        content = [{**block, "text": "done"} if why == "end_turn" else {**block, "input": ASKED[done][1]}]
        return None, {**message, "content": content, "stop_reason": why}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ], None


def openai(body):
    """The same as events of a response."""
    done = sum(item.get("type") == "function_call_output" for item in body["input"])
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "done", "annotations": []}]}
    if done < len(ASKED) and body.get("tools"):
        name, arguments = ASKED[done]
        item = {"type": "function_call", "id": f"fc_{done}", "call_id": f"call_{done}", "status": "completed", "arguments": json.dumps(arguments), **called(body["tools"], name)}
    response = {"id": f"resp_{done}", "object": "response", "status": "completed", "model": body["model"], "output": [item], "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ], None


def called(tools, name):
    """How a tool of ours is called: by one long name, or by its own in a namespace."""
    for tool in tools:
        if tool.get("type") == "namespace" and "econoscope" in tool["name"]:
            return {"namespace": tool["name"], "name": name}
        if tool.get("name", "").endswith(f"econoscope__{name}"):
            return {"name": tool["name"]}
    return {"name": f"mcp__econoscope__{name}"}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(b'{"data": [], "models": []}')

    def do_HEAD(self):
        self.answer(b"")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        kind = next((make for end, make in [("/messages", anthropic), ("/responses", openai)] if self.path.split("?")[0].endswith(end)), None)
        if kind is None or "model" not in body:
            return self.answer(b"{}")
        with open(sys.argv[1], "a", encoding="utf-8") as seen:
            seen.write(json.dumps(body) + "\n")
        events, whole = kind(body)
        if events is None:
            return self.answer(json.dumps(whole).encode())
        lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        return self.answer(lines.encode(), "text/event-stream")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()

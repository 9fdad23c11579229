"""A model on loopback that asks for recorded calls, whatever it is told: model.py FILE

It speaks OpenAI's chat completions and responses, Anthropic's messages and Gemini's generateContent. The first part of a
path names a run: `/http/v1` is the base address of the run `http`. Of the calls that truth.py has for the run it asks for
one after another, and then is done. Its address goes to stdout; every request goes to FILE, a line each.
"""

import http.server
import json
import sys
import threading

from received import offered
from truth import PLANS

FINAL = ("final_answer", {"answer": "done"})  # smolagents ends with a tool


def chosen(body, name):
    """The offered tool of that name; hosts put the name of the server in front. Ours goes before a namesake."""
    ends = [tool for tool in offered(body) if tool[0] == name or tool[0].endswith(f"_{name}") or tool[0].endswith(f"-{name}")]
    return min(ends, key=lambda tool: (tool[0] != name, "econo" not in tool[0] + (tool[1] or ""))) if ends else (name, None, {})


def filled(schema, arguments):
    """Arguments with what the schema asks for beside them, as strict schemas do: the default, null, blank or the most."""
    blank = {"string": "", "array": [], "boolean": False}
    given = {}
    for key in schema.get("required", []):
        about = schema["properties"][key]
        can_be_null = "null" in str(about.get("type")) or any(one.get("type") == "null" for one in about.get("anyOf", []))
        given[key] = about.get("default", None if can_be_null else blank.get(about.get("type"), about.get("maximum")))
    return {**given, **arguments}


def chat(body, number, call):
    message = {"role": "assistant", "content": "done", "tool_calls": None}
    if call:
        name, _, arguments = call
        function = {"name": name, "arguments": json.dumps(arguments)}
        message = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]}
    why = "tool_calls" if call else "stop"
    head = {"id": f"chat_{number}", "created": 1, "model": body["model"]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": why}], "usage": usage}
    choices = [{"index": 0, "delta": message, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": why}]
    parts = [{**head, "object": "chat.completion.chunk", "choices": choice, "usage": None} for choice in choices]
    return whole, [*parts, {**parts[0], "choices": [], "usage": usage}, "[DONE]"]


def anthropic(body, number, call):
    block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[2])}
    why = "tool_use" if call else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    content = {**block, "input": call[2]} if call else {**block, "text": "done"}
    return {**message, "content": [content], "stop_reason": why}, [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def responses(body, number, call):
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "done", "annotations": []}]}
    if call:
        space = {"namespace": call[1]} if call[1] else {}
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed", "name": call[0], "arguments": json.dumps(call[2]), **space}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": f"resp_{number}", "object": "response", "created_at": 1, "status": "completed", "model": body["model"], "output": [item], "usage": usage,
                "tools": [], "tool_choice": "auto", "parallel_tool_calls": False}
    return response, [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


def gemini(body, number, call):
    part = {"functionCall": {"name": call[0], "args": call[2]}} if call else {"text": "done"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
    return whole, [whole]


SPOKEN = {"chat/completions": chat, "messages": anthropic, "responses": responses, "generateContent": gemini, "streamGenerateContent": gemini}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    steps = {}
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(b'{"object": "list", "data": [], "models": []}')

    def do_HEAD(self):
        self.answer(b"")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        speak = next((make for end, make in SPOKEN.items() if path.endswith(end)), None)
        if speak is None:
            return self.answer(b"{}")
        body.setdefault("model", "recorded")
        run = path.split("/")[1]
        number, call = None, None
        # What hosts ask beside the work, a title for one, offers none of our tools.
        if any("get_metric" in name for name, _, _ in offered(body)):
            with self.lock:
                number = self.steps[run] = self.steps.get(run, -1) + 1
                with open(sys.argv[1], "a", encoding="utf-8") as seen:
                    seen.write(json.dumps({"run": run, "body": body}) + "\n")
            plan = PLANS.get(run, PLANS["stdio"])
            if number < len(plan):
                tool, arguments = plan[number]
                name, space, schema = chosen(body, tool)
                call = name, space, filled(schema, arguments)
            elif any(name == FINAL[0] for name, _, _ in offered(body)):
                call = FINAL[0], None, FINAL[1]
        whole, events = speak(body, number, call)
        is_stream = body.get("stream") or path.endswith("streamGenerateContent")
        if not is_stream:
            return self.answer(json.dumps(whole).encode())
        line = lambda event: event if isinstance(event, str) else json.dumps(event)
        name = lambda event: f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
        self.answer("".join(f"{name(event)}data: {line(event)}\n\n" for event in events).encode(), "text/event-stream")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()

"""What a request to a model offers and what it was sent for each call, and how that compares with what the server said."""

import ast
import json
from collections import Counter

import truth

# Roles and kinds of what a model said itself.
OWN = {"assistant", "model", "function_call", "reasoning"}


def items(body):
    """The messages of a request in any of the model's four languages."""
    return body.get("messages") or body.get("input") or body.get("contents") or []


def offered(body):
    """Name, namespace and schema of every tool that a request offers."""
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            yield from ((inner["name"], tool["name"], inner.get("parameters", {})) for inner in tool["tools"])
        for inner in tool.get("functionDeclarations", [tool.get("function", tool)]):
            schema = inner.get("parameters") or inner.get("input_schema") or inner.get("parametersJsonSchema") or {}
            yield inner.get("name", ""), None, schema


def is_own(item):
    return item.get("role") in OWN or item.get("type") in OWN


def words(value):
    """The text of a message's content, with pictures as such. Gemini's answers are JSON values."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(words(one) for one in value)
    if not isinstance(value, dict):
        return ""
    if "functionResponse" in value:
        inner = [words(part) for part in value["functionResponse"].get("parts", [])]
        return "\n".join([json.dumps(value["functionResponse"]["response"], ensure_ascii=False), *inner])
    if str(value.get("type")) in ("image", "image_url", "input_image") or "inlineData" in value:
        return "<picture>"
    return "\n".join(words(value[key]) for key in ("text", "content", "output", "parts") if value.get(key))


def heard(body):
    """All that a request has from others than the model, a text for each part."""
    parts = []
    for item in items(body):
        if not is_own(item):
            content = item.get("content") or item.get("parts")
            parts += [words(part) for part in content] if isinstance(content, list) else [words(item)]
    return parts


def answers(bodies):
    """For each call of a run what the model was sent: what is new in the next request."""
    for before, after in zip(bodies, bodies[1:]):
        old, new = heard(before), heard(after)
        # Some put an answer into the last message, some into one of its own, and some put words of theirs in between.
        whole, start = "\n".join(new), "\n".join(old)
        yield whole[len(start):] if whole.startswith(start) else "\n".join((Counter(new) - Counter(old)).elements())


def parsed(text):
    """Every JSON or Python value in a text that a structure could be, and those inside of it."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        yield from within(value)
        return
    start, end = text.find("{"), text.rfind("}")
    if 0 < start < end or 0 <= start < end < len(text.rstrip()) - 1:
        yield from parsed(text[start:end + 1])


def within(value):
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from within(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from within(inner)
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        yield from parsed(value)


def forms(text):
    """A text as such, inside of JSON and inside of what Python prints."""
    plain, escaped = json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]
    return [text, plain, escaped, json.dumps(plain, ensure_ascii=False)[1:-1], json.dumps(escaped)[1:-1], repr(text)[1:-1]]


def sees(sent, got):
    """Which of the two forms of an answer a model got whole: text, structure, both or neither."""
    text, structure = sent
    has_text = any(form in got for form in forms(text.strip()))
    has_structure = any(not truth.lost(structure, value) for value in parsed(got)) or json.dumps(structure, separators=(",", ":"), ensure_ascii=False) in got
    return [name for name, has in (("text", has_text), ("structure", has_structure)) if has]


def picture(got):
    """What became of a picture: shown, dropped, or its base64 as text, which costs the most."""
    is_text = "iVBORw0KGgo" in got
    return "as text" if is_text else "shown" if "<picture>" in got else "dropped"

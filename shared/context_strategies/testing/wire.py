"""What a provider checks and counts in a request: pairing, size, and the part its cache holds."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any

CHARACTERS_PER_TOKEN = 4

ChatMessage = Mapping[str, Any]


def text_of(message: ChatMessage) -> str:
    """Everything a model reads of a message: its text and its calls."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    calls = message.get("tool_calls")
    return content + (json.dumps(calls) if calls else "")


def without_marks(value: Any) -> Any:
    """``value`` without its cache marks, which are no part of what is cached."""
    if isinstance(value, Mapping):
        return {key: without_marks(part) for key, part in value.items() if key != "cache_control"}
    return [without_marks(part) for part in value] if isinstance(value, list) else value


def marks_of(messages: Sequence[ChatMessage]) -> tuple[int, ...]:
    """Positions of the messages that carry a cache mark, on themselves or on a part."""
    return tuple(index for index, message in enumerate(messages) if without_marks(message) != message)


def chain_of(body: Mapping[str, Any]) -> list[bytes]:
    """One digest a message, of it and all before it: two requests share a prefix as far as their digests agree.

    The model and the tools come before the first message, as they do in providers' caches.
    """
    digest = sha256(json.dumps([body.get("model"), body.get("tools")], sort_keys=True).encode())
    chain = []
    for message in body["messages"]:
        digest.update(json.dumps(_plain(without_marks(message)), sort_keys=True).encode())
        chain.append(digest.digest())
    return chain


def _plain(message: ChatMessage) -> ChatMessage:
    """A message of one text part as one of plain text: the same prompt, and how a scaffold writes what it marks."""
    match message.get("content"):
        case [{"type": "text", "text": str(text), **rest}] if not rest:
            return {**message, "content": text}
    return message


def pairing_error(messages: Sequence[ChatMessage]) -> str:
    """What OpenAI would refuse: an answer without its call, a call without its answer. Empty if nothing."""
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id"))
            if call_id not in open_calls:
                return f"messages.[{index}]: role 'tool' must be a response to a preceding message with 'tool_calls'"
            open_calls.discard(call_id)
            continue
        if open_calls:
            return f"messages.[{index}]: tool_call_ids without response: {sorted(open_calls)}"
        open_calls = {str(call.get("id")) for call in message.get("tool_calls") or ()}
    return f"tool_call_ids without response: {sorted(open_calls)}" if open_calls else ""


def usage(prompt: int, cached: int, output: int) -> dict[str, Any]:
    """OpenAI's usage record for these numbers of characters."""
    tokens = [characters // CHARACTERS_PER_TOKEN for characters in (prompt, cached, output)]
    prompt_tokens, output_tokens = tokens[0] + 1, tokens[2] + 1
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": prompt_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": tokens[1]},
    }


def error(status: int, message: str, code: str) -> dict[str, Any]:
    """OpenAI's error record."""
    kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}


def as_stream(response: Mapping[str, Any]) -> bytes:
    """A whole completion as the one chunk of a server-sent stream."""
    choices = []
    for choice in response["choices"]:
        delta = dict(choice["message"])
        if calls := delta.get("tool_calls"):
            delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(calls)]
        choices.append({"index": choice["index"], "delta": delta, "finish_reason": choice["finish_reason"]})
    chunk = {**response, "object": "chat.completion.chunk", "choices": choices}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()

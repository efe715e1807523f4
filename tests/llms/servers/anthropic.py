"""Anthropic's Messages API, version 2026-10-21, as far as chat goes: events, errors, rules."""

from __future__ import annotations

import json
from typing import Any

from tests.llms.servers import http, mind
from tests.llms.servers.http import Answer, Request

MODEL = "claude-scripted-1"
CACHED, WRITTEN_TO_CACHE = 3, 2
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
_STOPS = {"stop": "end_turn", "length": "max_tokens", "tools": "tool_use", "refused": "refusal"}
_CHOICES = {"any": "required", "none": "none", "auto": "auto"}


class AnthropicServer(http.Server):
    def answer(self, request: Request) -> Answer:
        if request.headers.get("authorization") != f"Bearer {http.RIGHT_KEY}":
            return self.error(401)
        if not request.path.startswith("/v1/messages") or request.json["model"] != MODEL:
            return self.error(404)
        if wrong := _wrong(request.json):
            return _error(400, wrong)
        return Answer(200, http.EVENTS, _events(request.json))

    def error(self, status: int) -> Answer:
        return _error(status, "as the test wants it")

    def error_piece(self) -> bytes:
        return _event("error", error={"type": "overloaded_error", "message": "Overloaded"})

    def junk_piece(self) -> bytes:
        return b"event: content_block_delta\ndata: {no JSON\n\n"


def _error(status: int, message: str) -> Answer:
    kind = _KINDS.get(status, "api_error")
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return Answer.of(body, status, request_id="req_1")


def _wrong(body: dict[str, Any]) -> str:
    allowed = {"model", "max_tokens", "messages", "system", "stop_sequences", "stream", "tools"}
    if extra := body.keys() - allowed - {"tool_choice", "output_config"}:
        return f"{min(extra)}: Extra inputs are not permitted"
    if not body["messages"]:
        return "messages: at least one message is required"
    asked = set[str]()
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "text" and not block["text"].strip():
                return "messages: text content blocks must contain non-whitespace text"
            if block["type"] == "tool_result" and block["tool_use_id"] not in asked:
                return "messages: unexpected tool_use_id found in tool_result blocks"
        asked = {one["id"] for one in message["content"] if one["type"] == "tool_use"}
    return ""


def _asked(body: dict[str, Any]) -> mind.Asked:
    blocks = [block for message in body["messages"] for block in message["content"]]
    texts = [one["text"] for one in blocks if one["type"] == "text"]
    last = body["messages"][-1]["content"]
    choice = body.get("tool_choice", {"type": "auto"})
    wanted = body.get("output_config", {}).get("format", {}).get("schema")
    return mind.Asked(
        question=texts[-1] if texts else "",
        words=sum(len(text.split()) for text in [*texts, body.get("system", "")]),
        tools={one["name"]: one["input_schema"] for one in body.get("tools", ())},
        choice=_CHOICES.get(choice["type"], choice.get("name", "auto")),
        results=tuple(one["content"][0]["text"] for one in last if one["type"] == "tool_result"),
        schema=wanted,
        stop=tuple(body.get("stop_sequences", ())),
        max_tokens=body["max_tokens"],
    )


def _events(body: dict[str, Any]) -> list[bytes]:
    asked = _asked(body)
    said = mind.reply(asked)
    usage = {
        "input_tokens": asked.words,
        "output_tokens": 1,
        "cache_read_input_tokens": CACHED,
        "cache_creation_input_tokens": WRITTEN_TO_CACHE,
    }
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    blocks = _call(said.call) if said.call else _text(said.pieces)
    return [
        _event("message_start", message=message),
        _event("ping"),
        *_thought(),
        *blocks,
        _event(
            "message_delta",
            delta={"stop_reason": _STOPS[said.reason], "stop_sequence": None},
            usage={"output_tokens": said.tokens},
        ),
        _event("message_stop"),
    ]


def _thought() -> list[bytes]:
    thought = {"type": "thinking", "thinking": "", "signature": ""}
    delta = {"type": "thinking_delta", "thinking": "Let me see."}
    return [
        _event("content_block_start", index=0, content_block=thought),
        _event("content_block_delta", index=0, delta=delta),
        _event("content_block_stop", index=0),
    ]


def _text(pieces: list[str]) -> list[bytes]:
    return [
        _event("content_block_start", index=1, content_block={"type": "text", "text": ""}),
        *(
            _event("content_block_delta", index=1, delta={"type": "text_delta", "text": piece})
            for piece in pieces
        ),
        _event("content_block_stop", index=1),
    ]


def _call(call: tuple[str, dict[str, Any]]) -> list[bytes]:
    name, arguments = call
    text = json.dumps(arguments) if arguments else ""
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
    return [
        _event("content_block_start", index=1, content_block=block),
        *(
            _event(
                "content_block_delta",
                index=1,
                delta={"type": "input_json_delta", "partial_json": piece},
            )
            for piece in ("", text[:5], text[5:])
        ),
        _event("content_block_stop", index=1),
    ]


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()

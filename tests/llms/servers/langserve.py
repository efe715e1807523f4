"""A LangServe application: runnables under several paths, each with a shape of its own.

``/chat`` streams parts of a message, ``/text`` streams texts, ``/lines`` sends JSON by lines,
``/invoked`` cannot stream, ``/keyed`` wants the messages in an object, ``/chain`` gives entries of
a dictionary, ``/strange`` numbers.
"""

from __future__ import annotations

import json
from typing import Any

from tests.llms.servers import http, mind
from tests.llms.servers.http import Answer, Request

MODEL = "scripted-model"
_ASK = "JSON schema:\n"
_KNOWN = ("chat", "text", "lines", "invoked", "keyed", "chain", "strange")


class LangServeServer(http.Server):
    key: str = ""

    def answer(self, request: Request) -> Answer:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return self.error(401)
        _, name, verb = request.path.split("/")
        if name not in _KNOWN or (name == "invoked" and verb == "stream"):
            return self.error(404)
        messages = request.json["input"]
        if name == "keyed":
            if not isinstance(messages, dict):
                return self.error(422)
            messages = messages["messages"]
        if not messages:
            return self.error(422)
        said = mind.reply(_asked(messages))
        if verb == "invoke":
            return Answer.of({"output": _message(said.text), "metadata": {"run_id": "1"}})
        if name == "lines":
            lines = [f"{json.dumps(piece)}\n".encode() for piece in said.pieces]
            return Answer(200, {"content-type": "application/x-ndjson"}, lines)
        return Answer(200, http.EVENTS, _events(name, said, _words(messages)))

    def error(self, status: int) -> Answer:
        return Answer.of({"detail": "as the test wants it"}, status)

    def error_piece(self) -> bytes:
        return _event("error", {"status_code": 500, "message": "Internal Server Error"})

    def junk_piece(self) -> bytes:
        return b"event: data\r\ndata: {no JSON\r\n\r\n"


def _asked(messages: list[dict[str, Any]]) -> mind.Asked:
    last = _text(messages[-1]["content"])
    _, found, schema = last.partition(_ASK)
    return mind.Asked(last, _words(messages), {}, schema=json.loads(schema) if found else None)


def _words(messages: list[dict[str, Any]]) -> int:
    return sum(len(_text(one["content"]).split()) for one in messages)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else str(content[0]["text"])


def _events(name: str, said: mind.Said, words: int) -> list[bytes]:
    pieces = [_shaped(name, piece) for piece in said.pieces]
    if name in ("chat", "keyed"):
        last = _message("")
        last["usage_metadata"] = {"input_tokens": words, "output_tokens": said.tokens}
        last["response_metadata"] = {"model_name": MODEL, "finish_reason": said.reason}
        last["content"] = []
        pieces.append(last)
    if name == "chain":
        pieces.insert(0, {"context": ["a document"]})
    return [
        _event("metadata", {"run_id": "1"}),
        *(_event("data", piece) for piece in pieces),
        b"event: end\r\n\r\n",
    ]


def _shaped(name: str, piece: str) -> Any:
    match name:
        case "text":
            return piece
        case "chain":
            return {"answer": piece}
        case "strange":
            return {"numbers": len(piece)}
    return _message(piece)


def _message(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text, "index": 0}] if text else text
    return {"type": "AIMessageChunk", "content": content, "id": "run-1", "tool_calls": []}


def _event(kind: str, data: Any) -> bytes:
    return f"event: {kind}\r\ndata: {json.dumps(data)}\r\n\r\n".encode()

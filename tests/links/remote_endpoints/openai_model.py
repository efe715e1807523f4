"""A model behind OpenAI's protocol on a port of its own, which does what the last message says.

``CALL name {json}`` is a call; the result of a call is said again, everything else is repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import Answer, Request, answering


@dataclass
class Model:
    """Where it is, and what it was sent."""

    url: str = ""
    asked: list[Any] = field(default_factory=list)


@contextmanager
def openai_model() -> Iterator[Model]:
    """Serve the model."""
    own = Model()

    def answer(request: Request) -> Answer:
        assert request.path == "/v1/chat/completions"
        own.asked.append(json.loads(request.body))
        last = own.asked[-1]["messages"][-1]
        return Answer(body=_streamed(last), headers={"content-type": "text/event-stream"})

    with answering(answer) as url:
        own.url = f"{url}/v1"
        yield own


def _streamed(last: dict[str, Any]) -> bytes:
    text = last["content"] if isinstance(last["content"], str) else last["content"][0]["text"]
    if last["role"] == "user" and text.startswith("CALL "):
        _, name, arguments = text.split(" ", 2)
        half = len(arguments) // 2
        first = {"index": 0, "id": f"call-{name}", "type": "function"}
        deltas: list[Any] = [
            _called(first | {"function": {"name": name, "arguments": arguments[:half]}}),
            _called({"index": 0, "function": {"arguments": arguments[half:]}}),
        ]
        reason = "tool_calls"
    else:
        reply = f"It is {text}." if last["role"] == "tool" else text
        deltas = [{"role": "assistant", "content": f"{word} "} for word in reply.split()]
        reason = "stop"
    chunks = [*((delta, None) for delta in deltas), ({}, reason)]
    return b"".join(_chunk(*one) for one in chunks) + b"data: [DONE]\n\n"


def _called(call: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [call]}


def _chunk(delta: dict[str, Any], reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    made = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return f"data: {json.dumps(made | {'choices': [choice]})}\n\n".encode()

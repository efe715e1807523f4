"""``openai-responses:MODEL``: a model of OpenAI by its newer protocol, the Responses API.

The same words in other places; it knows no stop words, and keeps nothing of what was said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sextant.errors import BrokenStream, ModelRefused, ModelRejected
from sextant.llms.openai import client as openai_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.chat import Language, OpenAIChat
from sextant.llms.openai.messages import image_url, is_closed, schema_name
from sextant.llms.openai.peer import Wording
from sextant.llms.statuses import error_for, shown
from sextant.llms.wire import as_utf8, model_named
from sextant.ports import ChatModel
from sextant.prompting.secrets.keys import key_for
from sextant.settings import Settings
from sextant.types import (
    ANY_TOOL,
    AUTO,
    NO_TOOL,
    Arguments,
    Called,
    Delta,
    Ended,
    Message,
    ModelIdentity,
    Prompt,
    Reason,
    Schema,
    Speaker,
    TextDelta,
    Usage,
)

_STATUSES = {"rate_limit_exceeded": 429, "insufficient_quota": 429, "invalid_prompt": 400}


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open a model of OpenAI by its name."""
    model = model_named(rest, "openai-responses")
    peer = openai_peer.openai(model)
    client = openai_client.to_openai(key_for([peer.key], settings.model), settings.model)
    return OpenAIChat(client, peer, ModelIdentity("openai-responses", model), None, RESPONSES)


def request(prompt: Prompt, model: str, wording: Wording) -> dict[str, Any]:
    """Return what is sent; what is left to the provider is not in it."""
    if prompt.stop:
        raise ModelRejected("The Responses API knows no stop words.", "Use openai:MODEL.")
    items = [item for one in prompt.messages for item in _items(one)]
    sent: dict[str, Any] = {"model": model, "input": items, "stream": True, "store": False}
    if prompt.tools:
        sent["tools"] = [
            {
                "type": "function",
                "name": one.name,
                "description": one.description,
                "parameters": dict(one.parameters),
                "strict": False,
            }
            for one in prompt.tools
        ]
        sent["tool_choice"] = _choice(prompt.tool_choice)
    if prompt.schema is not None:
        sent["text"] = {"format": _format(prompt.schema)}
    if prompt.temperature is not None and wording.temperature:
        sent["temperature"] = prompt.temperature
    if prompt.max_tokens:
        sent["max_output_tokens"] = prompt.max_tokens
    return sent


def _items(said: Message) -> Iterator[dict[str, Any]]:
    text = as_utf8(said.text)
    if said.speaker is Speaker.TOOL:
        yield {"type": "function_call_output", "call_id": said.call_id, "output": text}
        return
    if said.images and said.speaker is Speaker.USER:
        images = [{"type": "input_image", "image_url": image_url(one)} for one in said.images]
        yield {"role": "user", "content": [{"type": "input_text", "text": text}, *images]}
    elif text or not said.calls:
        yield {"role": said.speaker.value, "content": text}
    for call in said.calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }


def _choice(choice: str) -> str | dict[str, Any]:
    return choice if choice in (AUTO, NO_TOOL, ANY_TOOL) else {"type": "function", "name": choice}


def _format(schema: Schema) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "name": schema_name(schema),
        "schema": dict(schema.schema),
        "strict": is_closed(schema.schema),
    }


class Reading:
    """What has been read of one reply so far."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}
        self._whole: Any = None
        self._refused = False

    def take(self, chunk: Any) -> Sequence[Delta]:
        """Return what an event says, and remember the one that tells of the whole."""
        match chunk:
            case {"type": "response.output_text.delta", "delta": str(text)} if text:
                return (TextDelta(text),)
            case {"type": "response.refusal.delta", "delta": str(text)} if text:
                self._refused = True
                return (TextDelta(text),)
            case {"type": "response.output_item.added", "item": {"type": "function_call"} as item}:
                self._calls[item["id"]] = item["call_id"]
                return (Called(item["call_id"], item["name"]),)
            case {"type": "response.function_call_arguments.delta", "delta": str(text)} if text:
                return (Arguments(self._calls[chunk["item_id"]], text),)
            case {"type": "response.completed" | "response.incomplete", "response": whole}:
                self._whole = whole
            case {"type": "response.failed", "response": {"error": dict(error)}}:
                _fail(error)
            case {"type": "error"}:
                _fail(chunk)
        return ()

    def ended(self) -> Ended:
        """Return the end of the reply, or say that there was none."""
        if self._whole is None:
            raise BrokenStream("The reply broke off before its end.", "Try again.")
        usage = self._whole.get("usage") or {}
        details = usage.get("input_tokens_details") or {}
        counted = Usage(
            usage.get("input_tokens") or 0,
            usage.get("output_tokens") or 0,
            details.get("cached_tokens") or 0,
        )
        return Ended(self._reason(), counted, self._whole.get("model") or "")

    def _reason(self) -> Reason:
        if self._refused:
            return Reason.REFUSED
        if self._whole.get("status") == "incomplete":
            why = (self._whole.get("incomplete_details") or {}).get("reason")
            return Reason.REFUSED if why == "content_filter" else Reason.LENGTH
        return Reason.TOOLS if self._calls else Reason.STOP


def _fail(error: Any) -> None:
    code = str(error.get("code") or "")
    if code == "content_filter":
        raise ModelRefused("OpenAI declines to answer this.", "Ask in other words.")
    raise error_for(_STATUSES.get(code, 500), "OpenAI", shown(str(error.get("message") or "")))


RESPONSES = Language("/responses", request, Reading)

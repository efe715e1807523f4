"""Claude models by Anthropic's SDK. Knows the Messages API's events and errors, no prompt of ours.

The address comes from ``ANTHROPIC_BASE_URL``, as everywhere with this SDK.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2

from sextant.errors import ModelError
from sextant.llms.anthropic.request import request_for
from sextant.llms.statuses import broken, closed, error_for, unreachable
from sextant.llms.wire import model_named
from sextant.prompting.network.trust import trusted
from sextant.prompting.secrets.keys import key_for
from sextant.types import Arguments, Called, Delta, Ended, ModelIdentity, Reason, TextDelta, Usage

if TYPE_CHECKING:
    from sextant.ports import ChatModel
    from sextant.settings import ModelSettings, Settings
    from sextant.types import Prompt

VARIABLE = "ANTHROPIC_API_KEY"
_NAME = "Anthropic"

_REASONS = {
    "tool_use": Reason.TOOLS,
    "max_tokens": Reason.LENGTH,
    "model_context_window_exceeded": Reason.LENGTH,
    "refusal": Reason.REFUSED,
}
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What an error means that comes after the status: within the stream."""


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open the model that ``anthropic:MODEL`` names."""
    model = model_named(rest, "anthropic")
    return Claude(model, key_for((VARIABLE,), settings.model), settings.model)


class Claude:
    """A model and the connections to it."""

    def __init__(self, model: str, key: str, settings: ModelSettings) -> None:
        self._identity = ModelIdentity("anthropic", model)
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            max_retries=0,
            timeout=httpx2.Timeout(settings.read_seconds, connect=settings.connect_seconds),
            # A redirect would carry the documents of a prompt to somebody whom nobody chose.
            http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False, verify=trusted()),
        )

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._identity

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended."""
        if self._client.is_closed():
            raise closed()
        request = request_for(self._identity.name, prompt)
        with _translated():
            async with (
                await self._client.messages.create(**request, stream=True) as events,
                aclosing(_deltas(events)) as deltas,
            ):
                async for delta in deltas:
                    yield delta

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()


async def _deltas(events: AsyncIterable[Any]) -> AsyncGenerator[Delta, None]:
    usage, model, reason = dict[str, int](), "", Reason.STOP
    calls = dict[int, _Call]()
    async for event in events:
        match event.type:
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                for delta in _block(event, calls):
                    yield delta
            case "message_start":
                model = event.message.model
                usage |= _counts(event.message.usage)
            case "message_delta":
                usage |= _counts(event.usage)
                reason = _REASONS.get(event.delta.stop_reason, reason)
            case "message_stop":
                yield Ended(reason, _usage(usage), model)
                return
    raise broken(_NAME)


@dataclass(slots=True)
class _Call:
    id: str
    input: Any
    is_told: bool = False


def _block(event: Any, calls: dict[int, _Call]) -> Iterator[Delta]:
    match event.type:
        case "content_block_delta" if event.delta.type == "text_delta" and event.delta.text:
            yield TextDelta(event.delta.text)
        case "content_block_delta" if event.delta.type == "input_json_delta":
            if event.delta.partial_json:
                calls[event.index].is_told = True
                yield Arguments(calls[event.index].id, event.delta.partial_json)
        case "content_block_start" if event.content_block.type == "tool_use":
            block = event.content_block
            calls[event.index] = _Call(block.id, block.input)
            yield Called(block.id, block.name)
        case "content_block_stop" if event.index in calls:
            call = calls.pop(event.index)
            if not call.is_told:
                # A call without arguments is told as an empty object.
                yield Arguments(call.id, json.dumps(call.input or {}))


def _counts(usage: Any) -> dict[str, int]:
    return {name: count for name, count in usage.to_dict().items() if isinstance(count, int)}


def _usage(counts: dict[str, int]) -> Usage:
    """Add up what was read: the API counts what came from its cache, or went there, apart."""
    cached = counts.get("cache_read_input_tokens", 0)
    read = counts.get("input_tokens", 0) + counts.get("cache_creation_input_tokens", 0) + cached
    return Usage(read, counts.get("output_tokens", 0), cached)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ModelError:
        raise
    except anthropic.APIStatusError as error:
        is_late = error.status_code < httpx2.codes.BAD_REQUEST
        status = _STATUSES.get(error.type or "", 0) if is_late else error.status_code
        said = error.api_message or ""
        raise error_for(status, _NAME, said, error.response.headers, VARIABLE) from None
    except anthropic.APIConnectionError as error:
        cause = error.__cause__
        raise unreachable(cause if isinstance(cause, Exception) else error, _NAME) from None
    except httpx2.HTTPError as error:
        raise unreachable(error, _NAME) from None
    except Exception:
        # Whatever else the SDK or the events raise: it was no reply in this protocol.
        raise broken(_NAME) from None

"""Gemini models. Knows the API's chunks and reasons, no prompt of ours."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from google.genai.types import FinishReason

from sextant.llms.gemini.client import NAME, Connection, reading, translated
from sextant.llms.gemini.request import config_for, contents_for
from sextant.llms.statuses import broken, closed
from sextant.llms.wire import model_named
from sextant.types import Arguments, Called, Delta, Ended, ModelIdentity, Reason, TextDelta, Usage

if TYPE_CHECKING:
    from sextant.ports import ChatModel
    from sextant.settings import ModelSettings, Settings
    from sextant.types import Prompt

_REASONS = {
    FinishReason.STOP: Reason.STOP,
    FinishReason.MAX_TOKENS: Reason.LENGTH,
    FinishReason.CONTINUATION: Reason.LENGTH,
    FinishReason.SAFETY: Reason.REFUSED,
    FinishReason.RECITATION: Reason.REFUSED,
    FinishReason.LANGUAGE: Reason.REFUSED,
    FinishReason.BLOCKLIST: Reason.REFUSED,
    FinishReason.PROHIBITED_CONTENT: Reason.REFUSED,
    FinishReason.SPII: Reason.REFUSED,
    FinishReason.IMAGE_SAFETY: Reason.REFUSED,
    FinishReason.IMAGE_PROHIBITED_CONTENT: Reason.REFUSED,
    FinishReason.IMAGE_RECITATION: Reason.REFUSED,
}
"""Whatever is missing here, such as a malformed call, is no end of a reply that can be used."""

_REMEMBERED = 4_096


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open the model that ``gemini:MODEL`` names."""
    return Gemini(model_named(rest, "gemini"), settings.model)


class Gemini:
    """A model, the connections to it, and the signatures of its calls."""

    def __init__(self, model: str, settings: ModelSettings) -> None:
        self._identity = ModelIdentity("gemini", model)
        self._connection = Connection(settings)
        self._signatures = OrderedDict[str, bytes]()

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._identity

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended."""
        if self._connection.is_closed:
            raise closed()
        model = self._identity.name
        with translated():
            chunks = await self._connection.models.generate_content_stream(
                model=model,
                contents=contents_for(model, prompt, self._signatures),
                config=config_for(prompt),
            )
            async with aclosing(reading(chunks)) as read, aclosing(self._deltas(read)) as deltas:
                async for delta in deltas:
                    yield delta

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connection.close()

    async def _deltas(self, chunks: AsyncIterable[Any]) -> AsyncGenerator[Delta, None]:
        usage, model, reason, is_calling = Usage(), "", None, False
        async for chunk in chunks:
            usage = _usage(chunk.usage_metadata) or usage
            model = chunk.model_version or model
            if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
                reason = Reason.REFUSED
            for candidate in (chunk.candidates or ())[:1]:
                for delta in self._parts(candidate):
                    is_calling = is_calling or isinstance(delta, Called)
                    yield delta
                reason = _reason(candidate) or reason
        if reason is None:
            raise broken(NAME)
        # The API has no reason of its own for calls.
        is_calling = is_calling and reason == Reason.STOP
        yield Ended(Reason.TOOLS if is_calling else reason, usage, model)

    def _parts(self, candidate: Any) -> Iterator[Delta]:
        for part in (candidate.content.parts if candidate.content else None) or ():
            if part.thought:
                continue
            if part.text:
                yield TextDelta(part.text)
            if part.function_call:
                call_id = part.function_call.id or f"call_{uuid4().hex}"
                self._remember(call_id, part.thought_signature)
                yield Called(call_id, part.function_call.name)
                yield Arguments(call_id, json.dumps(part.function_call.args or {}))

    def _remember(self, call_id: str, signature: bytes | None) -> None:
        if signature:
            self._signatures[call_id] = signature
            while len(self._signatures) > _REMEMBERED:
                self._signatures.popitem(last=False)


def _reason(candidate: Any) -> Reason | None:
    said = candidate.finish_reason
    if said in (None, FinishReason.FINISH_REASON_UNSPECIFIED):
        return None
    if said not in _REASONS:
        raise broken(NAME)
    return _REASONS[said]


def _usage(counts: Any) -> Usage | None:
    """Add up what was read and written; thoughts are written too."""
    if counts is None:
        return None
    read = (counts.prompt_token_count or 0) + (counts.tool_use_prompt_token_count or 0)
    written = (counts.candidates_token_count or 0) + (counts.thoughts_token_count or 0)
    return Usage(read, written, counts.cached_content_token_count or 0)

"""A model whose calls are told to whoever traces: who, how much and how long, never what was said.

The names are those of OpenTelemetry's conventions for generative AI where there is one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from time import monotonic

from sextant.ports import ChatModel
from sextant.spans import Facts, Kind, Span, Value, begun, is_traced
from sextant.types import Arguments, Called, Delta, Ended, ModelIdentity, Prompt, TextDelta


def traced_model(model: ChatModel, clock: Callable[[], float] = monotonic) -> ChatModel:
    """Let every call of a model have a span."""
    return _TracedModel(model, clock)


class _TracedModel:
    def __init__(self, model: ChatModel, clock: Callable[[], float]) -> None:
        self._model, self._clock = model, clock

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._model.identity

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces as the model does."""
        return self._heard(prompt) if is_traced() else self._model.stream(prompt)

    async def _heard(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        # Whoever reads the pieces does other things meanwhile, which are no part of this span.
        span = begun(f"chat {self.identity.name}", _asked(self.identity, prompt), Kind.CLIENT)
        reply = _Reply(self._clock)
        try:
            async with aclosing(self._model.stream(prompt)) as deltas:
                async for delta in deltas:
                    reply.hear(delta)
                    if reply.ended:
                        _close(span, reply)
                    yield delta
        except BaseException as error:
            if reply.ended is None:
                _close(span, reply, error)
            raise


@dataclass(slots=True)
class _Reply:
    clock: Callable[[], float]
    characters: int = 0
    pieces: int = 0
    calls: int = 0
    first: float = 0.0
    ended: Ended | None = None
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def hear(self, delta: Delta) -> None:
        if isinstance(delta, Ended):
            self.ended = delta
            return
        self.first = self.first or self.clock()
        self.pieces += 1
        self.calls += isinstance(delta, Called)
        self.characters += len(delta.text) if isinstance(delta, TextDelta | Arguments) else 0


def _close(span: Span, reply: _Reply, error: BaseException | None = None) -> None:
    span.note(_answered(reply))
    span.end(error)


def _asked(identity: ModelIdentity, prompt: Prompt) -> Facts:
    facts: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": identity.provider,
        "gen_ai.request.model": identity.name,
        "gen_ai.request.stream": True,
        "gen_ai.output.type": "json" if prompt.schema else "text",
        "sextant.model.messages": len(prompt.messages),
        "sextant.model.actions": len(prompt.tools),
    }
    if prompt.max_tokens:
        facts["gen_ai.request.max_tokens"] = prompt.max_tokens
    if prompt.temperature is not None:
        facts["gen_ai.request.temperature"] = prompt.temperature
    return facts


def _answered(reply: _Reply) -> Facts:
    """Return a summary of a reply: final is one that came to its end, progressive in pieces."""
    facts: dict[str, Value] = {
        "sextant.model.final": reply.ended is not None,
        "sextant.model.progressive": reply.pieces > 1,
        "sextant.model.pieces": reply.pieces,
        "sextant.model.output.characters": reply.characters,
        "sextant.model.output.calls": reply.calls,
        "sextant.model.latency_ms": round((reply.clock() - reply.began) * 1000, 3),
    }
    if reply.first:
        facts["gen_ai.response.time_to_first_chunk"] = round(reply.first - reply.began, 6)
    if reply.ended:
        facts |= _ended(reply.ended)
    return facts


def _ended(ended: Ended) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "gen_ai.response.finish_reasons": [ended.reason.value],
        "sextant.model.retries": ended.retries,
    }
    if ended.model:
        facts["gen_ai.response.model"] = ended.model
    if ended.usage.read or ended.usage.written:
        facts["gen_ai.usage.input_tokens"] = ended.usage.read
        facts["gen_ai.usage.output_tokens"] = ended.usage.written
    if ended.usage.cached:
        facts["gen_ai.usage.cache_read.input_tokens"] = ended.usage.cached
    return facts

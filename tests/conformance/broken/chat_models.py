"""Chat models that each break one promise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeGuard, cast

from sextant.errors import ModelAuthentication, ModelError
from sextant.types import Called, Delta, Ended, ModelIdentity, Prompt, Reason, TextDelta, Usage
from tests.conformance.broken.cases import Cases
from tests.conformance.broken.obedient import Obedient

CHAT_MODELS = Cases()


@CHAT_MODELS.refused_by("test_reply_ends_once_and_last")
class TalksOn(Obedient):
    """Breaks: nothing comes after the end."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        async for delta in super().stream(prompt):
            yield delta
        yield TextDelta("And another thing.")


@CHAT_MODELS.refused_by("test_reply_ends_once_and_last")
class EmptyPieces(Obedient):
    """Breaks: no piece is empty."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        yield TextDelta("")
        async for delta in super().stream(prompt):
            yield delta


@CHAT_MODELS.refused_by("test_reply_ends_once_and_last", most=20)  # whoever waits for a whole reply
class NeverEnds(Obedient):
    """Breaks: the last piece says that the reply is over."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        async for delta in super().stream(prompt):
            if not isinstance(delta, Ended):
                yield delta


@CHAT_MODELS.refused_by("test_reply_comes_in_pieces")
class AllAtOnce(Obedient):
    """Breaks: a reply comes in pieces."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        deltas = [delta async for delta in super().stream(prompt)]
        said = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
        if said:
            yield TextDelta(said)
        for delta in deltas:
            if not isinstance(delta, TextDelta):
                yield delta


class _Unclosable:
    """A stream that does not hear that nobody listens any more."""

    def __init__(self, deltas: AsyncIterator[Delta]) -> None:
        self._deltas = deltas

    def __aiter__(self) -> AsyncIterator[Delta]:
        return self._deltas

    def __anext__(self) -> Any:
        return anext(self._deltas)

    async def aclose(self) -> None:
        pass


@CHAT_MODELS.refused_by("test_reply_that_is_closed_early_is_over")
class GoesOnUnheard(Obedient):
    """Breaks: closing the generator ends the call."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        return cast("AsyncGenerator[Delta, None]", _Unclosable(super().stream(prompt)))


@CHAT_MODELS.refused_by("test_reader_who_is_cancelled_before_the_first_piece_ends_as_cancelled")
class CancellationAsFailure(Obedient):
    """Breaks: cancelling whoever waits for a reply is no failure of the model."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        try:
            async for delta in super().stream(prompt):
                yield delta
        except asyncio.CancelledError:
            raise ModelError("The call failed.", "Try again.") from None


@CHAT_MODELS.refused_by("test_tool_is_called_with_arguments")
class ArgumentsOfPython(Obedient):
    """Breaks: the arguments of a call are JSON."""

    def write_arguments(self, tool: str) -> str:
        return super().write_arguments(tool).replace('"', "'")


@CHAT_MODELS.refused_by("test_arguments_follow_the_call_that_they_belong_to")
class ArgumentsFirst(Obedient):
    """Breaks: arguments follow the call that they belong to."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        called: list[Delta] = []
        async for delta in super().stream(prompt):
            if isinstance(delta, Called):
                called.append(delta)
                continue
            yield delta
            while called:
                yield called.pop()


@CHAT_MODELS.refused_by("test_no_tool_is_called_where_none_may_be")
class EagerWithTools(Obedient):
    """Breaks: no tool is called where none may be."""

    def choose_tool(self, prompt: Prompt) -> str:
        return super().choose_tool(prompt) or (prompt.tools[0].name if _asks(prompt) else "")


def _asks(prompt: Prompt) -> bool:
    return bool(prompt.tools) and "Use the tool" in prompt.messages[-1].text


@CHAT_MODELS.refused_by("test_schema_is_obeyed")
class ProseForJson(Obedient):
    """Breaks: a reply obeys the schema that it is given."""

    def choose_words(self, prompt: Prompt) -> list[str]:
        return super().choose_words(replace(prompt, schema=None))


@CHAT_MODELS.refused_by("test_tokens_are_counted")
class TokensOwed(Obedient):
    """Breaks: what was read and written is counted."""

    def count_tokens(self, written: int) -> Usage:
        return Usage(-1, written, 0)


@CHAT_MODELS.refused_by("test_tokens_are_counted")
class MoreCachedThanRead(Obedient):
    """Breaks: cached tokens are among those that were read."""

    def count_tokens(self, written: int) -> Usage:
        return Usage(1, written, 2)


@CHAT_MODELS.refused_by("test_reply_that_is_too_long_is_cut_and_says_so")
class CutInSilence(Obedient):
    """Breaks: a reply that was cut says so."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        async for delta in super().stream(prompt):
            yield replace(delta, reason=Reason.STOP) if _is_cut(delta) else delta


def _is_cut(delta: Delta) -> TypeGuard[Ended]:
    return isinstance(delta, Ended) and delta.reason == Reason.LENGTH


@CHAT_MODELS.refused_by("test_replies_at_the_same_time_are_to_their_own_questions")
class OneQuestionAtATime(Obedient):
    """Breaks: each caller gets the reply to its own question."""

    asked: Prompt

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        self.asked = prompt
        await asyncio.sleep(0)
        async with aclosing(super().stream(self.asked)) as deltas:
            async for delta in deltas:
                yield delta


@CHAT_MODELS.refused_by("test_model_that_cannot_be_reached_says_so")
class ErrorOfTheSdk(Obedient):
    """Breaks: what goes wrong is a ModelError."""

    def check(self) -> None:
        if not self._is_reachable:
            raise ConnectionRefusedError("nobody answers")
        super().check()


@CHAT_MODELS.refused_by("test_wrong_key_is_told_apart_and_not_repeated")
class KeyInTheError(Obedient):
    """Breaks: a key is in none of the words of an error."""

    def check(self) -> None:
        try:
            super().check()
        except ModelAuthentication as error:
            raise ModelAuthentication(f"{self._key} is not taken.", error.hint) from None


@CHAT_MODELS.refused_by("test_closed_model_refuses_to_reply")
class NeverClosed(Obedient):
    """Breaks: a closed model refuses to reply."""

    async def close(self) -> None:
        pass


@CHAT_MODELS.refused_by("test_identity_is_named_and_stays_the_same")
class NameOfTheDay(Obedient):
    """Breaks: a model's identity stays the same."""

    def choose_words(self, prompt: Prompt) -> list[str]:
        self.identity = ModelIdentity("obedient", "words-2")
        return super().choose_words(prompt)

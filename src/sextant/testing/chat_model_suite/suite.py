"""The conformance suite for chat models. Knows what the port promises, no provider, no runner.

Inherit it in a pytest file as ``class TestMine(ChatModelConformance)`` and say how to open yours.
What your model cannot do goes into ``lacks``; the tests of it are then skipped and say so. A peer
that follows a script finds everything that is asked here in ``prompts``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import ClassVar, TypeVar
from unittest import SkipTest

from sextant.errors import (
    ModelAuthentication,
    ModelError,
    ModelRejected,
    ModelUnreachable,
    SextantError,
)
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.prompting.structured import structured
from sextant.testing.chat_model_suite import prompts as asked
from sextant.testing.chat_model_suite.prompts import Ability
from sextant.types import Arguments, Called, Delta, Ended, Prompt, Reason, Reply, TextDelta

T = TypeVar("T")

__all__ = ["Ability", "ChatModelConformance"]


class ChatModelConformance:
    """What every chat model must do, but for what it lacks."""

    lacks: ClassVar[frozenset[Ability]] = frozenset()
    tokens: ClassVar[int] = asked.TOKENS
    """How long a reply may be; a model that thinks before it replies needs more."""

    def open_model(self) -> ChatModel:
        """Return a newly opened model; the test closes it."""
        raise NotImplementedError("Override open_model to return the model to be tested.")

    def open_unreachable(self) -> ChatModel:
        """Return one of the same kind at an address where nobody answers."""
        raise SkipTest("Not checked: open_unreachable is not overridden.")

    def open_with_wrong_key(self) -> ChatModel:
        """Return one of the same kind whose key the peer does not take."""
        raise SkipTest("Not checked: open_with_wrong_key is not overridden.")

    def test_identity_is_named_and_stays_the_same(self) -> None:
        """A trace says who replied."""

        async def identities(model: ChatModel) -> tuple[object, object]:
            before = model.identity
            await whole(model, self._long(asked.HELLO))
            assert before.provider
            assert before.name
            return before, model.identity

        before, after = self._use(identities)
        assert before == after

    def test_question_is_answered(self) -> None:
        """There is text, no tool call, a reason, and the name of who wrote it."""
        reply = self._reply(asked.HELLO)
        assert reply.text.strip()
        assert not reply.calls
        assert reply.ended.reason in (Reason.STOP, Reason.LENGTH)
        assert reply.ended.model

    def test_reply_ends_once_and_last(self) -> None:
        """Nothing comes after Ended, and no piece is empty."""
        deltas = self._deltas(asked.HELLO)
        assert [type(one) for one in deltas].count(Ended) == 1
        assert isinstance(deltas[-1], Ended)
        assert all(one.text for one in deltas if isinstance(one, TextDelta))

    def test_reply_comes_in_pieces(self) -> None:
        """Whoever reads along need not wait for the end."""
        self._needs(Ability.STREAMING)
        assert sum(isinstance(one, TextDelta) for one in self._deltas(asked.COUNT)) > 1

    def test_tokens_are_counted(self) -> None:
        """A budget needs to know what was read and what was written."""
        self._needs(Ability.USAGE)
        usage = self._reply(asked.HELLO).ended.usage
        assert usage.read > 0
        assert usage.written > 0
        assert 0 <= usage.cached <= usage.read

    def test_reply_stops_at_a_stop_word(self) -> None:
        """The word itself is not a part of the reply."""
        self._needs(Ability.STOP)
        reply = self._reply(asked.COUNT_UNTIL_STOP)
        assert asked.STOP_WORD not in reply.text.lower()
        assert reply.ended.reason == Reason.STOP

    def test_reply_that_is_too_long_is_cut_and_says_so(self) -> None:
        """Half an answer must not pass for a whole one."""
        self._needs(Ability.LENGTH)
        assert self._reply(asked.COUNT_BRIEFLY).ended.reason == Reason.LENGTH

    def test_conversation_is_taken(self) -> None:
        """System and developer, earlier questions and earlier replies."""
        assert self._reply(asked.CONVERSATION).text.strip()

    def test_any_unicode_is_taken(self) -> None:
        """Every script, signs, marks and control characters."""
        assert self._reply(asked.UNICODE).ended.reason in (Reason.STOP, Reason.LENGTH)

    def test_image_is_taken_or_rejected(self) -> None:
        """A model that sees nothing says so in the words of this package."""
        try:
            said = self._reply(asked.IMAGE).text
        except ModelRejected as error:
            said = error.message
        assert said.strip()

    def test_tool_is_called_with_arguments(self) -> None:
        """The call has an id, and its arguments are JSON."""
        self._needs(Ability.TOOLS)
        reply = self._reply(asked.WEATHER)
        assert reply.ended.reason == Reason.TOOLS
        assert [call.name for call in reply.calls] == [asked.WEATHER_TOOL.name]
        assert reply.calls[0].id
        assert "oslo" in json.loads(reply.calls[0].arguments)["city"].lower()

    def test_arguments_follow_the_call_that_they_belong_to(self) -> None:
        """Whoever shows a call while it is written knows which."""
        self._needs(Ability.TOOLS)
        begun = set[str]()
        for delta in self._deltas(asked.WEATHER):
            match delta:
                case Called(call_id, name):
                    assert name
                    assert call_id not in begun
                    begun.add(call_id)
                case Arguments(call_id, text):
                    assert text
                    assert call_id in begun
        assert begun

    def test_result_of_a_tool_is_taken(self) -> None:
        """After two calls in one reply and a result for each, the model answers."""
        self._needs(Ability.TOOLS)
        reply = self._reply(asked.WEATHER_TOLD)
        assert reply.text.strip()
        assert not reply.calls

    def test_no_tool_is_called_where_none_may_be(self) -> None:
        """The tools are there for what was said before."""
        self._needs(Ability.TOOL_CHOICE)
        assert not self._reply(asked.WEATHER_WITHOUT_TOOL).calls

    def test_some_tool_is_called_where_one_must_be(self) -> None:
        """Even where the question asks for none."""
        self._needs(Ability.TOOL_CHOICE)
        assert self._reply(asked.HELLO_WITH_ANY_TOOL).calls

    def test_named_tool_is_called_where_it_must_be(self) -> None:
        """And no other."""
        self._needs(Ability.TOOL_CHOICE)
        names = {call.name for call in self._reply(asked.HELLO_WITH_NAMED_TOOL).calls}
        assert names == {asked.CLOCK_TOOL.name}

    def test_schema_is_obeyed(self) -> None:
        """The reply is JSON of the shape that was asked for."""
        self._needs(Ability.SCHEMA)
        found = self._use(lambda model: structured(model, self._long(asked.COLOUR)))
        assert isinstance(found.value["colour"], str)

    def test_calls_at_the_same_time_do_not_mix(self) -> None:
        """Each caller gets the reply to its own question."""

        async def together(model: ChatModel) -> list[Reply]:
            return await asyncio.gather(*(whole(model, self._long(asked.HELLO)) for _ in range(2)))

        assert all(reply.text.strip() for reply in self._use(together))

    def test_reply_that_is_closed_early_is_over(self) -> None:
        """Nothing more comes from it, and the model goes on to take questions."""

        async def leave(model: ChatModel) -> Reply:
            deltas = model.stream(asked.COUNT)
            await anext(deltas)
            await deltas.aclose()
            assert [one async for one in deltas] == []
            return await whole(model, self._long(asked.HELLO))

        assert self._use(leave).text.strip()

    def test_reply_whose_reader_is_cancelled_is_over(self) -> None:
        """The task ends as cancelled, and the model goes on to take questions."""

        async def cancel(model: ChatModel) -> Reply:
            begun = asyncio.Event()
            task = asyncio.create_task(_read_on(model, begun))
            await begun.wait()
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            return await whole(model, self._long(asked.HELLO))

        assert self._use(cancel).text.strip()

    def test_odd_prompt_is_taken_or_rejected(self) -> None:
        """No messages at all, no text, half of a surrogate pair: at worst an error of ours."""
        for prompt in asked.ODD:
            with suppress(SextantError):
                self._reply(prompt)

    def test_closing_twice_is_closing_once(self) -> None:
        """Whoever tidies up need not know who else did."""

        async def close(model: ChatModel) -> None:
            await model.close()

        self._use(close)

    def test_closed_model_refuses_to_reply(self) -> None:
        """It says so with an error of this package."""

        async def closed(model: ChatModel) -> None:
            await model.close()
            await whole(model, self._long(asked.HELLO))

        assert self._refused(closed, self.open_model()).message

    def test_model_that_cannot_be_reached_says_so(self) -> None:
        """In a way that lets the caller try again."""
        assert isinstance(self._failure(self.open_unreachable()), ModelUnreachable)

    def test_wrong_key_is_told_apart_and_not_repeated(self) -> None:
        """The error says what to set; the key is in none of its words."""
        error = self._failure(self.open_with_wrong_key())
        assert isinstance(error, ModelAuthentication)
        assert error.hint
        assert asked.WRONG_KEY not in f"{error!r} {error}"

    def _needs(self, ability: Ability) -> None:
        if ability in self.lacks:
            raise SkipTest(f"Not checked: this model lacks {ability.value}.")

    def _deltas(self, prompt: Prompt) -> list[Delta]:
        async def all_of(model: ChatModel) -> list[Delta]:
            async with aclosing(model.stream(self._long(prompt))) as deltas:
                return [delta async for delta in deltas]

        return self._use(all_of)

    def _reply(self, prompt: Prompt) -> Reply:
        return self._use(lambda model: whole(model, self._long(prompt)))

    def _long(self, prompt: Prompt) -> Prompt:
        return (
            replace(prompt, max_tokens=self.tokens) if prompt.max_tokens == asked.TOKENS else prompt
        )

    def _failure(self, model: ChatModel) -> ModelError:
        return self._refused(lambda opened: whole(opened, self._long(asked.HELLO)), model)

    def _refused(
        self, task: Callable[[ChatModel], Awaitable[object]], model: ChatModel
    ) -> ModelError:
        try:
            self._use(task, model)
        except ModelError as error:
            return error
        raise AssertionError("The model replied where it should have failed.")

    def _use(self, task: Callable[[ChatModel], Awaitable[T]], model: ChatModel | None = None) -> T:
        async def run() -> T:
            opened = model or self.open_model()
            try:
                return await task(opened)
            finally:
                await opened.close()

        return asyncio.run(run())


async def _read_on(model: ChatModel, begun: asyncio.Event) -> None:
    async with aclosing(model.stream(asked.COUNT)) as deltas:
        async for _ in deltas:
            begun.set()
            await asyncio.Event().wait()

"""Runs through the front door: started, read, followed, stopped, and nobody else's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest

from sextant.chat.run import Run
from sextant.errors import (
    AgentNotFound,
    Conflict,
    InvalidInput,
    ModelAuthentication,
    NoModel,
    Overloaded,
)
from sextant.settings import ChatSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionEnded,
    ActionStarted,
    ArgumentsAdded,
    ClientAction,
    Delta,
    Ended,
    ModelIdentity,
    ModelWishes,
    Prompt,
    Reply,
    RunFailed,
    RunFinished,
    RunKind,
    RunReport,
    RunStarted,
    RunStopped,
    TextAdded,
    TextDelta,
    ToolCall,
)
from tests.chat.running import ANN, PLAIN, events_of, opened, request, text_of


async def test_a_reply_is_told_from_its_start_to_its_end() -> None:
    async with opened(Scripted(lambda _: "Good morning, Ann.")) as sextant:
        events = await events_of(sextant.copilot, request(thread_id="t", run_id="r"))
    assert events[0] == RunStarted("t", "r")
    assert text_of(events) == "Good morning, Ann."
    assert isinstance(events[-1], RunFinished)
    assert events[-1].usage.written == len("Good morning, Ann.") // 4


async def test_an_action_of_the_client_is_told_and_left_to_it() -> None:
    reply = Reply("", (ToolCall("c1", "paint", '{"colour":"blue"}'),))
    async with opened(Scripted(lambda _: reply)) as sextant:
        asked = request(actions=(ClientAction("paint", "Paints the page."),))
        events = await events_of(sextant.copilot, asked)
    assert [type(one) for one in events[1:]] == [
        ActionStarted,
        ArgumentsAdded,
        ActionEnded,
        RunFinished,
    ]


class Endless:
    """A model that says one word and then nothing more, until its stream is closed."""

    identity = ModelIdentity("scripted", "endless")

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    async def stream(self, _: Prompt) -> AsyncGenerator[Delta, None]:
        try:
            yield TextDelta("Well")
            await asyncio.Event().wait()
        finally:
            self.closed.set()

    async def close(self) -> None:
        """Nothing is held open."""


async def first_piece(run: Run) -> None:
    async with aclosing(run.events()) as reading:
        async for batch in reading:
            if any(isinstance(one, TextAdded) for one in batch):
                return


async def test_a_run_that_is_stopped_before_its_first_step_has_an_end() -> None:
    async with opened(Endless()) as sextant:
        run = await sextant.copilot.start(ANN, request(thread_id="t"))
        assert await sextant.copilot.stop(ANN, "t")
        events = [event async for batch in run.events() for event in batch]
    assert [type(one) for one in events] == [RunStarted, RunStopped]


async def test_the_last_reader_who_leaves_ends_the_call_of_the_model() -> None:
    model = Endless()
    async with opened(model) as sextant:
        run = await sextant.copilot.start(ANN, request(thread_id="t"))
        async with aclosing(run.events()) as first, aclosing(run.events()) as second:
            await anext(first)
            await anext(second)
            await anext(second)
            await first.aclose()
            await asyncio.sleep(0)
            assert not model.closed.is_set()
        await model.closed.wait()
        again = await sextant.copilot.find_run(ANN, "t")
        assert again is not None
        ended = [event async for batch in again.events() for event in batch]
    assert isinstance(ended[-1], RunStopped)


async def test_a_detached_run_outlives_its_readers_and_can_be_stopped() -> None:
    model = Endless()
    async with opened(model) as sextant:
        run = await sextant.copilot.start(ANN, request(thread_id="t"), detached=True)
        await first_piece(run)
        assert not model.closed.is_set()
        with pytest.raises(Conflict):
            await sextant.copilot.start(ANN, request(thread_id="t"))
        assert await sextant.copilot.stop(ANN, "t")
        await model.closed.wait()
        assert not await sextant.copilot.stop(ANN, "t")


async def test_a_run_waits_for_one_that_its_client_has_just_left() -> None:
    model = Endless()
    async with opened(model) as sextant:
        first = await sextant.copilot.start(ANN, request(thread_id="t"))
        await first_piece(first)
        second = await sextant.copilot.start(ANN, request(thread_id="t"))
        assert await sextant.copilot.find_run(ANN, "t") is second


class Counted:
    """A model that says a thousand words, and how many of them were taken."""

    identity = ModelIdentity("scripted", "counted")
    said = 0

    async def stream(self, _: Prompt) -> AsyncGenerator[Delta, None]:
        while self.said < 1000:
            self.said += 1
            yield TextDelta("word ")
        yield Ended()

    async def close(self) -> None:
        """Nothing is held open."""


async def test_a_model_is_not_read_faster_than_the_client_reads() -> None:
    model = Counted()
    settings = replace(PLAIN, chat=ChatSettings(grounding="off", ahead=10))
    async with opened(model, settings) as sextant:
        run = await sextant.copilot.start(ANN, request())
        async with aclosing(run.events()) as reading:
            for most in (0, 11, 22, 33):
                await anext(reading)
                assert model.said <= most
            left = [event async for batch in reading for event in batch]
    assert model.said == 1000
    assert isinstance(left[-1], RunFinished)


async def test_runs_end_with_the_sextant() -> None:
    model = Endless()
    async with opened(model) as sextant:
        await first_piece(await sextant.copilot.start(ANN, request(), detached=True))
    assert model.closed.is_set()


async def test_the_thread_of_another_does_not_exist() -> None:
    async with opened(Scripted(lambda _: "Yes.")) as sextant:
        await events_of(sextant.copilot, request(thread_id="t"))
        for other in (replace(ANN, user="bob"), replace(ANN, tenant="other")):
            assert await sextant.copilot.find_run(other, "t") is None
            assert not await sextant.copilot.stop(other, "t")


async def test_an_agent_that_is_not_there_is_refused() -> None:
    async with opened(Scripted(lambda _: "Yes.")) as sextant:
        with pytest.raises(AgentNotFound, match="nobody"):
            await sextant.copilot.start(ANN, request(agent="nobody"))


async def test_without_a_model_a_standard_run_says_what_to_set() -> None:
    async with opened() as sextant:
        with pytest.raises(NoModel, match="llm"):
            await sextant.copilot.start(ANN, request())


async def test_what_a_run_came_to_is_told_to_who_counts() -> None:
    reports: list[RunReport] = []
    wrong = ModelAuthentication("Wrong key.", "Check it.")
    async with opened(Scripted(lambda _: "Good morning.")) as sextant:
        sextant.hear_runs(reports.append)
        await events_of(sextant.copilot, request())
    async with opened(Scripted(lambda _: wrong)) as sextant:
        sextant.hear_runs(reports.append)
        await events_of(sextant.copilot, request())
    good, bad = reports
    assert (good.kind, good.outcome, good.usage.written) == ("Chat", "finished", 3)
    assert good.first_text_seconds is not None
    assert good.first_text_seconds <= good.seconds
    assert (bad.outcome, bad.code, bad.first_text_seconds) == (
        "failed",
        "model_authentication",
        None,
    )


async def test_more_runs_than_are_allowed_are_refused() -> None:
    settings = replace(PLAIN, chat=ChatSettings(grounding="off", runs=1))
    async with opened(Endless(), settings) as sextant:
        await sextant.copilot.start(ANN, request(), detached=True)
        assert sextant.copilot.under_way == 1
        with pytest.raises(Overloaded):
            await sextant.copilot.start(ANN, request())


async def test_a_failure_of_the_model_is_the_end_and_tells_no_secret() -> None:
    wrong = ModelAuthentication("OpenAI does not accept the key sk-1.", "Check OPENAI_API_KEY.")
    wrong.status = 401
    async with opened(Scripted(lambda _: wrong)) as sextant:
        events = await events_of(sextant.copilot, request())
    failed = events[-1]
    assert isinstance(failed, RunFailed)
    assert (failed.code, failed.status) == ("model_authentication", 401)
    assert "sk-1" not in failed.message + failed.hint


async def test_a_client_chooses_among_the_models_that_are_offered_and_no_others() -> None:
    other = Scripted(lambda _: "Small.", identity=ModelIdentity("openai", "small"))
    async with opened(Scripted(lambda _: "Large."), offered=(other,)) as sextant:
        chosen = request(wishes=ModelWishes("small", 50, ("END",), temperature=0.3))
        assert text_of(await events_of(sextant.copilot, chosen)) == "Small."
        asked = other.prompts[0]
        assert (asked.max_tokens, asked.stop, asked.temperature) == (50, ("END",), 0.3)
        with pytest.raises(InvalidInput, match="huge"):
            await sextant.copilot.start(ANN, request(wishes=ModelWishes("huge")))


async def test_a_suggestion_goes_on_beside_the_chat_of_its_thread() -> None:
    async with opened(Endless()) as sextant:
        await sextant.copilot.start(ANN, request(thread_id="t"), detached=True)
        asked = request(thread_id="t", kind=RunKind.SUGGESTION)
        await sextant.copilot.start(ANN, asked, detached=True)
        with pytest.raises(Conflict):
            await sextant.copilot.start(ANN, request(thread_id="t"))

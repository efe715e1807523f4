"""Actions that return what is no JSON, take for ever, or fail in every way: the run goes on."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from sextant.chat.actions.action import Action, action
from sextant.limits import Limits
from sextant.settings import ChatSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    Prompt,
    Reply,
    RunFinished,
    RunStopped,
    Speaker,
    ToolCall,
)
from tests.chat.running import ANN, PLAIN, events_of, only, opened, request, text_of

_QUICK = replace(PLAIN, chat=ChatSettings(grounding="off", action_seconds=0.05))


def _calling(prompt: Prompt) -> str | Reply:
    if prompt.messages[-1].speaker == Speaker.TOOL:
        return "Done."
    if "act" not in prompt.messages[-1].text:
        return "Hello."
    return Reply("", (ToolCall("c1", "act", "{}"),))


async def _failure(own: Action) -> str:
    """Return what the model is told of an action that fails; its run ends well."""
    async with opened(Scripted(_calling), _QUICK) as sextant:
        sextant.copilot.register(own)
        events = await events_of(sextant.copilot, request("act"))
    (result,) = only(events, ActionReturned)
    assert result.failed
    assert isinstance(events[-1], RunFinished)
    assert text_of(events) == "Done."
    error = json.loads(result.result)["error"]
    assert error["code"] == "HANDLER_ERROR"
    return str(error["message"])


def _circle() -> object:
    own: list[object] = []
    own.append(own)
    return own


@pytest.mark.parametrize(
    "value",
    [object(), {1, (2, 3)} | {object()}, _circle(), {"a": _calling}, 1j],
    ids=["object", "set", "circle", "function", "complex"],
)
async def test_what_is_no_json_is_told_as_a_failure_of_the_action(value: object) -> None:
    @action(name="act")
    def act() -> object:
        """Return it."""
        return value

    assert "act returned what is no JSON" in await _failure(act)


async def test_a_result_that_is_too_long_is_not_passed_on() -> None:
    @action(name="act")
    def act() -> str:
        """Return a lot."""
        return "a" * (Limits().entry + 1)

    assert "returned more than" in await _failure(act)


async def test_an_action_that_takes_an_hour_is_given_up() -> None:
    @action(name="act")
    async def act() -> None:
        """Wait."""
        await asyncio.Event().wait()

    assert "did not end within" in await _failure(act)


async def test_an_action_that_blocks_its_thread_is_given_up() -> None:
    over = threading.Event()

    @action(name="act")
    def act() -> None:
        """Block."""
        over.wait()

    try:
        assert "did not end within" in await _failure(act)
    finally:
        over.set()


async def test_an_action_that_does_not_let_itself_be_cancelled_is_left_alone() -> None:
    over = asyncio.Event()

    @action(name="act")
    async def act() -> None:
        """Go on."""
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                continue

    try:
        assert "did not end within" in await _failure(act)
    finally:
        over.set()


def _cancelled() -> None:
    raise asyncio.CancelledError


def _quits() -> None:
    sys.exit(3)


def _lacks_a_key() -> None:
    raise KeyError("city")


@pytest.mark.parametrize("fails", [_cancelled, _quits, _lacks_a_key])
@pytest.mark.parametrize("is_async", [True, False])
async def test_an_action_that_raises_whatever_it_likes_ends_no_run(
    fails: Callable[[], None], is_async: bool
) -> None:
    @action(name="act")
    async def act() -> None:
        """Fail."""
        fails()

    @action(name="act")
    def act_in_thread() -> None:
        """Fail."""
        fails()

    assert await _failure(act if is_async else act_in_thread)


async def test_nobody_else_waits_for_an_action_that_hangs() -> None:
    @action(name="act")
    async def act() -> None:
        """Wait."""
        await asyncio.Event().wait()

    async with opened(Scripted(_calling)) as sextant:
        sextant.copilot.register(act)
        hangs = await sextant.copilot.start(ANN, request("act", thread_id="t1"))
        assert text_of(await events_of(sextant.copilot, request("Hi", thread_id="t2"))) == "Hello."
        assert await sextant.copilot.stop(ANN, "t1")
        events = [event async for batch in hangs.events() for event in batch]
    assert isinstance(events[-1], RunStopped)

"""Every call is counted, and what is not allowed is not asked for."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ModelBudgetSpent, ModelUnavailable
from sextant.prompting.calls.guarded import guarded
from sextant.prompting.reply import whole
from sextant.prompting.spending import Spending, guessed, metered
from sextant.settings import ModelSettings
from sextant.types import Delta, Ended, Message, Prompt, Speaker, TextDelta, ToolCall, Usage
from tests.prompting.models import HELLO, Wayward, fails, says
from tests.prompting.timeless import run


def test_calls_tokens_and_retries_add_up() -> None:
    spending = Spending()
    model = Wayward([fails(ModelUnavailable("Down.", "Try again.")), says("Hi")])
    guard = metered(guarded(model, ModelSettings()), spending)
    run(whole(guard, HELLO))
    run(whole(guard, HELLO))
    assert (spending.usage, spending.calls, spending.retries) == (Usage(10, 4), 2, 1)
    assert (spending.left, spending.guesses) == (None, 0)
    assert guard.identity == model.identity
    run(guard.close())
    assert model.is_closed


def test_without_a_bound_the_prompt_stays_as_it_is() -> None:
    model = Wayward([says("Hi")])
    run(whole(metered(model, Spending()), HELLO))
    assert model.prompts == [HELLO]


def test_a_reply_may_be_as_long_as_what_is_left() -> None:
    model = Wayward([says("Hi")])
    spending = Spending(allowed=100)
    run(whole(metered(model, spending), HELLO))
    run(whole(metered(model, spending), replace(HELLO, max_tokens=20)))
    run(whole(metered(model, spending), replace(HELLO, max_tokens=1_000)))
    assert [prompt.max_tokens for prompt in model.prompts] == [95, 20, 81]
    assert spending.left == 79


def test_when_nothing_is_left_nothing_is_asked() -> None:
    model = Wayward([says("Hi")])
    spending = Spending(allowed=12)
    run(whole(metered(model, spending), HELLO))
    with pytest.raises(ModelBudgetSpent, match="5 are left, and the prompt alone takes about 5"):
        run(whole(metered(model, spending), HELLO))
    assert (len(model.prompts), spending.calls) == (1, 1)


def test_a_prompt_that_is_more_than_what_is_left_is_not_sent() -> None:
    long = Prompt((Message(Speaker.USER, "word " * 1_000),))
    model = Wayward([says("Hi")])
    with pytest.raises(ModelBudgetSpent):
        run(whole(metered(model, Spending(allowed=1_000)), long))
    assert model.prompts == []


def test_where_the_provider_counts_nothing_tokens_are_guessed() -> None:
    async def uncounted() -> AsyncGenerator[Delta, None]:
        yield TextDelta("Hello there!")
        yield Ended()

    spending = Spending()
    run(whole(metered(Wayward([uncounted]), spending), HELLO))
    assert (spending.usage, spending.guesses) == (Usage(5, 3), 1)


def test_a_reply_that_is_left_or_lost_halfway_still_counts() -> None:
    async def leave(spending: Spending) -> None:
        deltas = metered(Wayward([says("Hello there!", "More.")]), spending).stream(HELLO)
        async with aclosing(deltas):
            await anext(deltas)

    left, lost, never = Spending(), Spending(), Spending()
    run(leave(left))
    model = Wayward([fails(ModelUnavailable("Down.", "Try again."), "Hello there!")])
    with pytest.raises(ModelUnavailable):
        run(whole(metered(model, lost), HELLO))
    with pytest.raises(ModelUnavailable):
        run(whole(metered(Wayward([fails(ModelUnavailable("Down.", "Try again."))]), never), HELLO))
    assert (left.usage, lost.usage, never.usage) == (Usage(5, 3), Usage(5, 3), Usage())
    assert (left.calls, lost.calls, never.calls) == (1, 1, 1)


def test_calls_of_tools_are_part_of_a_prompt() -> None:
    call = ToolCall("1", "look", '{"at": "the sea"}')
    prompt = Prompt((Message(Speaker.ASSISTANT, calls=(call,)),))
    assert guessed(prompt) == 5


@given(st.text(max_size=200), st.integers(1, 200))
def test_no_prompt_is_sent_with_more_room_than_is_left(text: str, allowed: int) -> None:
    prompt = Prompt((Message(Speaker.USER, text),))
    model = Wayward([says("Hi")])
    try:
        run(whole(metered(model, Spending(allowed)), prompt))
    except ModelBudgetSpent:
        assert guessed(prompt) >= allowed
    else:
        (sent,) = model.prompts
        assert 0 < sent.max_tokens <= allowed - guessed(prompt)


def test_retries_that_came_to_nothing_count_too() -> None:
    spending = Spending()
    down = [fails(ModelUnavailable("Down.", "Try again."))] * 3
    guard = metered(guarded(Wayward(down), ModelSettings(retries=2)), spending)
    with pytest.raises(ModelUnavailable):
        run(whole(guard, HELLO))
    assert (spending.calls, spending.retries) == (1, 2)

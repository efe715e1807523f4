"""Whatever a model does, a call ends in time, with a reply or one of our errors."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import (
    BrokenStream,
    ModelAuthentication,
    ModelError,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreachable,
)
from sextant.prompting.calls import guarded as under_test
from sextant.prompting.reply import whole
from sextant.prompting.secrets.redact import HIDDEN, remember
from sextant.settings import ModelSettings
from sextant.types import Called, Delta, TextDelta
from tests.prompting.models import END, HELLO, NAME, Way, Wayward, fails, hangs, repeats, says
from tests.prompting.timeless import now, run

SETTINGS = ModelSettings(read_seconds=10.0, total_seconds=100.0, retries=2, concurrency=2)
DOWN = ModelUnavailable("It is down.", "Try again.")


guarded = partial(under_test.guarded, clock=now)


def model_of(*ways: Way) -> Wayward:
    return Wayward(list(ways))


async def failure_of(model: Wayward, settings: ModelSettings = SETTINGS) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await whole(guarded(model, settings), HELLO)
    return raised.value


def test_a_reply_passes_as_it_is_and_the_model_is_let_go_of() -> None:
    model = model_of(says("Hel", "lo"))
    guard = guarded(model, SETTINGS)

    async def talk() -> list[Delta]:
        return [delta async for delta in guard.stream(HELLO)]

    assert run(talk()) == [TextDelta("Hel"), TextDelta("lo"), END]
    assert (model.prompts, model.let_go, guard.identity) == ([HELLO], 1, model.identity)
    run(guard.close())
    assert model.is_closed


def test_what_is_worth_another_try_is_tried_again_and_counted() -> None:
    model = model_of(fails(DOWN), hangs(), says("there"))
    reply = run(whole(guarded(model, SETTINGS), HELLO))
    assert (reply.text, reply.ended.retries, model.let_go) == ("there", 2, 3)


def test_tries_are_bounded_and_the_last_failure_is_told() -> None:
    model = model_of(
        fails(DOWN), fails(DOWN), fails(ModelRateLimited("Slowly.", "Wait.")), says("late")
    )
    assert isinstance(run(failure_of(model)), ModelRateLimited)
    assert model.let_go == 3


def test_what_another_try_does_not_help_is_told_at_once() -> None:
    model = model_of(fails(ModelAuthentication("Wrong key.", "Set another.")), says("never"))
    assert isinstance(run(failure_of(model)), ModelAuthentication)
    assert model.let_go == 1


def test_once_something_was_said_nothing_is_tried_again() -> None:
    for way in (fails(DOWN, "half"), hangs("half")):
        model = model_of(way, says("whole"))
        assert isinstance(run(failure_of(model)), ModelUnreachable)
        assert model.let_go == 1


def test_a_stream_that_just_stops_is_broken() -> None:
    async def stops() -> AsyncGenerator[Delta, None]:
        yield Called("1", "look")

    assert isinstance(run(failure_of(model_of(stops))), BrokenStream)


def test_silence_is_bounded_and_so_is_the_whole() -> None:
    async def talk() -> None:
        error = await failure_of(model_of(hangs("I think")))
        assert (type(error), now()) == (ModelTimeout, 1_010.0)
        assert error.message == f"{NAME} was silent for 10 s."
        slow = says(*"abcdefghijklmnopqrstuvwxyz", after_s=9.0)
        error = await failure_of(model_of(slow))
        assert (type(error), now()) == (ModelTimeout, 1_110.0)
        assert error.message == f"{NAME} did not end within 100 s."

    run(talk())


def test_a_slow_model_that_keeps_talking_is_heard_out() -> None:
    model = model_of(says(*"abcdefgh", after_s=9.0))
    assert run(whole(guarded(model, SETTINGS), HELLO)).text == "abcdefgh"


def test_the_time_of_whoever_reads_is_not_the_models() -> None:
    """It may take longer than any bound, is never cancelled, and costs the model nothing."""
    model = model_of(says(*"abc", after_s=9.0))

    async def talk() -> str:
        said = ""
        async with aclosing(guarded(model, SETTINGS).stream(HELLO)) as deltas:
            async for delta in deltas:
                await asyncio.sleep(1_000.0)
                said += delta.text if isinstance(delta, TextDelta) else ""
        return said

    assert run(talk()) == "abc"


TURNS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 99)), max_size=8)


@given(TURNS)
def test_a_call_is_late_by_the_models_time_alone(turns: list[tuple[int, int]]) -> None:
    """Each turn is how long the model takes for a piece, and how long its reader does over it."""
    settings = ModelSettings(read_seconds=10.5, total_seconds=30.5, retries=0)

    async def speaks() -> AsyncGenerator[Delta, None]:
        for model_s, _ in turns:
            await asyncio.sleep(model_s)
            yield TextDelta(".")
        yield END

    async def talk() -> tuple[int, float]:
        heard, began = 0, now()
        with suppress(ModelTimeout):
            async for _ in guarded(model_of(speaks), settings).stream(HELLO):
                await asyncio.sleep(turns[heard][1] if heard < len(turns) else 0)
                heard += 1
        return heard, now() - began

    heard, took_s = run(talk())
    expected, model_s, all_s = 0, 0.0, 0.0
    for piece_s, reader_s in (*turns, (0, 0)):
        patience_s = min(10.5, 30.5 - model_s)
        all_s += min(piece_s, patience_s)
        if piece_s > patience_s:
            break
        model_s += piece_s
        all_s += reader_s
        expected += 1
    assert heard == expected
    assert took_s == pytest.approx(all_s)


def test_who_met_a_timeout_goes_on_as_if_never_cancelled() -> None:
    async def talk() -> None:
        await failure_of(model_of(hangs("half")))
        await asyncio.sleep(1_000.0)
        task = asyncio.current_task()
        assert task
        assert task.cancelling() == 0

    run(talk())


def test_all_tries_and_pauses_together_stay_within_the_whole_time() -> None:
    async def talk() -> None:
        error = await failure_of(model_of(hangs()), ModelSettings(read_seconds=60.0, retries=9))
        assert (type(error), now()) == (ModelTimeout, 1_120.0)

    run(talk())


def test_a_provider_that_says_when_to_come_back_is_heeded() -> None:
    async def talk() -> None:
        model = model_of(
            fails(ModelRateLimited("Slowly.", "Wait.", retry_after=20.0)), says("well")
        )
        reply = await whole(guarded(model, SETTINGS), HELLO)
        assert reply.text == "well"
        assert 1_020.0 <= now() <= 1_021.0

    run(talk())


@pytest.mark.parametrize("wait_s", [100.0, 3_600.0, float("inf")])
def test_who_would_have_to_wait_longer_than_there_is_time_is_told_at_once(wait_s: float) -> None:
    async def talk() -> None:
        model = model_of(
            fails(ModelRateLimited("Slowly.", "Wait.", retry_after=wait_s)), says("late")
        )
        assert isinstance(await failure_of(model), ModelRateLimited)
        assert now() == 1_000.0

    run(talk())


def test_after_failures_in_a_row_a_model_is_left_alone_and_tried_again_later() -> None:
    settings = ModelSettings(retries=0)

    async def talk() -> None:
        model = model_of(*[fails(DOWN)] * 6, says("back"))
        guard = guarded(model, settings)
        for _ in range(5):
            with pytest.raises(ModelUnavailable, match="It is down"):
                await whole(guard, HELLO)
        with pytest.raises(ModelUnavailable, match="left alone for 30 s more") as raised:
            await whole(guard, HELLO)
        assert (raised.value.retry_after, len(model.prompts)) == (30.0, 5)
        await asyncio.sleep(30.0)
        with pytest.raises(ModelUnavailable, match="It is down"):
            await whole(guard, HELLO)
        with pytest.raises(ModelUnavailable, match="left alone"):
            await whole(guard, HELLO)
        await asyncio.sleep(30.0)
        assert (await whole(guard, HELLO)).text == "back"
        assert (await whole(guard, HELLO)).text == "back"

    run(talk())


def test_no_more_calls_run_at_once_than_are_allowed_and_each_in_its_turn() -> None:
    model = model_of(says("a", "b", after_s=1.0))
    prompts = [replace(HELLO, max_tokens=number) for number in range(9)]

    async def talk() -> None:
        guard = guarded(model, SETTINGS)
        replies = await asyncio.gather(*(whole(guard, prompt) for prompt in prompts))
        assert {reply.text for reply in replies} == {"ab"}

    run(talk())
    assert (model.most_at_once, model.prompts) == (2, prompts)


def test_waiting_for_a_turn_counts() -> None:
    model = model_of(says(*["on"] * 1_000, after_s=9.0))

    async def talk() -> list[BaseException | object]:
        guard = guarded(model, ModelSettings(read_seconds=10, total_seconds=100, concurrency=1))
        calls = [whole(guard, HELLO) for _ in range(2)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert now() == 1_100.0
        return list(ended)

    one, two = run(talk())
    assert isinstance(one, ModelTimeout)
    assert isinstance(two, ModelTimeout)
    assert "had no time for this call" in two.message
    assert len(model.prompts) == 1


@pytest.mark.parametrize("unit", ["-", "and ", "I will do that.\n", "x" * 60 + "y" * 139])
def test_a_model_that_repeats_itself_for_ever_is_stopped(unit: str) -> None:
    model = model_of(repeats(unit))
    error = run(failure_of(model))
    assert (type(error), "repeats itself" in error.message) == (BrokenStream, True)
    assert (model.let_go, model.under_way) == (1, 0)


def test_a_reply_that_does_not_end_is_stopped() -> None:
    async def rambles() -> AsyncGenerator[Delta, None]:
        for number in range(10**9):
            yield TextDelta(f"{number}, ")

    error = run(failure_of(model_of(rambles), ModelSettings(characters=50_000)))
    assert (type(error), "longer than 50,000 characters" in error.message) == (BrokenStream, True)


@given(st.text(max_size=3_000), st.integers(1, 50))
def test_a_reply_within_its_bound_that_does_not_repeat_is_never_stopped(
    text: str, size: int
) -> None:
    varied = "".join(f"{at}{letter}" for at, letter in enumerate(text))
    pieces = [varied[at : at + size] for at in range(0, len(varied), size)]
    settings = ModelSettings(characters=max(1, len(varied)))
    assert run(whole(guarded(model_of(says(*pieces)), settings), HELLO)).text == varied


def test_who_stops_reading_or_is_cancelled_lets_go_of_the_model() -> None:
    async def stops() -> None:
        model = model_of(hangs("a", "b"))
        async with aclosing(guarded(model, SETTINGS).stream(HELLO)) as deltas:
            assert await anext(deltas) == TextDelta("a")
        assert (model.let_go, model.under_way) == (1, 0)

    async def is_cancelled() -> None:
        model = model_of(hangs("a"))
        talk = asyncio.create_task(whole(guarded(model, SETTINGS), HELLO))
        await asyncio.sleep(1.0)
        talk.cancel()
        with pytest.raises(asyncio.CancelledError):
            await talk
        assert (model.let_go, model.under_way, now()) == (1, 0, 1_001.0)

    run(stops())
    run(is_cancelled())


def test_a_cancelled_call_gives_its_turn_back() -> None:
    async def talk() -> None:
        guard = guarded(model_of(hangs("a"), says("b")), ModelSettings(concurrency=1))
        first = asyncio.create_task(whole(guard, HELLO))
        second = asyncio.create_task(whole(guard, HELLO))
        await asyncio.sleep(1.0)
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        assert (await second).text == "b"

    run(talk())


def test_a_cancellation_that_meets_a_timeout_is_not_lost() -> None:
    """Whoever is cancelled in the very moment in which the model is late is still cancelled."""

    async def talk() -> None:
        call = asyncio.create_task(whole(guarded(model_of(hangs("a")), SETTINGS), HELLO))
        asyncio.get_running_loop().call_later(10.0, call.cancel)
        with pytest.raises(asyncio.CancelledError):
            await call

    run(talk())


def test_outer_timeouts_keep_working() -> None:
    async def talk() -> None:
        model = model_of(hangs("a"))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5.0):
                await whole(guarded(model, SETTINGS), HELLO)
        assert (now(), model.let_go) == (1_005.0, 1)
        with pytest.raises(ModelTimeout):
            async with asyncio.timeout(50.0):
                await whole(guarded(model, SETTINGS), HELLO)

    run(talk())


def test_each_piece_may_be_waited_for_by_another_task() -> None:
    async def talk() -> None:
        deltas = guarded(model_of(hangs("a", "b")), SETTINGS).stream(HELLO)
        assert await asyncio.create_task(_next(deltas)) == TextDelta("a")
        assert await asyncio.wait_for(anext(deltas), 5.0) == TextDelta("b")
        with pytest.raises(ModelTimeout):
            await asyncio.create_task(_next(deltas))

    run(talk())


async def _next(deltas: AsyncGenerator[Delta, None]) -> Delta:
    return await anext(deltas)


def test_an_adapter_that_swallows_or_hides_a_cancellation_cannot_hang() -> None:
    async def hides() -> AsyncGenerator[Delta, None]:
        yield TextDelta("a")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("closed") from None

    async def tidies_for_ever() -> AsyncGenerator[Delta, None]:
        yield TextDelta("a")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.Event().wait()

    for way in (hides, tidies_for_ever):
        assert isinstance(run(failure_of(model_of(way))), ModelTimeout)


def test_an_adapter_that_does_not_close_holds_nobody_up() -> None:
    async def clings() -> AsyncGenerator[Delta, None]:
        try:
            yield TextDelta("a")
            yield TextDelta("b")
        finally:
            await asyncio.Event().wait()

    async def talk() -> None:
        model = model_of(clings)
        async with aclosing(guarded(model, SETTINGS).stream(HELLO)) as deltas:
            await anext(deltas)
        assert now() < 1_010.0

    run(talk())


def test_what_an_adapter_should_not_raise_becomes_an_error_of_ours() -> None:
    error = run(failure_of(model_of(fails(KeyError("choices")))))
    assert type(error) is ModelError
    assert error.message == f"{NAME} cannot be used: KeyError: 'choices'"


def test_what_whoever_reads_throws_in_is_its_own() -> None:
    async def talk() -> None:
        deltas = guarded(model_of(says("a", "b")), SETTINGS).stream(HELLO)
        await anext(deltas)
        with pytest.raises(ZeroDivisionError):
            await deltas.athrow(ZeroDivisionError())

    run(talk())


def test_no_error_tells_a_key_nor_does_its_stack_trace() -> None:
    key = "correct-horse-battery-staple"
    remember(key)

    async def tells() -> AsyncGenerator[Delta, None]:
        try:
            int(key)
        except ValueError as error:
            raise ModelAuthentication(f"The key {key} is wrong.", f"Replace {key}.") from error
        yield END

    for way in (tells, fails(ValueError(f"illegal header {key}"))):
        error = run(failure_of(model_of(way)))
        shown = "".join(traceback.format_exception(error)) + str(error) + repr(error)
        assert HIDDEN in shown
        assert key not in shown

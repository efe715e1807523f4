"""A call of a model is told with who, how much and how long, and never with what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.errors import ModelUnavailable
from sextant.prompting.calls.tracing import traced_model
from sextant.prompting.reply import whole
from sextant.spans import traced
from sextant.testing.fault_server.server import FaultServer
from sextant.types import Delta, Prompt, Scope, TextDelta, ToolSpec
from tests.prompting.models import END, HELLO, Wayward, fails, says
from tests.telemetry.collector import FAILED, Collector, Told, collecting
from tests.telemetry.tracing import settings_for, tracing


def ticking() -> Callable[[], float]:
    """Return a clock on which every look takes a second."""
    seconds = iter(range(1, 100))
    return lambda: float(next(seconds))


async def called(model: Wayward, prompt: Prompt = HELLO) -> Told:
    async with tracing() as (tracer, collector):
        with traced(tracer, {"gen_ai.conversation.id": "c-1", "sextant.run.id": "r-1"}):
            await whole(traced_model(model, ticking()), prompt)
    return collector.one("chat wayward")


def test_a_call_has_the_facts_of_its_request_and_of_its_reply() -> None:
    tool = ToolSpec("open", "Opens.", {"type": "object"})
    prompt = replace(HELLO, tools=(tool,), max_tokens=9, temperature=0.5)
    call = asyncio.run(called(Wayward([says("Hel", "lo")]), prompt))
    assert call.kind == "client"
    assert call.facts == {
        "gen_ai.conversation.id": "c-1",
        "sextant.run.id": "r-1",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "wayward",
        "gen_ai.request.stream": True,
        "gen_ai.request.max_tokens": 9,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.output.type": "text",
        "gen_ai.response.model": "wayward-1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.response.time_to_first_chunk": 1.0,
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
        "sextant.model.messages": 1,
        "sextant.model.actions": 1,
        "sextant.model.final": True,
        "sextant.model.progressive": True,
        "sextant.model.pieces": 2,
        "sextant.model.output.characters": 5,
        "sextant.model.output.calls": 0,
        "sextant.model.latency_ms": 2000.0,
        "sextant.model.retries": 0,
    }


def test_a_call_that_fails_is_told_by_its_code() -> None:
    async def call() -> Collector:
        async with tracing() as (tracer, collector):
            with traced(tracer), pytest.raises(ModelUnavailable):
                await whole(
                    traced_model(Wayward([fails(ModelUnavailable("Down.", "Try again."), "H")])),
                    HELLO,
                )
        return collector

    call_ = asyncio.run(call()).one("chat wayward")
    assert (call_.status, call_.said) == (FAILED, "model_unavailable")
    assert call_.facts["sextant.model.final"] is False


def test_a_call_that_is_left_is_told_as_far_as_it_came() -> None:
    async def leave() -> Collector:
        async with tracing() as (tracer, collector):
            with traced(tracer):
                async with aclosing(
                    traced_model(Wayward([says("Hel", "lo")])).stream(HELLO)
                ) as deltas:
                    assert await anext(deltas) == TextDelta("Hel")
        return collector

    left = asyncio.run(leave()).one("chat wayward")
    assert (left.status, left.facts["sextant.model.final"]) == (0, False)
    assert left.facts["sextant.model.output.characters"] == 3


def test_without_a_tracer_a_model_replies_as_it_is() -> None:
    model = Wayward([says("Hel", "lo")])

    async def talk() -> list[Delta]:
        heard = traced_model(model)
        assert heard.identity == model.identity
        found = [delta async for delta in heard.stream(HELLO)]
        await heard.close()
        return found

    assert asyncio.run(talk()) == [TextDelta("Hel"), TextDelta("lo"), END]
    assert model.is_closed


def test_an_answer_by_a_model_has_its_calls_inside_its_steps(tmp_path: Path) -> None:
    async def ask(collector: Collector) -> None:
        async with FaultServer("fine") as server:
            settings = settings_for(tmp_path, collector.url, llm=f"{server.url}#fault-1")
            async with await open_sextant(settings) as sextant:
                question = Question("Who owns the ledger?", conversation="c-7")
                await sextant.ask(Scope("default"), question)

    with collecting() as collector:
        asyncio.run(ask(collector))
    calls = collector.named("chat fault-1")
    steps = {one.id: one.name for one in collector.spans if one.name.startswith("sextant.")}
    assert calls
    assert {steps[call.parent] for call in calls} <= {"sextant.route", "sextant.plan"}
    assert {call.facts["gen_ai.conversation.id"] for call in calls} == {"c-7"}
    assert b"ledger" not in b"".join(collector.bodies)

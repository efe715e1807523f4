"""What is recorded of steps, and what a budget allows for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sextant.errors import StoreFull
from sextant.retrieval.events import Event, StepBegan, StepEnded
from sextant.retrieval.recorder import COSTS, Budget, Recorder, estimated_tokens
from sextant.types import Step
from tests.ask.test_flow import NOW


def ticking(*moments: float) -> Iterator[float]:
    yield from moments


def recorder(budget: Budget, *moments: float) -> tuple[Recorder, list[Event]]:
    heard: list[Event] = []
    return Recorder(heard.append, ticking(*moments).__next__, budget), heard


def test_a_listener_hears_a_step_begin_and_end_and_compares_it_without_its_time() -> None:
    own, heard = recorder(Budget(), 0.0, 1.0, 1.5)
    with own.step("plan") as notes:
        notes.facts["queries"] = 1
        assert heard == [StepBegan(1, "plan")]
    assert heard[1:] == [StepEnded(1, Step("plan", {"queries": 1}))]
    assert own.steps[0].milliseconds == 500.0


def test_a_step_that_fails_ends_for_the_listener_and_is_no_part_of_the_trace() -> None:
    own, heard = recorder(Budget(), 0.0, 1.0, 1.5, 2.0, 2.0)

    def fail() -> None:
        with own.step("retrieve") as notes:
            notes.facts["candidates"] = 3
            raise StoreFull("No room is left.", "Free some.")

    with pytest.raises(StoreFull):
        fail()
    assert heard == [
        StepBegan(1, "retrieve"),
        StepEnded(1, Step("retrieve", {"candidates": 3}), failed=True),
    ]
    assert own.steps == []
    with own.step("rank"):
        pass
    assert heard[2] == StepBegan(2, "rank")


def test_what_costs_more_than_is_left_is_left_out_once_and_told() -> None:
    budget = Budget(milliseconds=int(COSTS["walk"]))
    own, _ = recorder(budget, 0.0, 0.0, 0.001, 0.002)
    assert own.affords("walk")
    assert not own.affords("walk")
    assert not own.affords("walk")
    assert own.trace(NOW, 7).step("budget") == Step("budget", {"left_out": ["walk"]})


def test_no_budget_allows_for_everything() -> None:
    own, _ = recorder(Budget(), 0.0, 1e9)
    assert own.affords("follow-up")
    assert own.trace(NOW, 7).steps == ()


def test_tokens_are_estimated_by_characters() -> None:
    assert estimated_tokens(["abcd" * 10, "xyz"]) == 10

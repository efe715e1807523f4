"""What is recorded of steps, and what a budget allows for."""

from __future__ import annotations

from collections.abc import Iterator

from sextant.ask.question import Budget, Event
from sextant.ask.trace import COSTS, Recorder, estimated_tokens
from sextant.types import Step
from tests.ask.test_flow import NOW


def ticking(*moments: float) -> Iterator[float]:
    yield from moments


def recorder(budget: Budget, *moments: float) -> tuple[Recorder, list[Event]]:
    heard: list[Event] = []
    return Recorder(heard.append, ticking(*moments).__next__, budget), heard


def test_a_step_is_told_when_it_ends_and_compared_without_its_time() -> None:
    own, heard = recorder(Budget(), 0.0, 1.0, 1.5)
    with own.step("plan") as notes:
        notes.facts["queries"] = 1
        assert not heard
    assert heard == [Step("plan", {"queries": 1})]
    assert own.steps[0].milliseconds == 500.0


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

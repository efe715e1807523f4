"""What a model can do is found out, one thing at a time."""

from __future__ import annotations

import pytest

from sextant.errors import (
    BrokenStream,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRejected,
    ModelTimeout,
)
from sextant.prompting.probe import Outcome, Probe, probe
from sextant.testing.scripted import Scripted
from sextant.types import Ended, Prompt, Reason, Reply, ToolCall, Usage
from tests.prompting.timeless import run

Said = str | Reply | ModelError
LISBON = '{"city": "Lisbon", "country": "Portugal", "coastal": true}'
YES, PARTLY, NO, UNTRIED = Outcome
NAMES = ["answers", "streams", "calls tools", "obeys JSON schemas"]


def call(name: str = "add", arguments: str = '{"first": 2, "second": 3}') -> Reply:
    return Reply("", (ToolCall("1", name, arguments),), Ended(Reason.TOOLS, Usage(9, 4)))


def probed(
    word: Said = "ready", count: Said = "one, two, three", tool: Said = "", city: Said = LISBON
) -> Probe:
    """Try a model that replies this to each trial, and as it should where nothing is said."""

    def script(prompt: Prompt) -> Said:
        if prompt.tools:
            return tool or call()
        if prompt.schema:
            return city
        return word if "ready" in prompt.messages[0].text else count

    return run(probe(Scripted(script)))


def outcomes(found: Probe) -> list[Outcome]:
    assert [trial.name for trial in found.trials] == NAMES
    return [trial.outcome for trial in found.trials]


def test_a_model_that_can_do_everything() -> None:
    found = probed()
    assert outcomes(found) == [YES] * 4
    assert (found.model, found.answers, found.error) == ("scripted:script", True, None)
    assert found.trials[2].usage == Usage(9, 4)
    assert all(trial.milliseconds > 0 for trial in found.trials)


@pytest.mark.parametrize(
    "error",
    [
        ModelAuthentication("Wrong key.", "Set another."),
        ModelNotFound("Who?", "Name another."),
        ModelTimeout("Too slow.", "Try again."),
    ],
)
def test_where_nobody_is_there_it_is_said_once(error: ModelError) -> None:
    found = probed(word=error)
    assert outcomes(found) == [NO, UNTRIED, UNTRIED, UNTRIED]
    assert (found.answers, found.error) == (False, error)
    assert not any(trial.why for trial in found.trials)


def test_what_fails_does_not_stop_the_rest() -> None:
    found = probed(
        word=BrokenStream("Broken.", "Try again."),
        tool=ModelRejected("No tools here.", "Leave them out."),
    )
    assert outcomes(found) == [NO, YES, NO, YES]
    assert found.trials[2].why == "No tools here. Leave them out."
    assert (found.answers, found.error) == (False, None)


def test_a_model_that_goes_away_later_has_answered() -> None:
    found = probed(tool=ModelTimeout("Too slow.", "Try again."))
    assert outcomes(found) == [YES, YES, NO, UNTRIED]
    assert found.answers


@pytest.mark.parametrize("word", ["", " \n", Reply("No.", ended=Ended(Reason.REFUSED))])
def test_an_answer_of_nothing_is_half_of_one(word: Said) -> None:
    assert outcomes(probed(word=word))[0] == PARTLY


def test_one_piece_is_no_stream() -> None:
    found = probed(count="twenty")
    assert (outcomes(found)[1], found.trials[1].why) == (PARTLY, "It came in one piece.")
    assert outcomes(probed(count=""))[1] == PARTLY


@pytest.mark.parametrize(
    ("tool", "outcome"),
    [
        ("It is 5.", NO),
        (call("format_disk"), PARTLY),
        (call(arguments="{half"), PARTLY),
        (call(arguments="[2, 3]"), PARTLY),
        (call(arguments='{"first": "2", "second": [3]}'), PARTLY),
        (call(arguments='{"first": 3, "second": 2}'), YES),
    ],
)
def test_tools_are_to_be_called_as_they_are(tool: Said, outcome: Outcome) -> None:
    assert outcomes(probed(tool=tool))[2] == outcome


def test_schemas_are_to_be_obeyed_at_once() -> None:
    assert outcomes(probed(city="Lisbon is nice."))[3] == NO
    replies = iter(["no", LISBON])

    def script(prompt: Prompt) -> Said:
        return next(replies) if prompt.schema else call() if prompt.tools else "one, two"

    assert outcomes(run(probe(Scripted(script))))[3] == PARTLY

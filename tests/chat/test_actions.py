"""Actions of the server: described by their signature, carried out in rounds, and told as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from sextant.chat.actions.action import Action
from sextant.errors import ConfigError
from sextant.plugins import RunContext, action
from sextant.settings import ChatSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    NO_TOOL,
    ActionMessage,
    ActionReturned,
    ActionStarted,
    ClientAction,
    ContextItem,
    Prompt,
    Reply,
    ResultMessage,
    RunFailed,
    RunRequest,
    Speaker,
    ToolCall,
)
from tests import test_entrypoints
from tests.chat.running import PLAIN, events_of, only, opened, request, text_of


@action
async def weather(city: str, unit: Literal["C", "F"] = "C") -> dict[str, object]:
    """Tell the weather in a city."""
    return {"city": city, "temperature": 21, "unit": unit}


@action
def explode(path: str = "") -> str:
    """Fail."""
    raise RuntimeError(f"cannot open {path or '/srv/secret/file.txt'} today")


@action(name="who", description="Says who asks.")
def who_asks(run: RunContext) -> str:
    return f"{run.scope.user} of {run.request.properties['team']}"


def calls(name: str, arguments: str = "{}") -> Callable[[Prompt], str | Reply]:
    """Return a script that calls an action once, and then says what it returned."""

    def script(prompt: Prompt) -> str | Reply:
        last = prompt.messages[-1]
        if last.speaker == Speaker.TOOL:
            return f"It said: {last.text}"
        return Reply("", (ToolCall("c1", name, arguments),))

    return script


async def returned(own: Action, arguments: str, **more: object) -> tuple[ActionReturned, str]:
    async with opened(Scripted(calls(own.name, arguments))) as sextant:
        sextant.copilot.register(own)
        events = await events_of(sextant.copilot, request("Go.", **more))
    return only(events, ActionReturned)[0], text_of(events)


def test_a_signature_is_the_schema() -> None:
    assert weather.description == "Tell the weather in a city."
    assert weather.parameters["required"] == ["city"]
    properties = weather.parameters["properties"]
    assert isinstance(properties, dict)
    assert properties["unit"] == {"enum": ["C", "F"], "default": "C"}


def test_a_parameter_without_a_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="names"):

        @action(name="takes-names")
        def own(*names: str) -> None: ...


async def test_the_model_hears_what_an_action_returned() -> None:
    result, text = await returned(weather, '{"city":"Paris"}')
    assert json.loads(result.result) == {"city": "Paris", "temperature": 21, "unit": "C"}
    assert text == f"It said: {result.result}"


async def test_a_failing_action_tells_neither_a_trace_nor_a_path() -> None:
    result, _ = await returned(explode, "{}")
    assert json.loads(result.result) == {
        "error": {"code": "HANDLER_ERROR", "message": "cannot open … today"},
        "result": "",
    }
    assert result.failed


@pytest.mark.parametrize("sent", ['{"city":1}', "{}", "[", '{"city":"a","more":1}'])
async def test_arguments_that_do_not_fit_are_told_to_the_model(sent: str) -> None:
    result, _ = await returned(weather, sent)
    assert "HANDLER_ERROR" in result.result
    assert "arguments of weather" in result.result


async def test_an_action_knows_who_asks_and_what_the_page_sent() -> None:
    result, _ = await returned(who_asks, "{}", properties={"team": "Keel"})
    assert result.result == "ann of Keel"


async def test_what_the_page_says_reaches_the_model_as_data() -> None:
    model = Scripted(lambda _: "Yes.")
    async with opened(model) as sextant:
        await events_of(sextant.copilot, request(context=(ContextItem("The cart", "2 apples"),)))
    [system, _] = model.prompts[0].messages
    assert system.speaker == Speaker.SYSTEM
    assert "2 apples" in system.text


async def test_a_model_that_only_calls_is_stopped_at_the_bound() -> None:
    model = Scripted(lambda _: Reply("", (ToolCall("c1", "weather", '{"city":"Paris"}'),)))
    settings = replace(PLAIN, chat=ChatSettings(grounding="off", rounds=2))
    async with opened(model, settings) as sextant:
        sextant.copilot.register(weather)
        events = await events_of(sextant.copilot, request("Go."))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].code == "too_many_actions"
    assert len(only(events, ActionReturned)) == 2
    assert model.prompts[-1].tool_choice == NO_TOOL


async def test_a_model_that_numbers_its_calls_anew_gives_none_the_id_of_another() -> None:
    async with opened(Scripted(calls("weather", '{"city":"Paris"}'))) as sextant:
        sextant.copilot.register(weather)
        before = (ActionMessage("c1", "weather", "{}"), ResultMessage("r1", "c1", "weather", "x"))
        asked = RunRequest((*before, *request("Go.").messages))
        events = await events_of(sextant.copilot, asked)
    [started], [ended] = only(events, ActionStarted), only(events, ActionReturned)
    assert started.call_id == ended.call_id != "c1"
    assert "Paris" in text_of(events)


async def test_calls_of_both_sides_are_carried_out_here_and_left_to_the_client() -> None:
    both = Reply("", (ToolCall("c1", "weather", '{"city":"Paris"}'), ToolCall("c2", "paint", "{}")))
    model = Scripted(lambda _: both)
    async with opened(model) as sextant:
        sextant.copilot.register(weather)
        asked = request("Go.", actions=(ClientAction("paint"),))
        events = await events_of(sextant.copilot, asked)
    assert [one.call_id for one in only(events, ActionReturned)] == ["c1"]
    assert len(model.prompts) == 1


async def test_a_call_of_what_nobody_has_is_told_to_the_model() -> None:
    async with opened(Scripted(calls("ghost"))) as sextant:
        events = await events_of(sextant.copilot, RunRequest(request("Go.").messages))
    assert "There is no action 'ghost'" in text_of(events)


async def test_an_installed_package_brings_actions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sextant import entrypoints

    test_entrypoints.install(
        tmp_path, "acme-weather", "[sextant.actions]", "weather = tests.chat.test_actions:weather"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    entrypoints._installed.cache_clear()
    try:
        async with opened(Scripted(calls("weather", '{"city":"Oslo"}'))) as sextant:
            assert "Oslo" in text_of(await events_of(sextant.copilot, request("Go.")))
    finally:
        monkeypatch.undo()
        entrypoints._installed.cache_clear()

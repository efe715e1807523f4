"""What is logged of runs and of the models in them: numbers, names and codes, never a text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sextant.chat.actions.action import action
from sextant.errors import ModelUnavailable
from sextant.serve.records.logs import writing_log
from sextant.settings import LogSettings
from sextant.testing.scripted import Scripted
from sextant.types import Prompt, Reply, RunFailed, Speaker, ToolCall
from tests.chat.running import events_of, opened, request


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


async def test_requests_and_replies_of_a_model_are_logged_with_their_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @action
    def look() -> str:
        """Look it up."""
        return "secret result"

    def script(prompt: Prompt) -> str | Reply:
        if prompt.messages[-1].speaker is Speaker.TOOL:
            return "a secret reply"
        return Reply("", (ToolCall("c1", "look", "{}"),))

    with writing_log(LogSettings("info", "json")):
        async with opened(Scripted(script)) as sextant:
            sextant.copilot.register(look)
            asked = request("a secret question", thread_id="t-1", run_id="r-1")
            await events_of(sextant.copilot, asked)
    lines = _lines(capsys)
    names = [one["message"] for one in lines]
    assert names == ["llm_request", "llm_response"] * 2 + ["copilot_run"]
    assert {(one["threadId"], one["runId"]) for one in lines} == {("t-1", "r-1")}
    assert all(one["provider"] and one["model"] for one in lines[:4])
    assert (lines[0]["messages"], lines[0]["actions"]) == (1, 1)
    assert lines[0]["time"].endswith("Z")
    assert (lines[1]["calls"], lines[1]["final"]) == (1, True)
    assert lines[3]["characters"] == len("a secret reply")
    assert {"latencyMs", "progressive", "pieces"} <= lines[3].keys()
    assert (lines[4]["outcome"], lines[4]["messages"]) == ("finished", 1)
    assert "secret" not in json.dumps(lines)


async def test_a_reply_that_fails_is_logged_as_not_final(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def script(_: Prompt) -> str:
        raise ModelUnavailable("It is down.", "Wait.")

    with writing_log(LogSettings("info", "json")):
        async with opened(Scripted(script)) as sextant:
            events = await events_of(sextant.copilot, request())
    assert isinstance(events[-1], RunFailed)
    lines = _lines(capsys)
    assert [one["final"] for one in lines if one["message"] == "llm_response"] == [False]
    assert lines[-1]["code"] == events[-1].code
